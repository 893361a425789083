// Conditions on the state and the numbers of a lab, as data. Twin of step.py, as far as a page judges them.

import type { Series, State } from "./declaration.ts";

export interface Condition {
  left: string;
  compare: "<" | "<=" | ">" | ">=" | "==" | "!=";
  right: number | string | { times: number; name: string };
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
