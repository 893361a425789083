// The many-token lab. Twin of many_lab.py: same series, same names, same order; the picture stands here alone.

import { no_projections_many, type States } from "../../lab/declared.ts";
import { controls, heat, here, line, map, note, now, plot, rings, row, table, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Plot, Texts } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { normals, stream } from "../../maths/random.ts";
import { drawn_by } from "../../maths/recent.ts";
import { softmax } from "../../maths/softmax.ts";
import { dot, mean } from "../../maths/sums.ts";
import { LAW_D, own_shares } from "./own_share.ts";

const [LENGTH_STREAM, W_Q, W_K, W_V] = [100, 1000, 2000, 3000];
const KINDS = ["none", "same", "q", "qk"] as const;
const [MOST_TOKENS, MOST_D] = [32, LAW_D.at(-1)!];

export type State = States["no_projections/many"];

export type Series = ReturnType<typeof compute>;

/** What a seed draws, at the largest size; a smaller d or n is the beginning of it. */
interface Draw {
  seed: number;
  z: Float64Array;
  x: Float64Array[];
  matrices: Map<number, Float64Array[]>;
}

const drawn_for = drawn_by((seed): Draw => ({
  seed,
  z: normals(stream(seed, LENGTH_STREAM), MOST_TOKENS),
  x: Array.from({ length: MOST_TOKENS }, (_, i) => normals(stream(seed, i), MOST_D)),
  matrices: new Map(),
}));

/** Rows of x, each times a d x d matrix with independent normal entries of variance 1/d. */
function projected(rows: Float64Array[], draw: Draw, which: number, d: number): Float64Array[] {
  if (!draw.matrices.has(which)) {
    draw.matrices.set(
      which,
      Array.from({ length: MOST_D }, (_, i) => normals(stream(draw.seed, which + i), MOST_D)),
    );
  }
  const matrix = draw.matrices.get(which)!;
  return rows.map((row) => {
    const out = new Float64Array(d);
    for (let i = 0; i < d; i++) {
      const [value, from] = [row[i] / Math.sqrt(d), matrix[i]];
      for (let k = 0; k < d; k++) out[k] += value * from[k];
    }
    return out;
  });
}

/** Where each of n rows has its largest entry; of several, the first. */
function favourites(weights: Float64Array, n: number): number[] {
  return Array.from({ length: n }, (_, i) => {
    const row = weights.subarray(i * n, (i + 1) * n);
    return row.indexOf(row.reduce((most, weight) => Math.max(most, weight)));
  });
}

export function compute({ projections, values, divisor, d, n_tokens: n, spread, seed }: State) {
  const draw = drawn_for(seed);
  const x = draw.x.slice(0, n).map((row, i) => row.subarray(0, d).map((value) => value * Math.exp(spread * draw.z[i])));
  const [q, k] = [projected(x, draw, W_Q, d), projected(x, draw, W_K, d)];
  const v = values === "w" ? projected(x, draw, W_V, d) : x;
  const by = divisor === "sqrt" ? Math.sqrt(d) : 1;

  const attended = (left: Float64Array[], right: Float64Array[]) => {
    const weights = new Float64Array(n * n);
    left.forEach((query, i) => weights.set(softmax(right.map((key) => dot(query, key) / by)), i * n));
    return weights;
  };
  const each = { none: attended(x, x), same: attended(q, q), q: attended(q, x), qk: attended(q, k) };
  const weights = each[projections];
  const best = Float64Array.from(favourites(weights, n));
  const own_weight = Float64Array.from({ length: n }, (_, i) => weights[i * n + i]);
  const [low, high] = [new Float64Array(d).fill(Infinity), new Float64Array(d).fill(-Infinity)];
  for (const row of x)
    row.forEach((value, c) => {
      low[c] = Math.min(low[c], value);
      high[c] = Math.max(high[c], value);
    });
  let outside = 0;
  for (let i = 0; i < n; i++) {
    const row = weights.subarray(i * n, (i + 1) * n);
    const out = new Float64Array(d);
    v.forEach((value, j) => {
      for (let c = 0; c < d; c++) out[c] += row[j] * value[c];
    });
    for (let c = 0; c < d; c++) {
      const margin = 1e-9 * (high[c] - low[c]);
      if (out[c] < low[c] - margin || out[c] > high[c] + margin) outside++;
    }
  }
  const { none, same } = own_shares(n, spread);
  const percent = (share: number[]) => Float64Array.from(share, (value) => 100 * value);
  const law =
    projections === "none"
      ? percent(none)
      : projections === "same"
        ? percent(same)
        : new Float64Array(LAW_D.length).fill(100 / n);
  const at_home = (kind: State["projections"]) => favourites(each[kind], n).filter((j, i) => j === i).length;
  const n_own = at_home(projections);
  return {
    weights_none: each.none,
    weights_same: each.same,
    weights_q: each.q,
    weights_qk: each.qk,
    weights: weights.slice(),
    best,
    own_weight,
    law_none: percent(none),
    law_same: percent(same),
    law,
    n_own_none: at_home("none"),
    n_own_same: at_home("same"),
    n_own_q: at_home("q"),
    n_own_qk: at_home("qk"),
    n_own,
    share: (100 * n_own) / n,
    expected: law[LAW_D.indexOf(d)],
    mean_own: mean(own_weight),
    outside: (100 * outside) / (n * d),
  };
}

