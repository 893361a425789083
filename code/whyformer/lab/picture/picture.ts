// The picture of a lab as data: what `view` returns. Blocks that stand below one another; rows of them stand side by
// side where there is room. Marks are in the units of their panel's axes. No pixels: layout.ts finds room.

import type { Value } from "../declaration.ts";

/** Roles, each with one hue in the whole book (palette.json), two without; and what the scale lab calls its divisors. */
export type Colour = "query" | "key" | "value" | "score" | "gradient" | "gradient-negative" | "ink" | "soft";

export type Numbers = ArrayLike<number>;

export type Point = [x: number, y: number];

/** What a click changes. */
export type Change = Record<string, Value>;

/** Room in a row, in em: at least, at most, and the share of what is left. */
export interface Room {
  least?: number;
  most?: number;
  share?: number;
}

/** What is drawn, and has a name. */
export type Panel = Plot | Grid | Table | Note | Legend | Diagram;

export type Block = Panel | Controls | Buttons | Row | Column;

export interface Row extends Room {
  kind: "row";
  blocks: Block[];
}

export interface Column extends Room {
  kind: "column";
  blocks: Block[];
}

/** Named controls, as one group. */
export interface Controls extends Room {
  kind: "controls";
  names: string[];
  /** What there is to know of them, beside them. */
  text?: string;
}

export interface Buttons extends Room {
  kind: "buttons";
  buttons: { text: string; set: Change; off?: boolean }[];
}

export interface Note extends Room {
  kind: "note";
  name: string;
  text: string;
  tone?: "plain" | "hint" | "aside" | "warning" | "title" | "question" | "formula";
  link?: { text: string; href: string };
}

export interface Legend extends Room {
  kind: "legend";
  name: string;
  items: { text: string; colour?: Colour; look?: Look[] }[];
}

// ---- plots

export interface Tick {
  at: number;
  text?: string;
}

export interface Axis {
  /** "cells": slots of width 1 around 0, 1, 2, ..., on y from the top down. Default: linear. */
  scale?: "linear" | "log" | "sqrt" | "asinh" | "cells" | "words";
  domain: [number, number];
  /** "words": slots as wide as their words need, which stand below as tokens; one of them may be the asking one. */
  words?: string[];
  asks?: number;
  ticks?: (number | Tick)[];
  /** Labels of the ticks stand so many em lower, below a thumb. */
  lower?: number;
  /** The words of another state: their room is kept, so that nothing moves. */
  room_of?: string[];
  /** Lines across the panel at the ticks; default true, except on axes of cells. */
  grid?: boolean;
  label?: string;
  /** The name of a strip beyond the domain, for Infinity. */
  beyond?: string;
}

export interface Plot extends Room {
  kind: "plot";
  name: string;
  title?: string;
  colour?: Colour;
  /** Height in em of the plot without its title; of a square one its largest side. */
  height: number;
  square?: boolean;
  /** Its height in em where the room is wide. */
  taller?: number;
  x: Axis;
  y: Axis;
  marks: Mark[];
  /** Room for the labels of the y axis in em, where plots below one another share an x axis. */
  axis_room?: number;
}

/**
 * The style of a line says the condition: "dashed" what is not divided or taken away, "dash-dotted" the same with
 * something else changed, "dotted" what is too much, and what is as built has none. "hollow": an outline, as scores
 * have beside weights. "over": words with a rim of paper, where they stand over lines.
 */
export type Look =
  "thin" | "thick" | "dashed" | "dash-dotted" | "dotted" | "hollow" | "now" | "faint" | "strong" | "solid" | "over";

interface Drawn {
  name: string;
  colour?: Colour;
  look?: Look[];
}

