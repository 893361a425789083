// Panels of words and numbers: notes, legends, tables, grids of numbers.

import { LABEL, LINE, title_of } from "./lettering.ts";
import { lines_of, width_of } from "./measure.ts";
import type { Grid, Item, Legend, Note, Table } from "./picture.ts";
import { line_d, path, rect_d, round, text, type Image, type Placed, type Shape } from "./shapes.ts";

const empty = (name: string, width: number): Placed => ({
  name,
  width,
  height: 0,
  words: "",
  shapes: [],
  hits: [],
  handles: [],
  tips: [],
  slides: [],
});

const BOXED: Partial<Record<NonNullable<Note["tone"]>, string>> = {
  warning: "wf-note-boxed wf-note-warned",
  formula: "wf-note-boxed",
};

export function place_note(note: Note, width: number, em: number): Placed {
  const placed = { ...empty(note.name, width), words: note.text };
  const tone = note.tone ?? "plain";
  const bold = tone === "title";
  const boxed = BOXED[tone];
  const [inset, pad] = boxed ? [0.7 * em, 0.35 * em] : [0, 0.1 * em];
  const lines = lines_of(note.text, (width - 2 * inset) / em, bold);
  placed.height = Math.ceil(lines.length * LINE * em + 2 * pad + 0.35 * em);
  if (boxed) placed.shapes.push(path(rect_d(0, 0, width, placed.height - 0.35 * em), boxed));
  lines.forEach((line, i) =>
    placed.shapes.push(text(inset, pad + (i + 0.78) * LINE * em, line, em, { look: `wf-note wf-note-${tone}`, bold })),
  );
  if (note.link) {
    const { text: words, href } = note.link;
    const last = lines.at(-1)!;
    const fits = (width_of(`${last} `) + width_of(words)) * em <= width - 2 * inset;
    const at = lines.length - (fits ? 1 : 0);
    const x = fits ? inset + width_of(`${last} `) * em : inset;
    placed.shapes.push(text(x, pad + (at + 0.78) * LINE * em, words, em, { look: "wf-link", href }));
    if (!fits) placed.height += Math.ceil(LINE * em);
    placed.words += ` ${words}`;
  }
  return placed;
}

export function place_legend(legend: Legend, width: number, em: number): Placed {
  const placed = { ...empty(legend.name, width), words: legend.items.map((item) => item.text).join("; ") };
  let [at, row] = [0, 0];
  for (const { text: words, colour, look = [] } of legend.items) {
    const indent = colour ? 0.95 * em : 0;
    const room = indent + width_of(words, Boolean(colour)) * em;
    if (at > 0 && at + room > width) [at, row] = [0, row + 1];
    const base = (row + 0.95) * LINE * em;
    const shapes: Shape[] = [];
    if (colour)
      shapes.push(
        path(
          rect_d(at, base - 0.66 * em, 0.68 * em, 0.68 * em),
          [`wf-sample wf-${colour}`, ...look.map((each) => `wf-${each}`)].join(" "),
        ),
      );
    lines_of(words, (width - indent) / em, Boolean(colour)).forEach((line, i) => {
      if (i) row++;
      const look = colour ? "wf-title-line" : "wf-note wf-note-hint";
      shapes.push(text(at + indent, (row + 0.95) * LINE * em, line, em, { look, bold: Boolean(colour) }));
    });
    placed.shapes.push({ shape: "group", mark: words, shapes });
    at += room + 1.4 * em;
  }
  placed.height = Math.ceil((row + 1) * LINE * em + 0.35 * em);
  return placed;
}

// ---- a table: rows of words, chips of colour and bars

const words_in = (item: Item): string =>
  typeof item === "string" ? item : "text" in item ? item.text : "chip" in item ? item.label : "";

const GAP = 1.1; // em between columns
const BAR = 4; // em, the least of a bar

