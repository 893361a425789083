// Colours for canvases and images, the same in light and dark. Everything else about looks stands in style sheets.

import palette from "./palette.json";

const light: Record<string, string> = palette.light;

/** Red, green and blue; the violet of scores has a shade for maps that is seen on both papers. */
export function rgb(role: string): [number, number, number] {
  const value = parseInt((light[`${role}-map`] ?? light[role]).slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
