// The gap lab. Twin of gap_lab.py: same series, same names, same order; the picture stands here alone.

import type { States } from "../../lab/declared.ts";
import { controls, line, now, plot, row, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Look, Mark } from "../../lab/picture/picture.ts";
import { t } from "../../lab/words.ts";
import { late } from "../../maths/late.ts";
import { softmax, softmax_jacobian } from "../../maths/softmax.ts";

const A_MAX = 12;
const GRID = Float64Array.from({ length: 121 }, (_, i) => i * 0.1);

/** The three logits of each family at a. */
const FAMILIES: [name: string, logits: (a: number) => [number, number, number]][] = [
  ["(a, a, 2a)", (a) => [a, a, 2 * a]],
  ["(a, 2a, 2a)", (a) => [a, 2 * a, 2 * a]],
  ["(1000, 1000, 1000 + a)", (a) => [1000, 1000, 1000 + a]],
];

export type State = States["softmax_saturation/gap"];

export type Series = ReturnType<typeof compute>;

/** y3 and its derivative with respect to its own logit, family after family along `a`. */
function third_weight(a: ArrayLike<number>): [weight: Float64Array, derivative: Float64Array] {
  const all = FAMILIES.flatMap(([, logits]) => Array.from(a, logits));
  return [Float64Array.from(all, (z) => softmax(z)[2]), Float64Array.from(all, (z) => softmax_jacobian(z)[8])];
}

const curve_and_slope = late(() => third_weight(GRID));

export function compute({ a }: State) {
  const [here, slope] = third_weight([a]);
  const [curve, slopes] = curve_and_slope();
  return {
    curve: curve.slice(),
    slope: slopes.slice(),
    y3: here,
    derivative: slope,
    y3_gap: here[0],
    y3_tied: here[1],
    derivative_gap: slope[0],
    derivative_tied: slope[1],
    derivative_shifted: slope[2],
  };
}

// ---- the picture

export function view({ a }: State, series: Series): Block[] {
  const x: Axis = { domain: [-0.4, A_MAX + 0.4], ticks: [0, 4, 8, 12], label: "a" };
  const y: Axis = { domain: [0, 1.2], ticks: [0, 0.25, 0.5, 0.75, 1] }; // the words stand above 1
  const here: Mark = {
    mark: "segments",
    name: "a",
    colour: "soft",
    look: ["thin"],
    x1: [a],
    y1: [0],
    x2: [a],
    y2: [1],
  };
  const families = FAMILIES.map(([name], i) => {
    const [y3, d] = [series.y3[i], series.derivative[i]];
    const curve = (name: string, colour: Colour, look: Look[], values: Float64Array, value: number) => [
      line(name, colour, GRID, values.subarray(i * GRID.length, (i + 1) * GRID.length), { look }),
      now(`${name} now`, colour, a, value),
    ];
    const marks = [
      here,
      ...curve("weight", "score", [], series.curve, y3),
      ...curve("derivative", "gradient", ["dashed"], series.slope, d),
      texts("weight in words", "score", ["left"], ["top"], [t("y₃ = {y3:.4f}", { y3 })]),
      texts("derivative in words", "gradient", ["right"], ["top"], [t("∂y₃/∂z₃ = {d:.2g}", { d })]),
    ];
    return plot(name, t("logits {name}", { name }), 13, x, y, marks, { least: 14 });
  });
  return [controls("a"), row(...families)];
}
