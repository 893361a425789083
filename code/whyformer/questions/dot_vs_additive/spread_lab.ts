// The spread lab. Twin of spread_lab.py: same series, same names, same order.

import { deviation } from "d3-array";
import type { States } from "../../lab/declared.ts";
import { bars, controls, dots, here, line, note, now, plot, rings, row } from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Given, Look, Mark, Plot } from "../../lab/picture/picture.ts";
import { t } from "../../lab/words.ts";
import { normals, stream } from "../../maths/random.ts";
import { drawn_by } from "../../maths/recent.ts";
import { softmax } from "../../maths/softmax.ts";

const [N_KEYS, A_STREAM] = [16, 100];
const D = [16, 32, 64, 128, 256, 512, 1024];
const MOST = D[D.length - 1];
const SPREADS = Float64Array.from({ length: 35 }, (_, i) => 2 ** (0.5 * (i - 14)));
const [N_ROWS, ROWS_SEED] = [200, 7];
const GRID = Float64Array.from({ length: 121 }, (_, i) => -6 + 0.1 * i);
const NAMES = ["raw", "divided", "additive"] as const;

export type State = States["dot_vs_additive/spread"];

export type Series = ReturnType<typeof compute>;

const density = GRID.map((z) => Math.exp((-z * z) / 2));
const all = density.reduce((a, b) => a + b);
const DENSITY = density.map((p) => p / all);
const known = new Map<string, number>();

/** Variance of tanh(q + k) over k at fixed q, mean over q; both normal, of these standard deviations. */
function tanh_variance(query: number, keys: number): number {
  const name = `${query} ${keys}`;
  if (!known.has(name)) {
    let sum = 0;
    GRID.forEach((z, i) => {
      let [first, second] = [0, 0];
      for (let j = 0; j < GRID.length; j++) {
        const term = Math.tanh(query * z + keys * GRID[j]);
        first += DENSITY[j] * term;
        second += DENSITY[j] * term * term;
      }
      sum += DENSITY[i] * (second - first * first);
    });
    known.set(name, sum);
  }
  return known.get(name)!;
}

interface Draw {
  q: Float64Array;
  k: Float64Array[];
  a: Float64Array;
}

const drawn = drawn_by((seed): Draw => {
  const [q, ...k] = Array.from({ length: 1 + N_KEYS }, (_, i) => normals(stream(seed, i), MOST));
  return { q, k, a: normals(stream(seed, A_STREAM), MOST) };
});

let sharp: [middle: Float64Array, low: Float64Array, high: Float64Array] | undefined;

/** The largest of 16 weights whose scores are normal and of just this spread: median, and bounds of nine of ten. */
function sharpness(): [Float64Array, Float64Array, Float64Array] {
  if (sharp) return sharp;
  const below_the_largest = Array.from({ length: N_ROWS }, (_, i) => {
    const row = normals(stream(ROWS_SEED, i), N_KEYS);
    const [largest, by] = [Math.max(...row), deviation(row)!];
    return row.map((z) => (z - largest) / by);
  });
  const largest = Array.from(SPREADS, (spread) =>
    Float64Array.from(below_the_largest, (row) => {
      let sum = 0;
      for (let i = 0; i < N_KEYS; i++) sum += Math.exp(spread * row[i]);
      return 1 / sum;
    }).sort(),
  );
  const at = (f: (sorted: Float64Array) => number) => Float64Array.from(largest, f);
  sharp = [at((one) => (one[99] + one[100]) / 2), at((one) => one[10]), at((one) => one[189])];
  return sharp;
}

/** Dot products and additive sums of each key at each of D: arrays of 7 numbers, one for a key. */
function sums({ q, k, a }: Draw, query: number, keys: number): [dot: Float64Array[], additive: Float64Array[]] {
  const [dots, additives]: [Float64Array[], Float64Array[]] = [[], []];
  for (const key of k) {
    const [dot, additive] = [new Float64Array(D.length), new Float64Array(D.length)];
    let [product, bounded, at] = [0, 0, 0];
    for (let i = 0; i < MOST; i++) {
      const [x, y] = [query * q[i], keys * key[i]];
      product += x * y;
      bounded += a[i] * Math.tanh(x + y);
      if (i + 1 === D[at]) {
        dot[at] = product;
        additive[at++] = bounded;
      }
    }
    dots.push(dot);
    additives.push(additive);
  }
  return [dots, additives];
}

