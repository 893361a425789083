// The wiring lab. Twin of wiring_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { column, controls, grid, legend, note, plot, row, slots } from "../../lab/picture/make.ts";
import type { Block, Cell, Colour, Given, Grid, Intervals, Note } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { drawn_by } from "../../maths/recent.ts";
import { softmax } from "../../maths/softmax.ts";
import {
  add,
  add_positions,
  attend,
  feed_forward,
  layer_norm,
  product,
  random_matrix,
  type Heads,
  type Matrix,
} from "../../model/layers.ts";

const [D, N_HEADS, D_FF] = [16, 2, 32];
const WORDS = ["ich", "bin", "sehr", "müde", "‹s›", "I", "am", "very", "tired", "hungry", "hungrig", "‹/s›"];
const INPUTS = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const N_SOURCE = 4;
const N_TARGET = 5;
const [HUNGRY, HUNGRIG] = [9, 10];

export type State = States["framework/wiring"];

type Mask = State["mask"];
type Wires = Pick<State, "mask" | "memory">;

export type Series = ReturnType<typeof compute>;

const LOOKS: Record<Mask, (i: number, j: number) => boolean> = {
  causal: (i, j) => j <= i,
  late: (i, j) => j <= i + 1,
  none: () => true,
};

interface Model {
  table: Matrix;
  encoder: Heads;
  encoder_feed: [Matrix, Matrix];
  self: Heads;
  cross: Heads;
  decoder_feed: [Matrix, Matrix];
}

function model(seed: number): Model {
  let index = 0;
  const matrix = (size: number, variance: number) => random_matrix(seed, index++, size, Math.sqrt(variance));
  const heads = (): Heads => {
    const [q, k, v, o] = [0, 1, 2, 3].map(() => matrix(D * D, 2 / D));
    return { n_heads: N_HEADS, q, k, v, o };
  };
  const feed = (): [Matrix, Matrix] => [matrix(D * D_FF, 2 / D), matrix(D_FF * D, 2 / D_FF)];
  const table = matrix(WORDS.length * D, 1 / D); // the order of these is that of the streams
  return { table, encoder: heads(), encoder_feed: feed(), self: heads(), cross: heads(), decoder_feed: feed() };
}

function embed(table: Matrix, words: number[]): Matrix {
  const x = new Float64Array(words.length * D);
  words.forEach((word, i) =>
    x.set(
      table.subarray(word * D, (word + 1) * D).map((v) => v * Math.sqrt(D)),
      i * D,
    ),
  );
  return add_positions(x, D);
}

const residual = (x: Matrix, sublayer: (x: Matrix) => Matrix) => layer_norm(add(x, sublayer(x)), D);

function encode(built: Model, words: number[]): Matrix {
  const x = embed(built.table, words.slice(0, N_SOURCE));
  const attended = residual(x, (z) => attend(built.encoder, z, z, D, LOOKS.none));
  return residual(attended, (z) => feed_forward(z, ...built.encoder_feed, D, D_FF));
}

/** (5, 12): for each target position the probability of each next word. */
function probabilities(built: Model, words: number[], encoded: Matrix, { mask, memory }: Wires): Matrix {
  let x = embed(built.table, words.slice(N_SOURCE));
  x = residual(x, (z) => attend(built.self, z, z, D, LOOKS[mask]));
  x = residual(x, (z) =>
    memory === "decoder" ? attend(built.cross, z, z, D, LOOKS.causal) : attend(built.cross, z, encoded, D, LOOKS.none),
  );
  x = residual(x, (z) => feed_forward(z, ...built.decoder_feed, D, D_FF));
  const out = new Float64Array(N_TARGET * WORDS.length);
  for (let i = 0; i < N_TARGET; i++) {
    const row = x.subarray(i * D, (i + 1) * D);
    const logits = WORDS.map((_, word) => 3 * product(row, built.table.subarray(word * D, (word + 1) * D), D, 1)[0]);
    out.set(softmax(logits), i * WORDS.length);
  }
  return out;
}

/** What a model says to the words as they are, and with one after another exchanged. */
interface Outputs {
  before: Matrix;
  after: Matrix[];
}

/** A model, its encoded words as they are, and its outputs under all wires tried so far. */
const drawn = drawn_by((seed) => {
  const built = model(seed);
  return { built, encoded: encode(built, INPUTS), known: new Map<string, Outputs>() };
});

function outputs({ mask, memory, seed }: Wires & { seed: number }): Outputs {
  const { built, encoded, known } = drawn(seed);
  const name = `${mask} ${memory}`;
  let found = known.get(name);
  if (!found) {
    const after = INPUTS.map((_, i) => {
      const words = INPUTS.map((word, at) => (at === i ? (i < N_SOURCE ? HUNGRIG : HUNGRY) : word));
      return probabilities(built, words, i < N_SOURCE ? encode(built, words) : encoded, { mask, memory });
    });
    found = { before: probabilities(built, INPUTS, encoded, { mask, memory }), after };
    known.set(name, found);
  }
  return found;
}

