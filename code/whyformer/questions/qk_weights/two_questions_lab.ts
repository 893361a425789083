// The two-questions lab. Twin of two_questions_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import {
  bars,
  column,
  controls,
  grid,
  heat,
  here,
  map,
  note,
  plot,
  row,
  slots,
  table,
  texts,
  wire,
} from "../../lab/picture/make.ts";
import type { Block, Box, Cell, Colour, Diagram, Grid, Label, Plot, Table, Wire } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { normals, stream } from "../../maths/random.ts";
import { softmax } from "../../maths/softmax.ts";
import { product as times, type Matrix } from "../../model/layers.ts";

const D = 8;
const N = 5;
const TEXTS: Record<string, string[]> = {
  boy: ["I", "am", "a", "boy", "."],
  dogs: ["dogs", "chase", "cats", "at", "night"],
  gave: ["she", "gave", "him", "old", "books"],
};
const VOCABULARY = Object.values(TEXTS).flat();
const [NEW, TURN, STRETCH, WORD] = [10, 20, 21, 100];

export type State = States["qk_weights/two_questions"];

export type Series = ReturnType<typeof compute>;

const build = (rows: number, columns: number, entry: (i: number, j: number) => number): Matrix =>
  Float64Array.from({ length: rows * columns }, (_, at) => entry(Math.floor(at / columns), at % columns));

const transposed = (a: Matrix, columns: number): Matrix =>
  build(columns, a.length / columns, (i, j) => a[j * columns + i]);

/** W_Q and W_K, (8, d_k); column c is a stream of its own, so that more columns leave the first as they are. */
function matrices({ mix, d_k, seed }: State): [Matrix, Matrix] {
  const drawn = (start: number) => {
    const columns = Array.from({ length: d_k }, (_, c) => normals(stream(seed, start + c), D));
    return build(D, d_k, (i, c) => columns[c][i] / Math.sqrt(D));
  };
  const [w_q, w_new] = [drawn(0), drawn(NEW)];
  const length = Math.sqrt((1 - mix) ** 2 + mix ** 2);
  return [w_q, w_q.map((w, i) => ((1 - mix) * w + mix * w_new[i]) / length)];
}

/** Other matrices with the same product W_Q W_K^T. */
function rewritten([w_q, w_k]: [Matrix, Matrix], { d_k, form, seed }: State): [Matrix, Matrix] {
  if (form === "identity") return [times(w_q, transposed(w_k, d_k), d_k, D), build(D, D, (i, j) => Number(i === j))];
  if (form === "turned") {
    const v = normals(stream(seed, TURN), d_k);
    const stretch = normals(stream(seed, STRETCH), d_k).map((z) => Math.exp(0.5 * z));
    const square = v.reduce((sum, x) => sum + x * x, 0);
    const reflection = (i: number, j: number) => Number(i === j) - (2 * v[i] * v[j]) / square;
    return [
      times(
        w_q,
        build(d_k, d_k, (i, j) => reflection(i, j) * stretch[j]),
        d_k,
        d_k,
      ),
      times(
        w_k,
        build(d_k, d_k, (i, j) => reflection(i, j) / stretch[j]),
        d_k,
        d_k,
      ),
    ];
  }
  return [w_q, w_k];
}

/** Where a long walk stands: the elimination of Grassmann, Taksar and Heyman, which never subtracts. */
function stationary(chain: Matrix): Float64Array {
  const p = chain.slice();
  for (let last = N - 1; last > 0; last--) {
    let leaves = 0;
    for (let j = 0; j < last; j++) leaves += p[last * N + j];
    for (let i = 0; i < last; i++) {
      p[i * N + last] /= leaves;
      for (let j = 0; j < last; j++) p[i * N + j] += p[i * N + last] * p[last * N + j];
    }
  }
  const out = new Float64Array(N);
  out[0] = 1;
  for (let i = 1; i < N; i++) for (let j = 0; j < i; j++) out[i] += out[j] * p[j * N + i];
  return as_shares(out);
}

