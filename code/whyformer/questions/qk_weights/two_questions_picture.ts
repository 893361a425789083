// The picture of the two-questions lab.

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
import type { Matrix } from "../../model/layers.ts";
import type { Series, State } from "./two_questions_lab.ts";
import { D, N, TEXTS } from "./two_questions_texts.ts";

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
      both_ways(state, words, series.sums),
    ),
    controls("first", "second", "text", "seed"),
    row(
      square(state, words, "steps", t("Of 100 steps of a walk, so many go from row to column"), percent, 1, 50),
      standing(series, words),
    ),
    shares(series),
    controls("form", "d_k"),
    row(
      entries("queries", queries, "query", series.query_matrix),
      entries("keys", keys, "key", series.key_matrix),
      entries("product", t("W_Q W_Kᵀ, their product"), "score", series.product),
    ),
    note("rewriting", rewriting(state), "aside"),
  ];
}

// The arrows, in units of the diagram: words on a line in the middle, a slot wide each.
const [SLOT, ROOM] = [5, 5];
const [WIDTH, MIDDLE] = [N * SLOT, ROOM + 1.05];
const middle_of = (i: number) => (i + 0.5) * SLOT;
const thickness = (weight: number) => 0.04 + 0.8 * weight; // of arrows and frames; nothing vanishes

/** The five words; arrows to the right above them, arrows to the left below; the chosen pair last, over the others. */
function arrows({ first, second }: State, series: Series, words: string[]): Diagram {
  const { scores, weights } = series;
  const [a, b] = [first - 1, second - 1];
  const boxes = words.map((text, i): Box => {
    const place = { x: (i + 0.08) * SLOT, y: MIDDLE - 0.95, width: 0.84 * SLOT, height: 1.9 };
    const [chosen, edge] = [i === a || i === b, thickness(weights[i * N + i])];
    const colour = chosen && a === b ? "score" : "soft";
    return { name: `word ${i + 1}`, ...place, text, look: "word", colour, edge, bold: chosen };
  });
  const [wires, chosen, labels]: [Wire[], Wire[], Label[]] = [[], [], []];
  weights.forEach((weight, at) => {
    const [i, j] = [Math.floor(at / N), at % N];
    if (i === j) return;
    const [name, way, thick] = [`${i + 1} to ${j + 1}`, Math.sign(j - i), thickness(weight)];
    const bow = 0.4 + 0.7 * Math.abs(i - j);
    const [start, end] = [middle_of(i) + 0.35 * way, middle_of(j) - 0.35 * way]; // beside the middles of the words
    const edge = MIDDLE - 1.05 * way;
    const top = edge - (4 / 3) * bow * way;
    const arrow = { ...wire(name, [start, edge], [start, top], [end, top], [end, edge]), curve: true, thick };
    if (!(i === a && j === b) && !(i === b && j === a)) {
      wires.push({ ...arrow, colour: "soft", faint: true });
      return;
    }
    chosen.push({ ...arrow, colour: "score" });
    const half = 5.2; // of the text, which stays inside
    labels.push({
      name: `${name}: numbers`,
      x: Math.min(Math.max((start + end) / 2, half), WIDTH - half),
      y: edge - (bow + thick / 2 + 0.75) * way, // beyond the bow
      text: t("score {score:.2f}, weight {weight:.2f}", { score: scores[at], weight }),
      colour: "score",
      bold: true,
      over: true,
    });
  });
  const title =
    a === b
      ? t("Thickness: weight; of a frame: for itself")
      : t("Thickness: weight; of a frame: for itself. Violet, together: {weight_sum:.2f}", series);
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

const HEADS = 2.7; // em, for the longest word of all sentences: cells stay where they are

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
      tint: name === "scores" && value < 0 ? "gradient-negative" : "score",
      strength: 0.5 * Math.sqrt(Math.min(1, Math.abs(value) / limit)),
      frame: chosen ? "ink" : undefined,
      bold: chosen,
      set: { first: from, second: to },
    };
  };
  const cells = words.map((_, i) => words.map((_, j) => cell(i + 1, j + 1)));
  return grid(name, words, words, cells, { title, least: 13, heads: HEADS });
}

/** Weight there and weight back together, a number for each two words; hatched is what one matrix cannot reach. */
function both_ways({ first, second }: State, words: string[], sums: Matrix): Grid {
  const cell = (i: number, j: number): Cell => {
    if (i >= j) return { text: "", empty: true };
    const sum = sums[i * N + j];
    const chosen = (i === first - 1 && j === second - 1) || (i === second - 1 && j === first - 1);
    return {
      text: number(sum, ".2f"),
      tint: "score",
      strength: 0.25 * sum,
      hatched: sum > 1 + 1e-9,
      frame: chosen ? "ink" : undefined,
      bold: chosen,
      set: { first: i + 1, second: j + 1 },
    };
  };
  const cells = words.map((_, i) => words.map((_, j) => cell(i, j)));
  const title = t("Weight there + weight back; hatched: above 1");
  return grid("sums", words, words, cells, { title, least: 13, heads: HEADS });
}

/** Where a long walk stands, beside the row sums. */
function standing({ walk, row_share }: Series, words: string[]): Plot {
  const title = t("Violet: where a long walk stands, %; grey: each row's share of all exp(score), %");
  const percent = (name: string, colour: Colour, shares: Float64Array, aside: number) => {
    const [x, y] = [shares.map((_, i) => i + aside), shares.map((share) => 100 * share)];
    return bars(name, colour, y, { x, width: 0.34, numbers: ".0f" });
  };
  return plot("standing", title, 6, slots(N, words), { domain: [0, 100], ticks: [0, 50, 100] }, [
    percent("walk", "score", walk, -0.17),
    percent("row sums", "soft", row_share, 0.17),
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
    texts("numbers", "ink", x2, [0, 1], numbers, "right", { bold: false }),
  ]);
}

/** The entries of a matrix with eight rows, in its colour above 0, in green below. */
function entries(name: string, title: string, colour: Colour, values: Matrix): Plot {
  const look = { root: true, negative: "gradient-negative" } as const;
  const marks = [heat("entries", colour, values, values.length / D, 2, look)];
  return map(name, title, D, marks, { height: 8.4, least: 9 });
}

function rewriting({ form, d_k }: State): string {
  if (form === "drawn") return t("Green below 0. Write the same head in another way, and watch what stays.");
  if (form === "turned")
    return t("Other matrices, the same product, so the same scores. R is any matrix that can be inverted.");
  return d_k === D
    ? t(
        "With dₖ = d_model = 8 the identity can take the place of W_K, and no matrix grows: two matrices are one too many.",
      )
    : t(
        "The scores stay, but the one matrix has 8 columns instead of {d_k}. At the old size, 8 × {d_k}, the identity does not fit.",
        { d_k },
      );
}
