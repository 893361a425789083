// <whyformer-lab>: the public face of a lab in every host. Light DOM, properties state, series, description, set().

import { html, nothing, render } from "lit-html";
import { control_field, read } from "../control/controls.ts";
import { admit, control_of, defaults, describe, same, type Series, type State } from "../declaration.ts";
import { address, parse, python_call, short_name, type Link } from "./address.ts";
import { frame } from "./frame.ts";
import { is_returning } from "./journey.ts";
import { Looks } from "./looks.ts";
import { mark, places_of } from "./moved.ts";
import { payload_coming, payload_inside, type Payload } from "./payload.ts";
import { Progress } from "./progress.ts";
import { is_projected, Stage } from "./stage.ts";
import { is_opening, leave_turn, take_turn } from "./turns.ts";
import { unfold } from "./unfold.ts";
import type { Laid } from "../picture/layout.ts";
import type { Block } from "../picture/picture.ts";
import { on_screen, type Host } from "../picture/screen.ts";
import { said_of } from "../control/shown.ts";
import { labs, type LabModule } from "../registry.ts";
import { t } from "../words.ts";

let count = 0;

/** How long a note stays that only confirms, in milliseconds. */
const PASSING = 6000;

export class WhyformerLab extends HTMLElement {
  /** How a link to the present state is offered: a page copies a URL, a notebook copies Python. */
  host: "page" | "jupyter" = "page";

