// The sampling lab. Twin of sampling_lab.py: same series, same names, same order; the picture stands here alone.

import { scaleLinear } from "d3-scale";
import { html, svg, type TemplateResult } from "lit-html";
import type { Frame } from "../../lab/frame.ts";
import { panel, x_axis } from "../../lab/marks/panel.ts";
import { curve, steps } from "../../lab/marks/shapes.ts";
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

export interface State {
  d_k: number;
  distribution: keyof typeof PRODUCTS;
  n_pairs: number;
  seed: number;
}

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

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const root = Math.sqrt(state.d_k);
  const { em } = frame;
  const half = (frame.width - 1.5 * em) / 2;
  return html`${frame.controls("d_k", "n_pairs", "distribution", "seed")}
    <div class="wf-row">
      ${histogram_panel(series, root, WIDEST, half, em, "wf-unscaled", t("q·k: variance {variance:.3g}", series))}
      ${histogram_panel(series, 1, 1, half, em, "wf-scaled", t("q·k / √dₖ: variance {scaled_variance:.3f}", series))}
    </div>
    <p class="wf-hint">${t("Grey line: the normal density with the mean and variance of theory.")}</p>
    ${moments(series)}`;
}

function histogram_panel(
  series: Series,
  stretch: number,
  widest: number,
  width: number,
  em: number,
  colour: string,
  title: string,
): TemplateResult {
  const { expected_scaled_mean: mean, expected_scaled_variance: variance } = series;
  const peak = 1 / Math.sqrt(2 * Math.PI * variance);
  return panel({ width, em, height: 13 * em, margin: { left: 0.4, right: 0.4 }, title, colour }, (box) => {
    const x = scaleLinear([LOW * widest, HIGH * widest], [box.left, box.right]);
    const y = scaleLinear([0, 1.6 * peak], [box.bottom, box.top]).clamp(true);
    const grid = Float64Array.from({ length: 221 }, (_, i) => LOW + (i * (HIGH - LOW)) / 220);
    const density = grid.map((v) => peak * Math.exp(-((v - mean) ** 2) / (2 * variance)));
    const ticks = [-4, -2, 0, 2, 4].map((v) => ({ at: v * widest, text: number(v * widest, "") }));
    const wide = (v: Float64Array) => v.map((value) => value * stretch);
    return svg`${x_axis(x, box, ticks)}
      ${steps(series.density, wide(series.edges), x, y, colour)}
      ${curve(wide(grid), density, x, y, "wf-theory")}`;
  });
}

function moments(series: Series): TemplateResult {
  const line = (name: string, sample: string, theory: string) =>
    html`<tr><th scope="row">${name}</th><td>${sample}</td><td>${theory}</td></tr>`;
  const { mean, variance, excess_kurtosis: excess } = series;
  return html`<table class="wf-table">
    <thead><tr><td></td><th scope="col">${t("this sample")}</th><th scope="col">${t("theory")}</th></tr></thead>
    <tbody>
      ${line(t("mean of q·k"), number(mean, ".3f"), number(series.expected_mean, ".3g"))}
      ${line(t("variance of q·k"), number(variance, ".2f"), number(series.expected_variance, ".4g"))}
      ${line(t("variance of q·k / √dₖ"), number(series.scaled_variance, ".4f"), number(series.expected_scaled_variance, ".4g"))}
      ${line(t("excess kurtosis"), number(excess, ".3f"), number(series.expected_excess_kurtosis, ".3g"))}
    </tbody>
  </table>`;
}
