// The balance lab. Twin of balance_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { controls, dots, heat, line, note, plot, rings, row, slots, table, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Look, Mark, Plot } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { late } from "../../maths/late.ts";
import { normals, stream } from "../../maths/random.ts";
import { drawn_by } from "../../maths/recent.ts";
import { dot, length, mean } from "../../maths/sums.ts";
import { add_positions } from "../../model/layers.ts";

const TEXT = "the more the dog ran the more the cat ran".split(" ");
const WORDS = [...new Set(TEXT)];
const IDS = TEXT.map((word) => WORDS.indexOf(word));
const N = TEXT.length;
const PLACES = Array.from(TEXT.keys());
const PAIRS = PLACES.flatMap((i) => PLACES.slice(i + 1).map((j): [number, number] => [i, j]));
const APART = PAIRS.map(([i, j]) => j - i);
const SAME = PAIRS.map(([i, j]) => IDS[i] === IDS[j]);
const LEARNED = 100;
const MOST_D = 1024;

export type State = States["embedding_scale/balance"];

export type Series = ReturnType<typeof compute>;

type Vectors = Float64Array[];

let waves: { d: number; rows: Vectors } | undefined;

const unit = (seed: number, index: number) => normals(stream(seed, index), MOST_D);

/** Standard normals for the words of one draw, and for its learned positions when they are asked for. */
const vectors = drawn_by((seed) => ({
  words: WORDS.map((_, w) => unit(seed, w)),
  learned: late(() => PLACES.map((i) => unit(seed, LEARNED + i))),
}));

function sines(d: number): Vectors {
  if (waves?.d !== d) {
    const all = add_positions(new Float64Array(N * d), d);
    waves = { d, rows: PLACES.map((i) => all.subarray(i * d, (i + 1) * d)) };
  }
  return waves.rows;
}

function without_mean(a: Float64Array): Float64Array {
  const m = mean(a);
  return a.map((v) => v - m);
}

/** The mean over all pairs of places that are 0, 1, ... n - 1 apart. */
function by_distance(value: (i: number, j: number) => number): Float64Array {
  return Float64Array.from(PLACES, (apart) => mean(PLACES.slice(0, N - apart).map((i) => value(i, i + apart))));
}

export function compute({ spread, multiplier, positions, norm, d_model: d, seed }: State) {
  const std = { small: 0.02, root: d ** -0.5, one: 1 }[spread];
  const m = multiplier === "on" ? Math.sqrt(d) : 1;
  const { words: drawn_words, learned } = vectors(seed);
  const part = norm === "on" ? without_mean : (a: Float64Array) => a;
  const table = drawn_words.map((w) => part(w.subarray(0, d).map((v) => m * std * v)));
  const words = IDS.map((id) => table[id]);
  const places = (positions === "sine" ? sines(d) : learned().map((p) => p.subarray(0, d).map((v) => std * v))).map(
    part,
  );
  const left = norm === "on" ? d - 1 : d;
  const x = words.map((w, i) => w.map((v, c) => v + places[i][c]));
  const [lengths, word_lengths, position_lengths] = [x, words, places].map((all) => Float64Array.from(all, length));
  const to_word = Float64Array.from(x, (v, i) => dot(v, words[i]) / (lengths[i] * word_lengths[i]));
  const to_position = Float64Array.from(x, (v, i) => dot(v, places[i]) / (lengths[i] * position_lengths[i]));
  const similarity = new Float64Array(N * N);
  for (const i of PLACES) for (const j of PLACES) similarity[i * N + j] = dot(x[i], x[j]) / (lengths[i] * lengths[j]);
  const cosine = Float64Array.from(PAIRS, ([i, j]) => similarity[i * N + j]);

  const of_word = (m * std) ** 2 * left;
  const learned_product = (i: number, j: number) => (i === j ? std ** 2 * left : 0);
  const product = positions === "sine" ? (i: number, j: number) => dot(places[i], places[j]) : learned_product;
  const own = PLACES.map((i) => of_word + product(i, i));
  const between = (i: number, j: number) => Math.sqrt(own[i] * own[j]);
  const angle = (cosines: Float64Array) => (180 / Math.PI) * mean(cosines.map((c) => Math.acos(c)));
  const where = (wanted: (pair: number) => boolean) => cosine.filter((_, pair) => wanted(pair));
  return {
    word_lengths,
    position_lengths,
    to_word,
    to_position,
    similarity,
    apart: Float64Array.from(APART),
    same: Float64Array.from(SAME, Number),
    cosine,
    law_same: by_distance((i, j) => (of_word + product(i, j)) / between(i, j)),
    law_other: by_distance((i, j) => product(i, j) / between(i, j)),
    word: mean(word_lengths),
    position: mean(position_lengths),
    word_angle: angle(to_word),
    position_angle: angle(to_position),
    share: 100 * mean(PLACES.map((i) => product(i, i) / own[i])),
    neighbours: mean(where((pair) => APART[pair] === 1)),
    again: mean(where((pair) => SAME[pair] && APART[pair] >= 5)),
    spots: Math.min(...where((pair) => SAME[pair])) - Math.max(...where((pair) => !SAME[pair])),
  };
}

