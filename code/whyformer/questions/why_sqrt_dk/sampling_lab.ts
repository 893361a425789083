// The sampling lab. Twin of sampling_lab.py: same series, same names, same order; the picture stands here alone.

import type { States } from "../../lab/declared.ts";
import { controls, line, note, plot, row, table } from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Mark } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
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

/** q·k of every pair, kept for each d_k seen, so that a longer vector continues from a shorter one. */
let kept = { key: "", sums: new Map<number, Float64Array>() };
const MOST_KEPT = 4e6; // numbers, 32 MB

function dots_for({ d_k, distribution, n_pairs, seed }: State): Float64Array {
  const key = `${distribution} ${n_pairs} ${seed}`;
  if (kept.key !== key || kept.sums.size * n_pairs > MOST_KEPT) kept = { key, sums: new Map() };
  const found = kept.sums.get(d_k);
  if (found) return found;
  let start = 0;
  for (const d of kept.sums.keys()) if (d < d_k && d > start) start = d;
  const sums = kept.sums.get(start)?.slice() ?? new Float64Array(n_pairs);
  const one = product[distribution];
  for (let pair = 0; pair < n_pairs; pair++) {
    const vectors = stream(seed, pair);
    let sum = sums[pair];
    for (let i = start; i < d_k; i++) sum += one(vectors, i);
    sums[pair] = sum;
  }
  kept.sums.set(d_k, sums);
  return sums;
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
  const values = dots_for(state);
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
  return {
    edges,
    density: histogram(values, root, edges),
    mean,
    variance,
    excess_kurtosis: fourth / n_pairs / variance ** 2 - 3,
    scaled_mean: mean / root,
    scaled_variance: variance / d_k,
    expected_mean: oneMean * d_k,
    expected_variance: oneVariance * d_k,
    expected_excess_kurtosis: oneExcess / d_k,
    expected_scaled_mean: oneMean * root,
    expected_scaled_variance: oneVariance,
  };
}

// ---- the picture

const WIDEST = 16; // √dₖ at the largest dₖ: the axis of q·k is that much wider

export function view({ d_k }: State, series: Series): Block[] {
  const { expected_scaled_mean: mean, expected_scaled_variance: variance } = series;
  const peak = 1 / Math.sqrt(2 * Math.PI * variance);
  const grid = Float64Array.from({ length: 221 }, (_, i) => LOW + (i * (HIGH - LOW)) / 220);
  const density = grid.map((v) => peak * Math.exp(-((v - mean) ** 2) / (2 * variance)));
  const panel = (colour: Colour, title: string, stretch: number, widest: number) => {
    const [edges, x] = [series.edges, grid].map((values) => values.map((value) => value * stretch));
    const axis: Axis = { domain: [LOW * widest, HIGH * widest], ticks: [-4, -2, 0, 2, 4].map((v) => v * widest) };
    const sample: Mark = { mark: "histogram", name: "sample", colour, edges, y: series.density };
    const marks = [sample, line("theory", "theory", x, density)];
    return plot(colour, title, 11, axis, { domain: [0, 1.6 * peak] }, marks, { colour });
  };
  const moments = [
    [t("mean of q·k"), number(series.mean, ".3f"), number(series.expected_mean, ".3g")],
    [t("variance of q·k"), number(series.variance, ".2f"), number(series.expected_variance, ".4g")],
    [t("variance of q·k / √dₖ"), number(series.scaled_variance, ".4f"), number(variance, ".4g")],
    [t("excess kurtosis"), number(series.excess_kurtosis, ".3f"), number(series.expected_excess_kurtosis, ".3g")],
  ];
  return [
    controls("d_k", "n_pairs", "distribution", "seed"),
    row(
      panel("unscaled", t("q·k: variance {variance:.3g}", series), Math.sqrt(d_k), WIDEST),
      panel("scaled", t("q·k / √dₖ: variance {scaled_variance:.3f}", series), 1, 1),
    ),
    note("normal", t("Grey line: the normal density with the mean and variance of theory."), "hint"),
    table("moments", moments, -1, { head: ["", t("this sample"), t("theory")], numeric: [1, 2] }),
  ];
}
