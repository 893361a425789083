// A reader's session with a lab that has started: its state, the step, and what the reader is told. What of it is on
// the screen is the element's business.

import { admit, defaults, describe, same, type Declaration, type Series, type State } from "../declaration.ts";
import type { Block, Change, Seen } from "../picture/picture.ts";
import type { LabModule } from "../registry.ts";
import { t } from "../words.ts";
import type { Link } from "./address.ts";
import { Looks } from "./looks.ts";
import type { Payload } from "./payload.ts";
import { Progress } from "./progress.ts";

/** What of a session outlives the page: the present step, counted from 0, and which challenges are ticked. */
export interface Stay {
  at: number;
  met: number[];
}

export class Session {
  readonly payload: Payload;
  readonly progress: Progress;
  readonly looks: Looks;
  state: State;
  /** What the state gives and looks like; nothing while the lab's code fails. */
  series: Series = {};
  blocks: Block[] = [];
  /** Of a lab that asks before it tells: what the reader has seen. */
  seen?: Seen;
  notes: string[] = [];
  /** A note that asks for nothing, and goes by itself. */
  passing = "";
  #lab: LabModule;

  /** It begins in the state that the page tells. */
  constructor(lab: LabModule, payload: Payload, small: boolean) {
    this.#lab = lab;
    this.payload = payload;
    this.looks = new Looks(lab, payload);
    this.state = defaults(payload.declaration);
    this.#admit(payload.state);
    this.#begin_to_ask(small);
    this.progress = new Progress(payload.declaration, this.state, small);
  }

  get declaration(): Declaration {
    return this.payload.declaration;
  }

  /** The state in words. */
  get description(): string {
    return describe(this.declaration, this.state, this.series);
  }

  /** Values that are not allowed become the nearest that are, with a note to the reader. */
  change(asked: Record<string, unknown>, settled = true): void {
    this.#hush();
    this.#admit(asked);
    this.settle(settled);
  }

  /** A hand rests: what was asked may be told. Gives whether that changes what is shown. */
  settle(settled = true): boolean {
    const before = this.seen;
    this.seen = before && this.#lab.asking!.moved(before, this.state, settled);
    return before?.stage !== this.seen?.stage;
  }

  get stay(): Stay {
    const { at, met } = this.progress;
    return { at, met: [...met] };
  }

  /** As it was left. */
  come_back({ at, met }: Stay): void {
    for (const each of met) this.progress.met.add(each);
    this.go(at + 1);
  }

  /** What is asked now, or nothing; and the one button of a lab that asks. */
  get ask(): string | undefined {
    return this.seen && this.seen.stage % 2 === 0 ? t(this.declaration.asks![this.seen.stage / 2]) : undefined;
  }

  get button() {
    return this.seen && this.#lab.asking!.button(this.seen, this.state);
  }

  /** What the one button does. */
  press(): void {
    const { set, draw, asks } = this.button!;
    if (asks !== undefined) this.seen = { ...this.seen!, stage: asks };
    this.change({ ...set, ...(draw ? this.looks.drawn_anew(this.state, draw) : {}) } satisfies Change);
  }

  /** As a link opens it: at a step, or with everything on stage. */
  enter({ step = Infinity, asked }: Link): void {
    this.progress.enter(step - 1);
    this.state = this.progress.start() ?? defaults(this.declaration);
    this.change(asked);
    this.#begin_to_ask(Boolean(this.seen));
    const known = this.declaration.controls.map((control) => control.name);
    const strange = Object.keys(asked).find((name) => !known.includes(name));
    if (strange === undefined) return;
    const name = strange.slice(0, 40);
    this.notes.push(t("The link sets “{name}”, which this lab does not have; it is ignored.", { name }));
  }

  /** A step, counted from 1, in its own state; free play goes on from the present one. */
  go(step: number): void {
    this.progress.enter(step - 1);
    this.#from_start();
  }

  /** The step that a bet was about, with what differs there. */
  show_bet(step: number, state: State): void {
    this.progress.place_bet(step, state);
    this.#from_start();
  }

  /** The present step from its start; at free play, what the page told. */
  begin_again(): void {
    this.progress.begin_again();
    this.#admit(this.progress.start() ?? { ...defaults(this.declaration), ...this.payload.state });
    this.#hush();
    this.#begin_to_ask(Boolean(this.seen));
  }

  /** What the state gives and looks like is found anew. */
  look(): void {
    ({ series: this.series, blocks: this.blocks } = this.looks.of(this.state, this.seen));
  }

  /** What there is to say of the step, now that the state has been looked at. */
  say(): string | undefined {
    return this.progress.look(this.#lab, this.state, this.series);
  }

  #from_start(): void {
    this.#hush();
    this.state = this.progress.start() ?? this.state;
  }

  #begin_to_ask(asks: boolean): void {
    const opens = defaults(this.declaration);
    const is_open = Object.entries(opens).every(([name, value]) => same(value, this.state[name]));
    this.seen = asks ? this.#lab.asking?.begin(this.state, is_open) : undefined;
  }

  #hush(): void {
    this.notes = [];
    this.passing = "";
  }

  #admit(asked: Record<string, unknown>): void {
    for (const control of this.declaration.controls) {
      if (!(control.name in asked)) continue;
      const { value, note } = admit(control, asked[control.name]);
      this.state[control.name] = value;
      if (note) this.notes.push(note);
    }
  }
}
