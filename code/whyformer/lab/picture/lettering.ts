// What all panels share in type: sizes, and how a title is set.

import { lines_of } from "./measure.ts";
import type { Colour } from "./picture.ts";
import { path, rect_d, text, type Shape } from "./shapes.ts";

/** Sizes of type, in em of the lab. */
export let LABEL = 0.85;

/** On a projector axes are read from the last row: they are as large as the rest. */
export function enlarge_labels(): void {
  LABEL = 1;
}

export const LINE = 1.35;

/** Lines of a title and the shapes that draw them, from the top. */
export function title_of(title: string | undefined, colour: Colour | undefined, width: number, em: number) {
  if (!title) return { shapes: [] as Shape[], height: 0 };
  const indent = colour && colour !== "ink" ? 0.95 * em : 0;
  const lines = lines_of(title, (width - indent) / em, true);
  const shapes: Shape[] = lines.map((line, i) =>
    text(indent, (i + 0.95) * LINE * em, line, em, { look: "wf-title-line", bold: true }),
  );
  if (indent) shapes.unshift(path(rect_d(0, 0.62 * em, 0.68 * em, 0.68 * em), `wf-sample wf-${colour}`));
  return { shapes, height: lines.length * LINE * em + 0.35 * em };
}
