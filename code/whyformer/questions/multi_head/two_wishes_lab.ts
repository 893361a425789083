// The two-wishes lab. Twin of two_wishes_lab.py: same series, same names, same order.

import { multi_head_two_wishes_controls, type States } from "../../lab/declared.ts";
import { bars, column, controls, note, plot, row, texts, wire } from "../../lab/picture/make.ts";
import type { Block, Box, Diagram, Disc, Given, Label, Mark, Plot, Wire } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { stream, uniform } from "../../maths/random.ts";

const WORDS = ["The", "cat", "sat", "because", "it", "was", "tired", "."];
const ASKS = WORDS.indexOf("it");
const NEEDED = [WORDS.indexOf("cat"), WORDS.indexOf("tired")]; // who, how
const N_NUMBERS = 6; // in a value
const HALF = N_NUMBERS / 2;

export type State = States["multi_head/two_wishes"];

export type Series = ReturnType<typeof compute>;

/** How the best matrix makes one of two values from blends of both: a factor for each blend, and what it misses. */
function best_read_out(rows: number[][], wish: number): { factors: number[]; missed: number } {
  const [one, other] = [rows[0], rows[rows.length - 1]];
  const apart = one[0] * other[1] - one[1] * other[0];
  if (apart === 0) {
    const length = one[0] * one[0] + one[1] * one[1];
    return { factors: [one[wish] / length, 0].slice(0, rows.length), missed: 1 - (one[wish] * one[wish]) / length };
  }
  const factors = wish === 0 ? [other[1] / apart, -one[1] / apart] : [-other[0] / apart, one[0] / apart];
  return { factors, missed: 0 };
}

/** Which heads read the first half of a value, and which the second. */
const READS = {
  one: [[0], [0]],
  half: [[0], [1]],
  two: [
    [0, 1],
    [0, 1],
  ],
};
/** Which halves are wished for: who, how. */
const WISHES = {
  whole: [
    [0, 1],
    [0, 1],
  ],
  parts: [[0], [1]],
};

export function compute({ heads, asked, first, second, seed }: State) {
  const [reads, wishes] = [READS[heads], WISHES[asked]];
  const values = new Float64Array(2 * N_NUMBERS);
  for (const word of [0, 1]) {
    const key = stream(seed, word);
    for (let c = 0; c < N_NUMBERS; c++) values[N_NUMBERS * word + c] = 2 * uniform(key, c) - 1;
  }
  const rows = [first, second].map((tired) => [(100 - tired) / 100, tired / 100]);
  const weights = rows.map((row) => {
    const all = new Float64Array(WORDS.length);
    NEEDED.forEach((at, i) => (all[at] = row[i]));
    return all;
  });
  const [wanted, got, read_out] = [2 * N_NUMBERS, 2 * N_NUMBERS, 4].map((n) => new Float64Array(n));
  const missed = wishes.map((halves, wish) => {
    let sum = 0;
    for (const half of halves) {
      const best = best_read_out(
        reads[half].map((head) => rows[head]),
        wish,
      );
      reads[half].forEach((head, at) => (read_out[2 * wish + head] = best.factors[at]));
      for (let c = half * HALF; c < (half + 1) * HALF; c++) {
        wanted[N_NUMBERS * wish + c] = values[N_NUMBERS * wish + c];
        reads[half].forEach((head, at) => {
          const blend = rows[head][0] * values[c] + rows[head][1] * values[N_NUMBERS + c];
          got[N_NUMBERS * wish + c] += best.factors[at] * blend;
        });
      }
      sum += (100 * best.missed) / halves.length;
    }
    return sum;
  });
  const enough = heads === "two" || (heads === "half" && asked === "parts");
  return {
    weights_first: weights[0],
    weights_second: weights[1],
    values,
    wanted,
    got,
    read_out,
    missed_who: missed[0],
    missed_how: missed[1],
    missed: (missed[0] + missed[1]) / 2,
    least: enough ? 0 : 50,
    cost: heads === "two" ? 2 : 1,
    on_cat_first: 100 - first,
    on_cat_second: 100 - second,
    apart: Math.abs(first - second),
  };
}

