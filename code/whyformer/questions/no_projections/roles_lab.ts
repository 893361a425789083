// The roles lab. Twin of roles_lab.py: same series, same names, same order; the picture stands here alone.

import type { States } from "../../lab/declared.ts";
import { bars, controls, note, plot, rings, texts, wire } from "../../lab/picture/make.ts";
import type { Axis, Block, Box, Diagram, Mark, Plot } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { softmax } from "../../maths/softmax.ts";

const WORDS = ["The", "cat", "sat", "because", "it", "was", "tired", "."];
const ALL = WORDS.length + 2; // [CLS] before, [SEP] after
const PLACES = WORDS.map((_, i) => i);
const SEEN = 0.1; // the outline of a smaller weight would cross the numbers
const LIMIT = { who: 10, how: 10, before: 30 }; // of the axis of scores

export type State = States["no_projections/roles"];

type Scores = number[][];
type Data = Record<State["head"], { with: Scores; without: Scores }>;

export type Series = ReturnType<typeof compute>;

export function compute({ head, asks }: State, data: Data) {
  const found = data[head];
  const weights_of = (table: Scores) => softmax(Float64Array.from(table[asks]));
  const inside = (values: ArrayLike<number>) => Float64Array.from(PLACES, (i) => values[i + 1]);
  const column = (table: Scores) => inside(table.map((each) => each[asks]));
  const all = weights_of(found.with);
  const [weights, without] = [inside(all), inside(weights_of(found.without))];
  const first_largest = (values: Float64Array) => values.indexOf(Math.max(...values));
  const [asker, winner] = [asks - 1, first_largest(weights)];
  const partner = first_largest(weights.map((weight, i) => (i === asker ? -1 : weight)));
  const [scores, back] = [inside(found.with[asks]), column(found.with)];
  const scores_without = inside(found.without[asks]);
  return {
    weights,
    weights_without: without,
    scores,
    back,
    scores_without,
    back_without: column(found.without),
    winner,
    largest: weights[winner],
    winner_without: first_largest(without),
    asker,
    own: weights[asker],
    own_without: without[asker],
    partner,
    there: scores[partner],
    return: back[partner],
    there_without: scores_without[partner],
    rest: all[0] + all[ALL - 1],
  };
}

// ---- the picture

export function view({ head }: State, series: Series): Block[] {
  const { asker, partner, scores, back, scores_without, back_without } = series;
  const words = t(
    "Solid: with the matrices. Dashed: without, from 10 % on. [CLS] and [SEP] get the rest, {rest:.0%} with.",
    { rest: series.rest },
  );
  return [
    roles(series),
    weight_panel(series),
    note("rest", words, "aside"),
    score_panel("scores", t("Scores with W_Q and W_K"), partner, LIMIT[head], [asker, scores, back]),
    score_panel("scores without", t("Scores without"), partner, LIMIT.who, [asker, scores_without, back_without]),
    note("both ways", t("Large ring: the asking word's score. Small ring: the score it gets back."), "aside"),
    controls("asks", "head"),
  ];
}

const token_axis = (asker: number): Axis => ({
  scale: "words",
  domain: [0, WORDS.length - 1],
  words: WORDS.map((word) => t(word)),
  asks: asker,
});

/** Bars over the words; the dashed ones are the weights without matrices, where they can be seen. */
function weight_panel({ weights, weights_without, own_without, asker }: Series): Plot {
  const seen = PLACES.filter((i) => weights_without[i] >= SEEN);
  const ghosts = seen.map((i) => weights_without[i]);
  const marks: Mark[] = [
    bars("without", "soft", ghosts, { look: ["dashed"], x: seen, wide: 1.5 }),
    texts("own, without", "soft", [asker], [own_without], [number(own_without, ".0%")], "above", { bold: false }),
    bars("weights", "score", weights, { x: PLACES, wide: 1.5, numbers: ".0%" }),
  ];
  return plot("weights", undefined, 8, token_axis(asker), { domain: [0, 1], ticks: [{ at: 1, text: "" }] }, marks);
}

/** The asking word's score with each word, and what each word's score with it is; one partner has its numbers. */
function score_panel(name: string, title: string, partner: number, limit: number, [asker, there, back]: BothWays) {
  const [low, high] = [there[partner], back[partner]].sort((a, b) => a - b);
  const of_pair = (name: string, score: number, beside: number, side: "above" | "below") =>
    texts(name, "ink", [partner], [score + beside * limit], [number(score, ".2f")], side, { look: ["over"] });
  const marks: Mark[] = [
    rings("asks", "score", PLACES, there, 0.55),
    rings("is asked", "score", PLACES, back, 0.28),
    of_pair("of one pair", high, 0.08, "above"),
    ...(low < high ? [of_pair("back", low, -0.08, "below")] : []),
  ];
  const y: Axis = { domain: [-limit, limit], ticks: [-limit, 0, limit] };
  return plot(name, title, 4.5, token_axis(asker), y, marks, { least: 21 });
}

/** The asking word, its score with each word, and each word's score with it. */
type BothWays = [asker: number, there: Float64Array, back: Float64Array];

const ROLES = [
  { name: "looks for", colour: "query", with: "looks for: x W_Q", without: "looks for: x", width: 6.8 },
  { name: "offers", colour: "key", with: "offers: x W_K", without: "offers: x", width: 6.3 },
  { name: "passes on", colour: "value", with: "passes on: x W_V", without: "passes on: x", width: 7 },
] as const;

/** One token: above, three learned views of it; below, one vector in all three roles. */
function roles({ asker }: Series): Diagram {
  const [high, wide, left, gap, above, below] = [1.6, 4.4, 5.6, 0.4, 0.1, 2.2];
  const middle = (above + below + high) / 2;
  const boxes: Box[] = [
    { name: "token", x: 0.1, y: middle - high / 2, width: wide, height: high, text: t(WORDS[asker]), look: "block" },
  ];
  let x = left;
  for (const role of ROLES) {
    const place = { x, width: role.width, height: high, look: "word" } as const;
    boxes.push({ ...place, name: role.name, y: above, text: t(role.with), colour: role.colour });
    boxes.push({ ...place, name: `${role.name}, without`, y: below, text: t(role.without), look: "place" });
    x += role.width + gap;
  }
  const to = (name: string, y: number) => wire(name, [wide + 0.1, middle], [left, y + high / 2]);
  return {
    kind: "diagram",
    name: "roles",
    width: x - gap + 0.1,
    height: below + high + 0.1,
    boxes,
    wires: [to("with", above), to("without", below)],
    labels: [],
  };
}
