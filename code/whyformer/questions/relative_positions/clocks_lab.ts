// The clocks lab. Twin of clocks_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { relative_positions_clocks_controls } from "../../lab/declared.ts";
import { controls, dots, heat, here, line, map, note, now, plot, row, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Given, Look, Mark, Panel, Plot } from "../../lab/picture/picture.ts";
import { t } from "../../lab/words.ts";
import { explained_by_distance } from "../../maths/distance.ts";
import { normals, stream } from "../../maths/random.ts";
import { drawn_by } from "../../maths/recent.ts";

const [N, D, CLOCKS, STARTS, FURTHEST, BASE] = [32, 8, 4, 20, 12, 100];
const ROOT = Math.sqrt(D);
const STEPS = Array.from({ length: STARTS }, (_, i) => i);
const APART = Array.from({ length: FURTHEST + 1 }, (_, d) => d);

export type State = States["relative_positions/clocks"];

export type Series = ReturnType<typeof compute>;

type Vectors = Float64Array; // N rows of D

const SPEEDS = Array.from({ length: CLOCKS }, (_, clock) => BASE ** (-clock / CLOCKS));

/** A vector with its pairs turned by the angles of each position. */
function turned(vector: ArrayLike<number>): Vectors {
  const out = new Float64Array(N * D);
  for (let i = 0; i < N; i++) {
    SPEEDS.forEach((speed, clock) => {
      const [c, s] = [Math.cos(i * speed), Math.sin(i * speed)];
      const [one, other] = [vector[2 * clock], vector[2 * clock + 1]];
      out[i * D + 2 * clock] = c * one - s * other;
      out[i * D + 2 * clock + 1] = s * one + c * other;
    });
  }
  return out;
}

const SINUSOIDS = turned([1, 0, 1, 0, 1, 0, 1, 0]);

/** Rows times a D x D matrix, plus a row that is the same for all. */
function through(rows: ArrayLike<number>, matrix: Float64Array, plus?: Vectors): Vectors {
  const out = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at += D)
    for (let c = 0; c < D; c++) {
      let sum = plus ? plus[c] : 0;
      for (let r = 0; r < D; r++) sum += rows[at + r] * matrix[r * D + c];
      out[at + c] = sum;
    }
  return out;
}

function score(q: Vectors, i: number, k: Vectors, j: number): number {
  let sum = 0;
  for (let c = 0; c < D; c++) sum += q[i * D + c] * k[j * D + c];
  return sum / ROOT;
}

function scores_of(q: Vectors, k: Vectors): Float64Array {
  return Float64Array.from({ length: N * N }, (_, at) => score(q, Math.floor(at / N), k, at % N));
}

/** Hands, each over the longest of its clock at any position. */
function over_longest(hands: Float64Array, all: Vectors): Float64Array {
  const longest = new Float64Array(CLOCKS);
  for (let at = 0; at < all.length; at += 2) {
    const clock = (at % D) / 2;
    longest[clock] = Math.max(longest[clock], Math.hypot(all[at], all[at + 1]));
  }
  return hands.map((v, c) => v / longest[Math.floor(c / 2)]);
}

const largest = (values: Float64Array) => values.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
const spread_of = (values: Float64Array) => Math.max(...values) - Math.min(...values);

/** What depends on the draw alone. */
const drawn = drawn_by((seed) => {
  const matrix = (index: number) => normals(stream(seed, index), D * D).map((w) => w / ROOT);
  const [w_q, w_k] = [matrix(0), matrix(1)];
  const [a, b] = [through(normals(stream(seed, 2), D), w_q), through(normals(stream(seed, 3), D), w_k)];
  const [there, back] = [through(SINUSOIDS, w_q), through(SINUSOIDS, w_k)];
  const pairs: Record<State["scheme"], [Vectors, Vectors]> = {
    added: [there, back],
    bare: [SINUSOIDS, SINUSOIDS],
    full: [through(SINUSOIDS, w_q, a), through(SINUSOIDS, w_k, b)],
    rotary: [turned(a), turned(b)],
  };
  const maps = Object.fromEntries(Object.entries(pairs).map(([name, [q, k]]) => [name, scores_of(q, k)]));
  const words = score(a, 0, b, 0);
  const to_key = Float64Array.from({ length: N }, (_, j) => score(a, 0, back, j));
  const to_query = Float64Array.from({ length: N }, (_, i) => score(there, i, b, 0));
  return { pairs, maps, words, to_key, to_query };
});

