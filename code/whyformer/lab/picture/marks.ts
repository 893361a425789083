// The marks of a plot as shapes: a whole set of bars or dots is one path, so that a move changes few nodes.

import { area, curveLinear, curveMonotoneX, line } from "d3-shape";
import { LABEL } from "./lettering.ts";
import { width_of } from "./measure.ts";
import type { Mark } from "./picture.ts";
import type { Scale } from "./scale.ts";
import { circle_d, FINGER, line_d, path, rect_d, round, text, type Area, type Placed, type Shape } from "./shapes.ts";
import { number } from "../words.ts";

/** What a mark is drawn with. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
  em: number;
  width: number;
  height: number;
  x: Scale;
  y: Scale;
  /** Both axes are of cells. */
  cells: boolean;
  placed: Placed;
  /** Areas of words that stand already. */
  taken: Area[];
}

const list = (values: ArrayLike<number>): number[] => Array.from(values);

export function draw_mark(mark: Mark, box: Box): Shape[] {
  const { x, y, em } = box;
  const look = (kind: string) =>
    [`wf-${kind}`, `wf-${mark.colour ?? "soft"}`, ...(mark.look ?? []).map((name) => `wf-${name}`)].join(" ");
  const one = (d: string, kind: string) => (d ? [path(d, look(kind))] : []);
  switch (mark.mark) {
    case "bars": {
      const half = (mark.wide ? mark.wide * em : (mark.width ?? 0.8) * x.unit) / 2;
      const zero = y(0);
      const d = list(mark.y).map((value, i) => {
        const centre = x(mark.x ? mark.x[i] : i + 1);
        return `M${round(centre - half)},${round(zero)}H${round(centre + half)}V${round(y(value))}H${round(centre - half)}z`;
      });
      return [...one(d.join(""), "bars"), ...(mark.numbers ? ends(mark, mark.numbers, box) : [])];
    }
    case "line": {
      const shape = line<number>(
        (_, i) => x(mark.x[i]),
        (v) => y(v),
      );
      return one(shape.curve(mark.straight ? curveLinear : curveMonotoneX).digits(2)(list(mark.y)) ?? "", "curve");
    }
    case "band": {
      const shape = area<number>(
        (_, i) => x(mark.x[i]),
        (v) => y(v),
        (_, i) => y(mark.high[i]),
      );
      return one(shape.curve(curveMonotoneX).digits(2)(list(mark.low)) ?? "", "band");
    }
    case "dots":
      return one(
        list(mark.x)
          .map((v, i) => circle_d(x(v), y(mark.y[i]), (mark.size ?? 0.26) * em))
          .join(""),
        "dots",
      );
    case "rings": {
      const radius = mark.size * (box.cells ? x.unit : em);
      const d = list(mark.x).map((v, i) =>
        mark.square
          ? rect_d(x(v) - radius, y(mark.y[i]) - radius, 2 * radius, 2 * radius)
          : circle_d(x(v), y(mark.y[i]), radius),
      );
      return one(d.join(""), "ring");
    }
    case "histogram": {
      const zero = round(y(0));
      let d = `M${round(x(mark.edges[0]))},${zero}`;
      list(mark.y).forEach((value, i) => (d += `V${round(y(value))}H${round(x(mark.edges[i + 1]))}`));
      return one(`${d}V${zero}${mark.outline ? "" : "z"}`, mark.outline ? "curve" : "steps");
    }
    case "intervals": {
      const d = list(mark.x1).map((_, i) => {
        const [left, right] = [x(mark.x1[i]), x(mark.x2[i])];
        const edge = (v: number) => y(v) - (v === Infinity ? 0.6 * em : 0); // the strip beyond the domain is inside
        const [top, bottom] = [edge(mark.y1[i]), edge(mark.y2[i])].sort((a, b) => a - b);
        return rect_d(left, top, right - left, bottom - top);
      });
      return mark.look?.includes("faint") ? d.map((each) => path(each, look("band"))) : one(d.join(""), "area");
    }
    case "rule":
      return [
        path(
          mark.x === undefined
            ? line_d(box.left, y(mark.y!), box.right, y(mark.y!))
            : line_d(x(mark.x), box.top, x(mark.x), box.bottom),
          look(mark.look?.includes("solid") ? "rule" : "here"),
        ),
      ];
    case "segments":
      return one(
        list(mark.x1)
          .map((_, i) => segment(mark, i, box))
          .join(""),
        mark.tips ? "arrow" : "curve",
      );
    case "back":
      return back(mark, box);
    case "polygon":
      return one(
        list(mark.x).length
          ? `M${list(mark.x)
              .map((v, i) => `${round(x(v))},${round(y(mark.y[i]))}`)
              .join("L")}z`
          : "",
        "hull",
      );
    case "circles":
      return one(
        list(mark.r)
          .map((r) => circle_d(x(0), y(0), r * x.unit))
          .join(""),
        "circle",
      );
    case "heat":
      return heat(mark, box);
    case "swatches": {
      const side = Math.min(mark.size * em, 0.8 * y.unit);
      return list(mark.x).flatMap((v, i) => {
        const [left, top] = [x(v) - side / 2, y(mark.y[i]) - side / 2];
        const frame = mark.framed?.[i] ? [path(rect_d(left - 3, top - 3, side + 6, side + 6), "wf-asked")] : [];
        return [path(rect_d(left, top, side, side), "wf-swatch", { fill: mark.fills[i] }), ...frame];
      });
    }
    case "grips": {
      const half = 0.36 * x.unit;
      list(mark.y).forEach((_, i) =>
        box.placed.handles.push({
          control: mark.control,
          index: i,
          x: x(i + 1) - x.unit / 2,
          y: box.top - GRIP / 2,
          width: x.unit,
          height: box.bottom - box.top + GRIP,
        }),
      );
      return one(
        list(mark.y)
          .map((v, i) => line_d(x(i + 1) - half, y(v), x(i + 1) + half, y(v)))
          .join(""),
        "grip",
      );
    }
    case "thumb":
      return thumb(mark, box);
    case "knob":
      return knob(mark, box);
    case "polar":
      return list(mark.x).map((v, i) => {
        const at = { x: x(v), y: y(mark.y[i]) };
        const { lengths, angles, entries, names } = mark;
        const index = entries ? entries[i] : i;
        const name = names ? names[i] : `${i + 1}`;
        box.placed.tips.push({ ...at, lengths, angles, index, name, centre: [x(0), y(0)], unit: x.unit });
        return path(circle_d(at.x, at.y, Math.min(1.1 * em, 0.5 * x.unit)), `wf-tip wf-${mark.colours[i]}`);
      });
    case "texts":
      return [];
  }
}

