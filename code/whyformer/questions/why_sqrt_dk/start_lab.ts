// The start lab, the picture of the book. Twin of start_lab.py; the picture stands here alone.

import { why_sqrt_dk_start, why_sqrt_dk_start_controls, type States } from "../../lab/declared.ts";
import { bars, controls, line, now, plot, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Given, Look, Mark, Plot } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { normals, stream } from "../../maths/random.ts";
import { Recent } from "../../maths/recent.ts";
import { softmax } from "../../maths/softmax.ts";
import { dot } from "../../maths/sums.ts";

export const WORDS = ["The", "cat", "sat", "because", "it", "was", "tired", "."];
export const ASKS = WORDS.indexOf("it");
const D_K = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];
const LONGEST = 512;
/** What is below lies on the floor of the chart. */
const FLOOR = 0.001;
/** Levels of the other starts to a factor of ten (evidence/picture.py). */
const LEVELS = 30;

type State = States["why_sqrt_dk/start"];
type By<Value> = Record<State["n_keys"], Record<State["divisor"], Value>>;
interface Data {
  others: By<number[][]>;
  typical: By<number[]>;
}

export type Series = ReturnType<typeof compute>;

interface Start {
  query: Float64Array;
  keys: Float64Array[];
  raw: Float64Array;
  divided: Float64Array;
}

/** For the present and the next start, with each number of keys. */
const starts = new Recent<Start>(6);

function start_of(seed: number, n_keys: number): Start {
  return starts.get(`${seed} ${n_keys}`, () => {
    const query = normals(stream(seed, 0), LONGEST);
    const keys = Array.from({ length: n_keys }, (_, j) => normals(stream(seed, 1 + j), LONGEST));
    const trail = (divisor: (d_k: number) => number) =>
      Float64Array.from(D_K, (d_k) => {
        const c = divisor(d_k);
        return gradient_at_query(keys, softmax(scores_at(query, keys, d_k).map((score) => score / c)), d_k, c);
      });
    return { query, keys, raw: trail(() => 1), divided: trail(Math.sqrt) };
  });
}

function scores_at(query: Float64Array, keys: Float64Array[], d_k: number): Float64Array {
  const first = query.subarray(0, d_k);
  return Float64Array.from(keys, (key) => dot(first, key));
}

/** The Frobenius norm of K^T J over the divisor, from the first d_k components of the keys. */
function gradient_at_query(keys: Float64Array[], weights: Float64Array, d_k: number, divisor: number): number {
  const first = keys[weights.indexOf(Math.max(...weights))]; // from which all are counted: differences stay exact
  const mean = new Float64Array(d_k);
  keys.forEach((key, j) => {
    for (let i = 0; i < d_k; i++) mean[i] += weights[j] * (key[i] - first[i]);
  });
  let sum = 0;
  keys.forEach((key, j) => {
    let apart = 0;
    for (let i = 0; i < d_k; i++) apart += (key[i] - first[i] - mean[i]) ** 2;
    sum += weights[j] ** 2 * apart;
  });
  return Math.sqrt(sum) / divisor;
}

export function compute({ d_k, divisor, n_keys, seed }: State, data: Data) {
  const { query, keys, raw: trail_raw, divided: trail_divided } = start_of(seed, Number(n_keys));
  const scores = scores_at(query, keys, d_k);
  const root = Math.sqrt(d_k);
  const raw = softmax(scores);
  const divided = softmax(scores.map((score) => score / root));
  const weights = divisor === "1" ? raw : divided;
  const words = weights.subarray(0, WORDS.length);
  const at = D_K.indexOf(d_k);
  const typical = data.typical[n_keys];
  return {
    scores,
    weights_raw: raw,
    weights_divided: divided,
    weights: weights.slice(),
    largest_raw: Math.max(...raw),
    largest: Math.max(...weights),
    winner: words.indexOf(Math.max(...words)),
    trail_raw: trail_raw.slice(),
    trail_divided: trail_divided.slice(),
    gradient_raw: trail_raw[at],
    gradient_divided: trail_divided[at],
    gradient: (divisor === "1" ? trail_raw : trail_divided)[at],
    times: trail_raw[at] / trail_divided[at],
    least_raw: Math.min(...trail_raw),
    most_raw: Math.max(...trail_raw),
    least_divided: Math.min(...trail_divided),
    most_divided: Math.max(...trail_divided),
    typical_raw: typical["1"][at],
    typical_divided: typical.sqrt[at],
  };
}

// ---- the picture

export function view(state: State, series: Series, { data, told }: Given): Block[] {
  const gloss = t("Entries of variance 1. Thin: 30 other starts.");
  return [
    weight_panel(state, series),
    gradient_panel(state, series, data as Data, told),
    { ...controls("divisor", "seed", "n_keys"), text: gloss },
  ];
}

const BAR = 1.5; // em
/** Shares below are not written on their bars, but for the largest. */
const WRITTEN = 0.12;

