// The budget lab. Twin of budget_lab.py: same series, same names, same order.

import { scaleLinear, scaleLog } from "d3-scale";
import { html, svg, type TemplateResult } from "lit-html";
import { ref } from "lit-html/directives/ref.js";
import type { Frame } from "../../lab/frame.ts";
import { paint } from "../../lab/marks/heat_map.ts";
import { end_labels, panel, x_axis, y_axis, type Box, type Scale } from "../../lab/marks/panel.ts";
import { curve, dots } from "../../lab/marks/shapes.ts";
import { palette, rgb } from "../../lab/theme.ts";
import { number, t } from "../../lab/words.ts";
import { at, stream } from "../../maths/random.ts";
import { softmax_into } from "../../maths/softmax.ts";

const [N, D_MODEL, HEIGHT] = [24, 64, 6];
const HEADS = [1, 2, 4, 8, 16, 32, 64];
const GAINS = Array.from({ length: 11 }, (_, i) => 2 ** i);

type Pattern = "itself" | "previous" | "blocks" | "shuffled" | "three";

export interface State {
  pattern: Pattern;
  width: "split" | "full";
  heads: number;
  gain: number;
  seed: number;
}

export type Series = ReturnType<typeof compute>;

const tokens = Array.from({ length: N }, (_, i) => i);
const remainder = (a: number, m: number) => ((a % m) + m) % m;

interface Ring {
  m: number;
  queries: number[];
  keys: number[];
  distances: number[];
}

/** A pattern as numbers on a ring; the Python twin explains. */
function labels(pattern: Pattern, seed: number): Ring {
  if (pattern === "blocks") {
    const block = tokens.map((i) => Math.floor(i / 4));
    return { m: N / 4, queries: block, keys: block, distances: [0] };
  }
  const key = stream(seed, 0);
  const keys = pattern === "shuffled" ? [...tokens].sort((a, b) => at(key, a) - at(key, b)) : tokens;
  const distances = pattern === "previous" ? [-1] : pattern === "three" ? [0, 2, 8] : [0];
  return { m: N, queries: tokens, keys, distances };
}

/** Where queries want keys, 1 and 0. */
function wants({ m, queries, keys, distances }: Ring): Float64Array {
  const near = distances.map((o) => remainder(o, m));
  return Float64Array.from({ length: N * N }, (_, i) =>
    near.includes(remainder(keys[i % N] - queries[Math.floor(i / N)], m)) ? 1 : 0,
  );
}

/** Frequency, cosine part and sine part of each wave of the ring, the strongest first, of equals the slower first. */
function waves({ m, distances }: Ring): [number, number, number][] {
  const found: [number, number, number][] = [];
  for (let f = 1; f <= Math.floor(m / 2); f++) {
    let [even, odd] = [0, 0];
    for (const o of distances) {
      const angle = (2 * Math.PI * remainder(f * o, m)) / m;
      even += Math.cos(angle);
      odd += Math.sin(angle);
    }
    found.push([f, even, odd]);
  }
  const power = ([, even, odd]: [number, number, number]) => Math.round(1e6 * (even ** 2 + odd ** 2));
  return found.sort((a, b) => power(b) - power(a));
}

function wanted_scores(ring: Ring, wanted: Float64Array): Float64Array {
  return wanted.map((w) => HEIGHT * w - (HEIGHT * ring.distances.length) / ring.m);
}

/** A nearest matrix to the wanted scores among those of that rank: the first singular pairs, here cosines and sines. */
function fitted_scores(ring: Ring, wanted: Float64Array, rank: number): Float64Array {
  const { m, queries, keys } = ring;
  if (rank >= m - 1) return wanted_scores(ring, wanted);
  const out = new Float64Array(N * N);
  const add = (left: number[], right: number[]) => {
    for (let i = 0; i < N; i++) for (let j = 0; j < N; j++) out[i * N + j] += left[i] * right[j];
  };
  for (const [f, even, odd] of waves(ring)) {
    if (rank <= 0) break;
    const angle = (label: number) => (2 * Math.PI * ((f * label) % m)) / m;
    const size = (HEIGHT * (2 * f === m ? 1 : 2)) / m;
    const [c, s] = [queries.map((q) => Math.cos(angle(q))), queries.map((q) => Math.sin(angle(q)))];
    add(
      c.map((_, i) => size * (even * c[i] - odd * s[i])),
      keys.map((k) => Math.cos(angle(k))),
    );
    if (rank > 1 && 2 * f < m)
      add(
        c.map((_, i) => size * (even * s[i] + odd * c[i])),
        keys.map((k) => Math.sin(angle(k))),
      );
    rank -= 2 * f === m ? 1 : 2;
  }
  return out;
}

/** Softmax of each row of `gain` times the scores. */
function weights_of(scores: Float64Array, gain: number): Float64Array {
  const out = new Float64Array(N * N);
  const row = new Float64Array(N);
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < N; j++) row[j] = gain * scores[i * N + j];
    softmax_into(out.subarray(i * N, (i + 1) * N), row);
  }
  return out;
}

