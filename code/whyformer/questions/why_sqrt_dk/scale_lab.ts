// The scale lab. Twin of scale_lab.py: same series, same names, same order; the picture stands here alone.

import { scaleLinear, scaleLog } from "d3-scale";
import { html, svg, type TemplateResult } from "lit-html";
import { normals, stream } from "../../maths/random.ts";
import { softmax, softmax_jacobian, softmax_vjp } from "../../maths/softmax.ts";
import { clamp } from "../../lab/declaration.ts";
import type { Frame } from "../../lab/frame.ts";
import { heat_key, heat_map } from "../../lab/marks/heat_map.ts";
import { end_labels, panel, x_axis, y_axis, type Scale } from "../../lab/marks/panel.ts";
import { band, bars, curve, dots } from "../../lab/marks/shapes.ts";
import { number, t } from "../../lab/words.ts";
import {
  correlations,
  divisors,
  law,
  LAW_D_K,
  MAX_KEYS,
  measure,
  N_QUERIES,
  query_gradient,
  rows,
  type Quantity,
  type Related,
} from "./law.ts";

const D_K_MAX = LAW_D_K.at(-1)!;
const UPSTREAM_STREAM = MAX_KEYS + 1;
const COMPANION_ROWS = 1000;
const NAMES = ["1", "sqrt", "d_k"] as const;
const COLOURS = ["wf-unscaled", "wf-scaled", "wf-overscaled"];

export interface State {
  d_k: number;
  n_keys: number;
  divisor: (typeof NAMES)[number];
  rho: number;
  related: Related;
  quantity: Quantity;
  seed: number;
}

export type Series = ReturnType<typeof compute>;

/** What a seed draws, as far as any d_k asked for. A score is a prefix sum, kept at every d_k asked for so far. */
interface Draw {
  seed: number;
  q: Float64Array<ArrayBuffer>;
  noise: Float64Array<ArrayBuffer>[];
  upstream: Float64Array;
  prefix: Map<number, { length2: number; products: Float64Array }>;
}

let last: Draw | undefined;

function drawn_for(seed: number, d_k: number): Draw {
  if (last?.seed !== seed) {
    last = {
      seed,
      q: new Float64Array(0),
      noise: Array.from({ length: MAX_KEYS }, () => new Float64Array(0)),
      upstream: normals(stream(seed, UPSTREAM_STREAM), MAX_KEYS),
      prefix: new Map([[0, { length2: 0, products: new Float64Array(MAX_KEYS) }]]),
    };
  }
  if (last.q.length < d_k) {
    const length = Math.min(D_K_MAX, Math.max(d_k + (d_k % 2), 2 * last.q.length));
    last.q = normals(stream(seed, 0), length, last.q);
    last.noise = last.noise.map((known, j) => normals(stream(seed, 1 + j), length, known));
  }
  return last;
}

/** Squared length of q and its products with the noise of every key, over the first d_k components. */
function products_at(draw: Draw, d_k: number) {
  let found = draw.prefix.get(d_k);
  if (!found) {
    let start = 0;
    for (const d of draw.prefix.keys()) if (d < d_k && d > start) start = d;
    const before = draw.prefix.get(start)!;
    let length2 = before.length2;
    for (let i = start; i < d_k; i++) length2 += draw.q[i] ** 2;
    const products = before.products.map((sum, j) => {
      const noise = draw.noise[j];
      for (let i = start; i < d_k; i++) sum += draw.q[i] * noise[i];
      return sum;
    });
    found = { length2, products };
    draw.prefix.set(d_k, found);
  }
  return found;
}

