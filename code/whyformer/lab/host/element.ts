// <whyformer-lab>: the public face of a lab in every host. Light DOM, properties state, series, description, set().

import { render, type TemplateResult } from "lit-html";
import { read } from "../control/controls.ts";
import { said_of } from "../control/shown.ts";
import { same, type Series, type State } from "../declaration.ts";
import type { Laid } from "../picture/layout.ts";
import { on_screen, type Host } from "../picture/screen.ts";
import { labs } from "../registry.ts";
import { t } from "../words.ts";
import { address, fragment, parse, python_call, short_name, type Link } from "./address.ts";
import { frame } from "./frame.ts";
import { hands } from "./field_binding.ts";
import { damaged, no_lab, stopped } from "./error_view.ts";
import { is_returning } from "./journey.ts";
import { come_back, keep } from "./left.ts";
import { mark, places_of } from "./highlight.ts";
import { payload_coming, payload_inside, type Payload } from "./payload.ts";
import { Session } from "./session.ts";
import { Stage } from "./stage.ts";
import { is_opening, leave_turn, take_turn } from "./lazy_start.ts";
import { unfold } from "./unfold.ts";

let count = 0;

/** How long a note stays that only confirms, in milliseconds. */
const PASSING = 6000;

/** After so long without a change a hand rests, in milliseconds. */
const PAUSE = 600;

export class WhyformerLab extends HTMLElement {
  /** How a link to the present state is offered: a page copies a URL, a notebook copies Python. */
  host: "page" | "jupyter" = "page";

  #payload?: Payload;
  /** Until what the page tells is here, nothing can be asked. */
  #coming?: Promise<unknown>;
  /** None before its turn has come, and where it cannot start. */
  #session?: Session;
  #hands?: Host;
  #stage?: Stage;
  #live?: HTMLElement;
  #id = `wf-${++count}`;
  #leave = new AbortController();
  #passed?: number;
  #rests?: number;
  #speak?: number;
  /** What a screen reader was last told of the state. */
  #sentence = "";
  #way_back?: () => void;
  /** Where the reader was when the page went to paper, and was asked something. */
  #asked_at?: State;
  /** Whether "More" is open. */
  #more = false;
  /** Whether anyone has come near or has changed anything: for whom only reads, nothing is made ahead. */
  #is_used = false;

  /** For hosts that build the element themselves; call it before the element is put into a document. */
  declare_lab(payload: Payload): void {
    this.#payload = payload;
    this.setAttribute("name", payload.declaration.name);
    this.setAttribute("size", payload.size);
  }

