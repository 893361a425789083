// Steps of a lab: a claim at a state; which panels are on stage.

import type { Condition } from "./conditions.ts";
import { defaults, same, type Declaration, type State, type Value } from "./declaration.ts";
import type { Block } from "./picture/picture.ts";

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