export function compute(state: State) {
  const { d_k, n_keys, rho, related, quantity, seed } = state;
  const draw = drawn_for(seed, d_k);
  const { length2, products } = products_at(draw, d_k);
  const correlation = correlations(rho, related, n_keys);
  const scores = correlation.map((r, j) => r * length2 + Math.sqrt(1 - r * r) * products[j]);
  const all = divisors(d_k);
  const by = all[NAMES.indexOf(state.divisor)];
  const shared = related === "all" ? rho : 0;
  const spread = Math.sqrt((1 - shared ** 2) * length2);
  const over = (divisor: number) => scores.map((s) => s / divisor);
  const scaled = over(by);
  const weights = [softmax(scores), softmax(scaled)];
  const jacobians = [softmax_jacobian(scores), softmax_jacobian(scaled)];
  const many = law(n_keys, rho, related, quantity);
  return {
    scores_unscaled: scores,
    scores_scaled: scaled,
    center_unscaled: shared * length2,
    center_scaled: (shared * length2) / by,
    spread_unscaled: spread,
    spread_scaled: spread / by,
    weights_unscaled: weights[0],
    weights_scaled: weights[1],
    largest_unscaled: Math.max(...weights[0]),
    largest_scaled: Math.max(...weights[1]),
    jacobian_unscaled: jacobians[0],
    jacobian_scaled: jacobians[1],
    entry_unscaled: jacobians[0].reduce((a, b) => Math.max(a, b)),
    entry_scaled: jacobians[1].reduce((a, b) => Math.max(a, b)),
    drawn: quantity.startsWith("gradient")
      ? drawn_gradients(draw, state, scores, correlation)
      : Float64Array.from(all, (divisor) => measure(quantity, over(divisor))),
    law_low: many.low.slice(), // copies: what is remembered is not handed out
    law_mid: many.mid.slice(),
    law_high: many.high.slice(),
    law_mean: many.mean.slice(),
  };
}

/** For each divisor the gradient at q or, over N_QUERIES queries, at W_Q. */
function drawn_gradients(
  draw: Draw,
  { d_k, n_keys, quantity, seed }: State,
  scores: Float64Array,
  correlation: Float64Array,
): Float64Array {
  const upstream = draw.upstream.subarray(0, n_keys);
  const all = divisors(d_k);
  const arriving = all.map((divisor) =>
    softmax_vjp(
      scores.map((s) => s / divisor),
      upstream,
    ),
  );
  const along = arriving.map((w) => w.reduce((sum, value, j) => sum + value * correlation[j], 0));
  const [a, b, c] = along.map((part) => draw.q.subarray(0, d_k).map((q) => part * q));
  const none = new Float64Array(3);
  const force = Array.from({ length: n_keys + 1 }, (_, j) =>
    j < n_keys ? arriving.map((gradient) => gradient[j] * Math.sqrt(1 - correlation[j] ** 2)) : none,
  );
  for (let j = 0; j < n_keys; j += 2) {
    // One pass over two keys serves the three divisors: reading and writing is what takes the time.
    const [one, two] = [draw.noise[j], draw.noise[(j + 1) % MAX_KEYS]];
    const [[u, v, w], [x, y, z]] = [force[j], force[j + 1]];
    for (let i = 0; i < d_k; i++) {
      a[i] += u * one[i] + x * two[i];
      b[i] += v * one[i] + y * two[i];
      c[i] += w * one[i] + z * two[i];
    }
  }
  return Float64Array.from([a, b, c], (gradient, i) => {
    let squares = 0;
    for (const g of gradient) squares += g * g;
    const alone = Math.sqrt(squares) / all[i];
    return quantity === "gradient_q" ? alone : with_companions(alone, seed, d_k, correlation, all[i]);
  });
}

function with_companions(alone: number, seed: number, d_k: number, correlation: Float64Array, divisor: number): number {
  const others = companions(seed, d_k);
  let sum = alone ** 2;
  for (let r = 0; r < N_QUERIES - 1; r++) {
    sum +=
      query_gradient(
        others.length2[r][0],
        others.orthogonal2[r][0],
        others.noise[r],
        others.upstream[r],
        correlation,
        divisor,
      ) ** 2;
  }
  return Math.sqrt(sum / N_QUERIES);
}

let company: { key: string; rows: ReturnType<typeof rows> } | undefined;

