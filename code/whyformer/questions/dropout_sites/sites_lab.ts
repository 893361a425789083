// The sites lab. Twin of sites_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { column, controls, note, row, table, wire } from "../../lab/picture/make.ts";
import type { Block, Box, Colour, Diagram, Given, Label, Note, Wire } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";

const PLACES = ["embedding", "projections", "attention", "attention_out", "stream", "hidden", "feed_out"] as const;

type Place = (typeof PLACES)[number];

export type State = States["dropout_sites/sites"];

interface Source {
  label: string;
  says: string;
  rates: number[];
  covers: boolean[];
}

type Data = Record<string, Source>;

export type Series = ReturnType<typeof compute>;

const [NEITHER, HIT, MISS, FALSE_ALARM, NOT_JUDGED] = [0, 1, 2, 3, 4];
const NOT_SAID = -1;

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
  const total = (values: Float64Array) => values.reduce((a, b) => a + b, 0);
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
  };
}

// ---- the picture

export function view(state: State, series: Series, { data }: Given): Block[] {
  const source = (data as Data)[state.source];
  const says = source
    ? note("says", t(source.says), "aside")
    : note("covered", t("The sources stay covered until you choose one."), "hint");
  return [
    row(layer(state, series), column({}, ...sheet(series, Boolean(source)), controls("source"), says)),
    ...(source ? overview(state, data) : []),
  ];
}

/** One layer from the bottom up, part by part; a place for dropout says what is asked of it. */
const PARTS: Record<string, string> = {
  sum: "embedding + position",
  embedding: "",
  matrices: "W_Q, W_K, W_V",
  projections: "",
  softmax: "softmax(QKᵀ / √dₖ)",
  attention: "",
  heads: "times V, then W_O",
  attention_out: "",
  "first +": "+",
  stream: "",
  "first norm": "LayerNorm",
  relu: "W₁, then ReLU",
  hidden: "",
  back: "W₂",
  feed_out: "",
  "second +": "+",
  "second norm": "LayerNorm",
};

// Units of the diagram: from part to part, a part (targets of touch are at least 24 px), and where it stands.
const [STEP, HIGH, LEFT, WIDE] = [1.95, 1.5, 1.6, 11.4];

function layer(state: State, series: Series): Diagram {
  const parts = Object.keys(PARTS);
  const [width, height, middle] = [20, parts.length * STEP + 0.2, LEFT + WIDE / 2];
  const y = (part: string) => height - 0.3 - HIGH - parts.indexOf(part) * STEP;
  const boxes = parts.map((name): Box => {
    const box = { name, x: LEFT, y: y(name), width: WIDE, height: HIGH };
    const index = PLACES.indexOf(name as Place) + 1;
    if (index === 0) return { ...box, look: "part", text: t(PARTS[name]) };
    const pressed = state[name as Place] === "yes";
    const text = pressed ? t("{index}: dropout", { index }) : t("{index}: dropout here?", { index });
    return { ...box, look: "place", text, pressed, set: { [name]: pressed ? "no" : "yes" } };
  });
  const into = parts.slice(1).map((part, i) => wire(`into ${part}`, [middle, y(parts[i])], [middle, y(part) + HIGH]));
  const past = (from: string, to: string): Wire => {
    const [start, end, side] = [y(from) + HIGH / 2, y(to) + HIGH / 2, LEFT - 1.1];
    const path = wire(`past, into ${to}`, [LEFT, start], [side, start], [side, end], [LEFT, end]);
    return { ...path, colour: "accent", thick: 0.18 };
  };
  const wires = [...into, past("embedding", "first +"), past("first norm", "second +")];
  const labels = PLACES.map((place, i): Label => {
    const [text, colour] = judged(series, i);
    const said = { text, anchor: "start", colour, bold: Boolean(colour) } as const;
    return { name: `verdict on ${place}`, x: LEFT + WIDE + 0.4, y: y(place) + HIGH / 2, ...said };
  }).filter(({ text }) => text);
  return { kind: "diagram", name: "layer", width, height, least: width, most: width, boxes, wires, labels };
}

/** The judgement of a place in one or two words, its colour in the diagram and its tone in the sheet. */
function judged({ verdict, rates }: Series, i: number): [words: string, colour?: Colour, tone?: Note["tone"]] {
  const rate = rates[i] === NOT_SAID ? t("no rate") : number(rates[i], ".1f");
  if (verdict[i] === HIT) return [t("✓ {rate}", { rate }), "overscaled", "good"];
  if (verdict[i] === MISS) return [t("missed: {rate}", { rate }), "unscaled", "bad"];
  if (verdict[i] === FALSE_ALARM) return [t("✗ not there"), "unscaled", "bad"];
  return [verdict[i] === NOT_JUDGED ? t("outside") : ""];
}

/** The same placing as native switches, one for each place. */
function sheet(series: Series, revealed: boolean): Block[] {
  return PLACES.map((place, i) => {
    const index = note(`number ${i + 1}`, String(i + 1), "title", { least: 1, most: 1 });
    const [words, , tone] = judged(series, i);
    const said = note(`said ${i + 1}`, words || t("none, as you say"), tone ?? "hint", { least: 7, most: 8 });
    return row(index, { ...controls(place), least: 9, most: 24 }, ...(revealed ? [said] : []));
  });
}

/** All sources side by side, once one is uncovered. */
function overview({ source }: State, data: Data): Block[] {
  const shown = (covers: boolean[]) => (rate: number, i: number) =>
    !covers[i] ? "" : rate === 0 ? "–" : rate === NOT_SAID ? "×" : number(rate, ".1f");
  const rows = Object.values(data).map(({ label, rates, covers }) => [t(label), ...rates.map(shown(covers))]);
  const head = [t("dropout at place"), ...PLACES.map((_, i) => String(i + 1))];
  const numeric = PLACES.map((_, i) => i + 1);
  const signs = t("A dash: no dropout. A cross: dropout, no rate given. Empty: outside of what the source describes.");
  return [
    table("sources", rows, Object.keys(data).indexOf(source), { head, numeric, most: 30 }),
    note("signs", signs, "hint"),
  ];
}