  #payload?: Payload;
  /** Until what the page tells is here, nothing can be asked. */
  #coming?: Promise<unknown>;
  #lab?: LabModule;
  #state: State = {};
  #series: Series = {};
  #blocks: Block[] = [];
  #looks?: Looks;
  #notes: string[] = [];
  #passing = "";
  #passed?: number;
  #live?: HTMLElement;
  #id = `wf-${++count}`;
  #leave = new AbortController();
  #resize?: ResizeObserver;
  #speak?: number;
  /** What a screen reader was last told of the state. */
  #sentence = "";
  #way_back?: () => void;
  #progress?: Progress;
  #stage?: Stage;
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
      this.#payload = this.#lab = undefined;
      this.removeAttribute("alive");
      this.#report(
        cause,
        t("This lab cannot start, since what the page says of it is damaged. Loading the page again may help."),
      );
    }
  }

  #start(): void {
    this.#payload ??= payload_inside(this);
    this.#lab = labs.get(this.getAttribute("name") ?? "");
    if (!this.#payload || !this.#lab) {
      this.#payload = undefined; // nothing to move, to reset or to draw
      const name = (this.getAttribute("name") ?? "").slice(0, 80);
      render(
        html`<p class="wf-error" role="alert">${t("There is no lab named “{name}” in this bundle.", { name })}</p>`,
        this.#live!,
      );
      return;
    }
    this.setAttribute("alive", "");
    this.#looks = new Looks(this.#lab, this.#payload);
    this.#state = defaults(this.#payload.declaration);
    this.#admit(this.#payload.state);
    this.#progress = new Progress(this.#payload.declaration, this.#state, this.#is_small);
    this.#listen();
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
    this.#resize?.disconnect();
    clearTimeout(this.#speak);
    this.#looks?.rest();
    clearTimeout(this.#passed);
    this.#passing = "";
  }

  get state(): State {
    this.#begin();
    return structuredClone(this.#state);
  }

  get series(): Series {
    this.#begin();
    return structuredClone(this.#series); // what is remembered is nobody's to change
  }

  /** What Python measured for this lab, if anything. */
  get data(): unknown {
    this.#begin();
    return this.#payload?.declaration.data;
  }

  get description(): string {
    this.#begin();
    if (this.hasAttribute("broken")) return this.#live!.querySelector(".wf-error")!.textContent!;
    return this.#payload ? describe(this.#payload.declaration, this.#state, this.#series) : "";
  }

  /** The present step, counted from 1; one more than there are is free play, and 0 is a bet on what no step shows. */
  get step(): number {
    this.#begin();
    return (this.#progress?.at ?? 0) + 1;
  }

  /** Go to a step, counted from 1, in its own state; free play goes on from the present one. */
  go(step: number): void {
    this.#begin();
    this.#progress?.enter(step - 1);
    this.#from_start();
  }

  /** After a bet: the step that it was about, with what differs there. The reader goes on at the first step. */
  show_bet(step: number, state: State): void {
    this.#begin();
    this.#progress?.place_bet(step, state);
    this.#from_start();
  }

  #from_start(): void {
    if (!this.#progress) return;
    this.#notes = [];
    this.#passing = "";
    this.#state = this.#progress.start() ?? this.#state;
    this.#paint();
  }

  /** Change some controls. Values that are not allowed become the nearest that are, with a note to the reader. */
  set(change: Record<string, unknown>): void {
    this.#begin();
    if (!this.#payload) return;
    this.#notes = [];
    this.#passing = "";
    this.#admit(change);
    this.#paint();
  }

  reset(): void {
    this.#begin();
    if (!this.#payload) return;
    const { declaration, state } = this.#payload;
    this.#progress!.begin_again();
    this.set(this.#progress!.start() ?? { ...defaults(declaration), ...state });
  }

  get #is_small(): boolean {
    return this.getAttribute("size") === "small";
  }

  #admit(asked: Record<string, unknown>): void {
    for (const control of this.#payload!.declaration.controls) {
      if (!(control.name in asked)) continue;
      const { value, note } = admit(control, asked[control.name]);
      this.#state[control.name] = value;
      if (note) this.#notes.push(note);
    }
  }

  #listen(): void {
    const { signal } = this.#leave;
    window.addEventListener("hashchange", () => this.#follow_link(false), { signal });
    this.#live!.addEventListener("input", (event) => this.#heard(event.target as HTMLInputElement), { signal });
    const elsewhere = ({ target }: Event) => {
      if (!(target as Element).closest?.(".wf-more")) this.#toggle_more(false);
    };
    document.addEventListener("pointerdown", elsewhere, { signal });
    this.#live!.addEventListener("keydown", (event) => this.#pressed(event), { signal });
    this.#live!.addEventListener("click", (event) => this.#clicked(event.target as HTMLElement), { signal });
    const room = () => `${this.#live!.clientWidth} ${is_projected() ? innerHeight : ""}`;
    let now = room();
    this.#resize = new ResizeObserver(() => {
      if (room() === now || !this.#lab) return;
      now = room();
      requestAnimationFrame(() => this.#resized()); // within the call it would be called again
    });
    this.#resize.observe(this.#live!);
    const type = getComputedStyle(this.#live!).fontFamily;
    const loaded = ({ fontfaces }: FontFaceSetLoadEvent) => {
      const is_own = fontfaces.some(({ family }) => type.includes(family.replaceAll('"', "")));
      if (is_own) this.#resized(); // words take more lines, or fewer
    };
    document.fonts.addEventListener("loadingdone", loaded, { signal });
  }

  #resized(): void {
    this.#stage!.forget();
    this.#paint(true);
  }

  #follow_link(first: boolean): void {
    if (this.host !== "page" || !this.#payload) return;
    const link = parse(location.hash);
    if (!link) return;
    const all = [...document.querySelectorAll<WhyformerLab>("whyformer-lab")];
    const mine = (lab: WhyformerLab) => lab.is_meant(link.lab);
    if (!all.some(mine)) {
      if (all[0] !== this) return;
      const name = link.lab.slice(0, 40);
      this.#notes = [t("The link names a lab “{name}”, which is not on this page.", { name })];
    } else {
      if (all.find(mine) !== this) return;
      this.#enter(link);
      unfold(this);
      if (is_returning()) return this.#paint();
      requestAnimationFrame(() => this.scrollIntoView({ block: "start" }));
    }
    if (!first) this.#paint();
  }

  #enter(link: Link): void {
    const { declaration } = this.#payload!;
    this.#progress!.enter((link.step ?? Infinity) - 1);
    this.#state = this.#progress!.start() ?? defaults(declaration);
    this.#notes = [];
    this.#passing = "";
    this.#admit(link.asked);
    const known = declaration.controls.map((control) => control.name);
    const strange = Object.keys(link.asked).find((name) => !known.includes(name));
    if (strange === undefined) return;
    const name = strange.slice(0, 40);
    this.#notes.push(t("The link sets “{name}”, which this lab does not have; it is ignored.", { name }));
  }

  /** Move as a link in the text says. Gives a way to mark what moved or, if nothing did, what the link speaks of. */
  follow(link: Link): () => void {
    this.#begin();
    if (!this.#payload) return () => {};
    const { controls } = this.#payload.declaration;
    const before = this.#state;
    this.#enter(link);
    this.#paint();
    const changed = controls.filter(({ name }) => !same(before[name], this.#state[name]));
    const meant = changed.length ? changed : controls.filter(({ name }) => name in link.asked);
    const names = meant.map(({ name }) => name);
    const now = meant.map((control) => said_of(control, this.#state[control.name])).join(", ");
    if (now) this.#say_later(t("Now {changes}. {sentence}", { changes: now, sentence: this.#sentence }));
    return () => mark(places_of(names, this.#live!));
  }

  /**
   * Whoever was brought here by a link is offered a way back, and has the focus on it; nothing takes it away. Where no
   * lab has started there is the browser's own.
   */
  offer_way_back(way: (() => void) | undefined): void {
    if (way === this.#way_back || !this.#payload) return;
    this.#way_back = way;
    this.#paint(true);
    if (way) this.#live!.querySelector<HTMLElement>(".wf-back")?.focus({ preventScroll: true });
  }

  #heard(input: HTMLInputElement): void {
    const control = this.#payload!.declaration.controls.find((c) => c.name === input.name);
    if (!control || (control.kind === "seed" && input.value === "")) return;
    this.set({ [control.name]: read(control, input, this.#state[control.name]) });
  }

  #clicked(target: HTMLElement): void {
    const button = target.closest("button");
    if (!button) return;
    const { declaration } = this.#payload!;
    const { draw, preset, act, step } = button.dataset;
    if (step) this.go(Number(step) + 1);
    else if (draw) this.set(this.#looks!.drawn_anew(this.#state, draw));
    else if (preset) this.set(declaration.presets[Number(preset)].state);
    else if (act === "reset") this.reset();
    else if (act === "back") this.#way_back?.();
    else if (act === "link") void this.#copy_link();
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
    const { declaration } = this.#payload!;
    let text: string;
    if (this.host === "page") {
      history.replaceState(null, "", address(declaration, this.#state, this.#progress!.number));
      text = location.href;
    } else {
      text = python_call(declaration, this.#state);
    }
    try {
      await navigator.clipboard.writeText(text);
      this.#close_more(); // the note would lie behind it
      this.#pass(t("Copied: {text}", { text }));
    } catch {
      this.#notes = [t("Copy this: {text}", { text })];
      this.#pass("");
    }
  }

  /** A note that asks for nothing: it goes by itself, and lies over the lab so that nothing moves. */
  #pass(note: string): void {
    clearTimeout(this.#passed);
    this.#passing = note;
    if (note) this.#passed = window.setTimeout(() => this.#pass(""), PASSING);
    this.#paint(true);
  }

  /** Draw. `quiet` when only the room or a note changed, not the state. */
  #paint(quiet = false): void {
    let said: string | undefined; // by a step that was entered
    try {
      if (!quiet || !Object.keys(this.#series).length)
        ({ series: this.#series, blocks: this.#blocks } = this.#looks!.of(this.#state));
      if (!this.isConnected) return; // no room to draw in; drawn when it is back
      this.removeAttribute("broken");
      said = this.#progress!.look(this.#lab!, this.#state, this.#series);
      this.#draw();
    } catch (cause) {
      this.#series = {};
      this.#report(
        cause,
        this.host === "page"
          ? t(
              "This lab has stopped: its code failed in this state. A still picture stands in for it; Reset brings the lab back.",
            )
          : t(
              "This lab has stopped: its code failed in this state. Reset brings it back; lab.svg() draws a still picture.",
            ),
      );
    }
    if (quiet) return;
    this.#sentence = said ?? this.description;
    this.#say_later(this.#sentence);
    if (this.#is_used) this.#work_ahead();
    this.dispatchEvent(new CustomEvent("whyformer:change", { bubbles: true, detail: { state: this.state } }));
  }

  #work_ahead(): void {
    this.#looks!.work_ahead({ ...this.#state }, (blocks) => this.#stage!.prepare(blocks, this.#progress!.step));
  }

  /** Instead of the lab: what happened, the still picture if there is one, and a way back if there is a state. */
  #report(cause: unknown, words: string): void {
    console.error(`whyformer-lab ${this.getAttribute("name")} at ${JSON.stringify(this.#state)}`, cause);
    this.setAttribute("broken", "");
    render(
      html`<p class="wf-error" role="alert">${words}</p>
      ${this.#payload ? html`<div class="wf-lab"><button type="button" data-act="reset">${t("Reset")}</button></div>` : nothing}`,
      this.#live!,
    );
  }

  #draw(): void {
    const key = `${this.#progress!.at} ${this.#notes.length} ${Boolean(this.#way_back)}`;
    this.#stage!.show(this.#blocks, this.#progress!.step, key, (laid) => this.#show(laid));
  }

  #show(laid: Laid[]): void {
    const { declaration, size } = this.#payload!;
    render(
      frame({
        declaration,
        id: this.#id,
        small: size === "small",
        notes: this.#notes,
        passing: this.#passing,
        way_back: Boolean(this.#way_back),
        state: this.#state,
        step: this.#progress!.at,
        now: this.#progress!.step,
        bet: this.#progress!.bet !== undefined,
        said: this.#progress!.said ?? {},
        solved: this.#progress!.met,
        tries: this.#progress!.tries,
        beside: this.#stage!.beside,
        narrow: this.#stage!.narrow,
        more: this.#more,
        toggled: (open) => this.#toggle_more(open),
        copy: this.host === "page" ? t("Copy link") : t("Copy code"),
        description: this.description,
        picture: on_screen(laid, this.#stage!.room.em, this.#hands),
        fields: (names) => this.#hands.controls({ kind: "controls", names }),
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
    }, 600);
  }

  #hands: Host = {
    controls: ({ names }) =>
      html`<div class="wf-controls">${names.map((name) =>
        control_field(
          control_of(this.#payload!.declaration, name),
          this.#state[name],
          `${this.#id}-${name}-0`,
          this.#is_small,
        ),
      )}</div>`,
    handle: (name, i) => {
      const { min, max, step, label } = control_of(this.#payload!.declaration, name);
      const value = (this.#state[name] as number[])[i];
      const words = t("{label}, number {i}", { label: t(label), i: i + 1 });
      return { value, min: min!, max: max!, step: step!, label: words };
    },
    vector: (name) => this.#state[name] as number[],
    set: (change) => this.set(change),
  };
}
