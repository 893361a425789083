// The normalisation lab. Twin of normalisation_lab.py: same series, same names, same order.

import { layer_norm_normalisation, type States } from "../../lab/declared.ts";
import { controls, grid, note, row, table } from "../../lab/picture/make.ts";
import type { Block, Cell, Given, Grid, Table } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { normals, stream } from "../../maths/random.ts";
import { dot, total } from "../../maths/sums.ts";

const SENTENCES = [
  ["the", "cat", "sleeps"],
  ["dogs", "bark", "loudly", "outside"],
  ["rain", "fell", "all", "night"],
  ["hurry"],
];
const VOCABULARY = [...SENTENCES.flat(), "wolves", "owls", "children"];
const NAMES = ["A", "B", "C", "D"] as const;
const NORMS = ["batch", "eval", "layer", "rms", "none"] as const;
const [N_SENTENCES, N_POSITIONS, N_FEATURES] = [4, 6, 4];
const PLACES = N_SENTENCES * N_POSITIONS;
const CELLS = PLACES * N_FEATURES;
const CELLS_OF_ONE = N_POSITIONS * N_FEATURES;
const EPSILON = 1e-5;
const THRESHOLD = 1e-9;
const SEED = 29;
const MEAN = [0, 1, -0.5, 0];
const STD = [1, 0.5, 1.5, 0.8];
const VECTORS = VOCABULARY.map((_, word) =>
  normals(stream(SEED, word), N_FEATURES).map((v, f) => MEAN[f] + STD[f] * v),
);

type Norm = (typeof NORMS)[number];

export type State = States["layer_norm/normalisation"];

export type Series = ReturnType<typeof compute>;

type Sizes = Pick<State, "first" | "length" | "batch" | "padded_to">;

/** x (sentence, position, feature), 0 at padding; present (sentence, position): 1 a token, 2 padding, 0 nothing. */
interface Batch {
  x: Float64Array;
  present: Float64Array;
}

const words_of = (i: number, { first, length }: Sizes) =>
  i === 1 ? [first, ...SENTENCES[1].slice(1, length)] : SENTENCES[i];

function batch_of(given: Sizes): Batch {
  const x = new Float64Array(CELLS);
  const present = new Float64Array(PLACES);
  for (let i = 0; i < given.batch; i++) {
    present.fill(2, i * N_POSITIONS, i * N_POSITIONS + given.padded_to);
    words_of(i, given).forEach((word, p) => {
      x.set(VECTORS[VOCABULARY.indexOf(word)], (i * N_POSITIONS + p) * N_FEATURES);
      present[i * N_POSITIONS + p] = 1;
    });
  }
  return { x, present };
}

const REFERENCE = batch_of({ first: "dogs", length: 3, batch: 4, padded_to: 4 });

function moments(values: number[]): [number, number] {
  const mean = total(values) / values.length;
  return [mean, values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length];
}

const is_member = (kind: number, padding: State["padding"]) => kind === 1 || (kind === 2 && padding === "counted");

function normalised(norm: Norm, padding: State["padding"], { x, present }: Batch): Float64Array {
  const out = new Float64Array(CELLS);
  const of_feature = (f: number): [number, number] => {
    if (norm === "eval") return [MEAN[f], STD[f] ** 2];
    const values: number[] = [];
    present.forEach((kind, at) => is_member(kind, padding) && values.push(x[at * N_FEATURES + f]));
    return moments(values);
  };
  const statistics = norm === "batch" || norm === "eval" ? MEAN.map((_, f) => of_feature(f)) : [];
  for (let at = 0; at < PLACES; at++) {
    if (present[at] === 0) continue;
    const token = x.subarray(at * N_FEATURES, (at + 1) * N_FEATURES);
    const [mean, variance] = moments([...token]);
    const square = dot(token, token) / N_FEATURES;
    for (let f = 0; f < N_FEATURES; f++) {
      let [m, v] = statistics[f] ?? [mean, variance];
      if (norm === "rms") [m, v] = [0, square];
      out[at * N_FEATURES + f] = norm === "none" ? token[f] : (token[f] - m) / Math.sqrt(v + EPSILON);
    }
  }
  return out;
}

function sharing(norm: Norm, padding: State["padding"], { present }: Batch, chosen: number): Float64Array {
  const shared = new Float64Array(CELLS);
  const [place, feature] = [Math.floor(chosen / N_FEATURES), chosen % N_FEATURES];
  if (present[place] === 0) return shared;
  if (norm === "batch") {
    present.forEach((kind, at) => (shared[at * N_FEATURES + feature] = Number(is_member(kind, padding))));
  }
  if (norm === "layer" || norm === "rms") shared.fill(1, place * N_FEATURES, (place + 1) * N_FEATURES);
  return shared;
}

