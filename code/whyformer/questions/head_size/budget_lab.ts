// The budget lab. Twin of budget_lab.py: same series, same names, same order.

import { head_size_budget_controls, type States } from "../../lab/declared.ts";
import { controls, dots, heat, here, line, map, note, now, plot, row, table } from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Mark, Plot } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { at, stream } from "../../maths/random.ts";
import { softmax_into } from "../../maths/softmax.ts";

const [N, D_MODEL, HEIGHT] = [24, 64, 6];
const HEADS = [1, 2, 4, 8, 16, 32, 64];
const THICK = 0.3;
const GAINS = Array.from({ length: 11 }, (_, i) => 2 ** i);

type Pattern = State["pattern"];

export type State = States["head_size/budget"];

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

const kept = new Map<Pattern, Fits>();

/** The fits of one pattern at all sizes and gains; a drag of heads or gain, or going back to a pattern, finds them done. */
function fits(pattern: Pattern, seed: number): Fits {
  const name = `${pattern} ${pattern === "shuffled" ? seed : ""}`;
  const known = kept.get(pattern);
  if (known?.name === name) return known;
  const ring = labels(pattern, seed);
  const wanted = wants(ring);
  const target = weights_of(wanted_scores(ring, wanted), 1);
  const found = new Map(
    HEADS.map((h) => {
      const scores = fitted_scores(ring, wanted, D_MODEL / h);
      return [D_MODEL / h, { scores, errors: GAINS.map((gain) => distance(target, weights_of(scores, gain))) }];
    }),
  );
  const made = { name, wanted, m: ring.m, target, found };
  kept.set(pattern, made);
  return made;
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

const heads_axis = (): Axis => ({
  scale: "log",
  domain: [1, 64],
  ticks: HEADS,
  label: t(head_size_budget_controls.heads),
});

export function view(state: State, series: Series): Block[] {
  return [
    controls("pattern", "width"),
    controls("heads", "gain"),
    row(
      weights_map("wanted", t("wanted, rank {needed:.0f}", { ...series }), series.target),
      weights_map("fitted", t("fitted, rank {rank:.0f}", { ...series }), series.fitted),
    ),
    row(bill(series), errors(state, series)),
    note(
      "how to read",
      t(
        "Rows are queries, columns keys; the strength of the violet is the square root of a weight. A largest weight that ties with one on a wrong key does not count as right.",
      ),
      "hint",
    ),
    facts(state, series),
    verdict(state, series),
    controls("seed"),
  ];
}

const weights_map = (name: string, title: string, values: Float64Array): Plot =>
  map(name, title, N, [heat("weights", "score", values, N, 1, { root: true })], { colour: "score" });

/** What the heads cost, as bars from one head of full width, which is × 1, and the numbers that a head has. */
function bill({ parameters, weights, d_k }: Series): Plot {
  const cost = (name: string, colour: Colour, at: number, value: number): Mark[] => [
    {
      mark: "intervals",
      name,
      colour,
      x1: [Math.min(1, value)],
      x2: [Math.max(1, value)],
      y1: [at - THICK],
      y2: [at + THICK],
      look: ["solid"],
    },
    dots(`${name}: now`, colour, [value], [at], { size: 0.4 }),
  ];
  const ticks = [1 / 64, 1 / 8, 1, 8, 64].map((at) => ({ at, text: at < 1 ? `1/${1 / at}` : `× ${at}` }));
  const rows = [t("parameters, multiplications"), t("weights to keep"), t("numbers in a head")];
  return plot(
    "bill",
    t("The bill, against one head of full width"),
    6,
    { scale: "log", domain: [1 / 64, 64], ticks },
    { scale: "cells", domain: [-0.5, 2.5], ticks: rows.map((text, at) => ({ at, text })) },
    [
      here("one head", 1),
      ...cost("cost", "ink", 0, parameters / (4 * D_MODEL ** 2)),
      ...cost("weights", "score", 1, weights / N ** 2),
      ...cost("size", "key", 2, d_k / D_MODEL),
    ],
  );
}

/** How much weight lies in the wrong place, over the heads: at gain 1, at the present gain, at the best. */
function errors({ heads, gain }: State, series: Series): Plot {
  const { error_plain, error_best, error_now } = series;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, text: number(100 * at, "") }));
  const title = t("Misplaced weight, %: now {error:.1f}", { ...series });
  return plot("errors", title, 12.5, heads_axis(), { domain: [0, 1], ticks }, [
    here("heads", heads),
    line("gain 1", "soft", HEADS, error_plain, { straight: true, label: gain === 1 ? undefined : t("gain 1") }),
    line("best gain", "ink", HEADS, error_best, { straight: true, label: t("best gain"), look: ["thin"] }),
    line("this gain", "score", HEADS, error_now, {
      straight: true,
      label: t("gain {gain}", { gain }),
      look: ["thick"],
    }),
    dots("each", "score", HEADS, error_now, { size: 0.2 }),
    now("now", "score", heads, error_now[HEADS.indexOf(heads)], 0.4),
  ]);
}

function facts({ heads }: State, series: Series): Block {
  return table("facts", [
    [t("one head"), t("dₖ = {d_k:.0f}; the pattern needs rank {needed:.0f}", { ...series })],
    [
      t("{heads} {heads:head|heads}", { heads }),
      t("{parameters:,.0f} parameters, {products:,.0f} multiplications, {weights:,.0f} weights", { ...series }),
    ],
    [
      t("price of the gain"),
      t("scores up to {largest_score:.3g}; a query or key of length {length:.0f} at least", { ...series }),
    ],
  ]);
}

function verdict({ gain }: State, { d_k, needed, hits, error }: Series): Block {
  const lost = d_k < needed;
  const text = !lost
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
        : t("The fit is close with less than the needed rank: {error:.1f} % of the weight is misplaced.", { error });
  return note("verdict", text, lost && error > 20 ? "warning" : "hint");
}
