// The two-places lab. Twin of two_places_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { bars, column, controls, line, note, now, plot, row, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Mark, Plot } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { stream, uniform } from "../../maths/random.ts";
import { softmax } from "../../maths/softmax.ts";

const N_BOXES = 5;
const PARALLEL = 1e-6;
const N_NUMBERS = 6; // in a box: a colour of three on top, another at the bottom
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

/** Which heads read the tops, and which the bottoms. */
const READS = {
  one: [[0], [0]],
  half: [[0], [1]],
  two: [
    [0, 1],
    [0, 1],
  ],
};

export function compute({ heads, asked, first, second, left, right, seed }: State) {
  const reads = READS[heads];
  const parts =
    asked === "whole"
      ? [
          [0, 1],
          [0, 1],
        ]
      : [[0], [1]]; // of each slot
  const colours = new Float64Array(N_NUMBERS * N_BOXES);
  for (let box = 0; box < N_BOXES; box++) {
    const key = stream(seed, box);
    for (let c = 0; c < N_NUMBERS; c++) colours[N_NUMBERS * box + c] = 2 * uniform(key, c) - 1;
  }
  const rows = [softmax(first), softmax(second)];
  const blends = rows.map((row, head) =>
    times(row, colours).map((value, column) => (reads[column < 3 ? 0 : 1].includes(head) ? value : 0)),
  );
  /** Of a slot, its top and its bottom: the factor of each head, and what is missed. */
  const found = [left, right].map((place, slot) =>
    [0, 1].map((part) => {
      const factors = [0, 0];
      if (!parts[slot].includes(part)) return { factors, error: 0 };
      const best = best_read_out(
        reads[part].map((head) => rows[head]),
        place - 1,
      );
      reads[part].forEach((head, at) => (factors[head] = best.coefficients[at]));
      return { factors, error: (100 * best.error) / parts[slot].length };
    }),
  );
  const slots = new Float64Array(2 * N_NUMBERS);
  const read_out = new Float64Array(4);
  for (const slot of [0, 1])
    for (const head of [0, 1]) {
      const by_part = found[slot].map(({ factors }) => factors[head]);
      read_out[2 * slot + head] = by_part[0] || by_part[1];
      for (let column = 0; column < N_NUMBERS; column++)
        slots[N_NUMBERS * slot + column] += by_part[column < 3 ? 0 : 1] * blends[head][column];
    }
  const [error_left, error_right] = found.map(([top, bottom]) => top.error + bottom.error);
  const enough = left === right || heads === "two" || (heads === "half" && asked === "parts");
  const count = (lists: number[][]) => 3 * lists.flat().length;
  return {
    colours,
    weights_first: rows[0],
    weights_second: rows[1],
    blends: Float64Array.from([...blends[0], ...blends[1]]),
    read_out,
    slots,
    error_left,
    error_right,
    total: error_left + error_right,
    least: enough ? 0 : 100,
    numbers: count(reads),
    wanted: count(parts),
    largest_first: Math.max(...rows[0]),
    largest_second: Math.max(...rows[1]),
  };
}

// ---- the picture

const BOXES = [1, 2, 3, 4, 5];
const ROOM = { least: 8.3, most: 14 };
const BLEND = 6.1; // where the blend stands on the axis of the boxes
const SCORES: Axis = { domain: [0, SCORE], ticks: [0, 2, 4, 6, 8] };

export function view(state: State, series: Series): Block[] {
  const two = state.heads !== "one";
  return [
    controls("heads", "asked"),
    row(
      head_panels(0, state, series),
      ...(two ? [head_panels(1, state, series)] : []),
      column(ROOM, trade(state, series), slot_panel(state, series)),
    ),
    note("read-out", made(state, series), "hint"),
    controls("left", "right", "seed"),
  ];
}

/** Three values as a colour: 0 is middle grey. */
const paint = (values: ArrayLike<number>, at: number) =>
  `rgb(${[0, 1, 2].map((c) => Math.round(255 * Math.min(1, Math.max(0, 0.5 + 0.5 * values[3 * at + c])))).join(" ")})`;

/** Squares on one line: 0 for the tops, 1 for the bottoms below them. */
const swatches = (name: string, x: number[], part: number, fills: string[], framed?: boolean[]): Mark => ({
  mark: "swatches",
  name,
  size: 1.3,
  x,
  y: x.map(() => part),
  fills,
  framed,
});

