// The token lab. Twin of token_lab.py: same series, same names, same order.

import { framework_token, type States } from "../../lab/declared.ts";
import { controls, grid } from "../../lab/picture/make.ts";
import type { Block, Cell, Colour, Grid } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { drawn_by } from "../../maths/recent.ts";
import { softmax } from "../../maths/softmax.ts";
import { add, add_positions, layer_norm, product, random_matrix, type Matrix } from "../../model/layers.ts";

const [D, D_FF, N_PLACES] = [4, 8, 3];
const WORDS = ["dog", "bites", "man", "cat", "sees", "the"];

export type State = States["framework/token"];

export type Series = ReturnType<typeof compute>;

interface Weights {
  table: Matrix;
  q: Matrix;
  k: Matrix;
  v: Matrix;
  o: Matrix;
  up: Matrix;
  down: Matrix;
}

const weights_of = drawn_by((seed): Weights => {
  let index = 0;
  const matrix = (size: number, variance: number) => random_matrix(seed, index++, size, Math.sqrt(variance));
  const table = matrix(WORDS.length * D, 1 / D); // the order of these is that of the streams
  const [q, k, v, o] = [0, 1, 2, 3].map(() => matrix(D * D, 1 / D));
  return { table, q, k, v, o, up: matrix(D * D_FF, 2 / D), down: matrix(D_FF * D, 2 / D_FF) };
});

const dot = (a: Matrix, b: Matrix) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const cosine = (a: Matrix, b: Matrix) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
const row_of = (matrix: Matrix, i: number) => matrix.slice(i * D, (i + 1) * D);

export function compute({ first, second, third, token, divisor, w_q, seed }: State) {
  const layer = weights_of(seed);
  const i = token - 1;
  const lookup = new Float64Array(N_PLACES * D);
  [first, second, third].forEach((word, place) =>
    lookup.set(
      row_of(layer.table, WORDS.indexOf(word)).map((v) => v * Math.sqrt(D)),
      place * D,
    ),
  );
  const position = add_positions(new Float64Array(N_PLACES * D), D);
  const x = add(lookup, position);
  const q = product(
    x,
    layer.q.map((v) => w_q * v),
    D,
    D,
  );
  const [k, v] = [product(x, layer.k, D, D), product(x, layer.v, D, D)];
  const dots = Float64Array.from({ length: N_PLACES }, (_, j) => dot(row_of(q, i), row_of(k, j)));
  const scores = dots.map((s) => s / (divisor === "1" ? 1 : Math.sqrt(D)));
  const weights = softmax(scores);
  const fetched = product(weights, v, N_PLACES, D);
  const projected = product(fetched, layer.o, D, D);
  const summed = add(row_of(x, i), projected);
  const normed = layer_norm(summed, D);
  const hidden = product(normed, layer.up, D, D_FF).map((z) => Math.max(0, z));
  const fed = product(hidden, layer.down, D_FF, D);
  const total = add(normed, fed);
  const out = layer_norm(total, D);
  const logits = Float64Array.from(WORDS, (_, word) => dot(row_of(layer.table, word), out));
  const probabilities = softmax(logits);
  const elsewhere = add(row_of(lookup, i), row_of(position, i === 0 ? 1 : 0));
  const away = row_of(x, i).map((value, j) => value - elsewhere[j]);
  return {
    lookup,
    position,
    x,
    q,
    k,
    v,
    dots,
    scores,
    weights,
    fetched,
    projected,
    summed,
    normed,
    hidden,
    fed,
    total,
    out,
    logits,
    probabilities,
    apart: Math.sqrt(dot(away, away)),
    alike: cosine(row_of(q, i), row_of(k, i)),
    largest: Math.max(...weights),
    kept: cosine(summed, row_of(x, i)),
    silent: hidden.filter((z) => z === 0).length,
    likeliest: Math.max(...probabilities),
  };
}

// ---- the picture

export function view(state: State, series: Series): Block[] {
  const { token, divisor } = state;
  const i = token - 1;
  const words = [state.first, state.second, state.third].map((word) => t(word));
  const numbers = Array.from({ length: D }, (_, j) => String(j + 1));
  const [x, q] = [row_of(series.x, i), row_of(series.q, i)];
  const each = (matrix: Matrix) => words.map((_, j) => row_of(matrix, j));
  const of = (what: string) => words.map((word) => `${what} ${word}`);
  return [
    controls("first", "second", "third", "token"),
    rows("input", t("{word}: what goes in", { word: words[i] }), numbers, [
      [t("row of the table × 2"), row_of(series.lookup, i)],
      [t("+ place {token}", { token }), row_of(series.position, i)],
      [t("= x"), x],
    ]),
    rows("projections", t("Query of {word}, keys and values of all", { word: words[i] }), numbers, [
      [`q ${words[i]}`, q, "query"],
      ...named(of("k"), each(series.k), "key"),
      ...named(of("v"), each(series.v), "value"),
    ]),
    controls("divisor", "w_q"),
    rows("scores", t("{word} asks: its query times each key", { word: words[i] }), numbered(words), [
      [t("q · k"), series.dots, "score"],
      [t(framework_token.divisor[divisor]), series.scores, "score"],
      [t("weight"), series.weights, "score"],
    ]),
    rows("attention", t("{word}: what it fetches is added to it", { word: words[i] }), numbers, [
      [t("mean of values"), series.fetched, "value"],
      [t("× W_O"), series.projected, "value"],
      [t("+ x"), series.summed],
      [t("LayerNorm"), series.normed],
    ]),
    rows(
      "hidden",
      t("Feed-forward: eight numbers inside"),
      Array.from({ length: D_FF }, (_, j) => String(j + 1)),
      [[t("max(0, · W₁)"), series.hidden]],
    ),
    rows("feed-forward", t("and four again, added to what came in"), numbers, [
      [t("× W₂"), series.fed],
      [t("+ what came in"), series.total],
      [t("LayerNorm"), series.out],
    ]),
    rows(
      "logits",
      t("What comes out, with each row of the table"),
      WORDS.map((word) => t(word)),
      [
        [t("logit"), series.logits, "score"],
        [t("probability"), series.probabilities, "score"],
      ],
    ),
    controls("seed"),
  ];
}

/** Words that stand at several places have to be told apart as heads of columns. */
const numbered = (words: string[]) => words.map((word, j) => `${j + 1} ${word}`);

/** A row: its name, its numbers, and its role if it has one. */
type Row = [name: string, numbers: Matrix, role?: Colour];

const named = (names: string[], values: Matrix[], role: Colour): Row[] =>
  names.map((name, j) => [name, values[j], role]);

/** A row of numbers for each name; stronger where they are larger. */
function rows(name: string, title: string, columns: string[], values: Row[]): Grid {
  const cell = (value: number, tint: Colour): Cell => ({
    text: number(value, ".2f"),
    tint,
    strength: 0.5 * Math.min(1, Math.abs(value) / 2),
  });
  return grid(
    name,
    columns,
    values.map(([head]) => head),
    values.map(([, row, role = "soft"]) => Array.from(row, (value) => cell(value, role))),
    { title },
  );
}