/** Upright bars at x (default 1, 2, ...), from zero. */
export interface Bars extends Drawn {
  mark: "bars";
  y: Numbers;
  x?: Numbers;
  /** In slots, or with `wide` in em. */
  width?: number;
  wide?: number;
  /** Format of the numbers at the ends of the bars. */
  numbers?: string;
}
export interface Line extends Drawn {
  mark: "line";
  x: Numbers;
  y: Numbers;
  /** Stands at the right end of the line, or in a legend where there is no room. */
  label?: string;
  /** Straight from point to point; the default is a smooth curve that overshoots nowhere. */
  straight?: boolean;
}
export interface Band extends Drawn {
  mark: "band";
  x: Numbers;
  low: Numbers;
  high: Numbers;
}
export interface Dots extends Drawn {
  mark: "dots";
  x: Numbers;
  y: Numbers;
  /** Radius in em. */
  size?: number;
}
export interface Rings extends Drawn {
  mark: "rings";
  x: Numbers;
  y: Numbers;
  /** Radius in em, or in cells where the axes have cells. */
  size: number;
  square?: boolean;
}
export interface Histogram extends Drawn {
  mark: "histogram";
  edges: Numbers;
  y: Numbers;
  outline?: boolean;
}
/** Rectangles. */
export interface Intervals extends Drawn {
  mark: "intervals";
  x1: Numbers;
  x2: Numbers;
  y1: Numbers;
  y2: Numbers;
}
/** A line across the whole panel; "solid" or dashed. */
export interface Rule extends Drawn {
  mark: "rule";
  x?: number;
  y?: number;
}
export interface Segments extends Drawn {
  mark: "segments";
  x1: Numbers;
  y1: Numbers;
  x2: Numbers;
  y2: Numbers;
  tips?: boolean;
}
/** What comes back, as one dashed arrow along x. */
export interface Back extends Drawn {
  mark: "back";
  x1: number;
  x2: number;
  y: number;
}
export interface Polygon extends Drawn {
  mark: "polygon";
  x: Numbers;
  y: Numbers;
}
export interface Circles extends Drawn {
  mark: "circles";
  r: Numbers;
}
/** Words at places; `side` is where they stand of the place. */
export interface Texts extends Drawn {
  mark: "texts";
  x: (number | "left" | "right")[];
  y: (number | "top" | "bottom")[];
  texts: string[];
  side?: "above" | "below" | "left" | "right" | "on";
  /** Size in units of the labels' size. */
  size?: number;
  bold?: boolean;
}
/** A matrix, row after row, on axes of cells. Strength goes with the value, or with its root, over the limit. */
export interface Heat extends Drawn {
  mark: "heat";
  values: Numbers;
  columns: number;
  limit: number;
  root?: boolean;
  negative?: Colour;
  /** Gaps between the cells. */
  gaps?: boolean;
  /** Format of the numbers in the cells, shown where they fit. */
  numbers?: string;
}
/** Squares of given colours, as `rgb(...)`, of so many em, or as large as the distance of two lines allows. */
export interface Swatches extends Drawn {
  mark: "swatches";
  x: Numbers;
  y: Numbers;
  fills: string[];
  size: number;
  framed?: boolean[];
}
/** Handles at the ends of bars at 1, 2, ...: each an entry of a vector control. */
export interface Grips extends Drawn {
  mark: "grips";
  control: string;
  y: Numbers;
}
/**
 * The x axis is a slider: a thumb at one of the values of a control, which is listed, or else a number that moves in
 * steps of `step`. It can be dragged from the whole plot; a native slider lies over the axis. `label` and `said` are what it is called and how its value is read out.
 */
export interface Thumb extends Drawn {
  mark: "thumb";
  control: string;
  values: number[];
  step?: number;
  at: number;
  symbol: string;
  label: string;
  said: string;
}
/**
 * A knob that is dragged along a row of the plot: a control that is a whole number from `least` to `most` stands at
 * x = `from` plus its value. The strip of the row takes the drag; a native slider lies under the knob.
 */
export interface Knob extends Drawn {
  mark: "knob";
  control: string;
  least: number;
  most: number;
  from: number;
  at: number;
  y: number;
  label: string;
  said: string;
}
/**
 * Handles in a plane: an entry of the control `lengths` and the same of the control `angles` (degrees) are dragged
 * together. `entries` says which, by default 0, 1, 2, ...; `names` are what they are called.
 */
export interface Polar extends Drawn {
  mark: "polar";
  lengths: string;
  angles: string;
  entries?: number[];
  names?: string[];
  x: Numbers;
  y: Numbers;
  colours: Colour[];
}