// ---- the picture

export function view(state: State, series: Series, { told }: Given): Block[] {
  const sliders = state.heads === "one" ? ["first"] : ["first", "second"];
  return [
    row(
      column({ least: 21.5, share: 2 }, sentence(state, series), values(series)),
      column({ least: 13 }, missed(series, told), controls(...sliders)),
    ),
    note("read-out", made(state, series), "hint"),
    note("cost", cost(state), "hint"),
    controls("heads", "asked"),
    controls("seed"),
  ];
}

// The sentence, in units of the diagram: words with gaps between them; head 1 is above them, head 2 below.
const [GAP, WIDTH, HIGH, ROOM] = [0.5, 21.5, 1.7, 3.6];
const WIDE = [2.2, 2, 1.9, 4.2, 1.3, 2.3, 2.7, 1];
const STARTS = WIDE.map((_, i) => WIDE.slice(0, i).reduce((sum, wide) => sum + wide + GAP, 0.05));
const middle_of = (i: number) => STARTS[i] + WIDE[i] / 2;
const thickness = (weight: number) => 0.06 + 0.44 * weight; // nothing vanishes
const DISC = 2.4; // of its middle from the words
const STEP = 5; // percent

/** A head is a disc: the nearer it is to a word, the more weight it has there. */
function sentence({ heads, first, second }: State, series: Series): Diagram {
  const boxes = WORDS.map((word, i): Box => {
    const [used, asks] = [NEEDED.includes(i), i === ASKS];
    const place = { x: STARTS[i], y: ROOM, width: WIDE[i], height: HIGH };
    const colour = asks ? "query" : used ? "key" : "soft";
    return { name: `word ${i + 1}`, ...place, text: t(word), look: "word", colour, bold: used || asks };
  });
  const [wires, labels, discs]: [Wire[], Label[], Disc[]] = [[], [], []];
  const rows = heads === "one" ? [series.weights_first] : [series.weights_first, series.weights_second];
  const [from, to] = NEEDED.map(middle_of);
  rows.forEach((weights, head) => {
    const way = head === 0 ? -1 : 1; // up, down
    const edge = head === 0 ? ROOM - 0.1 : ROOM + HIGH + 0.1;
    const at = head === 0 ? first : second;
    const [x, y] = [from + (at / 100) * (to - from), edge + way * DISC];
    const asks = wire(`head ${head + 1} of ${WORDS[ASKS]}`, [middle_of(ASKS), edge], [x, y]);
    wires.push({ ...asks, tip: false, colour: "query", faint: true });
    NEEDED.forEach((word, wish) => {
      const name = `head ${head + 1} to ${WORDS[word]}`;
      const end = middle_of(word);
      const arc = wire(name, [x, y], [x + 0.75 * (end - x), y], [end, y], [end, edge]);
      wires.push({ ...arc, curve: true, tip: false, thick: thickness(weights[word]), colour: "score" });
      labels.push({
        name: `${name}: weight`,
        x: end + (wish === 0 ? -0.7 : 0.7),
        y: edge + way * 1.2,
        text: number(weights[word], ".0%"),
        anchor: wish === 0 ? "end" : "start",
        colour: "score",
        bold: true,
        over: true,
      });
    });
    const [top, bottom] = head === 0 ? [0, edge] : [edge, edge + ROOM];
    const [cat, tired] = [100 - at, at].map((share) => number(share / 100, ".0%"));
    discs.push({
      ...{ name: `head ${head + 1}`, control: head === 0 ? "first" : "second", at, text: String(head + 1) },
      ...{ least: [from, 0], most: [to, 100], step: STEP, y, top, bottom },
      label: t(multi_head_two_wishes_controls[head === 0 ? "first" : "second"]),
      said: t("{cat} on cat, {tired} on tired", { cat, tired }),
    });
  });
  const height = heads === "one" ? ROOM + HIGH + 0.1 : 2 * ROOM + HIGH;
  return {
    kind: "diagram",
    name: "weights",
    width: WIDTH,
    height,
    least: WIDTH,
    most: 30,
    boxes,
    wires,
    labels,
    discs,
  };
}

