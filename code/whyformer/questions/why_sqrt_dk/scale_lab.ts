// The scale lab. Twin of scale_lab.py: same series, same names, same order; the picture stands here alone.

import type { Control } from "../../lab/declaration.ts";
import type { States } from "../../lab/declared.ts";
import { normals, stream } from "../../maths/random.ts";
import { softmax, softmax_jacobian, softmax_vjp } from "../../maths/softmax.ts";
import { heat_key } from "../../lab/picture/key.ts";
import {
  band,
  bars,
  controls,
  dots,
  heat,
  here,
  line,
  map,
  note,
  now,
  plot,
  row,
  texts,
} from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Given, Mark, Plot } from "../../lab/picture/picture.ts";
import { t } from "../../lab/words.ts";
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
} from "./many_draws.ts";

const D_K_MAX = LAW_D_K.at(-1)!;
const UPSTREAM_STREAM = MAX_KEYS + 1;
const COMPANION_ROWS = 1000;
const NAMES = ["1", "sqrt", "d_k"] as const;
const DIVIDED = ["÷ 1", "÷ √dₖ", "÷ dₖ"];
const COLOURS: Colour[] = ["unscaled", "scaled", "overscaled"];

export type State = States["why_sqrt_dk/scale"];

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

/** The laws at other numbers of keys, one at a time, while the reader rests: then sliding the keys finds them. */
export function* ahead({ rho, related, quantity }: State, control: (name: string) => Control) {
  for (const n_keys of control("n_keys").values!) yield law(n_keys, rho, related, quantity);
}

// ---- the picture

const REACH = 250; // scores are shown from -REACH to REACH, linear near 0 and logarithmic outside

type Column = { which: "unscaled" | "scaled"; colour: Colour; name: string };

export function view(state: State, series: Series, { small }: Given): Block[] {
  const i = NAMES.indexOf(state.divisor);
  const divided = [t("1"), "√dₖ", "dₖ"][i];
  const columns: Column[] = [
    { which: "unscaled", colour: COLOURS[0], name: t("unscaled") },
    { which: "scaled", colour: COLOURS[i], name: t("divided by {divided}", { divided }) },
  ];
  const weights = row(...columns.map((column) => weight_panel(series, column)));
  if (small) return [controls("d_k", "n_keys"), score_panel(series, columns), weights];
  return [
    controls("d_k", "n_keys", "rho", "divisor", "related", "seed"),
    score_panel(series, columns),
    weights,
    note("jacobian", t("Softmax Jacobian: how far each weight moves when each score does"), "hint"),
    row(...columns.map((column) => jacobian_panel(state, series, column))),
    heat_key(0.25, "gradient", "gradient-negative"),
    controls("quantity"),
    law_panel(state, series),
  ];
}

/** Two lines: the scores, and over them where 68 % and 95 % of such scores fall. What lies further out stands at the edge. */
function score_panel(series: Series, columns: Column[]): Plot {
  const label = t("score (linear near 0, logarithmic further out)");
  const x: Axis = { scale: "asinh", domain: [-REACH, REACH], ticks: [-100, -10, -1, 0, 1, 10, 100], label };
  const title = t("Scores of this draw, on one axis; bars: where 68 % and 95 % of such scores fall");
  const marks = columns.flatMap(({ which, colour, name }, line): Mark[] => {
    const [center, spread] = [series[`center_${which}`], series[`spread_${which}`]];
    const scores = series[`scores_${which}`];
    const [y1, y2] = [[line + 0.4], [line + 0.95]];
    const interval = (percent: number, k: number): Mark => {
      const [x1, x2] = [[center - k * spread], [center + k * spread]];
      return { mark: "intervals", name: `${which}: ${percent} %`, colour, look: ["faint"], x1, x2, y1, y2 };
    };
    const said =
      center === 0
        ? t("standard deviation {spread:.3g}", { spread })
        : t("mean {center:.3g}, standard deviation {spread:.3g}", { center, spread });
    const heights = scores.map(() => line + 0.675);
    return [
      interval(68, 1),
      interval(95, 1.96),
      dots(which, colour, scores, heights, { size: 0.3 }),
      texts(`${which}: name`, colour, ["left", "right"], [line + 0.2, line + 0.2], [name, said], "on"),
    ];
  });
  return plot("scores", title, 7, x, { scale: "cells", domain: [0, 2] }, marks);
}

function weight_panel(series: Series, { which, colour, name }: Column): Plot {
  const weights = series[`weights_${which}`];
  const n = weights.length;
  const title = t("{name}: largest weight {largest:.2f}", { name, largest: series[`largest_${which}`] });
  const x: Axis = { domain: [0.5, n + 0.5], ticks: [{ at: 1, text: t("key 1") }, n] };
  const y: Axis = { domain: [0, 1], ticks: [0, 0.5, 1] };
  return plot(`weights ${which}`, title, 5.8, x, y, [bars("weights", colour, weights)], { colour, least: 10 });
}

function jacobian_panel({ n_keys }: State, series: Series, { which, colour, name }: Column): Plot {
  const title = t("{name}: largest entry {entry:.2g}", { name, entry: series[`entry_${which}`] });
  const look = { root: true, negative: "gradient-negative", numbers: ".3f" } as const;
  const entries = heat("jacobian", "gradient", series[`jacobian_${which}`], n_keys, 0.25, look);
  return map(`jacobian ${which}`, title, n_keys, [entries], { colour, height: 13 });
}

const RANGES: Record<Quantity, { from: number; to: number; ticks: number[]; log?: boolean }> = {
  largest_weight: { from: 0, to: 1, ticks: [0, 0.5, 1] },
  entropy: { from: 0, to: Math.log(MAX_KEYS), ticks: [0, 1, 2, 3, 4] },
  largest_entry: { from: 0, to: 0.25, ticks: [0, 0.05, 0.1, 0.15, 0.2, 0.25] },
  gradient_q: { from: 1e-3, to: 100, ticks: [0.001, 0.01, 0.1, 1, 10, 100], log: true },
  gradient_w_q: { from: 1e-3, to: 100, ticks: [0.001, 0.01, 0.1, 1, 10, 100], log: true },
};

function law_panel({ d_k, quantity }: State, series: Series): Plot {
  const { from, to, ticks, log } = RANGES[quantity];
  const n = LAW_D_K.length;
  const x: Axis = { scale: "log", domain: [1, D_K_MAX], ticks: LAW_D_K.filter((_, i) => i % 2 === 0), label: "dₖ" };
  const title = t("Over many draws: line median, band 10 to 90 %, dots mean; large dot: this draw");
  const each = DIVIDED.map((name, i) => {
    const part = (values: Float64Array) => values.subarray(i * n, (i + 1) * n);
    const colour = COLOURS[i];
    return {
      band: band(`${name}: 10 to 90 %`, colour, LAW_D_K, part(series.law_low), part(series.law_high)),
      lines: [
        line(`${name}: median`, colour, LAW_D_K, part(series.law_mid), { label: name }),
        dots(`${name}: mean`, colour, LAW_D_K, part(series.law_mean), { size: 0.16 }),
        now(`${name}: this draw`, colour, d_k, series.drawn[i]),
      ],
    };
  });
  const marks = [here("d_k", d_k), ...each.map((one) => one.band), ...each.flatMap((one) => one.lines)];
  return plot("law", title, 13.5, x, { scale: log ? "log" : "linear", domain: [from, to], ticks }, marks);
}