function companions(seed: number, d_k: number) {
  const key = `${seed} ${d_k}`;
  if (company?.key !== key) company = { key, rows: rows(seed, COMPANION_ROWS, N_QUERIES - 1, [d_k], MAX_KEYS) };
  return company.rows;
}

// ---- the picture

const REACH = 250; // scores are shown from -REACH to REACH, linear near 0 and logarithmic outside

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const i = NAMES.indexOf(state.divisor);
  const divided = [t("1"), "√dₖ", "dₖ"][i];
  const columns = [
    { which: "unscaled" as const, colour: COLOURS[0], name: t("unscaled") },
    { which: "scaled" as const, colour: COLOURS[i], name: t("divided by {divided}", { divided }) },
  ];
  const half = (frame.width - 1.5 * frame.em) / 2;
  const weights = html`<div class="wf-row">${columns.map(({ which, colour, name }) =>
    weight_panel(series[`weights_${which}`], series[`largest_${which}`], name, colour, half, frame),
  )}</div>`;
  if (frame.small) return html`${frame.controls("d_k", "n_keys")}${score_panel(series, columns, frame)}${weights}`;
  const side = Math.min(half, 13 * frame.em);
  return html`
    ${frame.controls("d_k", "n_keys", "rho", "divisor", "related", "seed")}
    ${score_panel(series, columns, frame)}
    ${weights}
    <div class="wf-row-title">${t("Softmax Jacobian: how far each weight moves when each score does")}</div>
    <div class="wf-row">${columns.map(({ which, colour, name }) =>
      heat_map({
        matrix: series[`jacobian_${which}`],
        n: state.n_keys,
        limit: 0.25,
        width: half,
        side,
        em: frame.em,
        colour,
        title: t("{name}: largest entry {entry:.2g}", { name, entry: series[`entry_${which}`] }),
      }),
    )}</div>
    ${heat_key(0.25, Math.min(frame.width, 22 * frame.em), frame.em)}
    ${frame.controls("quantity")}
    ${law_panel(state, series, frame)}`;
}

type Column = { which: "unscaled" | "scaled"; colour: string; name: string };

function score_panel(series: Series, columns: Column[], frame: Frame): TemplateResult {
  const { width, em } = frame;
  const options = {
    width,
    em,
    height: 10 * em,
    margin: { left: 0.5, right: 0.5, top: 0.2 },
    title: t("Scores of this draw, on one axis; bars: where 68 % and 95 % of such scores fall"),
  };
  return panel(options, (box) => {
    const linear = scaleLinear([-Math.asinh(REACH), Math.asinh(REACH)], [box.left, box.right]);
    const x: Scale = Object.assign((v: number) => linear(Math.asinh(clamp(v, -REACH, REACH))), {
      domain: linear.domain,
      range: linear.range,
    }); // what lies further out stands at the edge; the mean beside it says where
    const ticks = [-100, -10, -1, 0, 1, 10, 100].map((at) => ({ at, text: number(at, "") }));
    const rowHeight = (box.bottom - box.top) / 2;
    return svg`${x_axis(x, box, ticks, t("score (linear near 0, logarithmic further out)"))}
      ${columns.map(({ which, colour, name }, row) => {
        const top = box.top + row * rowHeight;
        const y = top + 0.66 * rowHeight;
        const [center, spread] = [series[`center_${which}`], series[`spread_${which}`]];
        const scores = series[`scores_${which}`];
        const height = 0.5 * rowHeight;
        const interval = (k: number) => {
          const [from, to] = [x(center - k * spread), x(center + k * spread)];
          return svg`<rect class="wf-band ${colour}" x=${from} width=${to - from} y=${y - height / 2} height=${height} rx="2" />`;
        };
        return svg`${interval(1)}${interval(1.96)}
          ${dots(Array.from(scores, x), new Float64Array(scores.length).fill(y), 0.3 * em, colour)}
          <text class="wf-end-label ${colour}" x=${box.left} y=${top + 0.95 * em}>${name}</text>
          <text class="wf-end-label ${colour}" x=${box.right} y=${top + 0.95 * em} text-anchor="end">${
            center === 0
              ? t("standard deviation {spread:.3g}", { spread })
              : t("mean {center:.3g}, standard deviation {spread:.3g}", { center, spread })
          }</text>`;
      })}`;
  });
}

