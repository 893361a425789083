// A panel: one SVG with a title, margins in units of the type size, and axes. Every picture of every lab stands in one.

import { html, nothing, svg, type SVGTemplateResult, type TemplateResult } from "lit-html";

/** What a scale of d3-scale offers and the marks use. */
export interface Scale {
  (value: number): number;
  domain(): number[];
  range(): number[];
}

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
  em: number;
}

export interface PanelOptions {
  width: number;
  height: number;
  em: number;
  title?: unknown;
  /** Colour class of the title's mark, such as "wf-unscaled". */
  colour?: string;
  /** Margins in em. */
  margin?: Partial<Record<"left" | "top" | "right" | "bottom", number>>;
}

const MARGIN = { left: 2.6, top: 0.6, right: 0.6, bottom: 2.6 };

export function panel(options: PanelOptions, content: (box: Box) => unknown, over: unknown = nothing): TemplateResult {
  const { width, height, em, title, colour } = options;
  const margin = { ...MARGIN, ...options.margin };
  const box = {
    left: margin.left * em,
    top: margin.top * em,
    right: width - margin.right * em,
    bottom: height - margin.bottom * em,
    em,
  };
  return html`<div class="wf-panel" style="width:${width}px">
    ${title === undefined ? nothing : html`<div class="wf-panel-title ${colour ?? ""}">${title}</div>`}
    <div class="wf-plot"><svg width=${width} height=${height} aria-hidden="true">${content(box)}</svg>${over}</div>
  </div>`;
}

export interface Tick {
  at: number;
  text?: string;
}

export function x_axis(scale: Scale, box: Box, ticks: Tick[], label = ""): SVGTemplateResult {
  const { bottom, em, left, right, top } = box;
  return svg`<g class="wf-axis">
    ${ticks.map(({ at }) => svg`<line class="wf-grid" x1=${scale(at)} x2=${scale(at)} y1=${top} y2=${bottom} />`)}
    <line x1=${left} x2=${right} y1=${bottom} y2=${bottom} />
    ${ticks.map(({ at, text }) => svg`<text x=${scale(at)} y=${bottom + 1.1 * em} text-anchor="middle">${text ?? at}</text>`)}
    <text class="wf-axis-label" x=${(left + right) / 2} y=${bottom + 2.3 * em} text-anchor="middle">${label}</text>
  </g>`;
}

export function y_axis(scale: Scale, box: Box, ticks: Tick[]): SVGTemplateResult {
  const { em, left, right } = box;
  return svg`<g class="wf-axis">
    ${ticks.map(({ at }) => svg`<line class="wf-grid" x1=${left} x2=${right} y1=${scale(at)} y2=${scale(at)} />`)}
    ${ticks.map(({ at, text }) => svg`<text x=${left - 0.4 * em} y=${scale(at) + 0.35 * em} text-anchor="end">${text ?? at}</text>`)}
  </g>`;
}

/** Labels beside the ends of lines, pushed apart so that none covers another. */
export function end_labels(items: { y: number; text: string; colour: string }[], box: Box): SVGTemplateResult {
  const gap = 1.15 * box.em;
  const sorted = [...items].sort((a, b) => a.y - b.y).map((item) => ({ ...item }));
  for (let i = 1; i < sorted.length; i++) sorted[i].y = Math.max(sorted[i].y, sorted[i - 1].y + gap);
  const over = Math.max(0, (sorted.at(-1)?.y ?? 0) - box.bottom);
  sorted.forEach((item) => (item.y -= over));
  for (let i = sorted.length - 2; i >= 0; i--) sorted[i].y = Math.min(sorted[i].y, sorted[i + 1].y - gap);
  return svg`${sorted.map(
    ({ y, text, colour }) =>
      svg`<text class="wf-end-label ${colour}" x=${box.right + 0.4 * box.em} y=${y + 0.35 * box.em}>${text}</text>`,
  )}`;
}