function as_shares(values: Float64Array): Float64Array {
  const total = values.reduce((a, b) => a + b);
  return values.map((v) => v / total);
}

function symmetric_share(matrix: Matrix, n: number): number {
  let [even, whole] = [0, 0];
  matrix.forEach((value, at) => {
    even += ((value + matrix[(at % n) * n + Math.floor(at / n)]) / 2) ** 2;
    whole += value ** 2;
  });
  return even / whole;
}

export function compute(state: State) {
  const { text, first, second, d_k, seed } = state;
  const [w_q, w_k] = rewritten(matrices(state), state);
  const width = w_q.length / D;
  const words = TEXTS[text].map((word) => normals(stream(seed, WORD + VOCABULARY.indexOf(word)), D));
  const x = build(N, D, (i, j) => words[i][j]);
  const product = times(w_q, transposed(w_k, width), width, D);
  const scores = times(times(x, w_q, D, width), transposed(times(x, w_k, D, width), width), width, N).map(
    (s) => s / Math.sqrt(d_k),
  );
  const weights = new Float64Array(N * N);
  const row_sums = new Float64Array(N);
  const largest = Math.max(...scores);
  let smallest_self = Infinity;
  for (let i = 0; i < N; i++) {
    const row = scores.subarray(i * N, (i + 1) * N);
    weights.set(softmax(row), i * N);
    row_sums[i] = row.reduce((sum, s) => sum + Math.exp(s - largest), 0);
    smallest_self = Math.min(smallest_self, row[i]);
  }
  const walk = stationary(weights);
  const steps = build(N, N, (i, j) => walk[i] * weights[i * N + j]);
  const [there, back] = [(first - 1) * N + second - 1, (second - 1) * N + first - 1];
  return {
    scores,
    weights,
    steps,
    row_share: as_shares(row_sums),
    walk,
    query_matrix: w_q,
    key_matrix: w_k,
    product,
    score_there: scores[there],
    score_back: scores[back],
    weight_there: weights[there],
    weight_back: weights[back],
    smallest_self,
    symmetric_percent: 100 * symmetric_share(scores, N),
    product_symmetric_percent: 100 * symmetric_share(product, D),
    unbalanced_percent:
      50 * steps.reduce((sum, f, at) => sum + Math.abs(f - steps[(at % N) * N + Math.floor(at / N)]), 0),
  };
}

// ---- the picture

export function view(state: State, series: Series): Block[] {
  const words = TEXTS[state.text].map((word) => t(word));
  const [queries, keys] = {
    drawn: [t("W_Q"), t("W_K")],
    turned: [t("W_Q R in place of W_Q"), t("W_K R⁻ᵀ in place of W_K")],
    identity: [t("W_Q W_Kᵀ in place of W_Q"), t("the identity in place of W_K")],
  }[state.form];
  const percent = series.steps.map((share) => 100 * share);
  return [
    controls("mix"),
    row(arrows(state, series, words), column({}, pair_table(state, series, words), ...verdict(state, series))),
    row(
      square(state, words, "scores", t("Scores: each row asks"), series.scores, 1, 4),
      square(state, words, "weights", t("Weights: each row gives 1"), series.weights, 2, 1),
      square(state, words, "steps", t("Steps of a walk, %"), percent, 1, 50),
    ),
    controls("text", "first", "second", "seed"),
    row(standing(series, words), shares(series)),
    controls("form", "d_k"),
    row(
      entries("queries", queries, series.query_matrix),
      entries("keys", keys, series.key_matrix),
      entries("product", t("W_Q W_Kᵀ, their product"), series.product),
    ),
    note("rewriting", rewriting(state), "aside"),
  ];
}