function weight_panel(
  weights: Float64Array,
  largest: number,
  name: string,
  colour: string,
  width: number,
  frame: Frame,
) {
  const { em } = frame;
  const title = t("{name}: largest weight {largest:.2f}", { name, largest });
  return panel({ width, em, height: 8 * em, margin: { bottom: 1.6 }, title, colour }, (box) => {
    const y = scaleLinear([0, 1], [box.bottom, box.top]);
    const x = scaleLinear([0.5, weights.length + 0.5], [box.left, box.right]);
    const ends = [{ at: 1, text: t("key 1") }, { at: weights.length }];
    return svg`${y_axis(y, box, [{ at: 0 }, { at: 0.5 }, { at: 1 }])}${x_axis(x, box, ends)}
      ${bars(weights, y, box.left, box.right, colour)}`;
  });
}

const RANGES: Record<Quantity, { from: number; to: number; ticks: number[]; log?: boolean }> = {
  largest_weight: { from: 0, to: 1, ticks: [0, 0.5, 1] },
  entropy: { from: 0, to: Math.log(MAX_KEYS), ticks: [0, 1, 2, 3, 4] },
  largest_entry: { from: 0, to: 0.25, ticks: [0, 0.05, 0.1, 0.15, 0.2, 0.25] },
  gradient_q: { from: 1e-3, to: 100, ticks: [0.001, 0.01, 0.1, 1, 10, 100], log: true },
  gradient_w_q: { from: 1e-3, to: 100, ticks: [0.001, 0.01, 0.1, 1, 10, 100], log: true },
};

function law_panel(state: State, series: Series, frame: Frame): TemplateResult {
  const { width, em } = frame;
  const { from, to, ticks, log } = RANGES[state.quantity];
  const title = t("Over many draws: line median, band 10 to 90 %, dots mean; large dot: this draw");
  return panel({ width, em, height: 17 * em, margin: { right: 3.6, left: 3.2 }, title }, (box) => {
    const x = scaleLog([1, D_K_MAX], [box.left, box.right]);
    const y = (log ? scaleLog : scaleLinear)([from, to], [box.bottom, box.top]).clamp(true);
    const part = (values: Float64Array, i: number) => values.subarray(i * LAW_D_K.length, (i + 1) * LAW_D_K.length);
    const labels = ["÷ 1", "÷ √dₖ", "÷ dₖ"].map((text, i) => ({
      text,
      colour: COLOURS[i],
      y: y(part(series.law_mid, i).at(-1)!),
    }));
    const powers = LAW_D_K.filter((_, i) => i % (width < 30 * em ? 3 : 2) === 0).map((at) => ({ at }));
    return svg`${x_axis(x, box, powers, "dₖ")}${y_axis(
      y,
      box,
      ticks.map((at) => ({ at, text: number(at, "") })),
    )}
      <line class="wf-here" x1=${x(state.d_k)} x2=${x(state.d_k)} y1=${box.top} y2=${box.bottom} />
      ${COLOURS.map((colour, i) => svg`${band(LAW_D_K, part(series.law_low, i), part(series.law_high, i), x, y, colour)}`)}
      ${COLOURS.map(
        (colour, i) => svg`${curve(LAW_D_K, part(series.law_mid, i), x, y, colour)}
        ${dots(
          LAW_D_K.map(x),
          part(series.law_mean, i).map((v) => y(v)),
          0.16 * em,
          colour,
        )}
        ${dots([x(state.d_k)], [y(series.drawn[i])], 0.5 * em, `wf-now ${colour}`)}`,
      )}
      ${end_labels(labels, box)}`;
  });
}