export function compute(state: State) {
  const { position, changed } = state;
  const { before, after } = outputs(state);
  const reach = new Float64Array(N_TARGET * INPUTS.length);
  const output = (all: Matrix, i: number) => all.slice(i * WORDS.length, (i + 1) * WORDS.length);
  let [leak, from_source] = [0, 0];
  for (let i = 0; i < N_TARGET; i++) {
    for (let j = 0; j < INPUTS.length; j++) {
      const [one, other] = [output(before, i), output(after[j], i)];
      const moved = one.reduce((sum, p, word) => sum + Math.abs(other[word] - p), 0) / 2;
      reach[i * INPUTS.length + j] = moved;
      if (is_future(i, j)) leak = Math.max(leak, moved);
      if (j < N_SOURCE) from_source = Math.max(from_source, moved);
    }
  }
  const chosen = (position - 1) * INPUTS.length + changed - 1;
  return {
    reach,
    before: output(before, position - 1),
    after: output(after[changed - 1], position - 1),
    chosen,
    moved: 100 * reach[chosen],
    leak: 100 * leak,
    from_source: 100 * from_source,
  };
}

const is_future = (output: number, input: number) => input > N_SOURCE + output;

// ---- the picture

export function view(state: State, series: Series, { told }: Given): Block[] {
  const words = WORDS.map((word) => t(word));
  return [
    controls("mask", "memory"),
    row(
      column({ least: 22, share: 1.3 }, reach(state, series, words, told), ...(told ? [verdict(state, series)] : [])),
      column({ least: 16.5 }, ...next_word(state, series, words)),
    ),
    controls("position", "changed", "seed"),
  ];
}

/** Rows are outputs, columns the words exchanged; what comes from the future is violet and framed once it is told. */
function reach({ position, changed }: State, series: Series, words: string[], told: boolean): Grid {
  const cell = (i: number, j: number): Cell => {
    const moved = series.reach[i * INPUTS.length + j];
    const leaks = told && is_future(i, j) && moved > 0;
    const chosen = position === i + 1 && changed === j + 1;
    const [tint, frame] = [leaks ? "score" : "soft", chosen ? "ink" : leaks ? "score" : undefined] as const;
    const set = { position: i + 1, changed: j + 1 };
    return { text: number(100 * moved, ".0f"), tint, strength: 0.5 * Math.sqrt(moved), frame, bold: leaks, set };
  };
  const columns = INPUTS.map((word) => words[word]);
  const rows = columns.slice(N_SOURCE).map((word) => t("after {word}", { word }));
  const cells = rows.map((_, i) => columns.map((_, j) => cell(i, j)));
  const over = (text: string, span: number) => ({ text, span });
  const groups = [over(t("source"), N_SOURCE), over(t("target so far"), N_TARGET)];
  return grid("reach", columns, rows, cells, { title: t("How far each output moves, in %"), groups });
}

function verdict({ memory }: State, { leak }: Series): Note {
  const sees = t("Framed: an output sees words that come after it. It could copy its own answer.");
  const blind = t("Source columns are 0: this model translates without reading.");
  const found = [...(leak > 0 ? [sees] : []), ...(memory === "decoder" ? [blind] : [])];
  if (found.length) return note("verdict", found.join(" "), "warning");
  return note("verdict", t("As it should be: every source word counts, and no word that comes later."), "hint");
}

/** The chosen output: the probability of each next word before and after the exchange. */
function next_word({ position, changed }: State, series: Series, words: string[]): Block[] {
  const bars = (name: string, colour: Colour, from: number, x2: Float64Array): Intervals => {
    const [x1, y1, y2] = [x2.map(() => 0), x2.map((_, i) => i + from), x2.map((_, i) => i + from + 0.37)];
    return { mark: "intervals", name, colour, look: ["solid"], x1, x2, y1, y2 };
  };
  const title = t("Next word after “{last}”, when {word} becomes {other}", {
    last: words[INPUTS[N_SOURCE + position - 1]],
    word: words[INPUTS[changed - 1]],
    other: words[changed <= N_SOURCE ? HUNGRIG : HUNGRY],
  });
  const marks = [bars("as it is", "soft", -0.39, series.before), bars("exchanged", "score", 0.02, series.after)];
  const moved = t("exchanged: moved by {moved:.0f} %", series);
  return [
    plot("next word", title, 16, { domain: [0, 1], ticks: [0, 0.5, 1] }, slots(words.length, words), marks),
    legend("legend", { text: t("as it is"), colour: "soft" }, { text: moved, colour: "score" }),
  ];
}