function distance(target: Float64Array, weights: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < target.length; i++) sum += Math.abs(target[i] - weights[i]);
  return sum / 2 / N;
}

interface Fits {
  name: string;
  wanted: Float64Array;
  m: number;
  target: Float64Array;
  /** By size of a head: the fitted scores, and the error at each gain. */
  found: Map<number, { scores: Float64Array; errors: number[] }>;
}

let kept: Fits | undefined;

/** The fits of one pattern at all sizes and gains; a drag of heads or gain finds them done. */
function fits(pattern: Pattern, seed: number): Fits {
  const name = `${pattern} ${pattern === "shuffled" ? seed : ""}`;
  if (kept?.name === name) return kept;
  const ring = labels(pattern, seed);
  const wanted = wants(ring);
  const target = weights_of(wanted_scores(ring, wanted), 1);
  const found = new Map(
    HEADS.map((h) => {
      const scores = fitted_scores(ring, wanted, D_MODEL / h);
      return [D_MODEL / h, { scores, errors: GAINS.map((gain) => distance(target, weights_of(scores, gain))) }];
    }),
  );
  kept = { name, wanted, m: ring.m, target, found };
  return kept;
}

export function compute({ heads, width, pattern, gain, seed }: State) {
  const sizes = HEADS.map((h) => (width === "full" ? D_MODEL : D_MODEL / h));
  const d_k = sizes[HEADS.indexOf(heads)];
  const { wanted, m, target, found } = fits(pattern, seed);
  const errors = sizes.map((size) => found.get(size)!.errors);
  const now = GAINS.indexOf(gain);
  const { scores } = found.get(d_k)!;
  const fitted = weights_of(scores, gain);
  const largest = gain * scores.reduce((most, s) => Math.max(most, Math.abs(s)), 0);
  let hits = 0;
  for (let i = 0; i < N; i++) {
    let [inside, outside] = [0, 0];
    for (let j = i * N; j < (i + 1) * N; j++) {
      if (wanted[j]) inside = Math.max(inside, fitted[j]);
      else outside = Math.max(outside, fitted[j]);
    }
    if (inside > (1 + 1e-9) * outside) hits++;
  }
  const over = (f: (h: number, size: number) => number) => Float64Array.from(HEADS, (h, i) => f(h, sizes[i]));
  return {
    h: Float64Array.from(HEADS),
    d_k_of: Float64Array.from(sizes),
    parameters_of: over((h, size) => 4 * h * D_MODEL * size),
    products_of: over((h, size) => h * N ** 2 * size),
    weights_of: over((h) => h * N ** 2),
    target: target.slice(),
    fitted,
    error_plain: Float64Array.from(errors, (by_gain) => by_gain[0]),
    error_now: Float64Array.from(errors, (by_gain) => by_gain[now]),
    error_best: Float64Array.from(errors, (by_gain) => Math.min(...by_gain)),
    d_k,
    rank: Math.min(d_k, m - 1),
    needed: m - 1,
    parameters: 4 * heads * D_MODEL * d_k,
    products: heads * N ** 2 * d_k,
    weights: heads * N ** 2,
    error: 100 * found.get(d_k)!.errors[now],
    hits,
    largest_score: largest,
    length: Math.sqrt(largest * Math.sqrt(d_k)),
  };
}

// ---- the picture

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const { width, em } = frame;
  const room = (width - 1.2 * em) / 2;
  const wide = width > 40 * em;
  const column = wide ? room : width;
  return html`
    ${frame.controls("pattern", "width")}
    ${frame.controls("heads", "gain")}
    <div class="wf-row">
      ${bill(state, series, column, em)}
      ${errors(state, series, column, em)}
    </div>
    <div class="wf-row">
      ${map(t("wanted"), series.target, room, em)}
      ${map(t("fitted, rank {rank:.0f}", { ...series }), series.fitted, room, em)}
    </div>
    <p class="wf-hint">${t("Rows are queries, columns keys; the strength of the blue is the square root of a weight. A largest weight that ties with one on a wrong key does not count as right.")}</p>
    ${verdict(state, series)}
    ${frame.controls("seed")}`;
}

const BLUE = rgb(palette.scaled);

function map(title: string, weights: Float64Array, width: number, em: number): TemplateResult {
  const side = Math.min(width, 17 * em);
  return html`<div class="wf-panel" style=${`width:${width}px`}>
    <div class="wf-panel-title wf-scaled">${title}</div>
    <div class="wf-heat" style=${`width:${side}px;height:${side}px`}>
      <canvas aria-hidden="true" ${ref((canvas) =>
        paint(
          canvas as HTMLCanvasElement | undefined,
          weights,
          N,
          (w) => [...BLUE, Math.round(255 * Math.sqrt(w))] as [number, number, number, number],
        ),
      )}></canvas>
    </div>
  </div>`;
}

