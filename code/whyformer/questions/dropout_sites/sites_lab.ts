// The sites lab. Twin of sites_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { column, controls, grid, note, row, wire } from "../../lab/picture/make.ts";
import type { Block, Box, Cell, Colour, Diagram, Given, Grid, Label, Wire } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { total } from "../../maths/sums.ts";

const PLACES = ["embedding", "projections", "attention", "attention_out", "stream", "hidden", "feed_out"] as const;

type Place = (typeof PLACES)[number];

export type State = States["dropout_sites/sites"];

interface Source {
  label: string;
  short: string;
  says: string;
  rates: number[];
  covers: boolean[];
}

type Data = Record<string, Source>;

export type Series = ReturnType<typeof compute>;

const [NEITHER, HIT, MISS, FALSE_ALARM, NOT_JUDGED] = [0, 1, 2, 3, 4];

export function compute(state: State, data: Data) {
  const found: Source | undefined = data[state.source];
  const placed = Float64Array.from(PLACES, (place) => Number(state[place] === "yes"));
  const rates = Float64Array.from(PLACES, (_, i) => found?.rates[i] ?? 0);
  const has = rates.map((rate) => Number(rate !== 0));
  const verdict = placed.map((mine, i) => {
    if (!found) return NEITHER;
    if (!found.covers[i]) return NOT_JUDGED;
    return mine ? (has[i] ? HIT : FALSE_ALARM) : has[i] ? MISS : NEITHER;
  });
  const having = (i: number) => Object.values(data).filter(({ rates }) => rates[i] !== 0).length;
  const count = (kind: number) => verdict.filter((v) => v === kind).length;
  return {
    placed,
    has,
    rates,
    verdict,
    chosen: Object.keys(data).indexOf(state.source) + 1,
    n_placed: total(placed),
    n_has: total(has),
    hits: count(HIT),
    misses: count(MISS),
    false_alarms: count(FALSE_ALARM),
    n_sources: Object.keys(data).length,
    n_lists: lists(data),
    have_embedding: having(0),
    have_projections: having(1),
    have_attention: having(2),
    have_attention_out: having(3),
    have_stream: having(4),
    have_hidden: having(5),
    have_feed_out: having(6),
  };
}

/** How many lists the sources have; what one of two cannot speak about does not tell them apart. */
function lists(data: Data): number {
  const firsts: Source[] = [];
  const alike = (a: Source, b: Source) =>
    PLACES.every((_, i) => !a.covers[i] || !b.covers[i] || (a.rates[i] !== 0) === (b.rates[i] !== 0));
  for (const source of Object.values(data)) if (!firsts.some((first) => alike(first, source))) firsts.push(source);
  return firsts.length;
}

// ---- the picture

export function view(state: State, series: Series, { data }: Given): Block[] {
  const source = (data as Data)[state.source];
  const says = source
    ? note("says", t(source.says), "aside")
    : note("covered", t("The sources stay covered until you choose one."), "hint");
  return [
    row(layer(state, series), column({ least: 16 }, controls("source"), says, controls(...PLACES))),
    ...(source ? [overview(state, data)] : []),
  ];
}

/** One layer from the bottom up, part by part, each with the place of what it gives, if that is asked for. */
const PARTS: [name: string, words: string, place?: Place][] = [
  ["sum", "embedding + position", "embedding"],
  ["matrices", "W_Q, W_K, W_V", "projections"],
  ["softmax", "softmax(QKᵀ / √dₖ)", "attention"],
  ["heads", "times V, then W_O", "attention_out"],
  ["first +", "+", "stream"],
  ["first norm", "LayerNorm"],
  ["relu", "W₁, then ReLU", "hidden"],
  ["back", "W₂", "feed_out"],
  ["second +", "+, then LayerNorm"],
];

// Units of the diagram: from part to part, a part, a place beside it (24 px high, for fingers), and where they stand.
const [STEP, HIGH, LEFT, WIDE, BESIDE, PLACE] = [1.98, 1.68, 1.3, 9.42, 0.5, 5.9];

function layer(state: State, series: Series): Diagram {
  const [width, height, middle] = [22.2, PARTS.length * STEP, LEFT + WIDE / 2];
  const y = (i: number) => height - 0.1 - HIGH - i * STEP;
  const at = (name: string) => PARTS.findIndex(([part]) => part === name);
  const boxes: Box[] = [];
  const wires: Wire[] = [];
  const labels: Label[] = [];
  PARTS.forEach(([name, words, place], i) => {
    boxes.push({ name, x: LEFT, y: y(i), width: WIDE, height: HIGH, look: "part", text: t(words) });
    if (i > 0) wires.push(wire(`into ${name}`, [middle, y(i - 1)], [middle, y(i) + HIGH]));
    if (!place) return;
    const index = PLACES.indexOf(place);
    const pressed = state[place] === "yes";
    const text = pressed ? t("{index}: dropout", { index: index + 1 }) : t("{index}: dropout?", { index: index + 1 });
    const [x, centre] = [LEFT + WIDE + BESIDE, y(i) + HIGH / 2];
    const set = { [place]: pressed ? "no" : "yes" };
    boxes.push({ name: place, x, y: y(i), width: PLACE, height: HIGH, look: "place", text, pressed, set });
    wires.push({ ...wire(`to ${place}`, [LEFT + WIDE, centre], [x, centre]), tip: false });
    const [said, colour] = judged(series, index);
    const more = { text: said, anchor: "start", colour, bold: Boolean(colour) } as const;
    if (said) labels.push({ name: `verdict on ${place}`, x: x + PLACE + 0.3, y: centre, ...more });
  });
  const past = (from: string, to: string): Wire => {
    const [start, end, side] = [y(at(from)) + HIGH / 2, y(at(to)) + HIGH / 2, LEFT - 1.1];
    const path = wire(`past, into ${to}`, [LEFT, start], [side, start], [side, end], [LEFT, end]);
    return { ...path, colour: "ink", thick: 0.18 };
  };
  wires.push(past("sum", "first +"), past("first norm", "second +"));
  return { kind: "diagram", name: "layer", width, height, least: width, most: 1.4 * width, boxes, wires, labels };
}

/** The judgement of a place in one or two words, and its colour in the diagram. */
function judged({ verdict, rates }: Series, i: number): [words: string, colour?: Colour] {
  const rate = number(rates[i], ".1f");
  if (verdict[i] === HIT) return [t("✓ {rate}", { rate }), "ink"];
  if (verdict[i] === MISS) return [t("missed: {rate}", { rate }), "ink"];
  if (verdict[i] === FALSE_ALARM) return [t("✗ not there"), "ink"];
  return [verdict[i] === NOT_JUDGED ? t("outside") : ""];
}

const NAMES = ["1 embedding sum", "2 q, k, v", "3 weights", "4 attention", "5 sum after +", "6 ReLU", "7 feed-forward"];

/** All sources side by side, once one is uncovered. */
function overview({ source }: State, data: Data): Grid {
  const title = t("Rates; –: no dropout; empty: outside of it");
  const cells = PLACES.map((_, i) =>
    Object.entries(data).map(([name, { rates, covers }]): Cell => {
      const frame = name === source ? "ink" : undefined;
      if (!covers[i]) return { text: "", frame };
      if (rates[i] === 0) return { text: t("–"), frame };
      const text = number(rates[i], ".1f");
      return { text, tint: "soft", strength: 0.45, frame };
    }),
  );
  const heads = Object.values(data).map(({ short }) => t(short));
  return grid(
    "sources",
    heads,
    NAMES.map((name) => t(name)),
    cells,
    { title },
  );
}
