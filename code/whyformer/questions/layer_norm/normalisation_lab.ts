// The normalisation lab. Twin of normalisation_lab.py: same series, same names, same order.

import { layer_norm_normalisation, type States } from "../../lab/declared.ts";
import { bars, controls, grid, note, plot, row, slots, table } from "../../lab/picture/make.ts";
import type { Block, Cell, Grid, Look, Mark, Plot, Table } from "../../lab/picture/picture.ts";
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
const [STEP, BAR, LIMIT] = [0.2, 0.12, 4]; // of the bars of a token: apart, wide, and where their axis ends
const SEED = 29;
const MEAN = [0, 1, -0.5, 0];
const STD = [1, 0.5, 1.5, 0.8];
const VECTORS = VOCABULARY.map((_, word) =>
  normals(stream(SEED, word), N_FEATURES).map((v, f) => MEAN[f] + STD[f] * v),
);

type Norm = (typeof NORMS)[number];

export type State = States["layer_norm/normalisation"];

export type Series = ReturnType<typeof compute>;

type Given = Pick<State, "first" | "length" | "batch" | "padded_to">;

/** x (sentence, position, feature), 0 at padding; present (sentence, position): 1 a token, 2 padding, 0 nothing. */
interface Batch {
  x: Float64Array;
  present: Float64Array;
}

const words_of = (i: number, { first, length }: Given) =>
  i === 1 ? [first, ...SENTENCES[1].slice(1, length)] : SENTENCES[i];

function batch_of(given: Given): Batch {
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

export function view(state: State, series: Series): Block[] {
  const [a, b, c, d] = NAMES.map((name, i) => sentence(name, words_of(i, state), series));
  return [
    controls("norm", "padding"),
    controls("first", "length", "batch", "padded_to"),
    row(tokens("A", state, series), tokens("B", state, series)),
    row(a, b),
    row(c, d),
    note(
      "how to read",
      t(
        "Shaded: changed since the batch was “dogs bark loudly”, 4 sentences, 4 positions; the deeper, the further. Touch a cell: framed in violet is what enters its mean and variance. In brackets: padding.",
      ),
      "hint",
    ),
    row(note("chosen", chosen_cell(state, series)), by_norm(state, series)),
    controls("which", "position", "feature"),
  ];
}

/** One sentence: a column for each position, a row for each feature. */
function sentence(name: State["which"], words: string[], series: Series): Grid {
  const start = NAMES.indexOf(name) * N_POSITIONS;
  const kinds = [...series.present.subarray(start, start + N_POSITIONS)];
  const moved = total(series.moved.subarray(start * N_FEATURES, start * N_FEATURES + CELLS_OF_ONE));
  const cell = (kind: number, p: number, f: number): Cell => {
    const at = (start + p) * N_FEATURES + f;
    const value = number(series.after[at], ".1f").replace("−0.0", "0.0");
    return {
      text: ["", value, `(${value})`][kind],
      tint: "soft",
      strength: series.moved[at] ? Math.min(0.5, 0.1 + 0.25 * Math.abs(series.after[at] - series.before[at])) : 0,
      frame: at === series.chosen ? "ink" : series.shared[at] ? "score" : undefined,
      bold: series.moved[at] === 1,
      empty: kind === 0,
      hatched: kind === 2,
      set: { which: name, position: p + 1, feature: f + 1 },
    };
  };
  const title = kinds[0]
    ? t("sentence {name}: {moved:d} of {cells:d} numbers changed", { name, moved, cells: N_FEATURES * words.length })
    : t("sentence {name}, not in the batch", { name });
  const heads = kinds.map((kind, p) => (kind === 1 ? t(words[p]) : kind === 2 ? t("[pad]") : ""));
  const cells = MEAN.map((_, f) => kinds.map((kind, p) => cell(kind, p, f)));
  return grid(`sentence ${name}`, heads, ["1", "2", "3", "4"], cells, { title });
}

function chosen_cell(state: State, series: Series): string {
  const [now, then] = [series, REFERENCE].map(({ present }) => present[Math.floor(series.chosen / N_FEATURES)]);
  const name = t("Chosen: sentence {which}, position {position}, feature {feature}.", state);
  if (now === 0) return `${name} ${t("There is nothing at this place now.")}`;
  const statistics = {
    batch:
      "Its mean and variance are those of feature {feature} over {n_shared} {n_shared:place|places} of the whole batch.",
    eval: "Its mean and variance are fixed numbers, kept from training: no cell of this batch enters.",
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

/** The features of each token as bars: filled what has changed, dashed what it was before; or what it is in training. */
function tokens(name: "A" | "B", state: State, series: Series): Plot {
  const start = NAMES.indexOf(name) * N_POSITIONS;
  const words = words_of(NAMES.indexOf(name), state);
  const kinds = [...series.present.subarray(start, start + state.padded_to)];
  const places = kinds.flatMap((kind, p) =>
    kind === 1 ? MEAN.map((_, f) => ({ at: (start + p) * N_FEATURES + f, x: p + (f - 1.5) * STEP })) : [],
  );
  const marks: Mark[] = [];
  const put = (mark: string, look: Look[], values: Float64Array, of: typeof places, width = BAR) => {
    const y = of.map(({ at }) => values[at]);
    if (of.length) marks.push(bars(mark, "ink", y, { x: of.map(({ x }) => x), width, look }));
  };
  const changed = places.filter(({ at }) => series.moved[at]);
  const same = places.filter(({ at }) => !series.moved[at]);
  if (state.norm === "eval") put("training", ["dashed"], series.training, places, STEP);
  else put("before", ["dashed"], series.before, changed, STEP);
  put("same", ["hollow"], series.after, same);
  put("changed", [], series.after, changed);
  const dashed =
    state.norm === "eval" ? ` (${t("dashed: in training")})` : changed.length ? ` (${t("dashed: before")})` : "";
  const count = { name, moved: changed.length, cells: N_FEATURES * words.length };
  const title = kinds[0]
    ? t("{name}: {moved:d} of {cells:d} numbers changed", count) + dashed
    : t("sentence {name}, not in the batch", { name });
  const below = kinds.map((kind, p) => (kind === 1 ? t(words[p]) : kind === 2 ? t("[pad]") : "–"));
  const x = { ...slots(kinds.length), words: below };
  return plot(`tokens ${name}`, title, 8, x, { domain: [-LIMIT, LIMIT], ticks: [-4, -2, 0, 2, 4] }, marks);
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
