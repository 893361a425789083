// Where a reader is among the steps of a lab: the present one, what its sentence says, which challenges were met.

import { describe, same, type Declaration, type Series, type State } from "../declaration.ts";
import type { LabModule } from "../registry.ts";
import { holds, state_at, type Step } from "../step.ts";

export class Progress {
  /** Counted from 0; free play is the last, and the only one of a lab without steps. */
  at: number;
  /** The series at the state of the step, for its sentence. */
  said?: Series;
  readonly met = new Set<number>();
  readonly steps: Step[];
  #declaration: Declaration;

  /** A lab begins at its first step if that is the state it is given; a reader's own state is free play. */
  constructor(declaration: Declaration, state: State, small: boolean) {
    this.#declaration = declaration;
    this.steps = (!small && declaration.steps) || [];
    const start = this.steps.length ? state_at(declaration, this.steps[0]) : {};
    this.at = is_at(start, state) ? 0 : this.steps.length;
  }

  /** The present step; none at free play. */
  get step(): Step | undefined {
    return this.steps[this.at];
  }

  /** Counted from 1; nothing at free play. */
  get number(): number | undefined {
    return this.step && this.at + 1;
  }

  /** Where the present step starts; free play goes on from where the reader is. */
  start(): State | undefined {
    return this.step && state_at(this.#declaration, this.step);
  }

  enter(at: number): void {
    this.at = Math.min(Math.max(Math.round(at), 0), this.steps.length);
    this.said = undefined;
  }

  /** Note what was reached; the sentence of the step if it was entered since. */
  look(lab: LabModule, state: State, series: Series): string | undefined {
    const { step } = this;
    if (!step) return undefined;
    if (step.goal.length && holds(step.goal, state, series)) this.met.add(this.at);
    if (this.said) return undefined;
    const start = this.start()!;
    this.said = is_at(start, state) ? series : lab.compute(start, this.#declaration.data);
    return describe(this.#declaration, start, this.said, step.says);
  }
}

const is_at = (start: State, state: State) => Object.entries(start).every(([name, value]) => same(value, state[name]));
