// Where a reader is among the steps of a lab: the present one, what it asks or tells, what was found by oneself.

import { describe, same, type Declaration, type Series, type State } from "../declaration.ts";
import type { LabModule } from "../registry.ts";
import { state_at, told, told_at, type Step } from "../step.ts";
import { t } from "../words.ts";

export class Progress {
  /** Counted from 0; free play is the last, and the only one of a lab without steps. A bet stands before the first. */
  at: number;
  /** What the reader has bet on, until another step is entered. */
  bet?: Step;
  /** The series at the state of the step, for its sentence; of one that asks, where it is told without the reader. */
  said?: Series;
  /** Steps whose tell the reader's own move has brought. */
  readonly met = new Set<number>();
  /** Steps that have told. */
  readonly told = new Set<number>();
  /** Whether it was the tell that was said last, and not the ask. */
  #said_told = false;
  readonly steps: Step[];
  #declaration: Declaration;
  #bet_on = 0;

  /**
   * A lab begins at its first step if that is the state it is given; a reader's own state is free play.
   */
  constructor(declaration: Declaration, state: State) {
    this.#declaration = declaration;
    this.steps = declaration.steps ?? [];
    const start = this.steps.length ? state_at(declaration, this.steps[0]) : {};
    this.at = is_at(start, state) ? 0 : this.steps.length;
  }

  /** The present step; none at free play. */
  get step(): Step | undefined {
    return this.at < 0 ? this.bet : this.steps[this.at];
  }

  /** The present step, counted from 1, or the one that a bet is about; nothing at free play. */
  get number(): number | undefined {
    return this.step && (this.at < 0 ? this.#bet_on : this.at + 1);
  }

  /** Whether the present step has asked, and has not told yet. */
  get asking(): boolean {
    return Boolean(this.step?.asks) && this.at >= 0 && !this.told.has(this.at);
  }

  /** Where the present step starts, or where it has told; free play goes on from where the reader is. */
  start(): State | undefined {
    return this.step && (this.asking ? state_at : told_at)(this.#declaration, this.step);
  }

  /** What the present step tells without the reader, if it asks and has been looked at. */
  get tells(): string | undefined {
    const { step, said } = this;
    return step?.asks && said ? this.tell_at(told_at(this.#declaration, step), said) : undefined;
  }

  /** The present step has told, or asks anew, if it asks at all. */
  tell(told = true): void {
    if (!this.step?.asks || this.at < 0) return;
    if (told) this.told.add(this.at);
    else this.told.delete(this.at);
  }

  /** What the present step tells at a state. Where neither its sentence nor a case is true, the lab's sentence is. */
  tell_at(state: State, series: Series): string {
    return describe(this.#declaration, state, series, told(this.step!, state, series));
  }

  enter(at: number): void {
    this.at = Math.min(Math.max(Math.round(at), 0), this.steps.length);
    this.bet = undefined;
    this.begin_again();
  }

  /** The present step is entered, a bet too. */
  begin_again(): void {
    this.said = undefined;
  }

  /**
   * Show what a bet was about: a step, counted from 1, in a state that may differ from its own. Then the sentence of
   * the lab takes the place of the step's. The first step in its own state needs no other place. What the bet asked for
   * has been told.
   */
  place_bet(step: number, state: State): void {
    const shown = this.steps[step - 1];
    if (!shown) return;
    const differs = Object.keys(state).length > 0;
    this.enter(0);
    this.#bet_on = step;
    if (step > 1 || differs) this.at = -1;
    this.bet = differs
      ? {
          ...shown,
          state: { ...shown.state, ...shown.told_at, ...state },
          ...{ says: this.#declaration.sentence, asks: "", cases: [], when: [], told_at: {} },
        }
      : shown;
    if (this.at === 0) this.tell();
  }

  /** What there is to say at a state, if it has not been said: what the present step asks or tells. */
  look(lab: LabModule, state: State, series: Series): string | undefined {
    const { step } = this;
    if (!step) return undefined;
    if (step.asks) return this.#ask_or_tell(lab, step, state, series);
    if (this.said) return undefined;
    const start = this.start()!;
    this.said = is_at(start, state) ? series : lab.compute(start, this.#declaration.data);
    return describe(this.#declaration, start, this.said, step.says);
  }

  /** What is asked when the step is entered, and what it tells once it does. */
  #ask_or_tell(lab: LabModule, step: Step, state: State, series: Series): string | undefined {
    const has_told = !this.asking;
    if (this.said && this.#said_told === has_told) return undefined;
    this.#said_told = has_told;
    this.said ??= lab.compute(told_at(this.#declaration, step), this.#declaration.data);
    return has_told ? this.tell_at(state, series) : t(step.asks);
  }
}

const is_at = (start: State, state: State) => Object.entries(start).every(([name, value]) => same(value, state[name]));
