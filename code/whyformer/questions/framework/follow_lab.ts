// The follow-it lab. Twin of follow_lab.py: same series, same names, same order.

import { range } from "d3-array";
import type { States } from "../../lab/declared.ts";
import { bars, controls, grid, plot, row, slots, texts, wire } from "../../lab/picture/make.ts";
import type { Axis, Block, Box, Diagram, Given, Grid, Label, Mark, Plot } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { softmax } from "../../maths/softmax.ts";
import { dot } from "../../maths/sums.ts";

const TOKENS = ["cat", "sat", "it"];
const MEANINGS = ["animal", "action", "pronoun", "place"];
const NEXT = ["purred", "creaked", "rained"];
const STATIONS = ["embed", "q · k", "softmax", "add", "FFN", "logits"];

export type State = States["framework/follow"];

export type Series = ReturnType<typeof compute>;

const N = 4; // numbers in a vector
const IT = 2; // which word is followed
const row_of = (matrix: Float64Array, i: number) => matrix.slice(i * N, (i + 1) * N);
/** Each number times one factor, as a diagonal matrix does it. */
const times = (x: Float64Array, factors: number[]) => x.map((value, i) => value * factors[i % N]);

export function compute({ wish, divisor, station }: State) {
  const x = Float64Array.from([1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3]);
  const it = row_of(x, IT);
  const q = new Float64Array(N); // a pronoun asks
  if (wish !== "nothing") q[MEANINGS.indexOf(wish)] = 2 * it[2];
  const [k, v] = [times(x, [2, 2, 2, 0]), times(x, [1, 1, 1, 0])];
  const dots = Float64Array.from(TOKENS, (_, j) => dot(q, row_of(k, j)));
  const scores = dots.map((score) => score / (divisor === "1" ? 1 : 2));
  const [weights_raw, weights] = [softmax(dots), softmax(scores)];
  const fetched = Float64Array.from({ length: N }, (_, i) =>
    weights.reduce((sum, weight, j) => sum + weight * v[j * N + i], 0),
  );
  const summed = it.map((value, i) => value + fetched[i]);
  const hidden = Math.max(0, summed[0] + summed[2] - 1.7);
  const out = summed.map((value, i) => value + (i === 0 ? 2 * hidden : 0));
  const logits = Float64Array.from([3 * out[0], 3 * out[1], 1.5 * out[2]]);
  const probabilities = softmax(logits);
  const [best, likeliest] = [Math.max(...dots), Math.max(...probabilities)];
  return {
    x,
    q,
    k,
    v,
    dots,
    scores,
    weights_raw,
    weights,
    fetched,
    summed,
    out,
    logits,
    probabilities,
    best,
    fits: dots.indexOf(best),
    largest_raw: Math.max(...weights_raw),
    largest: Math.max(...weights),
    hidden,
    animal: summed[0],
    action: summed[1],
    grown: out[0],
    likeliest,
    winner: probabilities.indexOf(likeliest),
    passed: station - 1,
  };
}

// ---- the picture

export function view(state: State, series: Series, { told }: Given): Block[] {
  const it = row_of(series.x, IT);
  return [
    road(state),
    row(vectors(series), match(state, series)),
    controls("wish", "divisor"),
    row(weight_panel(state, series, told), next_panel(series)),
    row(
      change("attention", t("it: what attention adds"), it, series.summed),
      change("feed-forward", t("it: what the feed-forward network adds"), series.summed, series.out),
    ),
    controls("station"),
  ];
}

const [WIDE, HIGH, STEP] = [3.7, 1.9, 4.15]; // of a station, in units

/** All stations in a row; the word stands over the one that it has reached. */
function road({ station }: State): Diagram {
  const x = (at: number) => 0.15 + at * STEP;
  const boxes: Box[] = STATIONS.map((name, at) => ({
    name,
    x: x(at),
    y: 2.3,
    width: WIDE,
    height: HIGH,
    text: t(name),
    look: "block",
    pressed: at === station - 1,
    set: { station: at + 1 },
  }));
  boxes.push({
    ...{ name: "it", x: x(station - 1) + 0.75, y: 0.2, width: 1.7, height: 1.6 },
    ...{ text: t("it"), look: "tag", colour: "query" },
  });
  const wires = STATIONS.slice(1).map((name, at) =>
    wire(`to ${name}`, [x(at) + WIDE, 2.3 + HIGH / 2], [x(at + 1), 2.3 + HIGH / 2]),
  );
  const width = x(STATIONS.length - 1) + WIDE + 0.15;
  return { kind: "diagram", name: "road", width, height: 2.3 + HIGH, least: width, boxes, wires, labels: [] };
}

const numbers = (values: Float64Array) => Array.from(values, (value) => number(value, ".0f")).join(" ");

