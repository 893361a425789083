// Words as tokens: the asking one is a tag that points to the right, the others are what it may look at.

import { width_of } from "./measure.ts";
import { path, rect_d, round, text, type Shape } from "./shapes.ts";

const [PAD, GAP] = [0.33, 0.1]; // em on each side of a word, inside and outside of its border
export const HIGH = 1.6; // em

/** The room of a token in em, with what parts it from its neighbours. */
export const need_of_token = (word: string): number => width_of(word) + 2 * (PAD + GAP);

/** Size of type at which all words fit side by side. */
export const token_size = (words: string[], room: number, em: number): number =>
  Math.min(em, room / words.reduce((sum, word) => sum + need_of_token(word), 0));

/** A token with its middle at x and its top at y. */
export function token(word: string, x: number, y: number, size: number, asks: boolean): Shape[] {
  const half = (width_of(word) / 2 + PAD) * size;
  const [high, corner] = [HIGH * size, 0.38 * size];
  const d = asks ? tag_d(x - half, y, 2 * half, high, corner) : rect_d(x - half, y, 2 * half, high, corner);
  return [
    path(d, `wf-token wf-${asks ? "query" : "key"}`),
    text(x, y + high / 2 + 0.34 * size, word, size, { anchor: "middle", look: "wf-token-word wf-x-tick" }),
  ];
}

/** A box whose right side is a point. */
export function tag_d(x: number, y: number, width: number, high: number, corner: number): string {
  const [left, top, right, bottom] = [x, y, x + width - 0.1 * high, y + high].map(round);
  const [tip, middle, r] = [x + width + 0.22 * high, y + high / 2, corner].map(round);
  return `M${left + r},${top}H${right}L${tip},${middle}L${right},${bottom}H${left + r}a${r},${r} 0 0 1 ${-r},${-r}V${round(top + r)}a${r},${r} 0 0 1 ${r},${-r}z`;
}

/** A box whose left side is the notch that the point of a tag fits. */
export function notch_d(x: number, y: number, width: number, high: number, corner: number): string {
  const [left, top, right, bottom] = [x - 0.1 * high, y, x + width, y + high].map(round);
  const [tip, middle, r] = [x + 0.22 * high, y + high / 2, corner].map(round);
  return `M${left},${top}H${round(right - r)}a${r},${r} 0 0 1 ${r},${r}V${round(bottom - r)}a${r},${r} 0 0 1 ${-r},${r}H${left}L${tip},${middle}z`;
}
