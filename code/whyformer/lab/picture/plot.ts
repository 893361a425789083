// A plot: room for its title, axes and labels, then its marks.

import { SIZES, type Kept, type Sizes } from "./memo.ts";
import { LABEL, LINE, title_of } from "./lettering.ts";
import { draw_mark, KNOB, type Box } from "./marks.ts";
import { width_of } from "./measure.ts";
import type { Line, Mark, Plot, Texts, Tick } from "./picture.ts";
import { scale_of } from "./scale.ts";
import { HIGH, token, token_size } from "./tokens.ts";
import { line_d, path, text, type Area, type Placed, type Shape, type Word } from "./shapes.ts";
import { number } from "../words.ts";

/** In em: from this width on a plot has the height for wide rooms. */
const WIDE = 30;
const DENSE = 1.12; // of the pitch of cells: words in lines so close do not touch yet

interface Named {
  at: number;
  text: string;
}

const named = (ticks: (number | Tick)[] = []): Named[] =>
  ticks.map((tick) => {
    const { at, text: words } = typeof tick === "number" ? { at: tick, text: undefined } : tick;
    return { at, text: words ?? number(at, "") };
  });

/** Every so many-th of the ticks, so that no two texts touch. */
function thinned(ticks: Named[], place: (tick: Named) => [from: number, to: number], gap: number): Named[] {
  for (let stride = 1; stride <= ticks.length; stride++) {
    const some = ticks.filter((_, i) => i % stride === 0);
    const spans = some.map(place).sort((a, b) => a[0] - b[0]);
    if (spans.every(([from], i) => i === 0 || from >= spans[i - 1][1] + gap)) return some;
  }
  return ticks.slice(0, 1);
}

/** Marks that leave more than their shapes: handles, which are made anew with their panel. */
const HANDLED = new Set<string>(["grips", "knob", "polar", "thumb"] satisfies Mark["mark"][]);

const label_of = (mark: Plot["marks"][number]): string | undefined => (mark.mark === "line" ? mark.label : undefined);

/** How many lines the title of a plot takes. */
export const title_lines = ({ title, colour }: Plot, width: number, em: number): number =>
  title ? Math.round((title_of(title, colour, width, em).height / em - 0.35) / LINE) : 0;

export function place_plot(plot: Plot, width: number, em: number, kept: Kept | Sizes, least_lines = 0): Placed {
  const size = LABEL * em;
  const titled = title_of(plot.title, plot.colour, width, em);
  titled.height = Math.max(titled.height, least_lines && (least_lines * LINE + 0.35) * em);
  const x_ticks = named(plot.x.ticks);
  const y_ticks = named(plot.y.ticks);
  const labelled = plot.marks.filter(label_of) as (Line & { label: string })[];
  const widest = Math.max(0, ...labelled.map((line) => width_of(line.label, true) * size));
  const at_ends = widest > 0 && widest + 0.6 * em <= 0.4 * width;
  const legend = widest > 0 && !at_ends ? legend_of(labelled, width, em) : undefined;

  const y_names = plot.y.beyond
    ? [...y_ticks.map((tick) => tick.text), plot.y.beyond]
    : y_ticks.map((tick) => tick.text);
  const left = plot.axis_room
    ? plot.axis_room * em
    : y_names.length
      ? Math.max(...y_names.map((name) => width_of(name) * size)) + 0.5 * em
      : plot.x.scale === "cells" || !x_ticks.length
        ? 0
        : 0.5 * em;
  const last = x_ticks.at(-1);
  const overhang = last && plot.x.scale !== "cells" ? (width_of(last.text) * size) / 2 : 0;
  const has_thumb = plot.marks.some((mark) => mark.mark === "thumb");
  const right = at_ends
    ? Math.ceil((widest + 0.7 * em) / (0.5 * em)) * 0.5 * em
    : Math.max(0.4 * em, overhang * 0.9, has_thumb ? KNOB * em : 0);
  const numbers = plot.marks.some((mark) => mark.mark === "bars" && mark.numbers) ? 0.9 * em : 0;
  const top =
    titled.height +
    (legend?.height ?? 0) +
    (plot.y.label ? 1.35 * em : 0.55 * em) +
    (plot.y.beyond ? 1.9 * em : 0) +
    numbers;

  let inner = width - left - right;
  let tall = (width > WIDE * em ? (plot.taller ?? plot.height) : plot.height) * em;
  if (plot.square) inner = tall = Math.min(inner, tall);
  const [x_cells, y_cells] = [plot.x, plot.y].map(({ scale, domain }) =>
    scale === "cells" ? domain[1] - domain[0] : 0,
  );
  const turned = x_cells > 0 && x_ticks.some((tick) => width_of(tick.text) * size > (0.98 * inner) / x_cells);
  const tick_size = turned ? Math.min(size, (DENSE * inner) / x_cells) : size;
  const words = plot.x.words ?? plot.x.room_of;
  const words_size = words ? token_size(words, inner, em) : 0;
  const tick_room = words_size
    ? HIGH * words_size + 0.55 * em
    : !x_ticks.length
      ? 0.35 * size + (plot.y.domain[0] < 0 ? numbers : 0)
      : turned
        ? Math.max(...x_ticks.map((tick) => width_of(tick.text) * tick_size)) + 0.7 * em
        : (1.5 + (plot.x.lower ?? 0)) * em;
  const bottom_room = tick_room + (plot.x.label && !plot.x.room_of ? 1.25 * em : 0);
  const height = top + tall + bottom_room;
  const area = { left, top, right: left + inner, bottom: top + tall };
  const placed: Placed = {
    name: plot.name,
    width,
    height: Math.ceil(height),
    words: [plot.title, plot.x.label, plot.y.label].filter(Boolean).join("; "),
    shapes: [...titled.shapes],
    hits: [],
    handles: [],
    tips: [],
    slides: [],
  };
  if (kept === SIZES) return placed;
  const x = scale_of(plot.x, area.left, area.right);
  const y = y_cells
    ? scale_of(plot.y, area.top, area.bottom)
    : scale_of(plot.y, area.bottom, area.top, area.top - 1.1 * em);
  const box: Box = { ...area, em, width, height, x, y, cells: x_cells * y_cells > 0, placed, taken: [] };

  if (legend) placed.shapes.push(...legend.shapes.map((shape) => moved(shape, titled.height)));
  const room = [area, em, width, height];
  const group = (mark: string, shapes: Shape[]): Shape => ({ shape: "group", mark, shapes });
  placed.shapes.push(
    kept.get(`axes of ${plot.name}`, [room, plot.x, plot.y], () =>
      group("axes", axes(plot, box, x_ticks, y_ticks, turned, tick_size)),
    ),
  );
  const scales = [plot.x, plot.y].map(({ scale, domain }) => [scale, domain]);
  const lettering: Shape[] = [];
  for (const mark of plot.marks) {
    const draw = () => group(mark.name, draw_mark(mark, box));
    const drawn = HANDLED.has(mark.mark)
      ? draw()
      : kept.get(`${mark.name} in ${plot.name}`, [mark, room, scales], draw);
    if (drawn.shape === "group" && drawn.shapes.length) placed.shapes.push(drawn);
  }
  if (at_ends) lettering.push(...end_labels(labelled, box));
  for (const mark of plot.marks)
    if (mark.mark === "texts") lettering.push({ shape: "group", mark: mark.name, shapes: place_texts(mark, box) });
  placed.shapes.push(...lettering);
  return placed;
}

