// The path lab. Twin of path_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { band, controls, legend, line, plot, row } from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Mark, Plot } from "../../lab/picture/picture.ts";
import { t } from "../../lab/words.ts";
import { normals, stream } from "../../maths/random.ts";
import { drawn_by } from "../../maths/recent.ts";

const [N, D, DRAWS] = [50, 12, 21];
const PLACES = [2, 10, 18];

export type State = States["advantages/path"];

export type Series = ReturnType<typeof compute>;

interface Draw {
  matrix: Float64Array;
  inputs: Float64Array;
  arriving: Float64Array;
  scores: Float64Array;
  rotation?: Float64Array;
}

interface Curves {
  of: string;
  values: Float64Array;
}

/** What a seed draws, and the curves of the last state: a move of one control changes only one of them. */
interface Kept {
  draws: Draw[];
  recurrence?: Curves;
  attention?: Curves;
}

const kept_for = drawn_by((seed): Kept => {
  const draws = Array.from({ length: DRAWS }, (_, i) => {
    const of = (which: number, count: number) => normals(stream(seed, 4 * i + which), count);
    const arriving = of(2, D);
    const length = Math.hypot(...arriving);
    return { matrix: of(0, D * D), inputs: of(1, N * D), arriving: arriving.map((v) => v / length), scores: of(3, N) };
  });
  return { draws };
});

/** Orthonormal rows, by the method of Gram and Schmidt from the first row on. */
function rotation(matrix: Float64Array): Float64Array {
  const out = matrix.slice();
  for (let i = 0; i < D; i++) {
    const row = out.subarray(i * D, (i + 1) * D);
    // twice is enough: what is left along earlier rows after the first time is rounding
    for (let time = 0; time < 2; time++) {
      for (let j = 0; j < i; j++) {
        let dot = 0;
        for (let k = 0; k < D; k++) dot += row[k] * out[j * D + k];
        for (let k = 0; k < D; k++) row[k] -= dot * out[j * D + k];
      }
    }
    const length = Math.hypot(...row);
    for (let k = 0; k < D; k++) row[k] /= length;
  }
  return out;
}

/** Lengths of the gradient, so many steps back. */
function backwards(draw: Draw, { scale, matrix, unit, gate }: State): Float64Array {
  const rotated = matrix === "rotation";
  if (rotated) draw.rotation ??= rotation(draw.matrix);
  const factor = rotated ? scale : scale / Math.sqrt(D);
  const w = (rotated ? draw.rotation! : draw.matrix).map((v) => factor * v);
  const loud = { loud: 0.5, quiet: 0.1, tiny: 0.05, none: 0 }[unit];
  const slopes = new Float64Array(N * D).fill(1);
  let [now, next] = [new Float64Array(D), new Float64Array(D)];
  if (unit !== "none") {
    for (let t = 0; t < N; t++) {
      for (let i = 0; i < D; i++) {
        let sum = loud * draw.inputs[t * D + i];
        for (let j = 0; j < D; j++) sum += w[i * D + j] * now[j];
        const value = Math.tanh(sum);
        slopes[t * D + i] = 1 - value * value;
        next[i] = gate * now[i] + (1 - gate) * value;
      }
      [now, next] = [next, now];
    }
  }
  const lengths = new Float64Array(N).fill(1);
  now.set(draw.arriving);
  for (let back = 1; back < N; back++) {
    for (let j = 0; j < D; j++) next[j] = gate * now[j];
    for (let i = 0; i < D; i++) {
      const through = (1 - gate) * slopes[(N - back) * D + i] * now[i];
      for (let j = 0; j < D; j++) next[j] += through * w[i * D + j];
    }
    [now, next] = [next, now];
    let square = 0;
    for (let j = 0; j < D; j++) square += now[j] * now[j];
    lengths[back] = Math.sqrt(square);
  }
  return lengths;
}

