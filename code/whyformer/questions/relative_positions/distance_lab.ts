// The distance lab. Twin of distance_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { relative_positions_distance_controls } from "../../lab/declared.ts";
import { controls, dots, here, line, plot, rings, row, table as rows } from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Given, Plot } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { solved } from "../../maths/cholesky.ts";
import { late } from "../../maths/late.ts";
import { softmax } from "../../maths/softmax.ts";
import { dot, mean } from "../../maths/sums.ts";

const [N, CLOCKS, CLIP] = [512, 16, 16];
const LENGTHS = [32, 64, 128, 256];
const SLOPES = Array.from({ length: 8 }, (_, i) => 2 ** -(i + 1));
const SPEEDS = Array.from({ length: CLOCKS }, (_, clock) => 10000 ** (-clock / CLOCKS));
const DISTANCES = Float64Array.from({ length: N }, (_, d) => d);
const PENALTIES = { little: 0.1, some: 1, much: 10 };
const [LOWEST, HIGHEST] = [-20, 8];

export type State = States["relative_positions/distance"];

export type Series = ReturnType<typeof compute>;

/** Cosines, then sines, of all clocks at each distance times a factor. */
function hands(factor: number): Float64Array[] {
  return Array.from({ length: 2 * CLOCKS }, (_, at) => {
    const turn = at < CLOCKS ? Math.cos : Math.sin;
    return DISTANCES.map((d) => turn(factor * d * SPEEDS[at % CLOCKS]));
  });
}

const trained = late(() => hands(1));

const WISHED: Record<State["wish"], Float64Array> = {
  fade: DISTANCES.map((d) => 6 * Math.expm1(-d / 16)),
  recent: DISTANCES.map((d) => -Math.log2(1 + d)),
  window: DISTANCES.map((d) => (d < 8 ? 0 : -6)),
};

function along(basis: Float64Array[], coefficients: number[], level: number): Float64Array {
  const out = new Float64Array(N).fill(level);
  basis.forEach((hand, at) => {
    for (let d = 0; d < N; d++) out[d] += coefficients[at] * hand[d];
  });
  return out;
}

/** What is computed once for each trained length. */
function once<Value>(make: (length: number) => Value): (length: number) => Value {
  const kept = new Map<number, Value>();
  return (length) => {
    if (!kept.has(length)) kept.set(length, make(length));
    return kept.get(length)!;
  };
}

/** Products of all hands with each other on the trained length: the lower triangle. */
const products = once((length) =>
  trained().map((one, i, all) => all.slice(0, i + 1).map((other) => dot(one.subarray(0, length), other))),
);

const squeezed = once((length) => hands((length - 1) / (N - 1)));

/** Coefficients of the clocks and a constant: least squares on the trained length, with a penalty. */
function fitted(score: Float64Array, length: number, held: number): [number[], number] {
  const level = mean(score.subarray(0, length));
  const normal = products(length).map((row, i) => row.map((value, j) => (i === j ? value + held : value)));
  const above = score.map((s) => s - level);
  return [
    solved(
      normal,
      trained().map((hand) => dot(hand.subarray(0, length), above)),
    ),
    level,
  ];
}

/** ALiBi's line and slope: of the eight slopes the one nearest to the target; its level is free. */
function straight(score: Float64Array, length: number): [Float64Array, number] {
  const level = mean(score.subarray(0, length));
  const middle = (length - 1) / 2;
  let best: [Float64Array, number, number] | undefined;
  for (const slope of SLOPES) {
    const line = DISTANCES.map((d) => level - slope * (d - middle));
    const missed = squares(line, score, 0, length);
    if (!best || missed < best[2]) best = [line, slope, missed];
  }
  return [best![0], best![1]];
}

function squares(one: Float64Array, other: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let d = from; d < to; d++) sum += (one[d] - other[d]) ** 2;
  return sum;
}

export function compute({ wish, length, held, beyond }: State) {
  const score = WISHED[wish];
  const last = mean(score.subarray(CLIP, length));
  const table = score.map((s, d) => (d < CLIP ? s : last));
  const [coefficients, level] = fitted(score, length, PENALTIES[held]);
  const plain = along(trained(), coefficients, level);
  const factor = beyond === "squeezed" ? (length - 1) / (N - 1) : 1;
  const clocks = beyond === "on" ? plain : along(squeezed(length), coefficients, level);
  const [alibi, slope] = straight(score, length);
  const turns = Float64Array.from(SPEEDS, (speed) => (speed * (length - 1)) / (2 * Math.PI));
  const within = (curve: Float64Array) => Math.sqrt(squares(curve, score, 0, length) / length);
  const further = (curve: Float64Array) => Math.sqrt(squares(curve, score, length, N) / (N - length));
  const weight = (curve: Float64Array) => 100 * softmax(curve).reduce((sum, w, d) => sum + (d < length ? 0 : w), 0);
  const [seen, far] = [plain.subarray(0, length), clocks.subarray(length)];
  return {
    distances: DISTANCES.slice(),
    wish: score.slice(),
    table,
    clocks: clocks.slice(),
    alibi,
    turns,
    turns_all: Float64Array.from(SPEEDS, (speed) => (speed * factor * (N - 1)) / (2 * Math.PI)),
    unturned: turns.filter((turn) => turn < 1).length,
    miss_within_table: within(table),
    miss_within_clocks: within(clocks),
    miss_within_alibi: within(alibi),
    miss_beyond_table: further(table),
    miss_beyond_clocks: further(clocks),
    miss_beyond_alibi: further(alibi),
    weight_wish: weight(score),
    weight_table: weight(table),
    weight_clocks: weight(clocks),
    weight_alibi: weight(alibi),
    leaves: Math.max(0, Math.max(...far) - Math.max(...seen), Math.min(...seen) - Math.min(...far)),
    slope,
  };
}

