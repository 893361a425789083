// A reader's session with a lab that has started: its state, the step, and what the reader is told. What of it is on
// the screen is the element's business.

import { admit, defaults, describe, type Declaration, type Series, type State } from "../declaration.ts";
import type { Block } from "../picture/picture.ts";
import type { LabModule } from "../registry.ts";
import { t } from "../words.ts";
import type { Link } from "./address.ts";
import { has_moved, type Step } from "../step.ts";
import { Looks } from "./state_cache.ts";
import type { Payload } from "./payload.ts";
import { Progress } from "./progress.ts";

/** What of a session outlives the page: the present step, counted from 0, which have told, and which are ticked. */
export interface Stay {
  at: number;
  told: number[];
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
  notes: string[] = [];
  /** A note that asks for nothing, and goes by itself. */
  passing = "";
  #lab: LabModule;
  /** Whether the reader has changed something, and the hand rests. */
  #is_settled = false;

  /** It begins in the state that the page tells. */
  constructor(lab: LabModule, payload: Payload) {
    this.#lab = lab;
    this.payload = payload;
    this.looks = new Looks(lab, payload);
    this.state = defaults(payload.declaration);
    this.#admit(payload.state);
    this.progress = new Progress(payload.declaration, this.state);
  }

  get declaration(): Declaration {
    return this.payload.declaration;
  }

  /** The step whose panels alone are shown; a small lab shows all. */
  get staged(): Step | undefined {
    return this.payload.size === "small" ? undefined : this.progress.step;
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

  /** A hand rests: what was asked may be told. Gives whether that may change what is shown. */
  settle(settled = true): boolean {
    this.#is_settled = settled;
    return this.progress.asking;
  }

  /** Tell what the present step has asked, where the reader is if that is far enough. Gives whether there was an ask. */
  tell(): boolean {
    if (!this.progress.asking) return false;
    this.#hush();
    const is_there = this.#has_moved(this.series);
    this.progress.tell();
    if (!is_there) this.state = this.progress.start()!;
    return true;
  }

  #has_moved(series: Series): boolean {
    return has_moved(this.declaration, this.progress.step!, this.state, () => series);
  }

  /** From the first step, as if nothing had been told. */
  start_again(): void {
    this.progress.told.clear();
    this.go(1);
  }

  get stay(): Stay {
    const { at, told, met } = this.progress;
    return { at, told: [...told], met: [...met] };
  }

  /** As it was left. What it was about is what the step begins with, or tells. */
  come_back({ at, told, met }: Stay): void {
    for (const each of told) this.progress.told.add(each);
    for (const each of met) this.progress.met.add(each);
    this.go(at + 1);
  }

  /** As a link opens it: at a step, or with everything on stage. */
  enter({ step = Infinity, asked, asks = false }: Link): void {
    this.progress.enter(step - 1);
    this.progress.tell(!asks);
    this.state = this.progress.start() ?? defaults(this.declaration);
    this.change(asked);
    this.#is_settled = false;
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
    this.progress.tell(false);
    this.#is_settled = false;
    this.#admit(this.progress.start() ?? { ...defaults(this.declaration), ...this.payload.state });
    this.#hush();
  }

  /** What the state gives and looks like is found anew. */
  look(): void {
    const { progress, looks } = this;
    let look = looks.of(this.state, !progress.asking);
    if (this.#is_settled && progress.asking && this.#has_moved(look.series)) {
      progress.tell();
      progress.met.add(progress.at);
      look = looks.of(this.state, true);
    }
    ({ series: this.series, blocks: this.blocks } = look);
  }

  /** What there is to say of the step, now that the state has been looked at. */
  say(): string | undefined {
    return this.progress.look(this.#lab, this.state, this.series);
  }

  #from_start(): void {
    this.#hush();
    this.#is_settled = false;
    this.state = this.progress.start() ?? this.state;
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