export function compute(state: State) {
  const { norm, padding, which, position, feature } = state;
  const given = batch_of(state);
  const change = (n: Norm, padded: State["padding"] = padding) => {
    const [before, after] = [normalised(n, padded, REFERENCE), normalised(n, padded, given)];
    const size = after.map((value, i) => {
      const at = Math.floor(i / N_FEATURES);
      return given.present[at] === 1 && REFERENCE.present[at] === 1 ? Math.abs(value - before[i]) : 0;
    });
    return { before, after, size };
  };
  const changes = NORMS.map((n) => change(n));
  const { before, after, size } = changes[NORMS.indexOf(norm)];
  const has_moved = (sizes: Float64Array) => sizes.map((v) => Number(v > THRESHOLD));
  const of_a = (values: Float64Array) => values.subarray(0, CELLS_OF_ONE);
  const largest = (sizes: Float64Array) => of_a(sizes).reduce((a, b) => Math.max(a, b), 0);
  const moved = has_moved(size);
  const chosen = (NAMES.indexOf(which) * N_POSITIONS + position - 1) * N_FEATURES + feature - 1;
  const shared = sharing(norm, padding, given, chosen);
  const [training, evaluation] = [changes[0].after, changes[1].after];
  const apart = evaluation.map((v, i) =>
    given.present[Math.floor(i / N_FEATURES)] === 1 ? Math.abs(v - training[i]) : 0,
  );
  return {
    before,
    after,
    moved,
    shared,
    training,
    present: given.present,
    moved_by_norm: Float64Array.from(changes, (one) => total(has_moved(of_a(one.size)))),
    largest_by_norm: Float64Array.from(changes, (one) => largest(one.size)),
    apart: largest(apart),
    moved_left_out: total(has_moved(of_a(change("batch", "left_out").size))),
    chosen,
    chosen_before: before[chosen],
    chosen_after: after[chosen],
    n_shared: total(shared),
    moved_a: total(of_a(moved)),
    moved_others: total(moved.subarray(CELLS_OF_ONE)),
    cells_a: N_FEATURES * SENTENCES[0].length,
    largest_a: largest(size),
  };
}

// ---- the picture

export function view(state: State, series: Series, { told }: Given): Block[] {
  const [a, b, all] = [
    sentence("A", state, series, told),
    sentence("B", state, series, told),
    batch(state, series, told),
  ];
  return [
    controls("norm", "padding"),
    controls("first", "length", "batch", "padded_to"),
    row(a, b),
    all,
    note("how to read", told ? t(HOW_TO_READ) : t(WHAT_IT_IS), "hint"),
    row(note("chosen", chosen_cell(state, series)), by_norm(state, series)),
    controls("which", "position", "feature"),
  ];
}

// As long as each other, so that nothing jumps.
const WHAT_IT_IS = "Each column is a word, and each row a feature. The numbers are those after the norm.";
const HOW_TO_READ = "Tinted: changed. Framed: what enters the mean and variance of the cell that you touch.";

/** Padding is drawn where it counts, or where there is more of it than the longest sentence needs. */
function positions_of(name: State["which"], { padding, padded_to }: State, { present }: Series): number[] {
  const start = NAMES.indexOf(name) * N_POSITIONS;
  const shows_padding = padding === "counted" || padded_to > 4;
  return [...present.subarray(start, start + N_POSITIONS).keys()].filter(
    (p) => present[start + p] === 1 || (shows_padding && present[start + p] === 2),
  );
}

/** How a cell looks, by its place in the series; before it is told, no cell stands out. */
function cell_at(at: number, { present, moved, before, after, shared, chosen }: Series, told: boolean): Cell {
  const strength = moved[at] ? Math.min(0.5, 0.1 + 0.25 * Math.abs(after[at] - before[at])) : 0;
  return {
    text: "",
    hatched: present[Math.floor(at / N_FEATURES)] === 2,
    ...(told && { tint: "score", strength, frame: at === chosen ? "ink" : shared[at] ? "score" : undefined }),
  };
}

const written = (value: number) => number(value, ".2f").replace("−0.00", "0.00");

