// The real-heads lab. Twin of real_heads_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { unpacked, type Packed } from "../../lab/packed.ts";
import { controls, dots, heat, line, map, note, plot, row, slots } from "../../lab/picture/make.ts";
import type { Axis, Block, Given } from "../../lab/picture/picture.ts";
import { t } from "../../lab/words.ts";
import { softmax } from "../../maths/softmax.ts";
import { mean } from "../../maths/sums.ts";

const D_K = 32;
const N_HEADS = 12;

export type State = States["qk_weights/real_heads"];

type Data = Record<string, { tokens: string[]; scores: Packed }>;

export type Series = ReturnType<typeof compute>;

export function compute({ text, layer, head, blend }: State, data: Data) {
  const { tokens, scores: packed } = data[text];
  const n = tokens.length;
  const trained = unpacked(packed, "int16", n * n, (layer - 1) * N_HEADS + head - 1).map((s) => s / Math.sqrt(D_K));
  const mirror = (at: number) => (at % n) * n + Math.floor(at / n);
  const core = centred(trained, n);
  const turned = core.map((c, at) => (blend * (c - core[mirror(at)])) / 2);
  const now = core.map((c, at) => c - turned[at]);
  const [weights, before] = [
    rows(
      trained.map((s, at) => s - turned[at]),
      n,
    ),
    rows(trained, n),
  ];
  const [there, back]: number[][] = [[], []];
  let [even, whole, moved, largest] = [0, 0, 0, 0];
  now.forEach((s, at) => {
    if (at % n > Math.floor(at / n)) {
      there.push(s);
      back.push(now[mirror(at)]);
    }
    even += ((s + now[mirror(at)]) / 2) ** 2;
    whole += s ** 2;
    moved += Math.abs(weights[at] - before[at]);
    largest = Math.max(largest, Math.abs(core[at]));
  });
  return {
    there: Float64Array.from(there),
    back: Float64Array.from(back),
    weights_trained: before,
    weights,
    largest,
    symmetric_percent: (100 * even) / whole,
    moved_percent: (50 * moved) / n,
    before_percent: (100 * on_diagonal(weights, n, 1)) / (n - 1),
    own_percent: (100 * on_diagonal(weights, n, 0)) / n,
  };
}

/** What all rows give to the token so many places before them, together. */
function on_diagonal(weights: Float64Array, n: number, before: number): number {
  return weights.reduce((sum, w, at) => sum + (Math.floor(at / n) - (at % n) === before ? w : 0), 0);
}

/** Scores without what a whole row or a whole column shares. */
function centred(scores: Float64Array, n: number): Float64Array {
  const [row, column] = [new Float64Array(n), new Float64Array(n)];
  scores.forEach((s, at) => {
    row[Math.floor(at / n)] += s / n;
    column[at % n] += s / n;
  });
  const all = mean(row);
  return scores.map((s, at) => s - row[Math.floor(at / n)] - column[at % n] + all);
}

/** A softmax over each row. */
function rows(scores: Float64Array, n: number): Float64Array {
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++) out.set(softmax(scores.subarray(i * n, (i + 1) * n)), i * n);
  return out;
}

// ---- the picture

export function view({ text, blend }: State, series: Series, { data }: Given): Block[] {
  const { tokens } = (data as Data)[text];
  const n = tokens.length;
  const axes = { x: slots(n, tokens), y: slots(n, tokens), colour: "score", least: 13 } as const;
  const weights = (name: string, title: string, values: Float64Array) =>
    map(name, title, n, [heat("weights", "score", values, n)], axes);
  const limit = 5 * Math.ceil((series.largest + 0.5) / 5); // the same at every blend
  const up: Axis = { domain: [-limit, limit], ticks: [-limit, 0, limit] };
  const across = { ...up, label: t("earlier for later") };
  const pairs = [
    line("the same", "soft", up.domain, up.domain, { look: ["dashed"] }),
    dots("pairs", "score", series.there, series.back, { size: 0.3 }),
  ];
  const there_and_back = t("One dot per pair of tokens");
  const how_to_read =
    blend === 1
      ? "Across: the earlier token's score for the later one; up: the other way. Symmetric: both are equal. Column means, such as a liking of all tokens for [CLS], are left in the weights."
      : "Across: the earlier token's score for the later one; up: the other way. On the dashed line they are equal. Row and column means are taken off.";
  return [
    controls("blend"),
    row(
      plot("both ways", there_and_back, 17, across, up, pairs, { square: true, least: 13 }),
      weights("trained", t("weights as trained"), series.weights_trained),
      weights("now", t("weights of these scores"), series.weights),
    ),
    note("how to read", t(how_to_read), "hint"),
    controls("layer", "head", "text"),
  ];
}