/** What the heads cost, relative to one head of full width: parameters and products, weights, and what a head has. */
function bill({ heads }: State, series: Series, width: number, em: number): TemplateResult {
  const relative = (values: Float64Array, one: number) => values.map((v) => v / one);
  const lines = [
    {
      text: t("parameters, products"),
      colour: "wf-plain wf-thick",
      values: relative(series.parameters_of, 4 * D_MODEL ** 2),
    },
    { text: t("weights to keep"), colour: "wf-scaled", values: relative(series.weights_of, N ** 2) },
    { text: t("size of a head"), colour: "wf-theory wf-dashed", values: relative(series.d_k_of, D_MODEL) },
  ];
  return panel(
    { width, em, height: 16 * em, margin: { left: 3, right: 11 }, title: t("The bill, relative to one head") },
    (box) => {
      const x = scaleLog([1, 64], [box.left, box.right]);
      const y = scaleLog([1 / 64, 64], [box.bottom, box.top]);
      const ticks = [1 / 64, 1 / 8, 1, 8, 64].map((at) => ({ at, text: at < 1 ? `1/${1 / at}` : `× ${at}` }));
      return svg`${axes(x, y, box, ticks)}
      ${here(heads, x, box)}
      ${lines.map(
        ({ values, colour }) => svg`${curve(HEADS, values, x, y, colour)}
        ${dots([x(heads)], [y(values[HEADS.indexOf(heads)])], 0.35 * em, colour)}`,
      )}
      ${end_labels(
        lines.map(({ values, colour, text }) => ({ y: y(values[6]), colour, text })),
        box,
      )}`;
    },
  );
}

/** How much weight lies in the wrong place, over the heads: at gain 1, at the present gain, at the best. */
function errors({ heads, gain }: State, series: Series, width: number, em: number): TemplateResult {
  const lines = [
    { text: t("gain 1"), colour: "wf-theory", values: series.error_plain },
    { text: t("best gain"), colour: "wf-plain wf-dashed", values: series.error_best },
    { text: t("gain {gain}", { gain }), colour: "wf-scaled wf-thick", values: series.error_now },
  ];
  const title = t("Misplaced weight, %: now {error:.1f}", { ...series });
  return panel({ width, em, height: 16 * em, margin: { left: 3, right: 5.4 }, title }, (box) => {
    const x = scaleLog([1, 64], [box.left, box.right]);
    const y = scaleLinear([0, 1], [box.bottom, box.top]);
    const now = HEADS.indexOf(heads);
    return svg`${axes(
      x,
      y,
      box,
      [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, text: number(100 * at, "") })),
    )}
      ${here(heads, x, box)}
      ${lines.map(({ values, colour }) => curve(HEADS, values, x, y, colour))}
      ${dots(HEADS.map(x), Array.from(series.error_now, y), 0.2 * em, "wf-scaled")}
      ${dots([x(heads)], [y(series.error_now[now])], 0.4 * em, "wf-scaled wf-now")}
      ${end_labels(
        lines
          .filter(({ text }, i) => i === 2 || text !== lines[2].text)
          .map(({ values, colour, text }) => ({ y: y(values[6]), colour, text })),
        box,
      )}`;
  });
}

function axes(x: Scale, y: Scale, box: Box, ticks: { at: number; text?: string }[]) {
  return svg`${x_axis(
    x,
    box,
    HEADS.map((at) => ({ at })),
    t("heads h"),
  )}${y_axis(y, box, ticks)}`;
}

const here = (heads: number, x: Scale, box: Box) =>
  svg`<line class="wf-here" x1=${x(heads)} x2=${x(heads)} y1=${box.top} y2=${box.bottom} />`;

function verdict({ heads, gain }: State, series: Series): TemplateResult {
  const { d_k, needed, hits, error } = series;
  const lost = d_k < needed;
  return html`<table class="wf-table"><tbody>
    <tr><th scope="row">${t("one head")}</th><td>${t("dₖ = {d_k:.0f}; the wanted scores need rank {needed:.0f}", { d_k, needed })}</td></tr>
    <tr><th scope="row">${t("{heads} {heads:head|heads}", { heads })}</th><td>${t("{parameters:,.0f} parameters, {products:,.0f} products, {weights:,.0f} weights", { ...series })}</td></tr>
    <tr><th scope="row">${t("price of the gain")}</th><td>${t("scores up to {largest_score:.3g}; a query or key of length {length:.1f} at least", { ...series })}</td></tr>
  </tbody></table>
  <p class=${lost && error > 20 ? "wf-warning" : "wf-hint"}>${
    !lost
      ? gain === 1
        ? t("The rank suffices: the fit is exact.")
        : t("The rank suffices, and the gain overshoots: the weights are sharper than wanted.")
      : hits === N && error > 20
        ? t("The largest weight of every query is right, yet {error:.0f} % of the weight is misplaced.", { error })
        : error > 20
          ? t("The largest weight is right for {hits:.0f} of 24 queries; {error:.0f} % of the weight is misplaced.", {
              hits,
              error,
            })
          : t("Nearly there with less than the needed rank: {error:.1f} % of the weight is misplaced.", { error })
  }</p>`;
}