/** One sentence: a column for each position, a row for each feature. In B the first word is a choice. */
function sentence(name: "A" | "B", state: State, series: Series, told: boolean): Grid {
  const words = words_of(NAMES.indexOf(name), state);
  const positions = positions_of(name, state, series);
  const start = NAMES.indexOf(name) * N_POSITIONS;
  const moved = total(series.moved.subarray(start * N_FEATURES, start * N_FEATURES + CELLS_OF_ONE));
  const cells = MEAN.map((_, f) =>
    positions.map((p): Cell => {
      const at = (start + p) * N_FEATURES + f;
      const place = { which: name, position: p + 1, feature: f + 1 };
      const look = cell_at(at, series, told);
      const value = written(series.after[at]);
      const text = look.hatched ? `(${value})` : value;
      if (!told) return { ...look, text };
      const label = t("sentence {which}, position {position}, feature {feature}: {value}", { ...place, value });
      const below = state.norm === "eval" && !look.hatched ? written(series.training[at]) : undefined;
      const more = { bold: series.moved[at] === 1, set: place, label, chosen: at === series.chosen };
      return { ...look, text, below, ...more };
    }),
  );
  const count = { name, moved, cells: N_FEATURES * words.length };
  const title = !positions.length
    ? t("sentence {name}, not in the batch", { name })
    : told
      ? t("{name}: {moved:d} of {cells:d} changed", count)
      : t("sentence {name}", { name });
  const heads = positions.map((p) => (p < words.length ? t(words[p]) : t("[pad]")));
  const picks = name === "B" && positions.length > 0;
  const columns = positions.map((p) =>
    picks && p === 0 ? PICK : p < words.length && words[p].length > 6 ? LONG : WIDE,
  );
  if (picks) heads[0] = t(state.first);
  const wide = Math.max(8, total(Float64Array.from(columns)));
  return grid(`sentence ${name}`, heads, [], cells, {
    title,
    least: 0.85 * wide, // or A and B would not stand side by side on the narrowest phones
    most: wide,
    sizes: { columns, high: WIDE, heads: HEADS },
    pick: picks ? { column: 0, control: "first" } : undefined,
  });
}

// Of cells that a finger finds, and of the small ones, in em: the column of the choice, of a long word, of any other.
const [PICK, LONG, WIDE, SMALL, LOW, BETWEEN] = [6.4, 3.8, 3.1, 1.5, 1.3, 0.7];
const HEADS = 3.2; // room for the choice; A has it too, so that rows are in line

/** All sentences of the batch as small squares, side by side: a frame goes through all of them, or stays in one. */
function batch(state: State, series: Series, told: boolean): Grid {
  const sentences = NAMES.slice(0, state.batch).map((name) => ({ name, positions: positions_of(name, state, series) }));
  const gap = (i: number) => (i ? [BETWEEN] : []);
  const columns = sentences.flatMap(({ positions }, i) => [...gap(i), ...positions.map(() => SMALL)]);
  const groups = sentences.flatMap(({ name, positions }, i) => [
    ...(i ? [{ text: "", span: 1 }] : []),
    { text: name as string, span: positions.length },
  ]);
  const cells = MEAN.map((_, f) =>
    sentences.flatMap(({ name, positions }, i): Cell[] => [
      ...(i ? [{ text: "", empty: true }] : []),
      ...positions.map((p): Cell => {
        const look = cell_at((NAMES.indexOf(name) * N_POSITIONS + p) * N_FEATURES + f, series, told);
        return told ? { ...look, set: { which: name, position: p + 1, feature: f + 1 } } : look;
      }),
    ]),
  );
  return grid("batch", [], [], cells, { groups, sizes: { columns, high: LOW } });
}

function chosen_cell(state: State, series: Series): string {
  const [now, then] = [series, REFERENCE].map(({ present }) => present[Math.floor(series.chosen / N_FEATURES)]);
  const name = t("Chosen: sentence {which}, position {position}, feature {feature}.", state);
  if (now === 0) return `${name} ${t("There is nothing at this place now.")}`;
  const statistics = {
    batch:
      "Its mean and variance are those of feature {feature} over {n_shared} {n_shared:place|places} of the whole batch.",
    eval: "Its mean and variance are fixed numbers, kept from training: no cell of this batch enters. Small: what BatchNorm makes of the batch in training.",
    layer: "Its mean and variance are those of the {n_shared} features of this one token.",
    rms: "It is divided by the root mean square of the {n_shared} features of this one token. No mean is taken off.",
    none: "It is left as it is.",
  }[state.norm];
  const change =
    then === now
      ? t("It was {chosen_before:.3f} and is {chosen_after:.3f}.", series)
      : t("It is {chosen_after:.3f}; in the batch as it was, this cell was not there.", series);
  return `${name} ${t(statistics, { ...state, ...series })} ${change}`;
}

/** What the same change does under every norm. */
function by_norm({ norm }: State, { moved_by_norm, largest_by_norm, cells_a: cells }: Series): Table {
  const moved = (i: number) => t("{moved:d} of {cells:d}", { moved: moved_by_norm[i], cells });
  const rows = NORMS.map((each, i) => [
    t(layer_norm_normalisation.norm[each]),
    moved(i),
    number(largest_by_norm[i], ".2f"),
  ]);
  const head = [t("the same change under"), t("changed in A"), t("by up to")];
  return table("by norm", rows, NORMS.indexOf(norm), { head, numeric: [1, 2] });
}