/** The query as a tag beside the keys: it stands in the notch of the key that it fits. */
function match({ wish }: State, { q, k, dots, best }: Series): Diagram {
  const [left, keys, high, apart] = [0.2, 8.6, 1.9, 3.3];
  const fits = best > 0;
  const y = (at: number) => 1.6 + at * apart;
  const at = fits ? y(dots.indexOf(best)) : y(1);
  const boxes: Box[] = TOKENS.map((word, j) => ({
    ...{ name: `key of ${word}`, x: keys, y: y(j), width: 8.4, height: high },
    ...{ text: t("{word}: {what}", { word: t(word), what: t(MEANINGS[j]) }), look: "notch", colour: "key" },
  }));
  boxes.push({
    ...{ name: "query", x: fits ? keys - 7.6 : left, y: at, width: fits ? 7.6 : 6.6, height: high },
    ...{ text: t("it: {what}?", { what: t(wish) }), look: "tag", colour: "query" },
  });
  const labels: Label[] = [
    { name: "head of query", x: 3.9, y: 0.7, text: t("query"), colour: "query", bold: true },
    { name: "head of keys", x: keys + 4.2, y: 0.7, text: t("keys"), colour: "key", bold: true },
    { name: "head of scores", x: 19.4, y: 0.7, text: t("score"), colour: "score", bold: true },
    { name: "numbers of query", x: 3.9, y: at + high + 0.6, text: numbers(q), colour: "query" },
  ];
  TOKENS.forEach((word, j) => {
    const under = { name: `numbers of ${word}`, x: keys + 4.4, y: y(j) + high + 0.6 };
    labels.push({ ...under, text: numbers(row_of(k, j)), colour: "key" });
    const score = { name: `score of ${word}`, x: 19.4, y: y(j) + high / 2, text: number(dots[j], ".0f") };
    labels.push({ ...score, colour: "score", bold: true, size: 1.3 });
  });
  return { kind: "diagram", name: "match", width: 21, height: 11.2, least: 21, boxes, wires: [], labels };
}

/** Four numbers for each word, and what they mean. */
const vectors = ({ x }: Series): Grid =>
  grid(
    "vectors",
    MEANINGS.map((meaning) => t(meaning)),
    TOKENS.map((word) => t(word)),
    TOKENS.map((_, j) =>
      Array.from(row_of(x, j), (value, i) => ({
        text: number(value, ".0f"),
        tint: "ink" as const,
        strength: i < WHAT && value ? 0.2 : 0,
        bold: j === IT,
      })),
    ),
    { title: t("The words as vectors: table and place") },
  );

const WHAT = 3; // the first numbers say what a word is

/** What came in, as an outline, and what goes out. */
function change(name: string, title: string, before: Float64Array, after: Float64Array): Plot {
  const marks: Mark[] = [
    bars("out", "value", after.slice(0, WHAT), { x: range(WHAT), width: 0.5, numbers: ".2f" }),
    bars("in", "ink", before.slice(0, WHAT), { look: ["hollow"], x: range(WHAT), width: 0.7 }),
  ];
  const meanings = MEANINGS.slice(0, WHAT).map((meaning) => t(meaning));
  return plot(name, title, 8, slots(WHAT, meanings), { domain: [0, 1.6], ticks: [0, 1] }, marks);
}

/** Beside the weights, as outlines, those without the division: they are drawn once that is told. */
function weight_panel(
  { divisor }: State,
  { weights, weights_raw, largest, largest_raw, fits }: Series,
  told: boolean,
): Plot {
  const marks: Mark[] = [];
  const x = range(TOKENS.length);
  if (divisor !== "1" && told) {
    const most = [t("{most:.0%} not divided", { most: largest_raw })];
    marks.push(bars("not divided", "soft", weights_raw, { look: ["dashed"], x, wide: 2.4 }));
    if (largest_raw > 1.05 * largest)
      marks.push(texts("most, not divided", "soft", [fits], [largest_raw], most, "above", { bold: false }));
  }
  marks.push(bars("weights", "score", weights, { x, wide: 1.8, numbers: ".0%" }));
  const words = TOKENS.map((word) => t(word));
  const x_axis: Axis = { scale: "words", domain: [0, IT], words, asks: IT };
  const y: Axis = { domain: [0, 1], ticks: [{ at: 1, text: "" }] };
  return plot("weights", t("Weights that it gives"), 8, x_axis, y, marks, { most: 21 });
}

function next_panel({ probabilities }: Series): Plot {
  const marks: Mark[] = [
    bars("probabilities", "score", probabilities, { x: range(NEXT.length), width: 0.5, numbers: ".0%" }),
  ];
  const words = NEXT.map((word) => t(word));
  const title = t("cat sat it …: the next word");
  return plot("next", title, 8, slots(NEXT.length, words), { domain: [0, 1], ticks: [0, 0.5, 1] }, marks);
}
