// <whyformer-lab>: the public face of a lab in every host. Light DOM, properties state, series, description, set().

import { html, nothing, render } from "lit-html";
import { control_field, read } from "../control/controls.ts";
import { admit, defaults, describe, same, type Declaration, type Series, type State } from "../declaration.ts";
import { holds, staged, state_at } from "../step.ts";
import { address, parse, short_name } from "./address.ts";
import { frame } from "./frame.ts";
import { room_for } from "./stage.ts";
import { leave_turn, take_turn } from "./turns.ts";
import { factor_for, lay_out, stretched, type Laid } from "../picture/layout.ts";
import type { Block } from "../picture/picture.ts";
import { on_screen, type Host } from "../picture/screen.ts";
import { labs, type LabModule } from "../registry.ts";
import { t } from "../words.ts";

interface Payload {
  declaration: Declaration;
  state: State;
  size: "full" | "small";
}

let count = 0;

/** How long a note stays that only confirms, in milliseconds. */
const PASSING = 6000;

/** How long nothing has to change before work ahead begins, and the time between its pieces, in milliseconds. */
const [REST, BREATH] = [400, 30];

export class WhyformerLab extends HTMLElement {
  /** How a link to the present state is offered: a page copies a URL, a notebook copies Python. */
  host: "page" | "jupyter" = "page";

  #payload?: Payload;
  #lab?: LabModule;
  #state: State = {};
  #series: Series = {};
  #notes: string[] = [];
  #passing = "";
  #passed?: number;
  #live?: HTMLElement;
  #id = `wf-${++count}`;
  #leave = new AbortController();
  #resize?: ResizeObserver;
  #speak?: number;
  #rest?: number;
  #measured?: { width: number; em: number };
  /** Counted from 0; free play is the last, and the only one of a lab without steps. */
  #step = 0;
  /** The series at the state of the step, for its sentence. */
  #said?: Series;
  #solved = new Set<number>();
  #more = false;
  #stage?: { key: string; factor: number };

  /** For hosts that build the element themselves; call it before the element is put into a document. */
  declare_lab(payload: Payload): void {
    this.#payload = payload;
    this.setAttribute("name", payload.declaration.name);
    this.setAttribute("size", payload.size);
  }

  static observedAttributes = ["covered"];

  attributeChangedCallback(): void {
    if (this.hasAttribute("alive")) this.#paint(true);
  }