export function compute({ scheme, position, distance, seed }: State) {
  const { pairs, maps, words, to_key, to_query } = drawn(seed);
  const scores = maps[scheme];
  const over = (f: (i: number, j: number) => number) => Float64Array.from(STEPS, (i) => f(i, i + distance));
  const along = over((i, j) => scores[i * N + j]);
  const [word_word, word_position, position_word, position_position] = [
    over(() => words),
    over((_, j) => to_key[j]),
    over((i) => to_query[i]),
    over((i, j) => maps.added[i * N + j]),
  ];
  const [q, k] = pairs[scheme];
  const query = q.slice(position * D, (position + 1) * D);
  const key = k.slice((position + distance) * D, (position + distance + 1) * D);
  return {
    query: over_longest(query, q),
    key: over_longest(key, k),
    parts: Float64Array.from(
      { length: CLOCKS },
      (_, c) => (query[2 * c] * key[2 * c] + query[2 * c + 1] * key[2 * c + 1]) / ROOT,
    ),
    score: along[position],
    along,
    by_distance: Float64Array.from(APART, (apart) => scores[position * N + position + apart]),
    lowest: Math.min(...along),
    highest: Math.max(...along),
    spread: spread_of(along),
    word_word,
    word_position,
    position_word,
    position_position,
    spread_words: spread_of(word_word),
    spread_others: Math.min(...[word_position, position_word, position_position].map(spread_of)),
    scores: scores.slice(),
    explained: 100 * explained_by_distance(scores, N),
    reach: Math.ceil(
      Math.max(
        largest(scores),
        ...(scheme === "full" ? [Math.abs(words), largest(to_key), largest(to_query), largest(maps.added)] : []),
      ),
    ),
  };
}

// ---- the picture

export function view(state: State, series: Series, { told }: Given): Block[] {
  return [
    controls("scheme"),
    places(state, series),
    controls("position", "distance"),
    row(...SPEEDS.map((_, clock) => face(clock, series))),
    sum(series),
    row(together(state, series, told), by_distance(state, series, told), all_pairs(state, series, told)),
    controls("seed"),
  ];
}

const [UP, DOWN] = [1, -1]; // the rows of query and key, a finger each

/** Where the two words stand, each on a line of its own. The key goes with the query. */
function places({ position, distance }: State, { score }: Series): Plot {
  const key = position + distance;
  const x: Axis = { domain: [-0.5, N - 0.5], ticks: [0, 10, 20, 30], grid: false };
  const said = t("{at}; score {score:.2f}", { at: position, score });
  const labels = relative_positions_clocks_controls;
  return plot("places", undefined, 5.6, x, { domain: [-2, 2] }, [
    { mark: "segments", name: "from", colour: "soft", look: ["thin"], ...upright(position) },
    { mark: "segments", name: "to", colour: "soft", look: ["thin"], ...upright(key) },
    { mark: "segments", name: "distance", colour: "ink", x1: [position], y1: [0], x2: [key], y2: [0] },
    {
      ...{ mark: "knob", name: "query", colour: "query", control: "position" },
      ...{ least: 0, most: STARTS - 1, from: 0, at: position, y: UP, label: t(labels.position), said },
    },
    {
      ...{ mark: "knob", name: "key", colour: "key", control: "distance" },
      ...{ least: 0, most: FURTHEST, from: position, at: distance, y: DOWN, label: t(labels.distance) },
      said: t("{at}; score {score:.2f}", { at: distance, score }),
    },
    texts("asks", "query", [STARTS], [UP], [t("query at {position}", { position })], "right"),
    position < STARTS / 2
      ? texts("offers", "key", [position + FURTHEST + 1], [DOWN], [t("key at {key}", { key })], "right")
      : texts("offers", "key", [position - 1], [DOWN], [t("key at {key}", { key })], "left"),
    texts("apart", "ink", [key + 0.7], [0], [t("{distance} apart", { distance })], "right", { bold: false }),
  ]);
}

const upright = (x: number) => ({ x1: [x], y1: [UP], x2: [x], y2: [DOWN] });

