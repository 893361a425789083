// The sampling lab. Twin of sampling_lab.py: same series, same names, same order; the picture stands here alone.

import type { Control } from "../../lab/declaration.ts";
import type { States } from "../../lab/declared.ts";
import { ticks } from "d3-array";
import { controls, line, plot, table, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Look, Mark } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { at_once } from "../../maths/pieces.ts";
import { at, stream, uniform, type Stream } from "../../maths/random.ts";

const LOW = -5;
const HIGH = 6;
const BIN = 0.2;

/** Mean, variance and excess kurtosis of one product, and the step of the grid it lives on (0: continuous). */
const PRODUCTS = {
  normal: [0, 1, 6, 0],
  uniform: [0, 1, 0.24, 0],
  sign: [0, 1, -2, 2],
  bernoulli: [1 / 4, 3 / 16, -2 / 3, 1],
} as const;

export type State = States["why_sqrt_dk/sampling"];

export type Series = ReturnType<typeof compute>;

type Product = (key: Stream, i: number) => number;

const product: Record<State["distribution"], Product> = {
  // The two normals of one Box-Muller step are r cos a and r sin a; their product is r² sin(2a) / 2.
  normal: (key, i) => -Math.log(uniform(key, 2 * i)) * Math.sin(4 * Math.PI * uniform(key, 2 * i + 1)),
  uniform: (key, i) => 3 * (2 * uniform(key, 2 * i) - 1) * (2 * uniform(key, 2 * i + 1) - 1),
  sign: (key, i) => {
    const word = at(key, i);
    return ((word >>> 31) ^ (word >>> 30)) & 1 ? -1 : 1;
  },
  bernoulli: (key, i) => (at(key, i) >>> 30 === 3 ? 1 : 0),
};

/** By distribution and seed, the one asked for last standing last: q·k of many pairs, at some numbers of components. */
const kept = new Map<string, Map<number, Float64Array>>();
const MOST_KEPT = 6e6; // numbers of the other draws, 48 MB
const PIECE = 4e5; // products

/** What is kept of a draw. Those that were asked for longest ago make room. */
function sums_of(name: string): Map<number, Float64Array> {
  const sums = kept.get(name) ?? new Map<number, Float64Array>();
  kept.delete(name);
  const numbers = () => [...kept.values()].flatMap((all) => [...all.values()]).reduce((n, { length }) => n + length, 0);
  while (kept.size && numbers() > MOST_KEPT) kept.delete(kept.keys().next().value!);
  kept.set(name, sums);
  return sums;
}

/** Sums are kept at every fourth component (every fifth if they are many), so that no d_k is far from one. */
function* dots_for({ d_k, distribution, n_pairs, seed }: State): Generator<void, Float64Array> {
  const kept_sums = sums_of(`${distribution} ${seed}`);
  const [one, stride] = [product[distribution], n_pairs > 20_000 ? 5 : 4];
  let sums: Float64Array = new Float64Array(n_pairs);
  let products = 0;
  for (let from = 0; from < d_k;) {
    const to = Math.min(from + stride, d_k);
    const before = sums;
    const known = kept_sums.get(to) ?? new Float64Array(0);
    sums = known;
    if (known.length < n_pairs) {
      sums = new Float64Array(n_pairs);
      sums.set(known);
      for (let pair = known.length; pair < n_pairs; pair++) {
        const vectors = stream(seed, pair);
        let sum = before[pair];
        for (let i = from; i < to; i++) sum += one(vectors, i);
        sums[pair] = sum;
      }
      kept_sums.set(to, sums);
      products += (n_pairs - known.length) * (to - from);
      if (products > PIECE) {
        yield;
        products = 0;
      }
    }
    from = to;
  }
  return sums.subarray(0, n_pairs);
}

/** While the reader rests: the next draw, and this one at every d_k; then the button and the slider find them. */
export function* ahead(state: State, control: (name: string) => Control) {
  yield* dots_for({ ...state, seed: (state.seed + 1) % (control("seed").max! + 1) });
  yield* dots_for({ ...state, d_k: control("d_k").values!.at(-1)! });
}

export function bin_edges(distribution: State["distribution"], d_k: number): Float64Array {
  const step = PRODUCTS[distribution][3];
  if (step === 0) return Float64Array.from({ length: Math.round((HIGH - LOW) / BIN) + 1 }, (_, i) => LOW + BIN * i);
  const unit = step / Math.sqrt(d_k);
  const width = unit * Math.max(1, Math.round(BIN / unit));
  const start = (-d_k - step / 2) / Math.sqrt(d_k);
  const first = Math.ceil((LOW - start) / width);
  return Float64Array.from(
    { length: Math.floor((HIGH - start) / width) + 1 - first },
    (_, i) => start + width * (first + i),
  );
}