  connectedCallback(): void {
    if (this.#live) return this.#back();
    this.#arrive();
  }

  #arrive(): void {
    if (this.#live || !this.isConnected) return;
    const opening = this.host === "page" && is_opening();
    this.#coming = this.#payload ? undefined : payload_coming(this);
    if (!this.#coming) return this.#take_turn(opening);
    void this.#coming.then(() => {
      this.#coming = undefined;
      if (this.isConnected && !this.#live) this.#take_turn(opening);
    });
  }

  #take_turn(opening: boolean): void {
    if (!opening || this.#is_awaited()) return this.#begin();
    take_turn(this, () => this.#begin());
  }

  /** A link opens this lab; or one further down, in a browser that does not hold its place when something above grows. */
  #is_awaited(): boolean {
    const link = parse(location.hash);
    return (link && this.is_meant(link.lab)) || (location.hash !== "" && !CSS.supports("overflow-anchor", "auto"));
  }

  /** Whether a link with this name leads here. */
  is_meant(name: string): boolean {
    return (
      short_name(this.getAttribute("name") ?? "") === name ||
      Boolean(this.getAttribute("formerly")?.split(" ").includes(name))
    );
  }

  /** Alive from now on: its turn has come, or someone asks for it. */
  #begin(): void {
    if (this.#live || this.#coming || !this.isConnected) return;
    leave_turn(this);
    this.#live = document.createElement("div");
    this.#live.className = "wf-live";
    this.append(this.#live);
    this.#stage = new Stage(this.#live);
    try {
      this.#start();
    } catch (cause) {
      this.#payload = this.#session = undefined;
      this.removeAttribute("alive");
      this.#report(cause, damaged());
    }
  }

  #start(): void {
    this.#payload ??= payload_inside(this);
    const name = this.getAttribute("name") ?? "";
    const lab = labs.get(name);
    if (!this.#payload || !lab) {
      this.#payload = undefined; // nothing to move, to reset or to draw
      render(no_lab(name.slice(0, 80)), this.#live!);
      return;
    }
    this.setAttribute("alive", "");
    const is_small = this.getAttribute("size") === "small";
    this.#session = new Session(lab, this.#payload);
    this.#hands = hands(this.#session, this.#id, is_small, (change) => this.#move(change));
    this.#listen();
    if (this.host === "page") come_back(this.#session);
    this.#follow_link(true);
    this.#paint();
    this.#is_used = true; // from the first change on
    for (const event of ["pointerover", "focusin"])
      this.#live!.addEventListener(event, () => this.#work_ahead(), { once: true });
    this.dispatchEvent(new CustomEvent("whyformer:ready", { bubbles: true }));
  }

  /** Moved by a script, or put back: not new, but the room may be another. */
  #back(): void {
    if (!this.hasAttribute("alive")) return;
    this.#stage!.forget();
    this.#listen();
    this.#paint(true);
  }

  disconnectedCallback(): void {
    leave_turn(this);
    this.#leave.abort();
    this.#leave = new AbortController();
    clearTimeout(this.#speak);
    clearTimeout(this.#passed);
    clearTimeout(this.#rests);
    if (!this.#session) return;
    this.#session.looks.rest();
    this.#session.passing = "";
  }

  get state(): State {
    this.#begin();
    return structuredClone(this.#session?.state ?? {});
  }

  get series(): Series {
    this.#begin();
    return structuredClone(this.#session?.series ?? {}); // what is remembered is nobody's to change
  }

  /** What Python measured for this lab, if anything. */
  get data(): unknown {
    this.#begin();
    return this.#payload?.declaration.data;
  }

  /** The fragment of an address that leads to where the lab is. */
  get fragment(): string {
    this.#begin();
    if (!this.#session) return "";
    const { declaration, state, progress } = this.#session;
    return fragment(declaration, state, progress.number, progress.asking);
  }

  /** What the present step tells without the reader, for who teaches; nothing where no step asks. */
  get told(): string {
    this.#begin();
    return this.#session?.progress.tells ?? "";
  }

  /** Tell what the present step has asked. Gives whether there was an ask. */
  tell(): boolean {
    this.#begin();
    const tells = this.#session?.tell() ?? false;
    if (tells) this.#paint();
    return tells;
  }

  get description(): string {
    this.#begin();
    if (this.hasAttribute("broken")) return this.#live!.querySelector(".wf-error")!.textContent!;
    return this.#session?.description ?? "";
  }

  /** The present step, counted from 1; one more than there are is free play, and 0 is a bet on what no step shows. */
  get step(): number {
    this.#begin();
    return (this.#session?.progress.at ?? 0) + 1;
  }

  /** Go to a step, counted from 1, in its own state; free play goes on from the present one. */
  go(step: number): void {
    this.#begin();
    this.#session?.go(step);
    this.#paint();
  }

  /** After a bet: the step that it was about, with what differs there. The reader goes on at the first step. */
  show_bet(step: number, state: State): void {
    this.#begin();
    this.#session?.show_bet(step, state);
    this.#paint();
  }

  /** Change some controls. Values that are not allowed become the nearest that are, with a note to the reader. */
  set(change: Record<string, unknown>): void {
    this.#begin();
    this.#session?.change(change);
    this.#paint();
  }

  /** By a hand on a slider: what was asked is told once it rests. */
  #move(change: Record<string, unknown>): void {
    this.#session!.change(change, false);
    this.#paint();
    clearTimeout(this.#rests);
    this.#rests = window.setTimeout(() => this.#settle(), PAUSE);
  }

  #settle(): void {
    clearTimeout(this.#rests);
    if (this.#session?.settle()) this.#paint();
  }

  reset(): void {
    this.#begin();
    this.#session?.begin_again();
    this.#paint();
  }

  #listen(): void {
    const { signal } = this.#leave;
    window.addEventListener("hashchange", () => this.#follow_link(false), { signal });
    this.#live!.addEventListener("input", (event) => this.#heard(event.target as HTMLInputElement), { signal });
    for (const event of ["change", "pointerup"]) this.#live!.addEventListener(event, () => this.#settle(), { signal });
    const elsewhere = ({ target }: Event) => {
      if (!(target as Element).closest?.(".wf-more")) this.#toggle_more(false);
    };
    document.addEventListener("pointerdown", elsewhere, { signal });
    this.#live!.addEventListener("keydown", (event) => this.#pressed(event), { signal });
    this.#live!.addEventListener("click", (event) => this.#clicked(event.target as HTMLElement), { signal });
    this.#stage!.watch(signal, () => this.#paint(true));
    window.addEventListener("beforeprint", () => this.#tell_paper(), { signal });
    window.addEventListener("afterprint", () => this.#ask_again(), { signal });
  }

  #follow_link(first: boolean): void {
    if (this.host !== "page" || !this.#session) return;
    const link = parse(location.hash);
    if (!link) return;
    const all = [...document.querySelectorAll<WhyformerLab>("whyformer-lab")];
    const mine = (lab: WhyformerLab) => lab.is_meant(link.lab);
    if (!all.some(mine)) {
      if (all[0] !== this) return;
      const name = link.lab.slice(0, 40);
      this.#session.notes = [t("The link names a lab “{name}”, which is not on this page.", { name })];
    } else {
      if (all.find(mine) !== this) return;
      this.#session.enter(link);
      unfold(this);
      if (is_returning()) return this.#paint();
      requestAnimationFrame(() => this.scrollIntoView({ block: "start" }));
    }
    if (!first) this.#paint();
  }

  /** Move as a link in the text says. Gives a way to mark what moved or, if nothing did, what the link speaks of. */
  follow(link: Link): () => void {
    this.#begin();
    if (!this.#session) return () => {};
    const { state: before, declaration } = this.#session;
    const { controls } = declaration;
    this.#session.enter(link);
    this.#paint();
    const { state } = this.#session;
    const changed = controls.filter(({ name }) => !same(before[name], state[name]));
    const meant = changed.length ? changed : controls.filter(({ name }) => name in link.asked);
    const names = meant.map(({ name }) => name);
    const now = meant.map((control) => said_of(control, state[control.name])).join(", ");
    if (now) this.#say_later(t("Now {changes}. {sentence}", { changes: now, sentence: this.#sentence }));
    return () => mark(places_of(names, this.#live!));
  }

  /**
   * Whoever was brought here by a link is offered a way back, and has the focus on it; nothing takes it away. Where no
   * lab has started there is the browser's own.
   */
  offer_way_back(way: (() => void) | undefined): void {
    if (way === this.#way_back || !this.#session) return;
    this.#way_back = way;
    this.#paint(true);
    if (way) this.#live!.querySelector<HTMLElement>(".wf-back")?.focus({ preventScroll: true });
  }

  #heard(input: HTMLInputElement): void {
    const { declaration, state } = this.#session!;
    const control = declaration.controls.find((c) => c.name === input.name);
    if (!control || (control.kind === "seed" && input.value === "")) return;
    const change = { [control.name]: read(control, input, state[control.name]) };
    if (input.type === "range") this.#move(change);
    else this.set(change);
  }

  #clicked(target: HTMLElement): void {
    const button = target.closest("button");
    if (!button) return;
    const { declaration, looks, state } = this.#session!;
    const { draw, preset, act, step } = button.dataset;
    if (step) this.go(Number(step) + 1);
    else if (draw) this.set(looks.drawn_anew(state, draw));
    else if (preset) this.set(declaration.presets[Number(preset)].state);
    else if (act === "again") this.#start_again();
    else if (act === "tell") this.tell();
    else if (act === "reset") this.reset();
    else if (act === "back") this.#way_back?.();
    else if (act === "link") void this.#copy_link();
  }

  /** Paper has what is asked and what is told. */
  #tell_paper(): void {
    const session = this.#session;
    if (!session?.progress.asking) return;
    const { state } = session;
    this.#asked_at = state;
    this.tell();
  }

  #ask_again(): void {
    if (!this.#asked_at || !this.#session) return;
    this.#session.progress.tell(false);
    this.#session.state = this.#asked_at;
    this.#asked_at = undefined;
    this.#paint();
  }

  #start_again(): void {
    this.#session!.start_again();
    this.#paint();
  }

  #toggle_more(open: boolean): void {
    if (open === this.#more) return;
    this.#more = open;
    this.#paint(true);
  }

  /** By the reader, who goes on where it was opened. */
  #close_more(): void {
    if (!this.#more) return;
    this.#toggle_more(false);
    this.#live!.querySelector<HTMLElement>(".wf-more > summary")!.focus();
  }

  /** Arrow keys on the dots. */
  #pressed(event: KeyboardEvent): void {
    if (event.key === "Escape") this.#close_more();
    const by = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (!by || !(event.target as Element).closest(".wf-dot")) return;
    event.preventDefault();
    this.go(this.step + by);
    this.#live!.querySelector<HTMLElement>('[aria-current="step"]')!.focus({ preventScroll: true });
  }

  async #copy_link(): Promise<void> {
    const session = this.#session!;
    const { declaration, state } = session;
    let text: string;
    if (this.host === "page") {
      history.replaceState(null, "", address(declaration, state, session.progress.number, session.progress.asking));
      text = location.href;
    } else {
      text = python_call(declaration, state);
    }
    try {
      await navigator.clipboard.writeText(text);
      this.#close_more(); // the note would lie behind it
      this.#pass(t("Copied: {text}", { text }));
    } catch {
      session.notes = [t("Copy this: {text}", { text })];
      this.#pass("");
    }
  }

  /** A note that asks for nothing: it goes by itself, and lies over the lab so that nothing moves. */
  #pass(note: string): void {
    clearTimeout(this.#passed);
    this.#session!.passing = note;
    if (note) this.#passed = window.setTimeout(() => this.#pass(""), PASSING);
    this.#paint(true);
  }

  /** Draw. `quiet` when only the room or a note changed, not the state. */
  #paint(quiet = false): void {
    const session = this.#session;
    if (!session) return;
    let said: string | undefined; // by a step that was entered
    try {
      if (!quiet || !Object.keys(session.series).length) session.look();
      if (!this.isConnected) return; // no room to draw in; drawn when it is back
      this.removeAttribute("broken");
      said = session.say();
      const is_small = session.payload.size === "small";
      const key = `${session.progress.at} ${session.notes.length} ${Boolean(this.#way_back)}`;
      this.#stage!.show(session.blocks, session.staged, key, (laid) => this.#show(session, laid), is_small);
    } catch (cause) {
      session.series = {};
      this.#report(cause, stopped(this.host));
    }
    if (quiet) return;
    if (this.host === "page") keep(session);
    this.#sentence = said ?? this.description;
    this.#say_later(this.#sentence);
    if (this.#is_used) this.#work_ahead();
    this.dispatchEvent(new CustomEvent("whyformer:change", { bubbles: true, detail: { state: this.state } }));
  }

  #work_ahead(): void {
    const { looks, state, progress, staged } = this.#session!;
    looks.work_ahead({ ...state }, !progress.asking, (blocks) => this.#stage!.prepare(blocks, staged));
  }

  /** Instead of the lab: what happened, beside the still picture if there is one. */
  #report(cause: unknown, words: TemplateResult): void {
    const state = JSON.stringify(this.#session?.state ?? {});
    console.error(`whyformer-lab ${this.getAttribute("name")} at ${state}`, cause);
    this.setAttribute("broken", "");
    render(words, this.#live!);
  }

  #show(session: Session, laid: Laid[]): void {
    const { payload, state, progress, notes, passing } = session;
    render(
      frame({
        declaration: payload.declaration,
        small: payload.size === "small",
        notes,
        passing,
        way_back: Boolean(this.#way_back),
        state,
        step: progress.at,
        now: progress.step,
        bet: progress.bet !== undefined,
        said: progress.said ?? {},
        solved: progress.met,
        beside: this.#stage!.beside,
        narrow: this.#stage!.narrow,
        more: this.#more,
        toggled: (open) => this.#toggle_more(open),
        asking: progress.asking,
        tell: progress.step?.asks ? progress.tell_at(state, session.series) : "",
        grabbed: this.#stage!.grabbed,
        copy: this.host === "page" ? t("Copy link") : t("Copy code"),
        description: this.description,
        picture: on_screen(laid, this.#stage!.room.em, this.#hands!),
        fields: (names) => this.#hands!.controls({ kind: "controls", names }),
      }),
      this.#live!,
    );
  }

  /** A screen reader hears the sentence once the reader pauses, not at every step of a drag. */
  #say_later(sentence: string): void {
    clearTimeout(this.#speak);
    this.#speak = window.setTimeout(() => {
      const spoken = this.#live!.querySelector(".wf-spoken");
      if (spoken) spoken.textContent = sentence;
    }, PAUSE);
  }
}
