// From numbers to pixels and back. What lies outside of the domain stands at its edge.

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
  log: [Math.log, Math.exp],
  sqrt: [Math.sqrt, (v) => v * v],
  asinh: [Math.asinh, Math.sinh],
};

/** A scale whose domain goes from pixel `from` to pixel `to`; Infinity stands at `beyond`. */
export function scale_of({ scale = "linear", domain }: Axis, from: number, to: number, beyond = to): Scale {
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
