// How wide a text is, without a page to measure it in: from the widths of the type (code/type/subset.py).

import tables from "./widths.json";

const widths: [Record<string, number>, Record<string, number>] = [tables["400"], tables["600"]];
const remembered: [Map<string, number>, Map<string, number>] = [new Map(), new Map()];
/** Characters, and what the type shows lowered, as in W_Q, as one. */
const LOWERED = Object.keys(tables["400"]).filter((key) => key.length > 1);
const PIECE = new RegExp([...LOWERED, "."].join("|"), "gsu");
const UNKNOWN = 700; // thousandths of an em, for a character that another font lends
/** Chinese characters and full-width signs, which are as wide as high. */
const WIDE = /[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]/;
/** Where a line may break: at a space, and beside a Chinese character unless a sign would begin or end a line. */
const BREAK = new RegExp(
  "(?<= )|(?<=[\\u4e00-\\u9fff，。、；：？！）》”])(?=[\\u4e00-\\u9fff（《“\\w√])|(?<=[\\wₖ%])(?=[\\u4e00-\\u9fff])",
);

/** Width in units of the type size. */
export function width_of(text: string, bold = false): number {
  const known = remembered[Number(bold)];
  let width = known.get(text);
  if (width === undefined) {
    const table = widths[Number(bold)];
    width = 0;
    for (const [piece] of text.matchAll(PIECE)) width += table[piece] ?? (WIDE.test(piece) ? 1000 : UNKNOWN);
    width /= 1000;
    if (known.size > 5000) known.clear();
    known.set(text, width);
  }
  return width;
}

/** Lines no wider than `width` (in units of the type size), broken between words; one word alone may be wider. */
export function lines_of(text: string, width: number, bold = false): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(BREAK)) {
    const longer = line + word;
    if (line && width_of(longer.trimEnd(), bold) > width) {
      lines.push(line.trimEnd());
      line = word;
    } else line = longer;
  }
  // A letter or two do not stand alone in the last line: the word before comes along.
  const above = lines.at(-1)?.split(" ") ?? [];
  if (line.length < 3 && above.length > 1 && !WIDE.test(line + above.at(-1))) {
    const longer = `${above.pop()} ${line}`;
    if (width_of(longer, bold) <= width) return [...lines.slice(0, -1), above.join(" "), longer];
  }
  return [...lines, line];
}
