// The two-places lab. Twin of two_places_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { bars, column, controls, line, note, now, plot, row, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Mark, Plot, Table } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { stream, uniform } from "../../maths/random.ts";
import { softmax } from "../../maths/softmax.ts";

const N_BOXES = 5;
const PARALLEL = 1e-6;
const AXES = [
  [1, 2, 3],
  [3, -1, 2],
];
const SCORE = 8; // scores run from 0 to SCORE

export type State = States["multi_head/two_places"];

export type Series = ReturnType<typeof compute>;

const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};

/** x (k) times a matrix (k rows, row-major). */
function times(x: ArrayLike<number>, matrix: ArrayLike<number>): Float64Array {
  const columns = matrix.length / x.length;
  return Float64Array.from({ length: columns }, (_, j) => {
    let sum = 0;
    for (let i = 0; i < x.length; i++) sum += x[i] * matrix[i * columns + j];
    return sum;
  });
}

function mirror(head: number): Float64Array {
  const axis = AXES[head];
  const square = dot(axis, axis);
  return Float64Array.from({ length: 9 }, (_, at) => {
    const [i, j] = [Math.floor(at / 3), at % 3];
    return (i === j ? 1 : 0) - (2 * axis[i] * axis[j]) / square;
  });
}

/** Coefficients and error of the best linear estimate of one place: the projection onto the span of the rows. */
function best_read_out(rows: Float64Array[], place: number): { coefficients: [number, number]; error: number } {
  const length = Math.sqrt(dot(rows[0], rows[0]));
  const first = rows[0].map((w) => w / length);
  const on_first = first[place];
  let coefficients: [number, number] = [on_first / length, 0];
  let nearest = first.map((w) => on_first * w);
  if (rows.length === 2) {
    const along = dot(rows[1], first);
    const rest = rows[1].map((w, i) => w - along * first[i]);
    const left = Math.sqrt(dot(rest, rest));
    if (left > PARALLEL * Math.sqrt(dot(rows[1], rows[1]))) {
      const on_second = rest[place] / left;
      nearest = nearest.map((w, i) => w + (on_second * rest[i]) / left);
      coefficients = [(on_first - (on_second * along) / left) / length, on_second / left];
    }
  }
  const residual = nearest.map((w, i) => (i === place ? 1 : 0) - w);
  return { coefficients, error: dot(residual, residual) };
}

export function compute({ heads, first, second, left, right, seed }: State) {
  const n_heads = heads === "one" ? 1 : 2;
  const colours = new Float64Array(3 * N_BOXES);
  for (let box = 0; box < N_BOXES; box++) {
    const key = stream(seed, box);
    for (let c = 0; c < 3; c++) colours[3 * box + c] = 2 * uniform(key, c) - 1;
  }
  const rows = [softmax(first), softmax(second)];
  const blends = rows.map((row) => times(row, colours));
  const found = [left, right].map((place) => best_read_out(rows.slice(0, n_heads), place - 1));
  const values = blends.map((blend, h) => times(blend, mirror(h)));
  const blocks = [0, 1].map((h) => {
    const turn = mirror(h); // W_O of head h, 3 x 6
    return Float64Array.from({ length: 18 }, (_, at) => {
      const [row, column] = [Math.floor(at / 6), at % 6];
      return found[column < 3 ? 0 : 1].coefficients[h] * turn[3 * row + (column % 3)];
    });
  });
  const slots = times([...values[0], ...values[1]], [...blocks[0], ...blocks[1]]);
  const [one, other] = values.map((value, h) => times(value, blocks[h]));
  const drawn = [left, right].map((place, slot) => {
    const off = [0, 1, 2].map((c) => slots[3 * slot + c] - colours[3 * (place - 1) + c]);
    return dot(off, off);
  });
  return {
    colours,
    weights_first: rows[0],
    weights_second: rows[1],
    blends: Float64Array.from([...blends[0], ...blends[1]]),
    read_out: Float64Array.from(found.flatMap(({ coefficients }) => coefficients)),
    slots,
    error_left: 100 * found[0].error,
    error_right: 100 * found[1].error,
    total: 100 * (found[0].error + found[1].error),
    least: n_heads === 1 && left !== right ? 100 : 0,
    drawn_left: 100 * drawn[0],
    drawn_right: 100 * drawn[1],
    difference: Math.max(...slots.map((v, i) => Math.abs(v - (one[i] + other[i])))),
  };
}

// ---- the picture

const BOXES = [1, 2, 3, 4, 5];
const BLEND = 6.1; // where the blend stands on the axis of the boxes
const SCORES: Axis = { domain: [0, SCORE], ticks: [0, 2, 4, 6, 8] };