/** Height of the native thumb of a handle, so that it stands exactly where the bar ends. */
const GRIP = 16;

type Of<K extends Mark["mark"]> = Extract<Mark, { mark: K }>;

/** Numbers beyond the ends of bars, in type that fits the distance of the bars. */
function ends({ x: at, y: values }: Of<"bars">, format: string, { x, y, em }: Box): Shape[] {
  const texts = list(values).map((value) => number(value, format));
  const widest = Math.max(0.1, ...texts.map((words) => width_of(words)));
  const size = Math.min(LABEL * em, (0.95 * x.unit) / widest);
  return texts.map((words, i) => {
    const down = values[i] < 0 ? 0.4 * em + 0.75 * size : -0.4 * em;
    return text(x(at ? at[i] : i + 1), y(values[i]) + down, words, size, { anchor: "middle", look: "wf-cell wf-over" });
  });
}

/** A straight line, with a tip at its end if asked for; where it has no length, a dash. */
function segment(mark: Of<"segments">, i: number, { x, y, em }: Box): string {
  const [x1, y1, x2, y2] = [x(mark.x1[i]), y(mark.y1[i]), x(mark.x2[i]), y(mark.y2[i])];
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (!mark.tips) return line_d(x1, y1, x2, y2);
  if (length < 0.5) return line_d(x1 - 0.3 * em, y1, x1 + 0.3 * em, y1);
  const head = Math.min(0.6 * em, 0.5 * length);
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const wing = (side: number) =>
    `${round(x2 - head * ux - side * 0.6 * head * uy)},${round(y2 - head * uy + side * 0.6 * head * ux)}`;
  return `${line_d(x1, y1, x2, y2)}M${wing(1)}L${round(x2)},${round(y2)}L${wing(-1)}`;
}

/** A dashed line and a head, which is shorter where the whole is. */
function back({ x1, x2, y: at, colour = "gradient" }: Of<"back">, { x, y, em }: Box): Shape[] {
  const [from, to, middle] = [x(x1), x(x2), y(at)].map(round);
  const way = Math.sign(to - from);
  const head = Math.min(0.95 * em, Math.abs(to - from));
  const neck = round(to - way * head);
  const wing = round(0.6 * Math.min(0.95 * em, head + 0.3 * em));
  const tip = `M${neck},${middle - wing}L${to},${middle}L${neck},${middle + wing}z`;
  return [
    path(line_d(from, middle, neck, middle), `wf-back-line wf-${colour}`, { thick: round(0.36 * em) }),
    path(tip, `wf-wire-tip wf-${colour}`),
  ];
}

/** Radius of a thumb in em. */
export const KNOB = 0.85;