/** Bars over the words. If one divides, the bars of before stay behind as ghosts. */
function weight_panel({ divisor, n_keys }: State, { weights, weights_raw, largest }: Series): Plot {
  const few = n_keys === "8";
  const wide = few ? { wide: BAR } : n_keys === "64" ? { width: 0.8 } : { wide: 0.2 };
  const x = weights.map((_, i) => i);
  const marks: Mark[] = [];
  if (divisor !== "1") marks.push(bars("not divided", "soft", weights_raw, { look: ["dashed"], x, ...wide }));
  marks.push(bars("weights", "score", weights, { x, ...wide }));
  const written = [...x].filter((i) => weights[i] === largest || (few && weights[i] > WRITTEN));
  const words = written.map((i) => (weights[i] >= 0.995 ? t("over 99 %") : number(weights[i], ".0%")));
  const tops = written.map((i) => weights[i]);
  marks.push(texts("shares", "ink", written, tops, words, "above", { bold: false, look: ["over"] }));
  const axis: Axis = few
    ? { scale: "words", domain: [0, WORDS.length - 1], words: WORDS.map((word) => t(word)), asks: ASKS }
    : {
        domain: [-0.5, weights.length - 0.5],
        grid: false,
        room_of: WORDS.map((word) => t(word)),
        label: t("{n} keys: the eight words and {more} more", { n: weights.length, more: weights.length - 8 }),
      };
  return plot("weights", undefined, 5.6, axis, { domain: [0, 1.2], ticks: [{ at: 1, text: "" }] }, marks, {
    taller: 8,
  });
}

const said = (gradient: number) => (gradient < FLOOR ? t("under 0.001") : number(gradient, ".2g"));

/** The trail of this start over d_k, while it is asked for up to here, before thirty others; the axis is the slider. */
function gradient_panel({ d_k, divisor, n_keys }: State, series: Series, data: Data, told: boolean): Plot {
  const not = divisor === "1";
  const { trail_raw, trail_divided, gradient } = series;
  const visited = D_K.filter((each) => told || each <= d_k);
  const above = (trail: Float64Array) => visited.map((_, i) => Math.max(FLOOR, trail[i]));
  const raw: Look[] = ["dashed"];
  const [other, own] = not ? [trail_divided, trail_raw] : [trail_raw, trail_divided];
  const marks: Mark[] = [];
  if (told) {
    marks.push(others(data.others[n_keys][divisor]));
    marks.push(line("other condition", "soft", visited, above(other), { straight: true, look: not ? [] : raw }));
  }
  marks.push(
    line("trail", "gradient", visited, above(own), { straight: true, look: [...(not ? raw : []), "thick", "strong"] }),
    { mark: "segments", name: "where", colour: "ink", look: ["thin"], ...upright(d_k, Math.max(FLOOR, gradient)) },
    { ...now("gradient", "gradient", d_k, Math.max(FLOOR, gradient), 0.45), look: ["now", "strong"] },
    texts("not divided", not ? "gradient" : "soft", [2.2], [5], [t(why_sqrt_dk_start.divisor["1"])], "on", {
      look: ["over"],
    }),
  );
  if (told || !not)
    marks.push(
      texts("divided", not ? "soft" : "gradient", [2.2], [0.06], [t(why_sqrt_dk_start.divisor.sqrt)], "on", {
        look: ["over"],
      }),
    );
  marks.push({
    ...{ mark: "thumb", name: "thumb", control: "d_k", values: D_K, at: d_k, symbol: t("dₖ") },
    ...{ label: t(why_sqrt_dk_start_controls.d_k), said: t("{d_k}; gradient {g}", { d_k, g: said(gradient) }) },
  });
  const title = t("Gradient at the query: {g}", { g: said(gradient) });
  const x: Axis = { scale: "log", domain: [1, LONGEST], ticks: [1, 4, 16, 64, 256, 512], grid: false, lower: 0.45 };
  const ticks = [10, 1, 0.1, 0.01].map((at) => ({ at, text: number(at, "") }));
  const y: Axis = { scale: "log", domain: [0.0003, 12], ticks: [...ticks, { at: FLOOR, text: t("< 0.001") }] };
  return plot("gradient", title, 7.8, x, y, marks, { colour: "gradient", taller: 9.2 });
}

const upright = (x: number, y: number) => ({ x1: [x], y1: [0.0003], x2: [x], y2: [y] });

/** All as one mark, which changes with the condition and not with a drag. */
function others(levels: number[][]): Mark {
  const of = (level: number) => FLOOR * 10 ** (level / LEVELS);
  const steps = levels.flatMap((path) =>
    D_K.slice(1).map((_, i) => [D_K[i], of(path[i]), D_K[i + 1], of(path[i + 1])]),
  );
  const [x1, y1, x2, y2] = [0, 1, 2, 3].map((at) => steps.map((step) => step[at]));
  return { mark: "segments", name: "other starts", colour: "gradient", look: ["thin"], x1, y1, x2, y2 };
}