export function view(state: State, series: Series): Block[] {
  const add: Block = { kind: "buttons", buttons: [{ text: t("Add a second head"), set: { heads: "two" } }] };
  const two = state.heads === "two";
  const read = two
    ? t(
        "Concatenated and times W_O, or each head times its rows of W_O and then added: largest difference {difference:.1g}.",
        series,
      )
    : t("Both slots are multiples of one blend. That is all there is to read.");
  return [
    controls("heads", "seed"),
    row(head_panels(0, state, series), two ? head_panels(1, state, series) : add),
    controls("left", "right"),
    row(column({}, slot_table(state, series), note("read-out", read, "hint")), trade(state, series)),
  ];
}

/** A value as a colour: 0 is middle grey. */
const paint = (values: ArrayLike<number>, at = 0) =>
  `rgb(${[0, 1, 2].map((c) => Math.round(255 * Math.min(1, Math.max(0, 0.5 + 0.5 * values[3 * at + c])))).join(" ")})`;

/** The scores of a head, to be dragged; below them the colours of the boxes, its weights on them, and its blend. */
function head_panels(head: 0 | 1, state: State, series: Series): Block {
  const control = (["first", "second"] as const)[head];
  const [y, places] = [state[control], [...BOXES, BLEND]];
  const at = (line: number) => places.map(() => line);
  const fills = BOXES.map((_, i) => paint(series.colours, i));
  const framed = BOXES.map((box) => box === state.left || box === state.right);
  const weights = [...Array.from(series[`weights_${control}`], (weight) => number(weight, ".2f")), t("weights")];
  const scores: Mark[] = [bars("scores", "plain", y, { width: 0.7 }), { mark: "grips", name: "grips", control, y }];
  const below: Mark[] = [
    { mark: "swatches", name: "boxes", size: 2, x: BOXES, y: at(0), fills, framed },
    { mark: "swatches", name: "blend", size: 2.4, x: [BLEND], y: [0], fills: [paint(series.blends, head)] },
    texts("weights", "scaled", places, at(1), weights, "on"),
  ];
  const title = t("head {h}: drag its scores", { h: head + 1 });
  const x: Axis = { domain: [0.5, 6.7] };
  const named: Axis = { ...x, scale: "cells", ticks: [...BOXES, { at: BLEND, text: t("blend") }] };
  const lines: Axis = { scale: "cells", domain: [-0.7, 1.3] };
  return column(
    {},
    plot(`scores ${head + 1}`, title, 10, x, SCORES, scores, { colour: "plain", axis_room: 1.6 }),
    plot(`colours ${head + 1}`, undefined, 4, named, lines, below, { axis_room: 1.6 }),
  );
}

/** What either slot should hold, what it holds, and how that is made of the heads. */
function slot_table({ heads, left, right }: State, series: Series): Table {
  const rows_of = (slot: number, box: number, drawn: number, missed: number): Table["rows"] => {
    const [a, b] = [2 * slot - 2, 2 * slot - 1].map((at) => Math.round(100 * series.read_out[at]) / 100 + 0);
    const made =
      heads === "one"
        ? t("slot {slot} = {a:.2f} · head 1", { slot, a })
        : t("slot {slot} = ({a:.2f}) · head 1 + ({b:.2f}) · head 2", { slot, a, b });
    const chips = [paint(series.colours, box - 1), paint(series.slots, slot - 1)].map((chip) => ({ chip, label: "" }));
    const average = { text: t("{missed:.0f} %", { missed }), bold: true };
    const items = [t("slot {slot}", { slot }), ...chips, t("{drawn:.0f} %", { drawn }), average];
    return [{ items }, { items: [made], whole: true }];
  };
  return {
    kind: "table",
    name: "slots",
    title: t("What the layer puts out, with the best W_O there is"),
    head: ["", t("should be"), t("is"), t("missed now"), t("on average")],
    rows: [
      ...rows_of(1, left, series.drawn_left, series.error_left),
      ...rows_of(2, right, series.drawn_right, series.error_right),
    ],
  };
}

/** What is missed of either slot. One head cannot enter the triangle, except where both slots hold one box. */
function trade({ left, right }: State, series: Series): Plot {
  const axis: Axis = { domain: [0, 100], ticks: [0, 50, 100] };
  const [x, y] = [t("missed of slot 1, %"), t("missed of slot 2, %")].map((label) => ({ ...axis, label }));
  const dot = now("now", "scaled", series.error_left, series.error_right, 0.55);
  const more = { colour: "scaled", square: true } as const;
  if (left === right) {
    const title = t("Missed: {total:.0f} % together. One box asked twice is one box.", series);
    return plot("missed", title, 15, x, y, [dot], more);
  }
  const words = [t("no single head"), t("gets in here")];
  const marks: Mark[] = [
    { mark: "polygon", name: "no single head", colour: "unscaled", x: [0, 100, 0], y: [0, 0, 100] },
    line("bound", "soft", [0, 100], [100, 0], { look: ["dashed"] }),
    texts("words", "plain", [3, 3], [27, 19], words, "right", { bold: false }),
    dot,
  ];
  return plot("missed", t("Missed: {total:.0f} % together", series), 15, x, y, marks, more);
}