// The arrows, in units of the diagram: words on a line in the middle, a slot wide each.
const [SLOT, ROOM] = [5.8, 6.5];
const [WIDTH, MIDDLE] = [N * SLOT, ROOM + 1.05];
const middle_of = (i: number) => (i + 0.5) * SLOT;
const thickness = (weight: number) => 0.04 + 0.8 * weight; // of arrows and frames; nothing vanishes

/** The five words; arrows to the right above them, arrows to the left below; the chosen pair last, over the others. */
function arrows({ first, second }: State, { scores, weights }: Series, words: string[]): Diagram {
  const [a, b] = [first - 1, second - 1];
  const boxes = words.map((text, i): Box => {
    const place = { x: (i + 0.08) * SLOT, y: MIDDLE - 0.95, width: 0.84 * SLOT, height: 1.9 };
    const [chosen, edge] = [i === a || i === b, thickness(weights[i * N + i])];
    const colour = chosen && a === b ? "scaled" : "plain";
    return { name: `word ${i + 1}`, ...place, text, look: "word", colour, edge, bold: chosen };
  });
  const [wires, chosen, labels]: [Wire[], Wire[], Label[]] = [[], [], []];
  weights.forEach((weight, at) => {
    const [i, j] = [Math.floor(at / N), at % N];
    if (i === j) return;
    const [name, way, thick] = [`${i + 1} to ${j + 1}`, Math.sign(j - i), thickness(weight)];
    const bow = (ROOM * (0.8 + Math.abs(i - j))) / (N + 0.6) - 0.9;
    const [start, end] = [middle_of(i) + 0.35 * way, middle_of(j) - 0.35 * way]; // beside the middles of the words
    const edge = MIDDLE - 1.05 * way;
    const top = edge - (4 / 3) * bow * way;
    const arrow = { ...wire(name, [start, edge], [start, top], [end, top], [end, edge]), curve: true, thick };
    if (!(i === a && j === b) && !(i === b && j === a)) {
      wires.push({ ...arrow, colour: "plain", faint: true });
      return;
    }
    chosen.push({ ...arrow, colour: "scaled" });
    const half = 5.2; // of the text, which stays inside
    labels.push({
      name: `${name}: numbers`,
      x: Math.min(Math.max((start + end) / 2, half), WIDTH - half),
      y: edge - (bow + thick / 2 + 0.75) * way, // beyond the bow
      text: t("score {score:.2f}, weight {weight:.2f}", { score: scores[at], weight }),
      colour: "scaled",
      bold: true,
      over: true,
    });
  });
  const title = t("An arrow is as thick as its weight; a frame, as the weight of a word for itself");
  const room = { least: 24, most: WIDTH, share: 2, width: WIDTH, height: 2 * MIDDLE };
  return { kind: "diagram", name: "arrows", title, ...room, boxes, wires: [...wires, ...chosen], labels };
}

function pair_table({ first, second }: State, series: Series, words: string[]): Table {
  const [a, b] = [words[first - 1], words[second - 1]];
  const line = (from: string, to: string, ...numbers: number[]) => [
    t("{from} → {to}", { from, to }),
    ...numbers.map((value) => number(value, ".2f")),
  ];
  const there = line(a, b, series.score_there, series.weight_there);
  const back = line(b, a, series.score_back, series.weight_back);
  const head = [t("from → to"), t("score"), t("weight")];
  return table("pair", first === second ? [there] : [there, back], -1, { head, numeric: [1, 2] });
}

function verdict({ mix, first, second }: State, series: Series): Block[] {
  const gaps = { unbalanced: series.unbalanced_percent, self: series.smallest_self };
  const pair =
    first === second
      ? t("A word and itself: there is only one score. Choose two words.")
      : mix === 0
        ? t("One matrix: the two scores are equal. The weights are not: each word divides by its own row's sum.")
        : t("Two matrices: the score back is another question with another answer.");
  const balance =
    mix === 0
      ? t(
          "A walk still steps from A to B as often as from B to A. The smallest score of a word with itself is {self:.2f}; it is never below 0.",
          gaps,
        )
      : t(
          "Of all steps of a walk {unbalanced:.1f} % are not matched by a step back. The smallest score of a word with itself is {self:.2f}.",
          gaps,
        );
  return [note("verdict", pair), note("balance", balance, "hint")];
}