// ---- the picture

export function view(state: State, series: Series): Block[] {
  const legend = t("One row for a token. Ring: its largest weight is on itself. Square: on another.");
  return [
    controls("d", "n_tokens", "spread", "divisor", "seed"),
    row(...KINDS.map((kind) => weight_map(kind, state, series))),
    note("rings", legend, "hint"),
    controls("projections", "values"),
    row(law_panel(state, series), facts(state, series)),
  ];
}

/** The weights, one row for a token; a ring marks each row's largest weight, a square one that is not its own. */
function weight_map(kind: State["projections"], { n_tokens: n }: State, series: Series): Plot {
  const weights = series[`weights_${kind}`];
  const best = favourites(weights, n);
  const size = Math.min(0.4, n / 40); // a fortieth of the map, if a cell has that room
  const [own, past] = [true, false].map((own) => Array.from(best.keys()).filter((i) => (best[i] === i) === own));
  const looked_at = past.map((i) => best[i]);
  const marks = [
    heat("weights", "score", weights, n, 1, { root: true }),
    rings("largest on itself", "ink", own, own, size),
    rings("largest on another", "ink", looked_at, past, size, true),
  ];
  const scores = t(no_projections_many.projections[kind]);
  const title = t("{scores}: {n_own} of {n_tokens}", { scores, n_own: series[`n_own_${kind}`], n_tokens: n });
  return map(`weights ${kind}`, title, n, marks, { colour: "score" });
}

/** Over d, the share of rows that look at themselves: expected with each kind of projections, the present one thick. */
function law_panel({ d, n_tokens: n, projections }: State, { law_none, law_same, share }: Series): Plot {
  const shown = { none: "x·x", same: "W_Q = W_K", q: "1/n", qk: "1/n" }[projections];
  const law = (name: string, x: number[], y: ArrayLike<number>) =>
    line(name, name === shown ? "score" : "soft", x, y, { look: name === shown ? ["thick"] : [] });
  const name = (of: string, text: string, x: number | "right", y: number, side: Texts["side"]) =>
    texts(`name of ${of}`, "ink", [x], [y], [text], side, { look: ["over"] });
  const title = t("rows that look at themselves, % (lines: expected; dot: this draw)");
  const x: Axis = { scale: "log", domain: [1, MOST_D], ticks: [1, 4, 16, 64, 128], label: "d" };
  const marks = [
    here("d", d),
    law("x·x", LAW_D, law_none),
    law("W_Q = W_K", LAW_D, law_same),
    law("1/n", [1, MOST_D], [100 / n, 100 / n]),
    now("this draw", "score", d, share, 0.55),
    name("x·x", t(no_projections_many.projections.none), LAW_D[3], law_none[3] + 4, "left"),
    name("W_Q = W_K", t(no_projections_many.projections.same), LAW_D[6], law_same[6] - 6, "right"),
    name("1/n", t("W_Q alone, or W_Q and W_K: 1/n"), "right", 100 / n, "above"),
  ];
  return plot("law", title, 11.5, x, { domain: [0, 100], ticks: [0, 25, 50, 75, 100] }, marks, { least: 22 });
}

const facts = ({ n_tokens }: State, series: Series): Block =>
  table("facts", [
    [t("rows whose largest weight is their own"), t("{n_own} of {n_tokens}", { n_own: series.n_own, n_tokens })],
    [t("expected over many draws"), t("{expected:.1f} %", series)],
    [t("mean weight of a token on itself"), number(series.mean_own, ".3f")],
    [t("output coordinates outside the range of the inputs"), t("{outside:.1f} %", series)],
  ]);