const [BAR, END] = [0.34, 101]; // half of a bar's height, in lines; where words begin

/** What arrives of either wish, and of both; where one blend is all there is, a line that they do not pass together. */
function missed({ missed_who, missed_how, missed, least }: Series, told: boolean): Plot {
  const all = [missed_who, missed_how, missed];
  const lines = all.map((_, i) => i);
  const from = (x1: number[], x2: number[]) => ({
    mark: "intervals" as const,
    colour: "value" as const,
    x1,
    x2,
    y1: lines.map((i) => i - BAR),
    y2: lines.map((i) => i + BAR),
  });
  const zero = all.map(() => 0);
  const marks: Mark[] = [
    {
      ...from(
        zero,
        lines.map(() => 100),
      ),
      name: "wished for",
    },
    {
      ...from(
        zero,
        all.map((part) => 100 - part),
      ),
      name: "arrives",
      look: ["solid"],
    },
    texts(
      "missed",
      "ink",
      lines.map(() => END),
      lines,
      all.map((part) => t("{part:.0f} % missed", { part })),
      "right",
      { bold: false },
    ),
  ];
  if (told && least > 0) {
    const [x1, x2] = [[100 - least], [100 - least]];
    marks.push({ mark: "segments", name: "the most", colour: "ink", x1, x2, y1: [1.5], y2: [2.5], look: ["thick"] });
    marks.push(texts("wall", "ink", x1, [2.95], [t("one blend: never more")], "on", { bold: false }));
  }
  const names = [t("who: cat"), t("how: tired"), t("together")].map((text, at) => ({ at, text }));
  const y = { scale: "cells" as const, domain: [-0.5, least > 0 ? 3.3 : 2.5] as [number, number], ticks: names };
  const title = t("Green arrives. Missed, together: {missed:.0f} %", { missed });
  return plot("missed", title, 6.6, { domain: [0, 142], ticks: [0, 100], grid: false }, y, marks);
}

/** The numbers of both values: what is wanted as outlines, what arrives inside. */
function values({ wanted, got }: Series): Plot {
  const x = Array.from(wanted, (_, i) => (i < N_NUMBERS ? i + 1 : i + 2));
  const marks = [
    bars("wanted", "value", wanted, { x, width: 0.86, look: ["hollow"] }),
    bars("got", "value", got, { x, width: 0.5 }),
  ];
  const ticks = [
    { at: 3.5, text: t("cat") },
    { at: 10.5, text: t("tired") },
  ];
  const axis = { domain: [0.3, 13.7] as [number, number], ticks, grid: false };
  return plot("values", t("Outline: wanted. Filled: got"), 4, axis, { domain: [-1.3, 1.3], ticks: [-1, 0, 1] }, marks);
}

/** How the wishes are made of the heads. */
function made({ heads, asked }: State, { read_out }: Series): string {
  const [a, b, c, d] = Array.from(read_out, (factor) => Math.round(100 * factor) / 100 + 0);
  if (heads === "one") return t("who = {a:.2f} · head 1, how = {c:.2f} · head 1: one blend, used twice.", { a, c });
  if (heads === "half" && asked === "parts") return t("who = {a:.2f} · head 1, how = {d:.2f} · head 2.", { a, d });
  if (heads === "half")
    return t("First halves: {a:.2f} and {c:.2f} · head 1. Second halves: {b:.2f} and {d:.2f} · head 2.", {
      a,
      b,
      c,
      d,
    });
  return t("who = {a:.2f} · head 1 + ({b:.2f}) · head 2, how = ({c:.2f}) · head 1 + {d:.2f} · head 2.", { a, b, c, d });
}

/** What there is, what it costs, and what is asked of it. */
function cost({ heads, asked }: State): string {
  const layer = {
    one: t("There is one head of full size."),
    half: t("Two heads of half size cost as much as one."),
    two: t("Two heads of full size cost twice as much as one."),
  }[heads];
  const wish = asked === "whole" ? t("Both words are wanted whole.") : t("Half of each word is wanted.");
  return `${layer} ${wish}`;
}
