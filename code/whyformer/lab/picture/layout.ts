// Finds room for the blocks of a picture: what stands side by side, how wide, how tall. No document is needed.

import { place_diagram } from "./diagram.ts";
import { Kept, SIZES, type Sizes } from "./memo.ts";
import type { Block, Buttons, Controls, Panel } from "./picture.ts";
import { place_plot, title_lines } from "./plot.ts";
import type { Placed } from "./shapes.ts";
import { place_grid, place_legend, place_note, place_table } from "./text_panels.ts";

export type Laid =
  | { kind: "panel"; panel: Placed }
  | { kind: "controls"; block: Controls; width: number }
  | { kind: "buttons"; block: Buttons; width: number }
  | { kind: "column"; parts: Laid[]; width: number }
  | { kind: "row"; lines: Laid[][]; width: number };

export const GAP = 1.4; // em between blocks that stand side by side
const LEAST = 17; // em, the least width of a block in a row

/**
 * With what was `kept` from the last time, panels are the very same objects where nothing about them changed. `SIZES`:
 * plots without their marks, to see how tall they are.
 */
export function lay_out(blocks: Block[], width: number, em: number, kept: Kept | Sizes = new Kept()): Laid[] {
  return blocks.map((block) => lay_one(block, Math.min(width, (block.most ?? Infinity) * em), em, kept));
}

/** `lines`: how many a title takes beside it, so that plots side by side begin at one height. */
function lay_one(block: Block, width: number, em: number, kept: Kept | Sizes, lines = 0): Laid {
  switch (block.kind) {
    case "controls":
    case "buttons":
      return { kind: block.kind, block, width } as Laid;
    case "column":
      return { kind: "column", parts: lay_out(block.blocks, width, em, kept), width };
    case "row":
      return { kind: "row", lines: lines_in(block.blocks, width, em, kept), width };
    default: {
      const name = `${block.kind} ${block.name}`;
      const placed = () => {
        const panel = place(block, width, em, kept, lines);
        return { ...panel, hits: kept.get(`hits of ${name}`, panel.hits, () => panel.hits) };
      };
      return { kind: "panel", panel: kept.get(name, [block, width, em, lines], placed) };
    }
  }
}

function place(block: Panel, width: number, em: number, kept: Kept | Sizes, lines: number): Placed {
  switch (block.kind) {
    case "plot":
      return place_plot(block, width, em, kept, lines);
    case "grid":
      return place_grid(block, width, em);
    case "table":
      return place_table(block, width, em);
    case "note":
      return place_note(block, width, em);
    case "legend":
      return place_legend(block, width, em);
    case "diagram":
      return place_diagram(block, width, em);
  }
}

/** As many blocks beside one another as have their least width; what is left is shared. */
function lines_in(blocks: Block[], width: number, em: number, kept: Kept | Sizes): Laid[][] {
  const lines: Block[][] = [];
  const least = (block: Block) => Math.min(width, (block.least ?? LEAST) * em);
  const needs = (line: Block[]) => line.reduce((sum, block) => sum + least(block), (line.length - 1) * GAP * em);
  for (const block of blocks) {
    const line = lines.at(-1);
    if (line && needs([...line, block]) <= width + 0.5) line.push(block);
    else lines.push([block]);
  }
  return lines.map((line) => {
    const widths = shared(line, width - (line.length - 1) * GAP * em, em);
    const lines = Math.max(...line.map((block, i) => (block.kind === "plot" ? title_lines(block, widths[i], em) : 0)));
    return line.map((block, i) => lay_one(block, widths[i], em, kept, lines));
  });
}

/** Widths by share, none above its most and none below its least; where both matter, what would not fit goes first. */
function shared(line: Block[], room: number, em: number): number[] {
  const fixed = new Map<number, number>();
  const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
  for (;;) {
    const open = line.map((_, i) => i).filter((i) => !fixed.has(i));
    const left = room - sum([...fixed.values()]);
    const shares = sum(open.map((i) => line[i].share ?? 1));
    const wish = (i: number) => (left * (line[i].share ?? 1)) / shares;
    const held = (i: number) => {
      const { least = LEAST, most = Infinity } = line[i];
      return Math.min(Math.max(wish(i), line.length > 1 ? Math.min(room, least * em) : 0), most * em);
    };
    const missing = sum(open.map((i) => held(i) - wish(i))) > 0; // as in the flexible boxes of CSS
    const bound = open.filter((i) => (missing ? held(i) > wish(i) + 0.01 : held(i) < wish(i) - 0.01));
    if (!bound.length) return line.map((_, i) => Math.floor(fixed.get(i) ?? wish(i)));
    for (const [i, width] of bound.map((i) => [i, held(i)])) fixed.set(i, width);
  }
}

/** How tall a laid-out picture is, in pixels. */
export function height_of(laid: Laid[]): number {
  return laid.reduce((sum, one) => {
    if (one.kind === "panel") return sum + one.panel.height;
    if (one.kind === "column") return sum + height_of(one.parts);
    if (one.kind === "row")
      return sum + one.lines.reduce((all, line) => all + Math.max(...line.map((part) => height_of([part]))), 0);
    return sum;
  }, 0);
}

const [LOWEST, HIGHEST] = [0.3, 2.6]; // of the height that a lab gives a plot

/** The factor by which plots are taller or lower than a lab says, so that a picture is at most `room` pixels tall. */
export function factor_for(blocks: Block[], width: number, em: number, room: number): number {
  let factor = 1;
  let fits = 0; // the largest that was found to fit, where one step is too short and the next too tall
  for (let i = 0; i < 24; i++) {
    const height = height_of(lay_out(stretched(blocks, factor), width, em, SIZES));
    if (height <= room) fits = Math.max(fits, factor);
    if (height <= room && (height > 0.97 * room || factor === HIGHEST)) break;
    const next = Math.min(HIGHEST, Math.max(LOWEST, factor * (room / height) * (height > room ? 0.99 : 1)));
    if (next === factor) break;
    factor = next;
  }
  return fits || factor;
}

/** Blocks with all plots taller or lower by a factor, but for rows of knobs: a finger needs its room. */
export function stretched(blocks: Block[], factor: number): Block[] {
  return blocks.map((block): Block => {
    if (block.kind === "plot" && block.marks.some(({ mark }) => mark === "knob")) return block;
    if (block.kind === "plot") return { ...block, height: block.height * factor };
    return block.kind === "row" || block.kind === "column"
      ? { ...block, blocks: stretched(block.blocks, factor) }
      : block;
  });
}

/** What follows one another in one row, where plots and maps are content with less width, by a factor, and grids by theirs. */
export function closer(blocks: Block[], factor: number, grids = factor): Block[] {
  const made: Block[] = [];
  for (const block of blocks) {
    const parts = block.kind === "row" ? block.blocks : block.kind === "plot" || block.kind === "grid" ? [block] : [];
    const narrower = parts.map((part): Block => ({
      ...part,
      least: (part.least ?? LEAST) * (part.kind === "plot" ? factor : grids),
    }));
    const last = made.at(-1);
    if (!parts.length) made.push(block);
    else if (last?.kind === "row") last.blocks.push(...narrower);
    else made.push({ kind: "row", blocks: narrower });
  }
  return made;
}

/** All panels of a laid-out picture, in reading order. */
export function panels_in(laid: Laid[]): Placed[] {
  return laid.flatMap((one) =>
    one.kind === "panel"
      ? [one.panel]
      : one.kind === "column"
        ? panels_in(one.parts)
        : one.kind === "row"
          ? panels_in(one.lines.flat())
          : [],
  );
}