/** The weight of the first of 1, 2, ... 50 tokens. */
function weights(scores: Float64Array, lead: number): Float64Array {
  const largest = scores.reduce((most, s) => Math.max(most, s), scores[0] + lead);
  const first = Math.exp(scores[0] + lead - largest);
  let others = 0;
  return scores.map((score, i) => {
    if (i > 0) others += Math.exp(score - largest);
    return first / (first + others);
  });
}

/** Of the values of all draws at each distance the third smallest, the median, the third largest. */
function middle(runs: Float64Array[]): Float64Array {
  const out = new Float64Array(PLACES.length * N);
  const sorted = new Float64Array(DRAWS);
  for (let i = 0; i < N; i++) {
    for (let draw = 0; draw < DRAWS; draw++) sorted[draw] = runs[draw][i];
    sorted.sort();
    PLACES.forEach((place, k) => (out[k * N + i] = sorted[place]));
  }
  return out;
}

export function compute(state: State) {
  const { scale, matrix, unit, gate, lead, seed } = state;
  const found = kept_for(seed);
  const of = [scale, matrix, unit, gate].join();
  if (found.recurrence?.of !== of)
    found.recurrence = { of, values: middle(found.draws.map((draw) => backwards(draw, state))) };
  if (found.attention?.of !== String(lead))
    found.attention = { of: String(lead), values: middle(found.draws.map((draw) => weights(draw.scores, lead))) };
  const [recurrence, attention] = [found.recurrence.values.slice(), found.attention.values.slice()];
  const [low, end, high] = [recurrence[N - 1], recurrence[2 * N - 1], recurrence[3 * N - 1]];
  return {
    distance: Float64Array.from({ length: N }, (_, i) => i),
    recurrence,
    attention,
    end_recurrence: end,
    end_attention: attention[2 * N - 1],
    orders: Math.log10(high / low),
    per_step: end ** (1 / (N - 1)),
    uniform: 1 / N,
  };
}

// ---- the picture

const steps_back = (): Axis => ({ domain: [0, 49], ticks: [0, 10, 20, 30, 40, 49], label: t("steps back") });

function curves(name: string, colour: Colour, values: Float64Array, label: string): Mark[] {
  const [low, median, high] = [0, 1, 2].map((i) => values.subarray(i * N, (i + 1) * N));
  const x = Float64Array.from({ length: N }, (_, i) => i);
  return [
    band(`${name}: draws`, colour, x, low, high),
    line(name, colour, x, median, { look: ["thick"], straight: true, label }),
  ];
}

function gradient(name: string, title: string, series: Series, y: Axis, height: number): Plot {
  return plot(name, title, height, steps_back(), y, [
    { mark: "rule", name: "all", y: 1 },
    ...curves("recurrence", "ink", series.recurrence, t("recurrence")),
    ...curves("attention", "score", series.attention, t("attention")),
  ]);
}

export function view(_: State, series: Series): Block[] {
  const far: Axis = {
    scale: "log",
    domain: [1e-18, 1e12],
    ticks: [
      { at: 1e-18, text: "10⁻¹⁸" },
      { at: 1e-12, text: "10⁻¹²" },
      { at: 1e-6, text: "10⁻⁶" },
      { at: 1, text: "1" },
      { at: 1e6, text: "10⁶" },
      { at: 1e12, text: "10¹²" },
    ],
  };
  const near: Axis = { scale: "log", domain: [0.0001, 10], ticks: [0.0001, 0.001, 0.01, 0.1, 1, 10] };
  return [
    controls("unit", "scale", "matrix"),
    controls("gate", "lead"),
    legend("kinds", {
      text: t("Line: median of 21 draws. Band: the 17 in the middle. What lies outside stands at the edge."),
    }),
    row(
      gradient("far", t("What comes back of a gradient of 1"), series, far, 17),
      gradient("near", t("What comes back, from 0.0001 to 10"), series, near, 17),
    ),
    controls("seed"),
  ];
}
