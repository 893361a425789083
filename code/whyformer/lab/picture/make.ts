// Short ways to write blocks and marks: what is always there first, what is seldom there as `more`.

import type * as P from "./picture.ts";

type More<T> = Partial<Omit<T, "kind" | "mark" | "name">>;

// ---- blocks

export const controls = (...names: string[]): P.Controls => ({ kind: "controls", names });

export const row = (...blocks: P.Block[]): P.Row => ({ kind: "row", blocks });

export const column = (room: P.Room, ...blocks: P.Block[]): P.Column => ({ kind: "column", blocks, ...room });

export const note = (name: string, text: string, tone: P.Note["tone"] = "plain", more: More<P.Note> = {}): P.Note => ({
  kind: "note",
  name,
  text,
  tone,
  ...more,
});

export const legend = (name: string, ...items: P.Legend["items"]): P.Legend => ({ kind: "legend", name, items });

/** A table of rows of words; `current` is the number of the row that stands out. */
export const table = (name: string, rows: P.Item[][], current = -1, more: More<P.Table> = {}): P.Table => ({
  kind: "table",
  name,
  rows: rows.map((items, i) => (i === current ? { items, current: true } : { items })),
  ...more,
});

export const grid = (
  name: string,
  columns: string[],
  rows: string[],
  cells: P.Cell[][],
  more: More<P.Grid> = {},
): P.Grid => ({ kind: "grid", name, columns, rows, cells, ...more });

export const plot = (
  name: string,
  title: string | undefined,
  height: number,
  x: P.Axis,
  y: P.Axis,
  marks: P.Mark[],
  more: More<P.Plot> = {},
): P.Plot => ({ kind: "plot", name, title, height, x, y, marks, ...more });

/** Bars that are dragged, one for each number of a vector control. */
export const dragged = (control: string, title: string, x: P.Axis, y: number[], ticks: number[]): P.Plot => {
  const marks: P.Mark[] = [bars(control, "soft", y, { width: 0.65 }), { mark: "grips", name: "grips", control, y }];
  return plot(control, title, 8.5, x, { domain: [ticks[0], ticks.at(-1)!], ticks }, marks, { least: 7 });
};

/** An axis of n slots, with their names if there are any. */
export const slots = (n: number, names?: string[]): P.Axis => ({
  scale: "cells",
  domain: [-0.5, n - 0.5],
  ticks: names?.map((text, at) => ({ at, text })),
});

/** A square map of n rows and columns, with marks on it. */
export const map = (name: string, title: string, n: number, marks: P.Mark[], more: More<P.Plot> = {}): P.Plot =>
  plot(name, title, 17, slots(n), slots(n), marks, { square: true, least: 10, ...more });

// ---- marks

/** Marks take the two coordinates of points apart. */
export const xs = (points: P.Point[]): number[] => points.map(([x]) => x);
export const ys = (points: P.Point[]): number[] => points.map(([, y]) => y);

export const bars = (name: string, colour: P.Colour, y: P.Numbers, more: More<P.Bars> = {}): P.Bars => ({
  mark: "bars",
  name,
  colour,
  y,
  ...more,
});

export const line = (name: string, colour: P.Colour, x: P.Numbers, y: P.Numbers, more: More<P.Line> = {}): P.Line => ({
  mark: "line",
  name,
  colour,
  x,
  y,
  ...more,
});

export const band = (name: string, colour: P.Colour, x: P.Numbers, low: P.Numbers, high: P.Numbers): P.Band => ({
  mark: "band",
  name,
  colour,
  x,
  low,
  high,
});

export const dots = (name: string, colour: P.Colour, x: P.Numbers, y: P.Numbers, more: More<P.Dots> = {}): P.Dots => ({
  mark: "dots",
  name,
  colour,
  x,
  y,
  ...more,
});

/** The large dot that says where the reader stands. */
export const now = (name: string, colour: P.Colour, x: number, y: number, size = 0.5): P.Dots =>
  dots(name, colour, [x], [y], { look: ["now"], size });

export const rings = (
  name: string,
  colour: P.Colour,
  x: P.Numbers,
  y: P.Numbers,
  size: number,
  square = false,
): P.Rings => ({ mark: "rings", name, colour, x, y, size, square });

/** Dashed, across the plot, at a place of x. */
export const here = (name: string, x: number): P.Rule => ({ mark: "rule", name, x });

export const texts = (
  name: string,
  colour: P.Colour,
  x: P.Texts["x"],
  y: P.Texts["y"],
  words: string[],
  side: P.Texts["side"] = "above",
  more: More<P.Texts> = {},
): P.Texts => ({ mark: "texts", name, colour, x, y, texts: words, side, ...more });

export const heat = (
  name: string,
  colour: P.Colour,
  values: P.Numbers,
  columns: number,
  limit = 1,
  more: More<P.Heat> = {},
): P.Heat => ({ mark: "heat", name, colour, values, columns, limit, ...more });

// ---- diagrams

/** A wire with an arrowhead at its last point. */
export const wire = (name: string, ...points: P.Wire["points"]): P.Wire => ({ name, points });
