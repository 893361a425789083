// From numbers to pixels and back. What lies outside of the domain stands at its edge.

import { need_of_token } from "./tokens.ts";
import type { Axis } from "./picture.ts";

export interface Scale {
  (value: number): number;
  /** From pixels to numbers. */
  back(pixel: number): number;
  /** Pixels of one unit, on axes where that is one number. */
  unit: number;
}

type Both = [to: (v: number) => number, back: (v: number) => number];

const same = (v: number) => v;
const TRANSFORMS: Record<NonNullable<Axis["scale"]>, Both> = {
  linear: [same, same],
  cells: [same, same],
  words: [same, same],
  log: [Math.log, Math.exp],
  sqrt: [Math.sqrt, (v) => v * v],
  asinh: [Math.asinh, Math.sinh],
};

/** A scale whose domain goes from pixel `from` to pixel `to`; Infinity stands at `beyond`. */
export function scale_of(axis: Axis, from: number, to: number, beyond = to): Scale {
  const { scale = "linear", domain } = axis;
  if (scale === "words") return slots_of(axis.words!, from, to);
  const [there, back] = TRANSFORMS[scale];
  const [low, high] = domain;
  const [start, end] = [there(low), there(high)];
  const factor = (to - from) / (end - start);
  const place = (value: number) =>
    value === Infinity ? beyond : from + (there(Math.min(high, Math.max(low, value))) - start) * factor;
  return Object.assign(place, {
    back: (pixel: number) => back(start + (pixel - from) / factor),
    unit: Math.abs(factor),
  });
}

/** Word i stands in the middle of a slot that is as wide as it needs, as a share of all. */
function slots_of(words: string[], from: number, to: number): Scale {
  const needs = words.map(need_of_token);
  const factor = (to - from) / needs.reduce((a, b) => a + b, 0);
  const starts = needs.map((_, i) => from + factor * needs.slice(0, i).reduce((a, b) => a + b, 0));
  const place = (i: number) => starts[i] + (factor * needs[i]) / 2;
  const back = (pixel: number) => starts.filter((start) => start <= pixel).length - 1;
  return Object.assign(place, { back, unit: Math.abs(to - from) / words.length });
}
