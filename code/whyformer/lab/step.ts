// Steps of a lab: a claim at a state. Twin of step.py, as far as a page judges conditions; which panels are on stage.

import { defaults, same, type Declaration, type Series, type State, type Value } from "./declaration.ts";
import type { Block } from "./picture/picture.ts";

export interface Condition {
  left: string;
  compare: "<" | "<=" | ">" | ">=" | "==" | "!=";
  right: number | string | { times: number; name: string };
}

export interface Step {
  says: string;
  state: State;
  shows: string[];
  /** How many of these a narrow screen shows. */
  narrow: number;
  controls: string[];
  when: Condition[];
  goal: Condition[];
  /** What stands below a challenge once it is met; "" where there is none. */
  learned: string;
  /** Whether tries are counted until then. */
  counts: boolean;
}

const COMPARE: Record<Condition["compare"], (a: number | string, b: number | string) => boolean> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
};

/** Whether all conditions are true. */
export function holds(conditions: Condition[], state: State, series: Series): boolean {
  const value = (name: string): number | string => {
    const found = name in state ? state[name] : series[name];
    if (typeof found === "object" || found === undefined) throw new Error(`${name} is no number of this lab`);
    return found;
  };
  return conditions.every(({ left, compare, right }) =>
    COMPARE[compare](value(left), typeof right === "object" ? right.times * (value(right.name) as number) : right),
  );
}

export function state_at(declaration: Declaration, step: Step): State {
  return { ...defaults(declaration), ...step.state };
}

/** The controls that stand elsewhere than at the step, but for the draw: a sentence speaks of many draws. */
export function moved_from(declaration: Declaration, step: Step, state: State): string[] {
  const start = state_at(declaration, step);
  return declaration.controls
    .filter(({ name, kind }) => kind !== "seed" && !same(start[name] as Value, state[name]))
    .map(({ name }) => name);
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
