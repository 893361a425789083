// The each-other lab. Twin of each_other_lab.py: same series, same names, same order; the picture stands here alone.

import type { States } from "../../lab/declared.ts";
import { column, controls, note, plot, row, slots, texts, wire } from "../../lab/picture/make.ts";
import type { Block, Box, Colour, Diagram, Given, Label, Mark, Plot } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { softmax } from "../../maths/softmax.ts";

const WORDS = ["it", "cat"];
const OTHERS = 6;

export type State = States["qk_weights/each_other"];

export type Series = ReturnType<typeof compute>;

export function compute({ matrices, length_it, length_cat, angle }: State) {
  const product = length_it * length_cat * Math.cos((Math.PI * angle) / 180);
  const squares = [length_it ** 2, length_cat ** 2];
  const one = matrices === "one";
  const asked = squares.map((square) => (one ? [square, product] : [product, square]));
  const rows = asked.map((pair) => softmax(Float64Array.from([...pair, ...Array<number>(OTHERS).fill(0)])));
  const own = Float64Array.from(rows, (weights) => weights[0]);
  const other = Float64Array.from(rows, (weights) => weights[1]);
  return {
    scores: Float64Array.of(asked[0][0], asked[0][1], asked[1][1], asked[1][0]),
    own,
    other,
    rest: Float64Array.from(rows, (weights) => weights.slice(2).reduce((a, b) => a + b)),
    score_there: asked[0][1],
    score_back: asked[1][1],
    weight_there: other[0],
    weight_back: other[1],
    own_it: own[0],
    own_cat: own[1],
    weight_sum: other[0] + other[1],
  };
}

// ---- the picture

export function view(state: State, series: Series, { told }: Given): Block[] {
  return [
    row(arrows(series), column({ least: 17, share: 1.6 }, rows(series), sum(state, series, told))),
    controls("matrices", "angle"),
    controls("length_it", "length_cat"),
    note("others", t("Set by hand: the six other words of the sentence have the score 0 in both rows."), "aside"),
  ];
}

const WIDE = 17;
const MIDDLE = 4.9;
const BOW = 2.9; // how far the middle of an arrow is from the middle of the words
const thickness = (weight: number) => 0.05 + 0.95 * weight; // nothing vanishes

const no_minus = (score: number) => (Math.abs(score) < 0.05 ? 0 : score); // no −0.0

/** Two words; above, the arrow of "it" to "cat", below, the arrow back, as thick as their weights. */
function arrows({ scores, other, own }: Series): Diagram {
  const places = [0.6, WIDE - 4.6];
  const boxes = WORDS.map((word, i): Box => {
    const place = { x: places[i], y: MIDDLE - 1, width: 4, height: 2 };
    return {
      name: word,
      ...place,
      text: t(word),
      look: "word",
      colour: "score",
      edge: thickness(own[i]) / 2,
      bold: true,
    };
  });
  const between = [1, -1].map((way, i) => {
    const ends = places.map((x) => x + 2);
    const [from, to] = i === 0 ? ends : [ends[1], ends[0]];
    const edge = MIDDLE - 1.2 * way;
    const top = edge - (4 / 3) * (BOW - 1.2) * way; // a Bézier curve goes three quarters of the way
    const name = `${WORDS[i]} to ${WORDS[1 - i]}`;
    const arrow = wire(name, [from, edge], [from, top], [to, top], [to, edge]);
    const label: Label = {
      name: `${name}: numbers`,
      x: WIDE / 2,
      y: MIDDLE - (BOW + thickness(other[i]) / 2 + 0.7) * way, // beyond the bow
      text: t("score {score:.1f}, weight {weight:.0%}", { score: no_minus(scores[i === 0 ? 1 : 2]), weight: other[i] }),
      colour: "score",
      bold: true,
      over: true,
    };
    return { wire: { ...arrow, curve: true, thick: thickness(other[i]), colour: "score" as const }, label };
  });
  return {
    kind: "diagram",
    name: "arrows",
    title: t("Arrow: weight for the other. Frame: for itself."),
    least: 17,
    most: 24,
    width: WIDE,
    height: 2 * MIDDLE,
    boxes,
    wires: between.map((one) => one.wire),
    labels: between.map((one) => one.label),
  };
}