/** The axis as a track, and on it a thumb with a point to each side. */
function thumb({ control, values, step, at, symbol, label, said }: Of<"thumb">, box: Box): Shape[] {
  const { left, right, top, bottom, em, x, placed } = box;
  const px = x(at);
  const stops = values.map((value) => ({ at: x(value), value }));
  const [y, height] = [top, bottom - top + Math.max(FINGER, KNOB * em)];
  const [wide, count] = [{ x: left - KNOB * em, width: right - left + 2 * KNOB * em }, values.length - 1];
  const counts = step
    ? { min: values[0], max: values[count], step, value: at }
    : { min: 0, max: count, step: 1, value: values.indexOf(at) }; // as the field of a listed control does
  const native = { ...wide, y: bottom - FINGER, height: 2 * FINGER, ...counts };
  placed.slides.push({ control, stops, now: at, label, said, native, ...wide, y, height });
  const [near, far, up] = [0.2 * em, 0.48 * em, 0.28 * em];
  const point = (side: number) =>
    `M${round(px + side * near)},${round(bottom - up)}L${round(px + side * far)},${round(bottom)}L${round(px + side * near)},${round(bottom + up)}`;
  return [
    path(line_d(left, bottom, right, bottom), "wf-track"),
    path(circle_d(px, bottom, KNOB * em), "wf-knob"),
    path(point(-1) + point(1), "wf-knob-points"),
    text(left - KNOB * em - 0.3 * em, bottom + 0.35 * em, symbol, em, { anchor: "end", bold: true, look: "wf-cell" }),
  ];
}

/** A disc with a point to each side that it can go to. */
function knob({ control, least, most, from, at, y: row, colour, label, said }: Of<"knob">, box: Box): Shape[] {
  const { em, x, y, placed } = box;
  const [px, py] = [x(from + at), y(row)];
  const stops = Array.from({ length: most - least + 1 }, (_, i) => ({ at: x(from + least + i), value: least + i }));
  const [first, last] = [stops[0].at, stops.at(-1)!.at];
  const strip = { x: first - FINGER, y: py - FINGER, width: last - first + 2 * FINGER, height: 2 * FINGER };
  const counts = { min: least, max: most, step: 1, value: at };
  const native = { x: px - FINGER, y: py - FINGER, width: 2 * FINGER, height: 2 * FINGER, ...counts };
  placed.slides.push({ control, stops, now: at, label, said, native, ...strip });
  const [near, far, up] = [0.8 * em, 1.05 * em, 0.25 * em];
  const point = (side: number) =>
    `M${round(px + side * near)},${round(py - up)}L${round(px + side * far)},${round(py)}L${round(px + side * near)},${round(py + up)}`;
  return [
    path(line_d(first, py, last, py), "wf-track"),
    path(circle_d(px, py, 0.6 * em), `wf-dots wf-${colour}`),
    path((at > least ? point(-1) : "") + (at < most ? point(1) : ""), "wf-disc-points"),
  ];
}

/** Its cells on axes of cells, else the whole panel. */
function heat_place({ values, columns }: Of<"heat">, { left, top, right, bottom, x, y, cells }: Box) {
  const [width, height] = cells
    ? [x(columns - 0.5) - left, y(values.length / columns - 0.5) - top]
    : [right - left, bottom - top];
  return { x: round(left), y: round(top), width: round(width), height: round(height) };
}

function heat(mark: Of<"heat">, box: Box): Shape[] {
  const { values, columns, limit, root, negative } = mark;
  const levels = new Uint8Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const share = Math.min(1, Math.abs(values[i]) / limit);
    const strength = root ? Math.sqrt(share) : share;
    levels[i] = negative ? Math.round(128 + Math.sign(values[i]) * 127 * strength) : Math.round(255 * strength);
  }
  const place = heat_place(mark, box);
  const image: Shape = { shape: "image", ...place, columns, levels, colour: mark.colour ?? "soft", negative };
  const gaps = mark.gaps ? [path(gaps_d(image), "wf-gap")] : [];
  if (!mark.numbers) return [image, ...gaps];
  const size = Math.min(LABEL * box.em, 0.6 * box.y.unit);
  const texts = list(values).map((value) =>
    Math.abs(value) < 5e-4 ? "0" : number(value, mark.numbers!).replace(/^(−?)0\./, "$1."),
  );
  if (size < 0.6 * box.em || texts.some((words) => width_of(words) * size > 0.94 * box.x.unit)) return [image, ...gaps];
  const words = texts.map((each, i) =>
    text(box.x(i % columns), box.y(Math.floor(i / columns)) + 0.35 * size, each, size, {
      anchor: "middle",
      look: "wf-cell",
    }),
  );
  return [image, ...gaps, ...words];
}

/** Lines between the cells of a heat map. */
function gaps_d({ x, y, width, height, columns, levels }: Extract<Shape, { shape: "image" }>): string {
  const rows = levels.length / columns;
  const between = (n: number) => Array.from({ length: n - 1 }, (_, i) => (i + 1) / n);
  return [
    ...between(columns).map((share) => line_d(x + share * width, y, x + share * width, y + height)),
    ...between(rows).map((share) => line_d(x, y + share * height, x + width, y + share * height)),
  ].join("");
}