function histogram(values: Float64Array, divisor: number, edges: Float64Array): Float64Array {
  const bins = edges.length - 1;
  const [low, width] = [edges[0], edges[1] - edges[0]];
  const density = new Float64Array(bins);
  for (const value of values) {
    const i = Math.floor((value / divisor - low) / width);
    if (i >= 0 && i < bins) density[i]++;
  }
  return density.map((count) => count / (values.length * width));
}

export function compute(state: State) {
  const { d_k, distribution, n_pairs } = state;
  const values = at_once(dots_for(state));
  const root = Math.sqrt(d_k);
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / n_pairs;
  let second = 0;
  let fourth = 0;
  for (const value of values) {
    const square = (value - mean) ** 2;
    second += square;
    fourth += square * square;
  }
  const variance = second / n_pairs;
  const [oneMean, oneVariance, oneExcess] = PRODUCTS[distribution];
  const edges = bin_edges(distribution, d_k);
  const density = histogram(values, root, edges);
  return {
    edges,
    density,
    peak: Math.max(...density),
    mean,
    variance,
    spread: Math.sqrt(variance),
    excess_kurtosis: fourth / n_pairs / variance ** 2 - 3,
    scaled_mean: mean / root,
    scaled_variance: variance / d_k,
    scaled_spread: Math.sqrt(variance / d_k),
    expected_mean: oneMean * d_k,
    expected_variance: oneVariance * d_k,
    expected_spread: Math.sqrt(oneVariance * d_k),
    expected_excess_kurtosis: oneExcess / d_k,
    expected_scaled_mean: oneMean * root,
    expected_scaled_variance: oneVariance,
    expected_peak: 1 / Math.sqrt(2 * Math.PI * oneVariance),
  };
}

// ---- the picture

/** The axis, the same at every dₖ, with room for both at dₖ = 64. Components 0 or 1 have positive scores. */
const AXIS = { centred: [-24, 24], positive: [-8, 40] };
const POINTS = 481; // of a curve of theory

export function view({ d_k, distribution }: State, series: Series): Block[] {
  const positive = distribution === "bernoulli";
  const [low, high] = positive ? AXIS.positive : AXIS.centred;
  const grid = Float64Array.from({ length: POINTS }, (_, i) => low + (i * (high - low)) / (POINTS - 1));
  /** Of scores divided by `by`: histogram, curve of theory, ruler as long as the standard deviation on both sides. */
  const scores = (name: string, look: Look[], by: number, words: string, side: "above" | "right"): Mark[] => {
    const stretch = Math.sqrt(d_k) / by;
    const [mean, spread] = [series.expected_mean / by, series.expected_spread / by];
    const peak = series.expected_peak / stretch;
    const [x1, x2, y] = [[mean - spread], [mean + spread], [peak * Math.exp(-0.5)]];
    return [
      {
        mark: "histogram",
        name: `${name}: sample`,
        colour: "score",
        look,
        edges: series.edges.map((edge) => edge * stretch),
        y: series.density.map((density) => density / stretch),
      },
      line(
        `${name}: theory`,
        "soft",
        grid,
        grid.map((x) => peak * Math.exp(-0.5 * ((x - mean) / spread) ** 2)),
        { look },
      ),
      { mark: "segments", name: `${name}: ruler`, colour: "score", look: ["thick", ...look], x1, y1: y, x2, y2: y },
      texts(`${name}: words`, "score", x2, y, [words], side, { look: ["over"] }),
    ];
  };
  const [undivided, divided] = positive
    ? [
        series.expected_mean > high
          ? t("q·k: mean {mean:.3g}, σ = {spread:.2f} →", series)
          : t("q·k: mean {mean:.3g}, σ = {spread:.2f}", series),
        t("q·k / √dₖ: mean {scaled_mean:.2f}, σ = {scaled_spread:.2f}", series),
      ]
    : [t("q·k: σ = {spread:.2f}", series), t("q·k / √dₖ: σ = {scaled_spread:.2f}", series)];
  const title = t("How often a score occurs; grey: the normal curve of theory; rulers: standard deviation σ");
  const x: Axis = { domain: [low, high], ticks: ticks(low, high, 6), label: t("score") };
  const y: Axis = { domain: [0, 1.25 * series.expected_peak] };
  const moments = [
    [t("mean of q·k"), number(series.mean, ".3f"), number(series.expected_mean, ".3g")],
    [t("variance of q·k"), number(series.variance, ".2f"), number(series.expected_variance, ".4g")],
    [t("variance of q·k / √dₖ"), number(series.scaled_variance, ".4f"), number(series.expected_scaled_variance, ".4g")],
    [t("excess kurtosis"), number(series.excess_kurtosis, ".3f"), number(series.expected_excess_kurtosis, ".3g")],
  ];
  return [
    controls("d_k", "distribution", "n_pairs", "seed"),
    plot("densities", title, 15, x, y, [
      ...scores("not divided", ["dashed"], 1, undivided, "above"),
      ...scores("divided", [], Math.sqrt(d_k), divided, "right"),
    ]),
    table("moments", moments, -1, { head: ["", t("this sample"), t("theory")], numeric: [1, 2] }),
  ];
}
