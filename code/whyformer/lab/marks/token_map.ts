// Attention weights as a map with the tokens beside it: a row is a query, a column a key; strength from 0 to 1.

import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit-html";
import { ref } from "lit-html/directives/ref.js";
import { palette, rgb } from "../theme.ts";
import { paint } from "./heat_map.ts";

export interface TokenMapOptions {
  weights: Float64Array;
  tokens: string[];
  width: number;
  em: number;
  title: unknown;
  colour: "unscaled" | "scaled" | "overscaled";
}

export function token_map({ weights, tokens, width, em, title, colour }: TokenMapOptions): TemplateResult {
  const n = tokens.length;
  const left = 0.62 * em * Math.max(...tokens.map((token) => token.length)) + 0.5 * em;
  const side = Math.min(width - left, 22 * em);
  const cell = side / n;
  const size = Math.min(0.82 * em, 0.95 * cell);
  const [red, green, blue] = rgb(palette[colour]);
  return html`<div class="wf-panel" style="width:${width}px">
    <div class="wf-panel-title wf-${colour}">${title}</div>
    <div class="wf-token-map" style="width:${left + side}px;height:${side + left}px">
      <div class="wf-heat" style="margin-left:${left}px;width:${side}px;height:${side}px">
        <canvas aria-hidden="true" ${ref((canvas) =>
          paint(canvas as HTMLCanvasElement | undefined, weights, n, (value) => [
            red,
            green,
            blue,
            Math.round(255 * value),
          ]),
        )}></canvas>
      </div>
      <svg aria-hidden="true" width=${left + side} height=${side + left}>
        ${tokens.map((token, i) => token_label(token, left - 0.3 * em, (i + 0.5) * cell + 0.35 * size, 0, size))}
        ${tokens.map((token, i) => token_label(token, left + (i + 0.5) * cell + 0.35 * size, side + 0.4 * em, -90, size))}
      </svg>
    </div>
  </div>`;
}

/** A token that ends at (x, y), turned by so many degrees, in type of `size` pixels. */
export function token_label(token: string, x: number, y: number, turn: number, size: number): SVGTemplateResult {
  return svg`<text transform=${`translate(${x} ${y}) rotate(${turn})`} text-anchor="end"
    style=${`font-size:${size}px`}>${token}</text>`;
}