/** Widths of columns in em that add up to at most `room`: the narrow ones get what they need, the rest share. */
function fitted(needs: number[], room: number): number[] {
  const widths = needs.map(() => 0);
  let [left, waiting] = [room, needs.map((_, i) => i).sort((a, b) => needs[a] - needs[b])];
  while (waiting.length) {
    const [narrowest, ...others] = waiting;
    widths[narrowest] = Math.min(needs[narrowest], left / waiting.length);
    left -= widths[narrowest];
    waiting = others;
  }
  return widths;
}

export function place_table(table: Table, width: number, em: number): Placed {
  const placed = empty(table.name, width);
  const titled = title_of(table.title, undefined, width, em);
  placed.shapes.push(...titled.shapes);
  const columns = Math.max(
    table.head?.length ?? 0,
    ...table.rows.filter((row) => !row.whole).map((row) => row.items.length),
  );
  const needs = Array.from({ length: columns }, (_, j) => {
    const heads = table.head?.[j] ? [width_of(table.head[j])] : [];
    const items = table.rows
      .filter((row) => !row.whole && row.items[j] !== undefined)
      .map((row) => need_of(row.items[j], row.current));
    return Math.max(0, ...heads, ...items);
  });
  const bars = needs.map((_, j) =>
    table.rows.some((row) => typeof row.items[j] === "object" && "bar" in (row.items[j] as object)),
  );
  const widths = fitted(needs, width / em - GAP * (columns - 1));
  const free = width / em - GAP * (columns - 1) - widths.reduce((a, b) => a + b, 0);
  if (bars.includes(true)) widths[bars.indexOf(true)] += free;
  const starts = widths.map((_, j) => widths.slice(0, j).reduce((sum, w) => sum + w + GAP, 0) * em);
  let y = titled.height;
  const row_of = (items: Item[], look: string, current = false, name = "") => {
    const cells = items.map((item, j) => lines_of(words_in(item), widths[j] + 0.01, is_bold(item, current)));
    const high = Math.max(...cells.map((lines) => lines.length));
    const shapes: Shape[] = [];
    items.forEach((item, j) => {
      const size = em;
      if (typeof item === "object" && "bar" in item) {
        shapes.push(
          path(rect_d(starts[j], y + 0.35 * em, item.bar * widths[j] * em, 0.8 * em), `wf-bars wf-${item.colour}`),
        );
        return;
      }
      const colour = typeof item === "object" && "colour" in item && item.colour ? ` wf-label wf-${item.colour}` : "";
      if (typeof item === "object" && "chip" in item) {
        shapes.push(path(rect_d(starts[j], y + 0.12 * em, 3 * em, 1.15 * em), "wf-swatch", { fill: item.chip }));
        return;
      }
      const right = table.numeric?.includes(j);
      cells[j].forEach((line, i) =>
        shapes.push(
          text(starts[j] + (right ? widths[j] * em : 0), y + (i + 0.82) * LINE * em, line, size, {
            look: look + colour,
            bold: is_bold(item, current),
            anchor: right ? "end" : undefined,
          }),
        ),
      );
    });
    y += high * LINE * em + 0.2 * em;
    shapes.push(path(line_d(0, y - 0.05 * em, width, y - 0.05 * em), "wf-grid"));
    placed.shapes.push({ shape: "group", mark: name || words_in(items[0]), shapes });
  };
  if (table.head) row_of(table.head, "wf-note wf-note-hint", false, "head");
  for (const row of table.rows) {
    if (row.whole) {
      const lines = lines_of(words_in(row.items[0]), width / em);
      placed.shapes.push({
        shape: "group",
        mark: "whole",
        shapes: lines.map((line, i) => text(0, y + (i + 0.82) * LINE * em, line, em, { look: "wf-note wf-note-hint" })),
      });
      y += lines.length * LINE * em + 0.2 * em;
    } else row_of(row.items, "wf-note", row.current);
  }
  placed.height = Math.ceil(y + 0.4 * em);
  placed.words = [
    table.title,
    ...table.rows.map(({ items }) => items.map(words_in).filter(Boolean).join(": ").replace(": ", " – ")),
  ]
    .filter(Boolean)
    .join("; ");
  return placed;
}

