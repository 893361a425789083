// A heat map as an image in text: an indexed PNG (W3C PNG 3rd edition, sections 5 and 11), one byte for one cell, as a
// data URL. No document is needed.

import { to_base64 } from "../base64.ts";
import type { Image } from "./shapes.ts";
import { rgb } from "./palette.ts";

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

function crc(bytes: number[]): number {
  let c = 0xffffffff;
  for (const byte of bytes) c = CRC[(c ^ byte) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

const word = (n: number) => [(n >>> 24) & 255, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];
const ascii = (text: string) => [...text].map((c) => c.charCodeAt(0));

function chunk(type: string, data: number[]): number[] {
  const body = [...ascii(type), ...data];
  return [...word(data.length), ...body, ...word(crc(body))];
}

/** The bytes in one stored block (RFC 1950, 1951): small maps need no compression. */
function stored(bytes: number[]): number[] {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  const n = bytes.length;
  return [0x78, 0x01, 1, n & 255, n >> 8, ~n & 255, (~n >> 8) & 255, ...bytes, ...word(((b << 16) | a) >>> 0)];
}

/** Red, green, blue and opacity (0 to 255) of each level. */
export function tints({ colour, negative }: Pick<Image, "colour" | "negative">): [number, number, number, number][] {
  const above = rgb(colour);
  const below = negative ? rgb(negative) : above;
  return Array.from({ length: 256 }, (_, level) =>
    !negative
      ? [...above, level]
      : level >= 128
        ? [...above, Math.round(((level - 128) / 127) * 255)]
        : [...below, Math.round(((128 - level) / 127) * 255)],
  );
}

export function png(image: Image): string {
  const { levels, columns } = image;
  const rows = levels.length / columns;
  const colours = tints(image);
  const lines: number[] = [];
  for (let i = 0; i < rows; i++) lines.push(0, ...levels.subarray(i * columns, (i + 1) * columns));
  const bytes = [
    ...[137, 80, 78, 71, 13, 10, 26, 10],
    ...chunk("IHDR", [...word(columns), ...word(rows), 8, 3, 0, 0, 0]),
    ...chunk(
      "PLTE",
      colours.flatMap(([r, g, b]) => [r, g, b]),
    ),
    ...chunk(
      "tRNS",
      colours.map(([, , , a]) => a),
    ),
    ...chunk("IDAT", stored(lines)),
    ...chunk("IEND", []),
  ];
  return `data:image/png;base64,${to_base64(bytes)}`;
}