  connectedCallback(): void {
    if (this.#live) return this.#back();
    const opening = this.host === "page" && document.readyState !== "complete";
    if (!opening || this.#is_awaited()) return this.#begin();
    take_turn(this, () => this.#begin());
  }

  /** A link opens this lab; or one further down, in a browser that does not hold its place when something above grows. */
  #is_awaited(): boolean {
    const link = parse(location.hash);
    return (link && this.#is_meant(link.lab)) || (location.hash !== "" && !CSS.supports("overflow-anchor", "auto"));
  }

  #is_meant(name: string): boolean {
    return (
      short_name(this.getAttribute("name") ?? "") === name ||
      Boolean(this.getAttribute("formerly")?.split(" ").includes(name))
    );
  }

  /** Alive from now on: its turn has come, or someone asks for it. */
  #begin(): void {
    if (this.#live || !this.isConnected) return;
    leave_turn(this);
    this.#live = document.createElement("div");
    this.#live.className = "wf-live";
    this.append(this.#live);
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
      const name = (this.getAttribute("name") ?? "").slice(0, 80);
      render(
        html`<p class="wf-error" role="alert">${t("There is no lab named “{name}” in this bundle.", { name })}</p>`,
        this.#live!,
      );
      return;
    }
    this.setAttribute("alive", "");
    this.#state = defaults(this.#payload.declaration);
    this.#admit(this.#payload.state);
    const steps = this.#steps;
    const at_first =
      steps.length &&
      Object.entries(state_at(this.#payload.declaration, steps[0])).every(([name, value]) =>
        same(value, this.#state[name]),
      );
    this.#enter(at_first ? 0 : steps.length);
    this.#listen();
    this.#follow_link(true);
    this.#paint();
    this.dispatchEvent(new CustomEvent("whyformer:ready", { bubbles: true }));
  }

  /** Moved by a script, or put back: not new, but the room may be another. */
  #back(): void {
    if (!this.hasAttribute("alive")) return;
    this.#measured = undefined;
    this.#listen();
    this.#paint(true);
  }

  disconnectedCallback(): void {
    leave_turn(this);
    this.#leave.abort();
    this.#leave = new AbortController();
    this.#resize?.disconnect();
    clearTimeout(this.#speak);
    clearTimeout(this.#rest);
    clearTimeout(this.#passed);
    this.#passing = "";
  }

  get state(): State {
    this.#begin();
    return structuredClone(this.#state);
  }

  get series(): Series {
    this.#begin();
    return this.#series;
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

  get #steps() {
    return (this.getAttribute("size") !== "small" && this.#payload?.declaration.steps) || [];
  }

  /** The present step, counted from 1; one more than there are is free play. */
  get step(): number {
    this.#begin();
    return this.#step + 1;
  }

  /** Go to a step, counted from 1, in its own state; free play goes on from the present one. */
  go(step: number): void {
    this.#begin();
    if (!this.#payload) return;
    this.#enter(Math.min(Math.max(Math.round(step) - 1, 0), this.#steps.length));
    this.#notes = [];
    this.#passing = "";
    const entered = this.#steps[this.#step];
    if (entered) this.#state = state_at(this.#payload.declaration, entered);
    this.#paint();
  }

  #enter(step: number): void {
    this.#step = step;
    this.#said = undefined;
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
    const step = this.#steps[this.#step];
    this.set(step ? state_at(declaration, step) : { ...defaults(declaration), ...state });
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
    let width = this.#live!.clientWidth;
    const fit = () => {
      if (this.#live!.clientWidth === width || !this.#lab) return;
      width = this.#live!.clientWidth;
      this.#measured = undefined;
      this.#paint(true);
    };
    this.#resize = new ResizeObserver(() => requestAnimationFrame(fit)); // within the call it would be called again
    this.#resize.observe(this.#live!);
    const retyped = () => {
      if (!this.#stage) return;
      this.#stage = undefined; // words round the picture may take more lines, or fewer
      this.#paint(true);
    };
    document.fonts.addEventListener("loadingdone", retyped, { signal });
  }

  #follow_link(first: boolean): void {
    if (this.host !== "page" || !this.#payload) return;
    const link = parse(location.hash);
    if (!link) return;
    const all = [...document.querySelectorAll<WhyformerLab>("whyformer-lab")];
    const mine = (lab: WhyformerLab) => lab.#is_meant(link.lab);
    if (!all.some(mine)) {
      if (all[0] !== this) return;
      const name = link.lab.slice(0, 40);
      this.#notes = [t("The link names a lab “{name}”, which is not on this page.", { name })];
    } else {
      if (all.find(mine) !== this) return;
      this.removeAttribute("covered");
      this.#enter(link.step && link.step <= this.#steps.length ? link.step - 1 : this.#steps.length);
      const step = this.#steps[this.#step];
      this.#state = step ? state_at(this.#payload.declaration, step) : defaults(this.#payload.declaration);
      this.#notes = [];
      this.#admit(link.asked);
      const known = this.#payload.declaration.controls.map((control) => control.name);
      const strange = Object.keys(link.asked).find((name) => !known.includes(name));
      if (strange !== undefined) {
        this.#notes.push(
          t("The link sets “{name}”, which this lab does not have; it is ignored.", { name: strange.slice(0, 40) }),
        );
      }
      requestAnimationFrame(() => this.scrollIntoView({ block: "start" }));
    }
    if (!first) this.#paint();
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
    else if (draw) this.set({ [draw]: ((this.#state[draw] as number) + 1) % (control_max(declaration, draw) + 1) });
    else if (preset) this.set(declaration.presets[Number(preset)].state);
    else if (act === "reset") this.reset();
    else if (act === "link") void this.#copy_link();
  }

  #toggle_more(open: boolean): void {
    if (open === this.#more) return;
    this.#more = open;
    this.#paint(true);
  }

  /** Arrow keys on the dots. */
  #pressed(event: KeyboardEvent): void {
    if (event.key === "Escape" && this.#more) {
      this.#toggle_more(false);
      this.#live!.querySelector<HTMLElement>(".wf-more > summary")!.focus();
    }
    const by = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (!by || !(event.target as Element).closest(".wf-dot")) return;
    event.preventDefault();
    this.go(Math.min(this.#steps.length, Math.max(0, this.#step + by)) + 1);
    this.#live!.querySelector<HTMLElement>('[aria-current="step"]')!.focus({ preventScroll: true });
  }

  async #copy_link(): Promise<void> {
    const { declaration } = this.#payload!;
    let text: string;
    if (this.host === "page") {
      history.replaceState(
        null,
        "",
        address(declaration, this.#state, this.#steps[this.#step] ? this.#step + 1 : undefined),
      );
      text = location.href;
    } else {
      text = python_call(declaration, this.#state);
    }
    try {
      await navigator.clipboard.writeText(text);
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
    const { declaration } = this.#payload!;
    let said: string | undefined; // by a step that was entered
    try {
      if (!quiet || !Object.keys(this.#series).length) this.#series = this.#lab!.compute(this.#state, declaration.data);
      if (!this.isConnected) return; // no room to draw in; drawn when it is back
      this.removeAttribute("broken");
      const entered = this.#said ? undefined : this.#steps[this.#step];
      if (entered) {
        const start = state_at(declaration, entered);
        this.#said = this.#lab!.compute(start, declaration.data);
        said = describe(declaration, start, this.#said, entered.says);
      }
      const { goal = [] } = this.#steps[this.#step] ?? {};
      if (goal.length && holds(goal, this.#state, this.#series)) this.#solved.add(this.#step);
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
    this.#say_later(said ?? this.description);
    this.#work_ahead();
    this.dispatchEvent(new CustomEvent("whyformer:change", { bubbles: true, detail: { state: this.state } }));
  }

  /** What the reader may ask for next is computed while the page rests, in pieces; any change starts it anew. */
  #work_ahead(): void {
    clearTimeout(this.#rest);
    const pieces = this.#lab!.ahead?.(this.#state, (name) => this.#control(name));
    const next = () => {
      if (!this.isConnected || pieces!.next().done) return;
      this.#rest = window.setTimeout(next, BREATH);
    };
    if (pieces) this.#rest = window.setTimeout(next, REST);
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
    const { declaration, size } = this.#payload!;
    const small = size === "small";
    const blocks = this.#lab!.view(this.#state, this.#series, { data: declaration.data, small });
    const step = this.#steps[this.#step];
    if (!step) return this.#show(lay_out(blocks, this.#room().width, this.#room().em));
    const { width, em, height, one } = room_for(this.#room());
    const shown = staged(blocks, one ? step.shows.slice(0, step.narrow) : step.shows);
    this.#show_staged(shown, width, em, height);
  }

  /** The plots of a step are as tall as there is room beside what stands round them; that is measured once. */
  #show_staged(blocks: Block[], width: number, em: number, height: number): void {
    const key = [this.#step, width, em, height, this.#notes.length].join();
    if (this.#stage?.key !== key) {
      this.#show(lay_out(blocks, width, em));
      const picture = this.#live!.querySelector<HTMLElement>(".wf-onstage")!;
      const round = this.offsetHeight - picture.offsetHeight;
      this.#stage = { key, factor: factor_for(blocks, width, em, height - round) };
    }
    this.#show(lay_out(stretched(blocks, this.#stage.factor), width, em));
  }

  #show(laid: Laid[]): void {
    const { declaration, size } = this.#payload!;
    render(
      frame({
        declaration,
        id: this.#id,
        small: size === "small",
        covered: this.hasAttribute("covered"),
        notes: this.#notes,
        passing: this.#passing,
        state: this.#state,
        step: this.#step,
        said: this.#said ?? {},
        solved: this.#solved,
        beside: room_for(this.#room()).beside,
        more: this.#more,
        toggled: (open) => this.#toggle_more(open),
        copy: this.host === "page" ? t("Copy link") : t("Copy code"),
        description: this.description,
        picture: on_screen(laid, this.#room().em, this.#hands),
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

  /** Width of the lab's content and size of its type, in CSS pixels; asked for again when the lab changed its size. */
  #room(): { width: number; em: number } {
    if (this.#measured) return this.#measured;
    const style = getComputedStyle(this.#live!);
    const inside = this.#live!.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    this.#measured = { width: Math.max(240, Math.floor(inside)), em: parseFloat(style.fontSize) };
    return this.#measured;
  }

  #control(name: string) {
    return this.#payload!.declaration.controls.find((control) => control.name === name)!;
  }

  #hands: Host = {
    controls: ({ names }) =>
      html`<div class="wf-controls">${names.map((name) =>
        control_field(this.#control(name), this.#state[name], `${this.#id}-${name}-0`),
      )}</div>`,
    handle: (name, i) => {
      const { min, max, step, label } = this.#control(name);
      const value = (this.#state[name] as number[])[i];
      const words = t("{label}, number {i}", { label: t(label), i: i + 1 });
      return { value, min: min!, max: max!, step: step!, label: words };
    },
    vector: (name) => this.#state[name] as number[],
    set: (change) => this.set(change),
  };
}

function payload_inside(element: HTMLElement): Payload | undefined {
  const script = element.querySelector(':scope > script[type="application/json"]');
  return script ? (JSON.parse(script.textContent!) as Payload) : undefined;
}

function control_max(declaration: Declaration, name: string): number {
  return declaration.controls.find((control) => control.name === name)!.max!;
}

function python_call({ python, controls }: Declaration, state: State): string {
  const changed = controls.filter(({ name, default: d }) => !same(state[name], d));
  return `${python}(${changed.map(({ name }) => `${name}=${JSON.stringify(state[name])}`).join(", ")})`;
}
