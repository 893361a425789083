// Shapes as single path strings: a whole set of bars or dots is one attribute, so a drag changes few nodes.

import { area, curveMonotoneX, line } from "d3-shape";
import { svg, type SVGTemplateResult } from "lit-html";
import type { Scale } from "./panel.ts";

type Numbers = ArrayLike<number>;

const round = (value: number) => Math.round(value * 100) / 100;

/** Upright bars from zero: entry i stands in slot i of the band from `left` to `right`. */
export function bars(
  values: Numbers,
  y: Scale,
  left: number,
  right: number,
  colour: string,
  gap = 0.2,
): SVGTemplateResult {
  const slot = (right - left) / values.length;
  const zero = round(y(0));
  let path = "";
  for (let i = 0; i < values.length; i++) {
    const height = round(y(values[i]) - zero);
    if (height !== 0)
      path += `M${round(left + (i + gap / 2) * slot)},${zero}h${round(slot * (1 - gap))}v${height}h${-round(slot * (1 - gap))}z`;
  }
  return svg`<path class="wf-bars ${colour}" d=${path} />`;
}

/** Bars between given edges, as a histogram has them. */
export function steps(values: Numbers, edges: Numbers, x: Scale, y: Scale, colour: string): SVGTemplateResult {
  const zero = round(y(0));
  let path = `M${round(x(edges[0]))},${zero}`;
  for (let i = 0; i < values.length; i++) path += `V${round(y(values[i]))}H${round(x(edges[i + 1]))}`;
  return svg`<path class="wf-steps ${colour}" d=${`${path}V${zero}z`} />`;
}

export function dots(xs: Numbers, ys: Numbers, radius: number, colour: string): SVGTemplateResult {
  let path = "";
  for (let i = 0; i < xs.length; i++) {
    path += `M${round(xs[i] - radius)},${round(ys[i])}a${radius},${radius} 0 1 0 ${2 * radius},0a${radius},${radius} 0 1 0 ${-2 * radius},0`;
  }
  return svg`<path class="wf-dots ${colour}" d=${path} />`;
}

export function curve(xs: Numbers, ys: Numbers, x: Scale, y: Scale, colour: string): SVGTemplateResult {
  const path =
    line<number>(
      (_, i) => x(xs[i]),
      (v) => y(v),
    )
      .curve(curveMonotoneX)
      .digits(2)(Array.from(ys)) ?? "";
  return svg`<path class="wf-curve ${colour}" d=${path} />`;
}

export function band(xs: Numbers, low: Numbers, high: Numbers, x: Scale, y: Scale, colour: string): SVGTemplateResult {
  const path =
    area<number>(
      (_, i) => x(xs[i]),
      (v) => y(v),
      (_, i) => y(high[i]),
    )
      .curve(curveMonotoneX)
      .digits(2)(Array.from(low)) ?? "";
  return svg`<path class="wf-band ${colour}" d=${path} />`;
}

/** The tips of a diagram's wires: one for each colour, since WebKit gives a tip no `context-stroke`. */
export function wire_tips(): SVGTemplateResult {
  const tip = (id: string) => svg`<marker id=${id} viewBox="0 0 6 6" refX="5" refY="3" markerWidth="5" markerHeight="5"
    orient="auto"><path d="M0,0L6,3L0,6z" /></marker>`;
  return svg`<defs>${tip("wf-wire-tip")}${tip("wf-bridge-tip")}</defs>`;
}
