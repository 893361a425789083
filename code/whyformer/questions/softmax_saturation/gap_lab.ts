// The gap lab. Twin of gap_lab.py: same series, same names, same order; the picture stands here alone.

import type { States } from "../../lab/declared.ts";
import { controls, line, now, plot, row, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Given, Look, Mark } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
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

/** Stops of the axis, which is a slider. */
const STOPS = Array.from({ length: 20 * A_MAX + 1 }, (_, i) => i / 20);

/** While something is asked the curves end where the reader has come. */
export function view({ a }: State, series: Series, { told }: Given): Block[] {
  const x: Axis = { domain: [-0.4, A_MAX + 0.4], ticks: [0, 4, 8, 12], lower: 0.45 };
  const seen = told ? GRID.length : GRID.filter((each) => each <= a).length;
  const y: Axis = { domain: [0, 1.2], ticks: [0.25, 0.5, 0.75, 1] }; // the words stand above 1
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
      line(name, colour, GRID.subarray(0, seen), values.subarray(i * GRID.length, i * GRID.length + seen), { look }),
      now(`${name} now`, colour, a, value),
    ];
    const at = STOPS.reduce((best, each) => (Math.abs(each - a) < Math.abs(best - a) ? each : best));
    const marks: Mark[] = [
      here,
      ...curve("weight", "score", [], series.curve, y3),
      ...curve("derivative", "gradient", ["dashed"], series.slope, d),
      texts("weight in words", "score", ["left"], ["top"], [t("y₃ = {y3:.4f}", { y3 })]),
      texts("derivative in words", "gradient", ["right"], ["top"], [t("∂y₃/∂z₃ = {d:.2g}", { d })]),
      {
        mark: "thumb",
        name: "thumb",
        control: "a",
        values: STOPS,
        step: 1 / 20,
        at,
        symbol: "a",
        label: "a",
        said: number(a, ".2f"),
      },
    ];
    return plot(name, t("logits {name}", { name }), 13, x, y, marks, { least: 14, axis_room: 2.4 });
  });
  return [controls("a"), row(...families)];
}
