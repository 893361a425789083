// Pictures without a document: what Python calls in V8 (lab/host/still.py), and the tests. JSON in, text out.

import { show } from "../control/shown.ts";
import {
  control_of,
  defaults,
  describe,
  same,
  type Control,
  type Declaration,
  type Series,
  type State,
} from "../declaration.ts";
import type { Block, Controls } from "../picture/picture.ts";
import { svg_text } from "../picture/svg.ts";
import { labs, type LabModule } from "../registry.ts";
import { staged } from "../step.ts";
import { t } from "../words.ts";

interface Asked {
  declaration: Declaration;
  state: State;
  size: "full" | "small";
  /** Panels on stage, if not all. */
  shows?: string[];
  /** Whether a step has told what it asks; nothing asks where no step is. */
  told?: boolean;
  /** What to draw in place of what `compute` gives. */
  series?: Record<string, number | number[]>;
}

/** JSON has neither numbers that are not finite nor typed arrays. */
const plain = (_: string, value: unknown) =>
  ArrayBuffer.isView(value)
    ? Array.from(value as Float64Array)
    : typeof value === "number" && !Number.isFinite(value)
      ? String(value)
      : value;
const NOT_FINITE = ["Infinity", "-Infinity", "NaN"];
const revived = (_: string, value: unknown) => (NOT_FINITE.includes(value as string) ? Number(value) : value);

function lab_of(declaration: Declaration): LabModule {
  const lab = labs.get(declaration.name);
  if (!lab) throw new Error(`no lab named ${declaration.name} in this bundle`);
  return lab;
}

/** The series of a lab at each of several states, and the sentence there. */
export function computed(asked: string, states: string): string {
  const declaration = JSON.parse(asked) as Declaration;
  const lab = lab_of(declaration);
  const answers = (JSON.parse(states) as State[]).map((state) => {
    const series: Series = lab.compute(state, declaration.data);
    return { series, words: describe(declaration, state, series) };
  });
  return JSON.stringify(answers, plain);
}

/** The picture of a lab as data. */
export function picture(asked: string): string {
  const { declaration, state, size, shows, told = true, series: given } = JSON.parse(asked, revived) as Asked;
  const lab = lab_of(declaration);
  const series = given ? typed(given) : lab.compute(state, declaration.data);
  const opens = Object.entries(defaults(declaration)).every(([name, value]) => same(value, state[name]));
  const seen = size === "small" ? lab.asking?.begin(state, opens) : undefined;
  const blocks = lab.view(state, series, { data: declaration.data, small: size === "small", seen, told });
  return JSON.stringify(shows ? staged(blocks, shows) : blocks, plain);
}

function typed(given: Record<string, number | number[]>): Series {
  const pairs = Object.entries(given).map(([name, value]) => [
    name,
    typeof value === "number" ? value : Float64Array.from(value),
  ]);
  return Object.fromEntries(pairs) as Series;
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