const moved = (shape: Shape, down: number): Shape => (shape.shape === "text" ? { ...shape, y: shape.y + down } : shape);

function legend_of(lines: (Line & { label: string })[], width: number, em: number) {
  const size = LABEL * em;
  const shapes: Word[] = [];
  let [at, row] = [0, 0];
  for (const { label, colour } of lines) {
    const room = width_of(label, true) * size;
    if (at > 0 && at + room > width) [at, row] = [0, row + 1];
    shapes.push(text(at, (row + 0.95) * LINE * em, label, size, { look: `wf-label wf-${colour}`, bold: true }));
    at += room + 1.2 * em;
  }
  return { shapes, height: (row + 1) * LINE * em };
}

function axes(plot: Plot, box: Box, x_all: Named[], y_all: Named[], turned: boolean, tick_size: number): Shape[] {
  const { left, right, top, bottom, em, x, y } = box;
  const size = LABEL * em;
  const half = (tick: Named) => (width_of(tick.text) * size) / 2;
  /** Where the text of a tick begins, so that it stays inside of the panel. */
  const centre = (tick: Named) => Math.max(half(tick), Math.min(box.width - half(tick), x(tick.at)));
  const x_ticks = turned
    ? x_all
    : thinned(x_all, (tick) => [centre(tick) - half(tick), centre(tick) + half(tick)], 0.35 * em);
  const y_ticks = thinned(y_all, (tick) => [y(tick.at) - size / 2, y(tick.at) + size / 2], 0.1 * em);
  const cells = plot.x.scale === "cells";
  const shapes: Shape[] = [];
  if (!cells || plot.y.scale !== "cells") {
    const grid = [
      ...(cells || plot.x.grid === false ? [] : x_ticks.map((tick) => line_d(x(tick.at), top, x(tick.at), bottom))),
      ...((plot.y.grid ?? plot.y.scale !== "cells")
        ? y_ticks.map((tick) => line_d(left, y(tick.at), right, y(tick.at)))
        : []),
    ];
    if (grid.length) shapes.push(path(grid.join(""), "wf-grid"));
    if (x_ticks.length || plot.x.words) shapes.push(path(line_d(left, bottom, right, bottom), "wf-axis-line"));
  }
  const size_of_words = token_size(plot.x.words ?? [], right - left, em);
  plot.x.words?.forEach((word, i) =>
    shapes.push(...token(word, x(i), bottom + 0.35 * em, size_of_words, i === plot.x.asks)),
  );
  for (const tick of x_ticks)
    shapes.push(
      turned
        ? text(x(tick.at) + 0.35 * tick_size, bottom + 0.4 * em, tick.text, tick_size, {
            anchor: "end",
            turn: -90,
            look: "wf-x-tick",
          })
        : text(centre(tick), bottom + (1.15 + (plot.x.lower ?? 0)) * em, tick.text, size, {
            anchor: "middle",
            look: "wf-x-tick",
          }),
    );
  const y_size = plot.y.scale === "cells" ? Math.min(size, DENSE * y.unit) : size;
  for (const tick of plot.y.scale === "cells" ? y_all : y_ticks)
    shapes.push(
      text(left - 0.4 * em, y(tick.at) + 0.35 * y_size, tick.text, y_size, { anchor: "end", look: "wf-y-tick" }),
    );
  if (plot.y.beyond)
    shapes.push(
      text(left - 0.4 * em, y(Infinity) + 0.35 * size, plot.y.beyond, size, { anchor: "end", look: "wf-y-tick" }),
    );
  if (plot.y.label)
    shapes.push(
      text(Math.max(0, left - 2 * em), top - 0.55 * em - (plot.y.beyond ? 1.9 * em : 0), plot.y.label, size, {
        look: "wf-axis-label wf-y-label",
      }),
    );
  if (plot.x.label) {
    const lines = width_of(plot.x.label) * size;
    const middle = Math.max(lines / 2, Math.min(box.width - lines / 2, (left + right) / 2));
    shapes.push(
      text(middle, box.placed.height - 0.35 * em, plot.x.label, size, {
        anchor: "middle",
        look: "wf-axis-label wf-x-label",
      }),
    );
  }
  return shapes;
}

