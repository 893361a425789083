// A signed matrix as a heat map with one fixed symmetric range: purple above zero, green below, the paper at zero.
// Strength goes with the square root of the size, so that small entries are seen; the key shows how.

import { html, nothing, svg, type TemplateResult } from "lit-html";
import { ref } from "lit-html/directives/ref.js";
import { palette, rgb } from "../theme.ts";
import { number, t } from "../words.ts";

const POSITIVE = rgb(palette.gradient);
const NEGATIVE = rgb(palette["gradient-negative"]);

export interface HeatOptions {
  matrix: Float64Array;
  n: number;
  /** Entries run from -limit to limit. */
  limit: number;
  /** Width of the panel, and side of the square map in it. */
  width: number;
  side: number;
  em: number;
  title?: unknown;
  colour?: string;
}

export function heat_map({ matrix, n, limit, width, side, em, title, colour }: HeatOptions): TemplateResult {
  const cell = side / n;
  return html`<div class="wf-panel" style="width:${width}px">
    ${title === undefined ? nothing : html`<div class="wf-panel-title ${colour ?? ""}">${title}</div>`}
    <div class="wf-heat" style="width:${side}px;height:${side}px">
      <canvas aria-hidden="true" ${ref((canvas) => paint(canvas as HTMLCanvasElement | undefined, matrix, n, (value) => tint(value, limit)))}></canvas>
      ${cell < 3.4 * em ? nothing : html`<svg aria-hidden="true" width=${side} height=${side}>${numbers(matrix, n, cell, em)}</svg>`}
    </div>
  </div>`;
}

/** Red, green, blue and opacity of one entry, each from 0 to 255. */
type Tint = [number, number, number, number];

function tint(value: number, limit: number): Tint {
  const [red, green, blue] = value >= 0 ? POSITIVE : NEGATIVE;
  return [red, green, blue, Math.round(255 * Math.sqrt(Math.min(1, Math.abs(value) / limit)))];
}

/** An n x n canvas, one pixel for one entry; the style sheet enlarges it without smoothing. */
export function paint(
  canvas: HTMLCanvasElement | undefined,
  matrix: Float64Array,
  n: number,
  tint: (value: number) => Tint,
): void {
  if (!canvas) return;
  if (canvas.width !== n) canvas.width = canvas.height = n;
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(n, n);
  const pixels = new Uint32Array(image.data.buffer);
  matrix.forEach((value, i) => {
    const [red, green, blue, strength] = tint(value);
    pixels[i] = (strength << 24) | (blue << 16) | (green << 8) | red;
  });
  context.putImageData(image, 0, 0);
}

function numbers(matrix: Float64Array, n: number, cell: number, em: number) {
  return Array.from(matrix, (value, i) => {
    const text = Math.abs(value) < 5e-4 ? "0" : number(value, ".3f").replace("0.", ".");
    const [x, y] = [((i % n) + 0.5) * cell, (Math.floor(i / n) + 0.5) * cell + 0.35 * em];
    return svg`<text class="wf-cell" x=${x} y=${y} text-anchor="middle">${text}</text>`;
  });
}

/** The key to the colours, with ticks where the square root puts them. */
export function heat_key(limit: number, width: number, em: number): TemplateResult {
  const at = (value: number) => ((Math.sign(value) * Math.sqrt(Math.abs(value) / limit) + 1) / 2) * width;
  const ticks = [-limit, -limit / 16, 0, limit / 16, limit];
  return html`<div class="wf-heat-key" style="width:${width}px">
    <span>${t("colour of an entry, the same range always")}</span>
    <div class="wf-heat-ramp"></div>
    <svg aria-hidden="true" width=${width} height=${1.3 * em}>${ticks.map((value, i) => {
      const anchor = i === 0 ? "start" : i === ticks.length - 1 ? "end" : "middle";
      return svg`<text x=${at(value)} y=${em} text-anchor=${anchor}>${number(value, ".2g")}</text>`;
    })}</svg>
  </div>`;
}