/** No minus before a number that is printed as 0.00. */
const unsigned = (value: number) => (Math.abs(value) < 0.005 ? 0 : value);

/** One clock: a hand for the query, one for the key, and what they add to the score. */
function face(clock: number, { query, key, parts }: Series): Plot {
  const hand = (name: string, colour: Colour, hands: Float64Array): Mark => ({
    mark: "segments",
    name,
    colour,
    tips: true,
    x1: [0],
    y1: [0],
    x2: [hands[2 * clock]],
    y2: [hands[2 * clock + 1]],
  });
  const axis: Axis = { domain: [-1.1, 1.1] };
  const marks: Mark[] = [
    { mark: "circles", name: "rim", r: [1] },
    hand("query", "query", query),
    hand("key", "key", key),
  ];
  const title = t("{clock}: {part:.2f}", { clock: clock + 1, part: unsigned(parts[clock]) });
  return plot(`clock ${clock + 1}`, title, 11, axis, axis, marks, { square: true, least: 4 });
}

/** What the numbers above the clocks are. */
function sum({ score }: Series): Panel {
  const text = t("Each clock adds the number above it: {score:.2f} in all.", { score: unsigned(score) });
  return note("sum", text, "hint");
}

/** The score while both words move: the distance is the same everywhere in this picture. */
function together({ scheme, position, distance }: State, series: Series, told: boolean): Plot {
  const { along, score, spread, reach } = series;
  const term = (label: string, colour: Colour, values: Float64Array, look: Look[] = []): Mark[] =>
    told
      ? [line(label, colour, STEPS, values, { label, look, straight: true })]
      : [
          dots(`${label}: dot`, colour, [position], [values[position]], { size: 0.3 }),
          line(label, colour, [position], [values[position]], { label, straight: true }), // its name alone
        ];
  const terms: Mark[] =
    scheme === "full"
      ? [
          ...term(t("word · word"), "ink", series.word_word),
          ...term(t("word · position"), "soft", series.word_position),
          ...term(t("position · word"), "soft", series.position_word, ["thin"]),
          ...term(t("position · position"), "ink", series.position_position, ["thin"]),
        ]
      : [];
  const whole: Mark[] = [
    line("score", "score", STEPS, along, {
      look: ["thick"],
      straight: true,
      label: scheme === "full" ? t("score") : undefined,
    }),
    dots("each", "score", STEPS, along, { size: 0.22 }),
  ];
  const title = told
    ? t("Score {score:.2f}. Both moved, {distance} apart: it varies by {spread:.2f}", { score, distance, spread })
    : t("Score {score:.2f}", { score });
  const x: Axis = { domain: [-0.5, STARTS - 0.5], ticks: [0, 5, 10, 15], label: t("position of the query") };
  return plot("along", title, 10, x, { domain: [-reach, reach], ticks: [-reach, 0, reach] }, [
    here("position", position),
    ...terms,
    ...(told ? whole : []),
    now("now", "score", position, score),
  ]);
}

/** The score of this query for this key at each distance. */
function by_distance({ distance }: State, { by_distance, score, reach }: Series, told: boolean): Plot {
  const x: Axis = { domain: [-0.5, FURTHEST + 0.5], ticks: [0, 3, 6, 9, 12], label: t("distance of the key") };
  const curve = line("score", "score", APART, by_distance, { straight: true });
  const title = t("Score {score:.2f} at distance {distance}", { score, distance });
  return plot("by distance", title, 10, x, { domain: [-reach, reach], ticks: [-reach, 0, reach] }, [
    here("distance", distance),
    ...(told ? [curve] : []),
    now("now", "score", distance, score),
  ]);
}

function all_pairs({ position, distance }: State, { scores, explained, reach }: Series, told: boolean): Plot {
  const title = told ? t("All pairs: distance explains {explained:.0f} %", { explained }) : t("All pairs");
  const moved = Array.from({ length: N - distance }, (_, i) => i);
  const keys = moved.map((i) => i + distance);
  return map("scores", title, N, [
    heat("scores", "score", scores, N, reach, { negative: "gradient-negative" }),
    line("moved together", "ink", keys, moved, { look: ["thin", "dashed"], straight: true }),
    { mark: "rings", name: "pair", colour: "ink", x: [position + distance], y: [position], size: 0.9, square: true },
  ]);
}
