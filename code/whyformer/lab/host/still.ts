// Pictures without a document: what Python calls in V8 (lab/host/still.py), and the tests. JSON in, text out.

import { show } from "../control/shown.ts";
import { control_of, defaults, same, type Control, type Declaration, type Series, type State } from "../declaration.ts";
import type { Block, Controls } from "../picture/picture.ts";
import { svg_text } from "../picture/svg.ts";
import { labs } from "../registry.ts";
import { staged } from "../step.ts";
import { t } from "../words.ts";

interface Asked {
  declaration: Declaration;
  state: State;
  size: "full" | "small";
  /** Panels on stage, if not all. */
  shows?: string[];
}

/** JSON has no infinity and no typed arrays. */
const plain = (_: string, value: unknown) =>
  ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value === Infinity ? "Infinity" : value;
const revived = (_: string, value: unknown) => (value === "Infinity" ? Infinity : value);

/** The picture of a lab as data. */
export function picture(asked: string): string {
  const { declaration, state, size, shows } = JSON.parse(asked) as Asked;
  const lab = labs.get(declaration.name);
  if (!lab) throw new Error(`no lab named ${declaration.name} in this bundle`);
  const series: Series = lab.compute(state, declaration.data);
  const opens = Object.entries(defaults(declaration)).every(([name, value]) => same(value, state[name]));
  const seen = size === "small" ? lab.asking?.begin(state, opens) : undefined;
  const blocks = lab.view(state, series, { data: declaration.data, small: size === "small", seen });
  return JSON.stringify(shows ? staged(blocks, shows) : blocks, plain);
}

/** A picture as SVG, `width` pixels wide, in type of `em` pixels. */
export function draw(blocks: string, asked: string, width: number, em: number, words: string): string {
  const { declaration, state } = JSON.parse(asked) as Asked;
  const said = ({ names, text }: Controls) =>
    [...names.map((name) => shown(control_of(declaration, name), state)), ...(text ? [text] : [])].join("   ·   ");
  return svg_text(JSON.parse(blocks, revived) as Block[], width, em, said, words);
}

function shown(control: Control, state: State): string {
  const value = state[control.name];
  const option = control.options?.find((each) => each.value === value);
  const words = option ? t(option.label) : typeof value === "number" ? show(control, value) : String(value);
  return `${t(control.label)}: ${words}`;
}

export { use_catalogue } from "../words.ts";