// ---- the picture

export function view(_: State, series: Series): Block[] {
  return [
    controls("multiplier", "spread"),
    row(likeness(series), parts(series)),
    controls("positions", "norm"),
    row(distance(series), facts(series)),
    note(
      "how to read",
      t("The darker, the more alike two tokens are. Squares: two tokens with one word. Dots: this draw."),
      "hint",
    ),
    controls("d_model", "seed"),
  ];
}

/** How alike any two tokens are, with squares where they have one word. */
function likeness({ similarity }: Series): Plot {
  const twice = PLACES.flatMap((i) => PLACES.filter((j) => j !== i && IDS[i] === IDS[j]).map((j) => [i, j]));
  const marks = [
    heat("cosines", "score", similarity, N, 1, { negative: "gradient-negative" }),
    rings(
      "one word",
      "ink",
      twice.map(([i]) => i),
      twice.map(([, j]) => j),
      0.4,
      true,
    ),
  ];
  const words = slots(
    N,
    TEXT.map((word) => t(word)),
  );
  const more = { square: true, least: 12, colour: "score" } as const;
  return plot("similarity", t("cosine of any two tokens"), 17, slots(N), words, marks, more);
}

/** Of the squared length of the sum: the word's part and the position's, which add up to 100 %. */
function parts({ share, word, position }: Series): Plot {
  const left = 100 - share;
  const strip = (name: string, colour: Colour, x1: number, x2: number, look: Look[]): Mark => ({
    mark: "intervals",
    name,
    colour,
    look,
    x1: [x1],
    x2: [x2],
    y1: [-0.5],
    y2: [0.5],
  });
  const marks: Mark[] = [
    strip("word", "ink", 0, left, ["solid"]),
    strip("position", "soft", left, 100, []),
    texts("said of the word", "ink", [0], [1], [t("word {left:.1f} %, {word:.1f} long", { left, word })], "right"),
    texts(
      "said of the position",
      "soft",
      [0],
      [-1],
      [t("position {share:.1f} %, {position:.1f} long", { share, position })],
      "right",
    ),
  ];
  const x: Axis = { domain: [0, 100], ticks: [0, 50, 100].map((at) => ({ at, text: number(at / 100, ".0%") })) };
  return plot("parts", t("of the sum's squared length"), 7, x, { domain: [-1.6, 1.6], ticks: [] }, marks);
}

/** How alike two tokens are by how far they are apart, with one word and with two. */
function distance({ apart, same, cosine, law_same, law_other }: Series): Plot {
  const pairs = (name: string, colour: Colour, wanted: number, size: number): Mark => {
    const at = Array.from(same.keys()).filter((pair) => same[pair] === wanted);
    return dots(
      name,
      colour,
      at.map((pair) => apart[pair]),
      at.map((pair) => cosine[pair]),
      { size },
    );
  };
  const marks = [
    line("law, two words", "soft", PLACES, law_other, { label: t("two words"), straight: true }),
    line("law, one word", "ink", PLACES, law_same, { look: ["thick"], label: t("one word"), straight: true }),
    pairs("two words", "soft", 0, 0.2),
    pairs("one word", "ink", 1, 0.35),
  ];
  const x: Axis = { domain: [0, N - 1], ticks: [0, 2, 4, 6, 8], label: t("places apart") };
  const y: Axis = { domain: [-0.4, 1.05], ticks: [0, 0.5, 1] };
  return plot("distance", t("cosine of two tokens (lines: expected; dots: this draw)"), 15, x, y, marks);
}

const facts = (series: Series): Block =>
  table("facts", [
    [t("neighbours, cosine"), t("{neighbours:.2f}", { ...series })],
    [t("one word, 5 or more apart, cosine"), t("{again:.2f}", { ...series })],
  ]);
