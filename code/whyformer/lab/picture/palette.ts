// Colours for canvases and images. Everything else about looks stands in style sheets.

import palette from "./palette.json";

export { palette };

export function rgb(hex: string): [number, number, number] {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
