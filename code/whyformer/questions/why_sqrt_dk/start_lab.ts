// The start lab, the picture of the book. Twin of start_lab.py; the picture stands here alone.

import type { States } from "../../lab/declared.ts";
import { bars, controls, note, plot, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Mark, Plot } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { normals, stream } from "../../maths/random.ts";
import { drawn_by } from "../../maths/recent.ts";
import { softmax } from "../../maths/softmax.ts";
import { dot } from "../../maths/sums.ts";

export const WORDS = ["The", "cat", "sat", "because", "it", "was", "tired", "."];
export const ASKS = WORDS.indexOf("it");
const LONGEST = 512;

type State = States["why_sqrt_dk/start"];
type Typical = Record<State["divisor"], number[]>;

export type Series = ReturnType<typeof compute>;

const drawn = drawn_by((seed: number) => ({
  query: normals(stream(seed, 0), LONGEST),
  keys: WORDS.map((_, j) => normals(stream(seed, 1 + j), LONGEST)),
}));

/** The trace of the softmax Jacobian over its maximum, when all weights are equal. */
export function gradient_back(weights: Float64Array): number {
  return (1 - dot(weights, weights)) / (1 - 1 / weights.length);
}

export function compute({ d_k, divisor, seed }: State, data: Typical) {
  const { query, keys } = drawn(seed);
  const scores = Float64Array.from(keys, (key) => {
    let sum = 0;
    for (let i = 0; i < d_k; i++) sum += query[i] * key[i];
    return sum;
  });
  const root = Math.sqrt(d_k);
  const raw = softmax(scores);
  const divided = softmax(scores.map((score) => score / root));
  const weights = divisor === "1" ? raw : divided;
  const [low, part] = [Math.floor(Math.log2(d_k)), Math.log2(d_k) % 1];
  const typical = data[divisor];
  const largest = Math.max(...weights);
  return {
    scores,
    weights_raw: raw,
    weights_divided: divided,
    weights: weights.slice(),
    largest_raw: Math.max(...raw),
    largest,
    winner: weights.indexOf(largest),
    gradient_raw: gradient_back(raw),
    gradient_divided: gradient_back(divided),
    gradient: gradient_back(weights),
    typical: typical[low] + part * ((typical[low + 1] ?? 0) - typical[low]),
    root,
  };
}

export function view(state: State, series: Series): Block[] {
  return [
    weight_panel(state, series),
    gradient_panel(series),
    note(
      "gloss",
      t("Each weight's derivative by its own score, added up. 100 %: all equal. Line: the median start."),
      "aside",
    ),
    controls("d_k"),
    controls("divisor", "seed"),
  ];
}

/** Bars over the words. Divided, the bars that were stay as ghosts, and the largest says its number. */
export function weight_panel({ divisor }: State, series: Series): Plot {
  const { weights, weights_raw, largest_raw } = series;
  const marks: Mark[] = [];
  if (divisor !== "1") {
    const highest = weights_raw.indexOf(largest_raw);
    const most = t("{most:.0%} not divided", { most: largest_raw });
    marks.push(bars("not divided", "soft", weights_raw, { look: ["dashed"], x: places(WORDS), wide: BAR }));
    marks.push(texts("most, not divided", "soft", [highest], [largest_raw], [most], "above", { bold: false }));
  }
  marks.push(bars("weights", "score", weights, { x: places(WORDS), wide: BAR, numbers: ".0%" }));
  const x: Axis = { scale: "words", domain: [0, WORDS.length - 1], words: WORDS.map((word) => t(word)), asks: ASKS };
  return plot("weights", undefined, 7.5, x, { domain: [0, 1], ticks: [{ at: 1, text: "" }] }, marks);
}

const BAR = 1.5; // em
const places = (words: string[]) => words.map((_, i) => i);

/** One arrow from the weights back to the scores; all the way when all weights are equal. */
export function gradient_panel({ gradient, typical }: { gradient: number; typical?: number }): Plot {
  const share = gradient < 0.005 ? t("under 1 %") : number(gradient, ".0%");
  const title = t("Gradient back through the softmax: {share}", { share });
  const ends = [
    { at: 0, text: t("scores") },
    { at: 1, text: t("weights") },
  ];
  const marks: Mark[] = [{ mark: "back", name: "gradient", colour: "gradient", x1: 1, x2: 1 - gradient, y: 0 }];
  if (typical !== undefined)
    marks.push({ mark: "rule", name: "typical start", colour: "ink", x: 1 - typical, look: ["solid"] });
  return plot("gradient", title, 1.5, { domain: [0, 1], ticks: ends }, { domain: [-1, 1] }, marks);
}