/** Labels beside the ends of lines, pushed apart so that none covers another. */
function end_labels(lines: (Line & { label: string })[], box: Box): Shape[] {
  const { em } = box;
  const size = LABEL * em;
  const gap = 1.1 * em;
  const items = lines.map((line) => ({ line, y: box.y(line.y[line.y.length - 1]) })).sort((a, b) => a.y - b.y);
  for (let i = 1; i < items.length; i++) items[i].y = Math.max(items[i].y, items[i - 1].y + gap);
  const over = Math.max(0, (items.at(-1)?.y ?? 0) - box.bottom);
  for (const item of items) item.y -= over;
  for (let i = items.length - 2; i >= 0; i--) items[i].y = Math.min(items[i].y, items[i + 1].y - gap);
  return items.map(({ line, y }) => {
    const word = text(box.right + 0.5 * em, y + 0.35 * size, line.label, size, {
      look: `wf-label wf-${line.colour}`,
      bold: true,
    });
    box.taken.push(area_of(word));
    return { shape: "group", mark: `${line.name}: label`, shapes: [word] };
  });
}

/** The room that a text takes. */
export function area_of({ x, y, text: words, size, anchor, bold }: Word): Area {
  const width = width_of(words, bold) * size;
  const left = anchor === "end" ? x - width : anchor === "middle" ? x - width / 2 : x;
  return { x: left, y: y - 0.78 * size, width, height: size };
}

const touch = (a: Area, b: Area) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

type Side = NonNullable<Texts["side"]>;

/** Words on the side asked for, or on another where others stand already. */
function place_texts(mark: Texts, box: Box): Shape[] {
  const { em } = box;
  const size = LABEL * em * (mark.size ?? 1);
  const look = `wf-label wf-${mark.colour ?? "soft"}${mark.look?.includes("over") ? " wf-over" : ""}`;
  const asked = mark.side ?? "above";
  return mark.texts.map((words, i) => {
    const [at_x, at_y] = [mark.x[i], mark.y[i]];
    const px = at_x === "left" ? box.left : at_x === "right" ? box.right : box.x(at_x);
    const py = at_y === "top" ? box.top + 0.9 * size : at_y === "bottom" ? box.bottom - 0.5 * em : box.y(at_y);
    const at = (side: Side, lower = 0): Word => {
      const down = side === "above" ? -0.5 * em : side === "below" ? 0.5 * em + 0.75 * size : 0.35 * size;
      const anchor =
        at_x === "left" || side === "right" ? "start" : at_x === "right" || side === "left" ? "end" : "middle";
      const aside = typeof at_x === "string" ? 0 : side === "left" ? -0.5 * em : side === "right" ? 0.5 * em : 0;
      const word = text(px + aside, py + lower + (typeof at_y === "string" ? 0 : down), words, size, {
        look,
        anchor,
        bold: mark.bold ?? true,
      });
      const { x, width } = area_of(word);
      const inside = Math.max(0, -x) - Math.max(0, x + width - box.width);
      return { ...word, x: word.x + inside };
    };
    const sides: Side[] = typeof at_y === "string" ? [asked] : [asked, "above", "below", "right", "left"];
    const free = (word: Word) => {
      const area = area_of(word);
      return area.y >= 0 && area.y + area.height <= box.placed.height && !box.taken.some((other) => touch(area, other));
    };
    const word = sides.map((side) => at(side)).find(free) ?? at(asked, at_y === "top" ? 1.2 * size : 0);
    box.taken.push(area_of(word));
    return word;
  });
}
