// The back end that writes a picture as text: one SVG, without a script and without a document.

import { lay_out, GAP, type Laid } from "./layout.ts";
import { LINE } from "./lettering.ts";
import type { Block, Controls } from "./picture.ts";
import { png } from "./png.ts";
import { text, type Placed, type Shape } from "./shapes.ts";
import { lines_of } from "./measure.ts";

const escaped = (words: string) =>
  words.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);

export function shape_text(shape: Shape): string {
  switch (shape.shape) {
    case "path": {
      const { d, look, strength, thick, fill } = shape;
      const more = [
        strength === undefined ? "" : ` fill-opacity="${strength}"`,
        thick === undefined ? "" : ` stroke-width="${thick}"`,
        fill === undefined ? "" : ` fill="${escaped(fill)}"`,
      ];
      return `<path class="${look}" d="${d}"${more.join("")}/>`;
    }
    case "text": {
      const { x, y, size, look, anchor, bold, turn, href } = shape;
      const place = turn ? `transform="translate(${x} ${y}) rotate(${turn})"` : `x="${x}" y="${y}"`;
      const more = `${anchor ? ` text-anchor="${anchor}"` : ""}${bold ? ' font-weight="600"' : ""}`;
      const words = `<text class="${look}" ${place} font-size="${size}"${more}>${escaped(shape.text)}</text>`;
      return href ? `<a href="${escaped(href)}">${words}</a>` : words;
    }
    case "group":
      return `<g data-mark="${escaped(shape.mark)}">${shape.shapes.map(shape_text).join("")}</g>`;
    case "image": {
      const { x, y, width, height, columns } = shape;
      return `<image x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="none" data-columns="${columns}" href="${png(shape)}"/>`;
    }
  }
}

const panel_text = (panel: Placed, x: number, y: number) =>
  `<g data-panel="${escaped(panel.name)}" transform="translate(${x} ${y})">${panel.shapes.map(shape_text).join("")}</g>`;

/** The present values of some controls, in words: what stands where a reader would move them. */
export type Said = (controls: Controls) => string;

export function svg_text(blocks: Block[], width: number, em: number, said: Said, words: string): string {
  const parts: string[] = [];
  const walk = (laid: Laid[], x: number, top: number): number => {
    let y = top;
    for (const one of laid) {
      if (one.kind === "panel") {
        parts.push(panel_text(one.panel, x, y));
        y += one.panel.height;
      } else if (one.kind === "column") y = walk(one.parts, x, y);
      else if (one.kind === "controls") {
        const lines = lines_of(said(one.block), one.width / em);
        lines.forEach((line, i) =>
          parts.push(shape_text(text(x, y + (i + 0.8) * LINE * em, line, em, { look: "wf-note wf-note-hint" }))),
        );
        y += (lines.length * LINE + 0.4) * em;
      } else if (one.kind === "row") {
        for (const line of one.lines) {
          let left = x;
          const bottoms = line.map((part) => {
            const bottom = walk([part], left, y);
            left += width_of_laid(part) + GAP * em;
            return bottom;
          });
          y = Math.max(y, ...bottoms);
        }
      }
    }
    return y;
  };
  const height = Math.ceil(walk(lay_out(blocks, width, em), 0, 0));
  return `<svg xmlns="http://www.w3.org/2000/svg" class="wf-picture" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(words)}">${parts.join("")}</svg>`;
}

export const width_of_laid = (laid: Laid): number => (laid.kind === "panel" ? laid.panel.width : laid.width);