// ---- the picture

export function view(state: State, series: Series, { told }: Given): Block[] {
  return [
    controls("wish"),
    controls("beyond"),
    controls("length"),
    row(scores(state, series, told), turned(state, series)),
    misses(series, told),
    controls("held"),
  ];
}

/** Scores by distance; what leaves the picture below is left out, and what is asked. */
function scores({ length }: State, series: Series, told: boolean): Plot {
  const { distances, wish, table, clocks, alibi, miss_within_clocks, miss_beyond_clocks } = series;
  const shown = (curve: Float64Array) => {
    const end = curve.findIndex((score) => score < LOWEST);
    return Math.min(end < 0 ? N : end, told ? N : length);
  };
  const curve = (name: string, colour: Colour, values: Float64Array, label: string) => {
    const end = shown(values);
    return line(name, colour, distances.subarray(0, end), values.subarray(0, end), {
      label,
      straight: true,
      look: name === "clocks" ? ["thick"] : [],
    });
  };
  const misses = { miss_within_clocks, length, miss_beyond_clocks };
  const title = told
    ? t("Clocks miss by {miss_within_clocks:.2f} up to {length}, by {miss_beyond_clocks:.1f} beyond", misses)
    : t("Clocks miss by {miss_within_clocks:.2f} up to {length}", misses);
  const x: Axis = {
    domain: [0, N - 1],
    ticks: [0, 128, 256, 384, 511],
    label: t("distance"),
    grid: false,
    lower: 0.45,
  };
  return plot(
    "scores",
    title,
    16,
    x,
    { domain: [LOWEST, HIGHEST], ticks: [-20, -15, -10, -5, 0, 5] },
    [
      here("trained length", length),
      texts_at(length),
      curve("table", "ink", table, t("table")),
      curve("alibi", "soft", alibi, t("ALiBi")),
      curve("clocks", "score", clocks, t("clocks")),
      line("wish", "soft", distances, wish, { label: t("target"), look: ["dashed"], straight: true }),
      {
        ...{ mark: "thumb", name: "thumb", control: "length", values: LENGTHS, at: length, symbol: "" },
        label: t(relative_positions_distance_controls.length),
        said: t("{length}; clocks miss by {miss_within_clocks:.2f}", misses),
      },
    ],
    { share: 1.6 },
  );
}

const texts_at = (length: number) => ({
  mark: "texts" as const,
  name: "trained",
  colour: "soft" as const,
  x: [length],
  y: [HIGHEST - 1.4],
  texts: [t("trained")],
  side: "right" as const,
});

/** How often each clock has gone round within the trained length, and at the largest distance. */
function turned({ length }: State, { turns, turns_all }: Series): Plot {
  const at = Array.from({ length: CLOCKS }, (_, clock) => clock);
  const y: Axis = {
    scale: "log",
    domain: [0.0005, 200],
    ticks: [0.001, 0.01, 0.1, 1, 10, 100].map((turn) => ({ at: turn, text: number(turn, "") })),
  };
  const title = t("Turns: dots to {length}, rings to 511", { length });
  const x: Axis = { domain: [-0.7, CLOCKS - 0.3], ticks: [0, 5, 10, 15], label: t("clock") };
  return plot("turns", title, 16, x, y, [
    { mark: "rule", name: "one turn", y: 1 },
    rings("all", "soft", at, turns_all, 0.32),
    dots("trained", "ink", at, turns, { size: 0.28 }),
  ]);
}

function misses(series: Series, told: boolean): Block {
  const two = (value: number) => number(value, ".2f");
  const percent = (value: number) => t("{value:.1f} %", { value });
  const beyond = (miss: number, weight: number) => (told ? [two(miss), percent(weight)] : ["?", "?"]);
  return rows(
    "misses",
    [
      [t("target"), "", ...(told ? ["", percent(series.weight_wish)] : ["", "?"])],
      [t("table"), two(series.miss_within_table), ...beyond(series.miss_beyond_table, series.weight_table)],
      [t("clocks"), two(series.miss_within_clocks), ...beyond(series.miss_beyond_clocks, series.weight_clocks)],
      [t("ALiBi"), two(series.miss_within_alibi), ...beyond(series.miss_beyond_alibi, series.weight_alibi)],
    ],
    -1,
    { head: [t("score"), t("misses within"), t("misses beyond"), t("weight beyond")], numeric: [1, 2, 3] },
  );
}
