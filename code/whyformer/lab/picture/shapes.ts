// What is drawn, as data: the end of layout and the beginning of both back ends (screen.ts, svg.ts). Pixels.

import type { Change, Colour } from "./picture.ts";

export type Shape = Path | Word | Group | Image;

export interface Path {
  shape: "path";
  d: string;
  /** Class names of the style sheet. */
  look: string;
  /** Opacity of the fill, thickness of the stroke or a fill of its own, where the class does not say. */
  strength?: number;
  thick?: number;
  fill?: string;
}
export interface Word {
  shape: "text";
  x: number;
  y: number;
  text: string;
  size: number;
  look: string;
  anchor?: "start" | "middle" | "end";
  bold?: boolean;
  /** Degrees. */
  turn?: number;
  href?: string;
}
/** The shapes of one mark, under its name. */
export interface Group {
  shape: "group";
  mark: string;
  shapes: Shape[];
}
/** A heat map: a level from 0 to 255 for each cell, of one colour or, below 128, of another. */
export interface Image {
  shape: "image";
  x: number;
  y: number;
  width: number;
  height: number;
  columns: number;
  levels: Uint8Array;
  colour: Colour;
  negative?: Colour;
}

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A place that can be clicked; with a name it is a button. */
export interface Hit extends Area {
  set: Change;
  label?: string;
  pressed?: boolean;
  /** Of cells of a grid: arrow keys go from one to the next, and the tabulator comes to this one alone. */
  tab?: boolean;
}

/** A native choice that stands in the picture. */
export interface Pick extends Area {
  control: string;
}

/** An upright slider over one entry of a vector control. */
export interface Handle extends Area {
  control: string;
  index: number;
}

/** An area that is a slider over the values of a control: where each stands, from the left; it takes the drag. */
export interface Slide extends Area {
  control: string;
  stops: { at: number; value: number }[];
  now: number;
  /** Where the native slider lies, and what it counts: a listed control counts its values. */
  native: Area & { min: number; max: number; step: number; value: number };
  label: string;
  said: string;
}

/** A point that is dragged round the centre of a plane; `unit` pixels are 1. */
export interface Tip {
  lengths: string;
  angles: string;
  index: number;
  name: string;
  x: number;
  y: number;
  centre: [number, number];
  unit: number;
}

/** One panel with all that is drawn in it. */
export interface Placed {
  name: string;
  width: number;
  height: number;
  /** The panel in words. */
  words: string;
  shapes: Shape[];
  hits: Hit[];
  handles: Handle[];
  tips: Tip[];
  slides: Slide[];
  picks?: Pick[];
}

const round = (value: number) => Math.round(value * 100) / 100;

export const path = (d: string, look: string, more: Partial<Path> = {}): Path => ({ shape: "path", d, look, ...more });

export const text = (x: number, y: number, words: string, size: number, more: Partial<Word> = {}): Word => ({
  shape: "text",
  x: round(x),
  y: round(y),
  text: words,
  size: round(size),
  look: "",
  ...more,
});

export const line_d = (x1: number, y1: number, x2: number, y2: number) =>
  `M${round(x1)},${round(y1)}L${round(x2)},${round(y2)}`;

export const rect_d = (x: number, y: number, width: number, height: number, corner = 0): string => {
  const [left, top, right, bottom] = [round(x), round(y), round(x + width), round(y + height)];
  if (!corner) return `M${left},${top}H${right}V${bottom}H${left}z`;
  const r = round(Math.min(corner, width / 2, height / 2));
  const arc = (a: number, b: number) => `a${r},${r} 0 0 1 ${a * r},${b * r}`;
  return `M${round(left + r)},${top}H${round(right - r)}${arc(1, 1)}V${round(bottom - r)}${arc(-1, 1)}H${round(left + r)}${arc(-1, -1)}V${round(top + r)}${arc(1, -1)}z`;
};

/** Half of what a finger needs, in pixels. */
export const FINGER = 22;

export const circle_d = (x: number, y: number, radius: number): string => {
  const r = round(radius);
  return `M${round(x - r)},${round(y)}a${r},${r} 0 1 0 ${2 * r},0a${r},${r} 0 1 0 ${-2 * r},0`;
};

export { round };