export type Mark =
  | Bars
  | Line
  | Band
  | Dots
  | Rings
  | Histogram
  | Intervals
  | Rule
  | Segments
  | Back
  | Polygon
  | Circles
  | Texts
  | Heat
  | Swatches
  | Grips
  | Thumb
  | Knob
  | Polar;

// ---- numbers in cells

export interface Cell {
  text: string;
  tint?: Colour;
  /** Of the tint, from 0 to 1. */
  strength?: number;
  frame?: Colour;
  bold?: boolean;
  /** Stands below the text, smaller. */
  below?: string;
  /** Nothing stands here, though it may be framed and clicked; or something that does not count. */
  empty?: boolean;
  hatched?: boolean;
  set?: Change;
  /** Of cells that can be chosen: what a screen reader says of it. Its panel is one stop of the tabulator. */
  label?: string;
  chosen?: boolean;
}

export interface Grid extends Room {
  kind: "grid";
  name: string;
  title?: string;
  colour?: Colour;
  /** Heads of the columns; upright where they do not fit. */
  columns: string[];
  /** Above the heads, over so many columns each. */
  groups?: { text: string; span: number }[];
  rows: string[];
  cells: Cell[][];
  /** Frame round a whole row. */
  framed?: (Colour | undefined)[];
  /** Sizes of the cells in em, narrower by one factor where the room is; default as wide as the room. */
  sizes?: { columns: number[]; high: number; heads?: number };
  /** A choice stands in place of the head of a column. */
  pick?: { column: number; control: string };
  /** Width of the row heads in em; default what they need. */
  heads?: number;
  /** In each cell, which is then square, a small map of `size` × `size` weights from 0 to 1, cell after cell. */
  maps?: { values: Numbers; size: number; colour: Colour };
}

export type Item =
  | string
  | { text: string; bold?: boolean; colour?: Colour }
  | { chip: string; label: string }
  | { bar: number; colour: Colour };

export interface Table extends Room {
  kind: "table";
  name: string;
  title?: string;
  head?: string[];
  rows: { items: Item[]; current?: boolean; whole?: boolean }[];
  /** Columns of numbers, set to the right. */
  numeric?: number[];
}

// ---- diagrams: boxes and arrows at places of their own, in units of the type size

export interface Box {
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
  text: string;
  /** "tag": a point to the right, of what asks; "notch": takes the point of a tag, of what answers. */
  look: "part" | "block" | "place" | "word" | "tag" | "notch" | "frame" | "bare";
  pressed?: boolean;
  set?: Change;
  colour?: Colour;
  /** Thickness of the edge, in units. */
  edge?: number;
  bold?: boolean;
}
export interface Wire {
  name: string;
  /** Corners; or with `curve` the four points of a Bézier curve. */
  points: Point[];
  curve?: boolean;
  colour?: Colour;
  tip?: boolean;
  thick?: number;
  faint?: boolean;
}
export interface Label {
  name: string;
  x: number;
  y: number;
  text: string;
  anchor?: "start" | "middle" | "end";
  colour?: Colour;
  bold?: boolean;
  size?: number;
  /** Stands over wires: with a rim of paper round its letters. */
  over?: boolean;
}
export interface Diagram extends Room {
  kind: "diagram";
  name: string;
  title?: string;
  /** Size in units; a unit is an em, or less where the room is narrow. */
  width: number;
  height: number;
  boxes: Box[];
  wires: Wire[];
  labels: Label[];
  discs?: Disc[];
}
/**
 * A numbered disc that is dragged to the left and to the right over a control: where its least and its greatest value
 * stand, and the step of the arrow keys. The whole height from `top` to `bottom` takes the drag.
 */
export interface Disc {
  name: string;
  control: string;
  at: number;
  least: [x: number, value: number];
  most: [x: number, value: number];
  step: number;
  y: number;
  top: number;
  bottom: number;
  text: string;
  label: string;
  said: string;
}

/** What a view is given beside state and series. */
export interface Given {
  /** What Python measured for this lab, if anything. */
  data: any;
  /** A small lab shows a few controls and the main picture. */
  small: boolean;
  /** False only while a step asks: then nothing is drawn that gives the answer away. */
  told: boolean;
}
