// Steps of a lab: what is asked and told, and which panels are on stage. Twin of step.py.

import { holds, type Condition } from "./conditions.ts";
import {
  control_of,
  defaults,
  same,
  type Control,
  type Declaration,
  type Series,
  type State,
  type Value,
} from "./declaration.ts";
import type { Block } from "./picture/picture.ts";

export interface Step {
  says: string;
  state: State;
  shows: string[];
  /** How many of these a narrow screen shows. */
  narrow: number;
  controls: string[];
  when: Condition[];
  /** What to do and what to look for, before anything is told; "" of what a bet shows, which has told. */
  asks: string;
  /** What is told instead where conditions hold; the first counts. */
  cases: { when: Condition[]; says: string }[];
  /** What the reader has to reach; if nothing is named, any control on stage has to differ from the setting. */
  moved: Condition[];
  /** What differs from the setting where it is told without the reader. */
  told_at: State;
}

/** The state in which a step begins. */
export function state_at(declaration: Declaration, step: Step): State {
  return { ...defaults(declaration), ...step.state };
}

/** The state in which a step is told without the reader. */
export function told_at(declaration: Declaration, step: Step): State {
  return { ...state_at(declaration, step), ...step.told_at };
}

/** Whether the reader has done what a step asks for. */
export function has_moved(declaration: Declaration, step: Step, state: State, series: () => Series): boolean {
  if (step.moved.length) return holds(step.moved, state, series());
  const setting = state_at(declaration, step);
  return step.controls.some((name) => differs(control_of(declaration, name), setting[name], state[name]));
}

/** By at least a tenth of the range if there is one: a twitch is no try. Another draw is none either. */
function differs(control: Control, before: Value, now: Value): boolean {
  const { kind, values, min, max } = control;
  if (kind === "seed") return false;
  if (kind === "choice") return before !== now;
  if (kind === "listed") {
    const at = (value: Value) => values!.indexOf(value as number);
    return 10 * Math.abs(at(now) - at(before)) >= values!.length - 1;
  }
  const [was, is] = [before, now].map((value) => (Array.isArray(value) ? value : [value as number]));
  return was.length !== is.length || was.some((each, i) => 10 * Math.abs(is[i] - each) >= max! - min!);
}

/** What a step tells at a state: its first case that holds, or its sentence; else nothing, and the lab's does it. */
export function told(step: Step, state: State, series: Series): string | undefined {
  const found = step.cases.find(({ when }) => holds(when, state, series));
  return found?.says ?? (step.says && holds(step.when, state, series) ? step.says : undefined);
}

/** The controls that stand elsewhere than at the step, but for the draw: a sentence speaks of many draws. */
export function moved_from(declaration: Declaration, step: Step, state: State): string[] {
  const start = state_at(declaration, step);
  return declaration.controls
    .filter(({ name, kind }) => kind !== "seed" && !same(start[name] as Value, state[name]))
    .map(({ name }) => name);
}

/** Controls that are moved in the picture itself, and need no field beside it. */
export function grabbed(blocks: Block[]): string[] {
  return blocks.flatMap((block): string[] => {
    if (block.kind === "row" || block.kind === "column") return grabbed(block.blocks);
    if (block.kind === "grid" && block.pick) return [block.pick.control];
    if (block.kind === "diagram") return (block.discs ?? []).map(({ control }) => control);
    if (block.kind !== "plot") return [];
    return block.marks.flatMap((mark) =>
      mark.mark === "thumb" || mark.mark === "knob" || mark.mark === "grips"
        ? mark.control
        : mark.mark === "polar"
          ? [mark.lengths, mark.angles]
          : [],
    );
  });
}

/** The panels on stage, in the order and beside the neighbours that the lab gives them; no controls. */
export function staged(blocks: Block[], shows: string[]): Block[] {
  return blocks.flatMap((block): Block[] => {
    if (block.kind === "controls" || block.kind === "buttons") return [];
    if (block.kind !== "row" && block.kind !== "column") return shows.includes(block.name) ? [block] : [];
    const inside = staged(block.blocks, shows);
    return inside.length > 1 ? [{ ...block, blocks: inside }] : inside;
  });
}