/** Five by five numbers with words beside them; a click on a cell chooses its two words. */
function square(
  { first, second }: State,
  words: string[],
  name: string,
  title: string,
  matrix: Matrix,
  digits: number,
  limit: number,
): Grid {
  const cell = (from: number, to: number): Cell => {
    const value = matrix[(from - 1) * N + to - 1];
    const chosen = (from === first && to === second) || (from === second && to === first);
    return {
      text: number(Math.abs(value) < 0.5 / 10 ** digits ? 0 : value, `.${digits}f`), // no −0.0
      tint: name !== "scores" ? "scaled" : value < 0 ? "gradient-negative" : "gradient",
      strength: 0.5 * Math.sqrt(Math.min(1, Math.abs(value) / limit)),
      frame: chosen ? "ink" : undefined,
      bold: chosen,
      set: { first: from, second: to },
    };
  };
  const cells = words.map((_, i) => words.map((_, j) => cell(i + 1, j + 1)));
  return grid(name, words, words, cells, { title, least: 13 });
}

/** Where a long walk stands, beside the row sums. */
function standing({ walk, row_share }: Series, words: string[]): Plot {
  const title = t("Blue: where a long walk stands, %; grey: each row's share of all exp(score), %");
  const percent = (name: string, colour: Colour, shares: Float64Array, aside: number) => {
    const [x, y] = [shares.map((_, i) => i + aside), shares.map((share) => 100 * share)];
    return bars(name, colour, y, { x, width: 0.34, numbers: ".0f" });
  };
  return plot("standing", title, 6, slots(N, words), { domain: [0, 100], ticks: [0, 50, 100] }, [
    percent("walk", "scaled", walk, -0.17),
    percent("row sums", "theory", row_share, 0.17),
  ]);
}

/** How much of the scores and of the product is symmetric. */
function shares({ symmetric_percent, product_symmetric_percent }: Series): Plot {
  const x2 = [symmetric_percent, product_symmetric_percent];
  const title = t("Symmetric share, %; dashed: an even split, as of large random matrices");
  const names = slots(2, [t("of the scores"), t("of W_Q W_Kᵀ")]);
  const numbers = x2.map((share) => number(share, ".0f"));
  return plot("symmetric", title, 6, { domain: [0, 115], grid: false, ticks: [0, 50, 100] }, names, [
    { mark: "intervals", name: "shares", look: ["solid"], x1: [0, 0], x2, y1: [-0.3, 0.7], y2: [0.3, 1.3] },
    here("even split", 50),
    texts("numbers", "plain", x2, [0, 1], numbers, "right", { bold: false }),
  ]);
}

/** The entries of a matrix with eight rows, by colour: purple above 0, green below. */
function entries(name: string, title: string, values: Matrix): Plot {
  const look = { root: true, negative: "gradient-negative" } as const;
  const marks = [heat("entries", "gradient", values, values.length / D, 2, look)];
  return map(name, title, D, marks, { height: 8.4, least: 9 });
}

function rewriting({ form, d_k }: State): string {
  if (form === "drawn")
    return t("Purple above 0, green below. Write the same head in another way, and watch what stays.");
  if (form === "turned")
    return t("Other matrices, the same product, so the same scores. R is any matrix that can be inverted.");
  return d_k === D
    ? t(
        "With d_k = d_model = 8 the identity can take the place of W_K, and no matrix grows: two matrices are one too many.",
      )
    : t(
        "The scores stay, but the one matrix has 8 columns instead of {d_k}. At the old size, 8 × {d_k}, the identity does not fit.",
        { d_k },
      );
}