/** The scores of a head, to be dragged; below them what it reads of the boxes, its weights on them, and its blend. */
function head_panels(head: 0 | 1, state: State, series: Series): Block {
  const control = (["first", "second"] as const)[head];
  const { left, right, asked } = state;
  const y = state[control];
  const parts = [0, 1].filter((part) => READS[state.heads][part].includes(head));
  const wanted = (box: number, part: number) =>
    asked === "whole" ? box === left || box === right : box === (part === 0 ? left : right);
  const weights = Array.from(series[`weights_${control}`], (weight) => number(100 * weight, ".0f"));
  const scores: Mark[] = [
    bars("scores", "score", y, { width: 0.7, look: ["hollow"] }),
    { mark: "grips", name: "grips", control, y },
  ];
  const below: Mark[] = parts.flatMap((part) => {
    const fills = BOXES.map((_, i) => paint(series.colours, 2 * i + part));
    const framed = BOXES.map((box) => wanted(box, part));
    return [
      swatches(["tops", "bottoms"][part], BOXES, part, fills, framed),
      swatches(["blend of tops", "blend of bottoms"][part], [BLEND], part, [paint(series.blends, 2 * head + part)]),
    ];
  });
  const at = BOXES.map(() => 2);
  below.push(texts("weights", "score", BOXES, at, weights, "on"));
  const read =
    parts.length === 2 ? t("boxes, weights in %") : head === 0 ? t("tops, weights in %") : t("bottoms, weights in %");
  const title = t("head {h}: drag", { h: head + 1 });
  const x: Axis = { domain: [0.5, 6.7] };
  const named: Axis = { ...x, scale: "cells", ticks: [...BOXES, { at: BLEND, text: t("blend") }] };
  const lines: Axis = { scale: "cells", domain: [-0.6, 2.4] };
  return column(
    { least: 8.3, share: 2 },
    plot(`scores ${head + 1}`, title, 8, x, SCORES, scores, { colour: "score", axis_room: 1.6 }),
    plot(`colours ${head + 1}`, read, 5.5, named, lines, below, { axis_room: 1.6 }),
  );
}

/** What either slot should hold and what it gets: tops above bottoms, and nothing where nothing is asked. */
function slot_panel({ asked, left, right }: State, series: Series): Plot {
  const marks = [0, 1].map((part) => {
    const here = asked === "whole" ? [0, 1] : [part];
    const fills = here.flatMap((slot) => [
      paint(series.colours, 2 * ([left, right][slot] - 1) + part),
      paint(series.slots, 2 * slot + part),
    ]);
    const x = here.flatMap((slot) => [1 + 3 * slot, 2 + 3 * slot]);
    return swatches(["tops", "bottoms"][part], x, part, fills);
  });
  const names = texts("names", "ink", [1.5, 4.5], [2, 2], [t("slot 1"), t("slot 2")], "on", { bold: false });
  return plot(
    "slots",
    t("wanted and got"),
    4.9,
    { scale: "cells", domain: [0.2, 5.8] },
    { scale: "cells", domain: [-0.6, 2.4] },
    [...marks, names],
  );
}

/** How the slots are made of the heads. */
function made({ heads, asked }: State, { read_out }: Series): string {
  const [a, b, c, d] = Array.from(read_out, (factor) => Math.round(100 * factor) / 100 + 0);
  if (heads === "one")
    return t("Slot 1 is {a:.2f} times head 1, slot 2 is {c:.2f} times head 1: two multiples of one blend.", { a, c });
  if (heads === "half" && asked === "parts")
    return t("Slot 1 is {a:.2f} times head 1, slot 2 is {d:.2f} times head 2.", { a, d });
  if (heads === "half")
    return t("Tops: {a:.2f} and {c:.2f} times head 1. Bottoms: {b:.2f} and {d:.2f} times head 2.", { a, b, c, d });
  return t("Slot 1 = ({a:.2f}) · head 1 + ({b:.2f}) · head 2, slot 2 = ({c:.2f}) · head 1 + ({d:.2f}) · head 2.", {
    a,
    b,
    c,
    d,
  });
}

/** What is missed of either slot. Where 100 % is the least, nothing gets into the triangle. */
function trade({ left, right }: State, series: Series): Plot {
  const axis: Axis = { domain: [0, 100], ticks: [0, 50, 100] };
  const [x, y] = [t("of slot 1, %"), t("of slot 2, %")].map((label) => ({ ...axis, label }));
  const marks: Mark[] = [now("now", "ink", series.error_left, series.error_right, 0.55)];
  if (series.least > 0)
    marks.unshift(
      { mark: "polygon", name: "out of reach", colour: "soft", x: [0, 100, 0], y: [0, 0, 100] },
      line("bound", "soft", [0, 100], [100, 0], { look: ["dashed"] }),
    );
  const title =
    left === right
      ? t("Missed: {total:.0f} % together. One box asked twice is one box.", series)
      : t("Missed: {total:.0f} % together", series);
  return plot("missed", title, 11.5, x, y, marks, { square: true, ...ROOM });
}