const is_bold = (item: Item, current = false) =>
  current || (typeof item === "object" && "bold" in item && Boolean(item.bold));

function need_of(item: Item, current = false): number {
  if (typeof item === "object" && "bar" in item) return BAR;
  if (typeof item === "object" && "chip" in item) return 3;
  return width_of(words_in(item), is_bold(item, current));
}

// ---- a grid of numbers, each in a cell that may be tinted, framed, clicked

const CELL = 1.75; // em, the height of a cell
const SPACE = 0.14; // em between cells

export function place_grid(grid: Grid, width: number, em: number): Placed {
  const placed = empty(grid.name, width);
  const titled = title_of(grid.title, grid.colour, width, em);
  placed.shapes.push(...titled.shapes);
  const columns = Math.max(...grid.cells.map((cells) => cells.length));
  const widest_head = Math.max(0, ...grid.rows.map((name) => width_of(name)));
  const heads = grid.rows.length
    ? Math.min((grid.heads ?? widest_head * LABEL + (grid.framed ? 0.9 : 0.5)) * em, 0.3 * width)
    : 0;
  const sized = grid.sizes?.columns ?? Array<number>(columns).fill(1);
  const sum = sized.reduce((all, one) => all + one, 0);
  const unit = grid.sizes ? Math.min(em, (width - heads) / sum) : (width - heads) / columns;
  const wide = (j: number) => sized[j] * unit;
  const left = (j: number) => heads + unit * sized.slice(0, j).reduce((all, one) => all + one, 0);
  const middle = (j: number) => left(j) + wide(j) / 2;
  const step = Math.min(...sized) * unit;
  const size = Math.min(LABEL * em, fit(grid, step - 2.5 * SPACE * em, em));
  let y = titled.height;
  if (grid.groups) {
    let from = 0;
    for (const { text: words, span } of grid.groups) {
      const [start, end] = [left(from), left(from + span)];
      const under = y + 1.3 * em;
      placed.shapes.push(
        text((start + end) / 2, y + 0.95 * em, words, LABEL * em, { anchor: "middle", look: "wf-note wf-note-hint" }),
      );
      if (words) placed.shapes.push(path(line_d(start + 0.3 * em, under, end - 0.3 * em, under), "wf-grid"));
      from += span;
    }
    y += 1.35 * em;
  }
  const upright = grid.columns.some((name, j) => width_of(name) * LABEL * em > wide(j) - 0.1 * em);
  const tick_size = upright ? Math.min(LABEL * em, 0.95 * step) : LABEL * em;
  const head_room = !grid.columns.length
    ? 0
    : upright
      ? Math.max(...grid.columns.map((name) => width_of(name) * tick_size)) + 0.35 * em
      : (grid.sizes?.heads ?? 1.4) * em;
  if (grid.pick) {
    const { column, control } = grid.pick;
    const place = { x: left(column), y, width: wide(column) - SPACE * em, height: head_room - SPACE * em };
    placed.shapes.push(path(rect_d(place.x, place.y, place.width, place.height), "wf-cell-back"));
    placed.picks = [{ control, ...place }];
  }
  grid.columns.forEach((name, j) => {
    const x = middle(j);
    placed.shapes.push(
      upright
        ? text(x + 0.35 * tick_size, y + head_room - 0.3 * em, name, tick_size, { turn: -90, look: "wf-x-tick" })
        : text(x, y + head_room - 0.4 * em, name, tick_size, { anchor: "middle", look: "wf-x-tick" }),
    );
  });
  y += head_room;
  const high = grid.maps ? step : (grid.sizes?.high ?? CELL) * em;
  const is_chosen_here = grid.cells.some((cells) => cells.some((cell) => cell.chosen));
  let tab: boolean | undefined = true; // of the chosen cell, or of the first
  if (grid.maps) placed.shapes.push(maps_of(grid.maps, columns, grid.cells.length, heads, y, step));
  grid.cells.forEach((cells, i) => {
    if (grid.rows.length) {
      const head_size = Math.min(LABEL * em, (heads - 0.4 * em) / Math.max(1e-9, width_of(grid.rows[i])));
      placed.shapes.push(
        text(heads - 0.4 * em, y + 0.68 * high, grid.rows[i], head_size, { anchor: "end", look: "wf-y-tick" }),
      );
    }
    const shapes: Shape[] = [];
    const frames: Shape[] = [];
    cells.forEach((cell, j) => {
      const place = {
        x: left(j) + (SPACE / 2) * em,
        y: y + (SPACE / 2) * em,
        width: wide(j) - SPACE * em,
        height: high - SPACE * em,
      };
      const d = rect_d(place.x, place.y, place.width, place.height);
      if (!cell.empty) shapes.push(path(d, cell.hatched ? "wf-cell-back wf-cell-hatched" : "wf-cell-back"));
      if (cell.tint && cell.strength)
        shapes.push(path(d, `wf-tint wf-${cell.tint}`, { strength: Math.round(1000 * cell.strength) / 1000 }));
      if (cell.frame)
        frames.push(
          path(rect_d(place.x + 1, place.y + 1, place.width - 2, place.height - 2), `wf-frame wf-${cell.frame}`),
        );
      if (cell.text) {
        const look = cell.hatched ? "wf-cell wf-cell-pad" : "wf-cell";
        const at = y + (cell.below ? 0.36 : 0.5) * high + 0.35 * size;
        shapes.push(text(middle(j), at, cell.text, size, { anchor: "middle", look, bold: cell.bold }));
      }
      if (cell.below) {
        const look = "wf-cell wf-cell-pad";
        shapes.push(text(middle(j), y + 0.83 * high, cell.below, 0.9 * size, { anchor: "middle", look }));
      }
      const hit = { x: left(j), y, width: wide(j), height: high }; // without gaps between them
      if (cell.set && cell.label === undefined) placed.hits.push({ ...hit, set: cell.set });
      else if (cell.set) {
        const stop = is_chosen_here ? cell.chosen : tab;
        placed.hits.push({ ...hit, set: cell.set, label: cell.label, pressed: cell.chosen, tab: Boolean(stop) });
        tab = undefined;
      }
    });
    if (grid.framed?.[i]) frames.push(path(rect_d(1, y + 1, width - 2, high - 2), `wf-frame wf-${grid.framed[i]}`));
    placed.shapes.push({ shape: "group", mark: `row ${i + 1}`, shapes: [...shapes, ...frames] });
    y += high;
  });
  placed.height = Math.ceil(y + 0.5 * em);
  placed.words = [
    grid.title,
    ...grid.cells.map((cells, i) => {
      const texts = cells.map((cell) => cell.text);
      return texts.some(Boolean) && `${grid.rows[i] ?? i + 1}: ${texts.join(" ")}`;
    }),
  ]
    .filter(Boolean)
    .join("; ");
  return placed;
}

const BETWEEN = 2; // cells of the image between two small maps

/** Small maps as one image. */
function maps_of(
  { values, size, colour }: NonNullable<Grid["maps"]>,
  columns: number,
  rows: number,
  left: number,
  top: number,
  step: number,
): Image {
  const apart = size + BETWEEN;
  const levels = new Uint8Array(columns * rows * apart * apart);
  for (let i = 0; i < values.length; i++) {
    const cell = Math.floor(i / size ** 2);
    const y = Math.floor(cell / columns) * apart + (Math.floor(i / size) % size);
    levels[y * columns * apart + (cell % columns) * apart + (i % size)] = Math.round(255 * values[i]);
  }
  const inset = (BETWEEN / 2 / apart) * step;
  const place = {
    x: round(left + inset),
    y: round(top + inset),
    width: round(columns * step),
    height: round(rows * step),
  };
  return { shape: "image", ...place, columns: columns * apart, levels, colour };
}

/** Size of type at which the widest number fits its cell. */
function fit(grid: Grid, room: number, em: number): number {
  const widest = Math.max(0.1, ...grid.cells.flat().map((cell) => width_of(cell.text, true)));
  return Math.max(0.5 * em, room / widest);
}