const TOP = -0.1; // of a strip; its words stand above

/** Each row as a strip of 100 %: for itself, for the other, for the six others. */
function rows({ own, other, rest }: Series): Plot {
  const y = { y1: [TOP, 1 + TOP], y2: [0.45, 1.45] };
  const past = own.map((share, i) => share + other[i]);
  const strip = (
    name: string,
    from: Float64Array,
    to: Float64Array,
    colour: "score" | "soft",
    solid = false,
  ): Mark => ({ mark: "intervals", name, colour, look: solid ? ["solid"] : [], x1: from, x2: to, ...y });
  const named = (name: string, colour: Colour, shares: Float64Array, from: Float64Array, words: string[]): Mark => {
    const seen = [0, 1].filter((i) => shares[i] >= 0.22); // where there is room
    const x = seen.map((i) => from[i] + shares[i] / 2);
    const y = seen.map((i) => i + TOP);
    const said = seen.map((i) => `${words[i]} ${number(shares[i], ".0%")}`);
    return texts(name, colour, x, y, said, "above", { bold: name === "other" });
  };
  const zero = new Float64Array(2);
  const marks: Mark[] = [
    strip("for itself", zero, own, "score"),
    strip("for the other", own, past, "score", true),
    strip(
      "for six others",
      past,
      past.map((at, i) => at + rest[i]),
      "soft",
    ),
    named("itself", "ink", own, zero, [t("itself"), t("itself")]),
    named("other", "score", other, own, [t("cat"), t("it")]),
    named("others", "ink", rest, past, [t("others"), t("others")]),
  ];
  const x = { domain: [0, 1] as [number, number], ticks: ends([0, 0.5, 1]) };
  return plot(
    "rows",
    t("Each word gives 100 %"),
    5.4,
    x,
    slots(
      2,
      WORDS.map((word) => t(word)),
    ),
    marks,
  );
}

const ends = (at: number[]) => at.map((share) => ({ at: share, text: number(share, ".0%") }));

/** Both weights for each other, end to end, and, once it is told, the wall that one matrix never passes. */
function sum({ matrices }: State, { weight_there, weight_back, weight_sum }: Series, told: boolean): Plot {
  const both = weight_there + weight_back;
  const part = (name: string, x1: number, x2: number): Mark => ({
    mark: "intervals",
    name,
    colour: "score",
    look: ["solid"],
    x1: [x1],
    x2: [x2],
    y1: [-0.3],
    y2: [0.3],
  });
  const closed: Mark[] =
    matrices === "one" && told
      ? [
          {
            mark: "intervals",
            name: "out of reach",
            colour: "soft",
            look: ["faint"],
            x1: [1],
            x2: [2],
            y1: [-0.5],
            y2: [0.5],
          },
          texts("never", "soft", [1.5], [0], [t("never, with one matrix")], "on", { bold: false }),
        ]
      : [];
  const wall: Mark[] = told ? [{ mark: "rule", name: "wall", colour: "ink", x: 1, look: ["solid"] }] : [];
  const marks: Mark[] = [
    ...closed,
    part("it for cat", 0, weight_there),
    part("cat for it", weight_there, both),
    {
      mark: "segments",
      name: "where they meet",
      colour: "soft",
      look: ["thick"],
      x1: [weight_there],
      y1: [-0.3],
      x2: [weight_there],
      y2: [0.3],
    },
    ...wall,
  ];
  const x = { domain: [0, 2] as [number, number], ticks: ends([0, 1, 2]) };
  const title = t("Both weights for each other, added: {weight_sum:.0%}", { weight_sum });
  return plot("sum", title, 2.2, x, { domain: [-0.5, 0.5] }, marks);
}