export function compute({ d_k, start, size_q, size_k, seed }: State) {
  const [dot, additive] = sums(drawn(seed), size_q, size_k);
  const roots = D.map(Math.sqrt);
  const by = roots.map((root) => (start === "fan_in" ? root : 1));
  const scores = (each: Float64Array[], divisor: (i: number) => number) =>
    D.map((_, i) => Float64Array.from(each, (sum) => sum[i] / divisor(i)));
  const [raw, divided] = [scores(dot, () => 1), scores(dot, (i) => roots[i])];
  const added = scores(additive, (i) => by[i]);
  const spread = (each: Float64Array[]) => Float64Array.from(each, (one) => deviation(one)!);
  const drawn_spread = [spread(raw), spread(divided), spread(added)];
  const at = D.indexOf(d_k);
  const weights = [raw, divided, added].map((each) => Float64Array.from(softmax(each[at])));
  const each_term = Math.sqrt(tanh_variance(size_q, size_k));
  const law = [
    Float64Array.from(roots, (root) => size_q * size_k * root),
    Float64Array.from(roots, (root) => (size_q * size_k * root) / root),
    Float64Array.from(roots, (root, i) => (each_term * root) / by[i]),
  ];
  const [middle, low, high] = sharpness();
  const largest = weights.map((one) => Math.max(...one));
  return {
    weights_raw: weights[0],
    weights_divided: weights[1],
    weights_additive: weights[2],
    draw_raw: drawn_spread[0],
    draw_divided: drawn_spread[1],
    draw_additive: drawn_spread[2],
    law_raw: law[0],
    law_divided: law[1],
    law_additive: law[2],
    spread_of: SPREADS.slice(),
    sharp: middle.slice(),
    sharp_low: low.slice(),
    sharp_high: high.slice(),
    spread_raw: drawn_spread[0][at],
    spread_divided: drawn_spread[1][at],
    spread_additive: drawn_spread[2][at],
    largest_raw: largest[0],
    largest_divided: largest[1],
    largest_additive: largest[2],
    expected_raw: law[0][at],
    expected_divided: law[1][at],
    expected_additive: law[2][at],
    times_dot: size_q * size_k,
    times_additive: each_term / Math.sqrt(tanh_variance(1, 1)),
  };
}

// ---- the picture

const COLOURS: Record<(typeof NAMES)[number], Colour> = { raw: "score", divided: "score", additive: "ink" };
const LOOKS: Record<(typeof NAMES)[number], Look[]> = { raw: ["dashed"], divided: [], additive: [] };
const words = () => ({ raw: t("not divided"), divided: t("q·k / √dₖ"), additive: t("additive") });
/** A score's place, in a shape of its own. */
const place = (name: string, of: (typeof NAMES)[number], x: number, y: number): Mark =>
  of === "divided" ? now(name, COLOURS[of], x, y, 0.34) : rings(name, COLOURS[of], [x], [y], 0.28, of === "raw");

const spreads = (more: Partial<Axis>): Axis => ({
  scale: "log",
  domain: [0.01, 1000],
  ticks: [0.01, 0.1, 1, 10, 100, 1000],
  ...more,
});

export function view(state: State, series: Series, { told }: Given): Block[] {
  return [
    controls("d_k", "start", "size_q", "size_k"),
    row(spread_panel(state, series, told), sharp_panel(series)),
    note("shapes", t("Square: q·k, not divided. Dot: q·k / √dₖ. Ring: additive. All three are of one draw."), "hint"),
    row(...NAMES.map((name) => weights_panel(name, series))),
    controls("seed"),
  ];
}

/** Over d_k: the law of each score's spread, this draw at each size, and where the reader stands; until it is told, as
 * far as that. */
function spread_panel({ d_k }: State, series: Series, told: boolean): Plot {
  const shown = told ? D.length : D.indexOf(d_k) + 1;
  const [x_of, far] = [D.slice(0, shown), (y: Float64Array) => y.slice(0, shown)];
  const marks = NAMES.flatMap((name): Mark[] => [
    line(`${name}: law`, COLOURS[name], x_of, far(series[`law_${name}`]), { label: words()[name], look: LOOKS[name] }),
    dots(`${name}: draw`, COLOURS[name], x_of, far(series[`draw_${name}`]), { size: 0.18, look: LOOKS[name] }),
    place(`${name}: now`, name, d_k, series[`spread_${name}`]),
  ]);
  const x: Axis = { scale: "log", domain: [D[0], MOST], ticks: D, label: "dₖ" };
  const title = t("Spread of the scores (lines: all draws; dots: this one)");
  return plot("spread", title, 14, x, spreads({}), [here("d_k", d_k), ...marks], { least: 17 });
}

/** Over the spread: how large the largest weight is, and where the three scores of this draw stand. */
function sharp_panel(series: Series): Plot {
  const { spread_of: x, sharp: y, sharp_low: low, sharp_high: high } = series;
  const marks: Mark[] = [
    { mark: "band", name: "nine of ten", colour: "soft", x, low, high },
    line("median", "soft", x, y),
    { mark: "rule", name: "even", y: 1 / N_KEYS },
    ...NAMES.map((name) => place(name, name, series[`spread_${name}`], series[`largest_${name}`])),
  ];
  const title = t("Largest of 16 weights, by spread (band: nine of ten)");
  const across = spreads({ label: t("spread of the scores") });
  return plot("sharp", title, 14, across, { domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1] }, marks, { least: 17 });
}

function weights_panel(name: (typeof NAMES)[number], series: Series): Plot {
  const title = t("{score}: largest {largest:.2f}", { score: words()[name], largest: series[`largest_${name}`] });
  const x: Axis = { domain: [0.4, N_KEYS + 0.6], ticks: [1, 8, 16], grid: false, label: t("key") };
  const marks = [bars("weights", COLOURS[name], series[`weights_${name}`], { look: LOOKS[name] })];
  const more = { colour: COLOURS[name], least: 13 };
  return plot(`weights ${name}`, title, 10, x, { domain: [0, 1], ticks: [0, 0.5, 1] }, marks, more);
}
