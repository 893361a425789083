// <whyformer-predict>: commit before the reveal. What it covers stays under a curtain until an answer or a skip.

import { html, nothing, render } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { parse, short_name } from "../host/address.ts";
import type { WhyformerLab } from "../host/element.ts";
import { t } from "../words.ts";
import { cover_answer, cover_answer_anew, cover_lab, labs_named, open_what_a_link_names } from "./cover.ts";
import { submit_on_enter } from "./enter.ts";
import { unveil } from "./veil.ts";

export interface Question {
  predict: string;
  question: string;
  options: string[];
  /** Feedback and key, folded by predict.py so that a glance at the page source gives nothing away. */
  veiled: string;
  covers: string[];
  /** Where a lab stands once the reader has committed: at a step, or in a state at free play. */
  then?: { lab: string; step?: number; state: Record<string, unknown> };
}

const UNANSWERED = -1;
const SKIPPED = -2;
const FREE_PLAY = 99;

/** The reader's own browser remembers answers, where it lets us. */
const memory = {
  key: (name: string) => `whyformer:predict:${name}`,
  get({ predict, options }: Question): number {
    try {
      const text = localStorage.getItem(this.key(predict));
      const answer = text !== null && /^-?\d+$/.test(text) ? Number(text) : UNANSWERED;
      return answer >= SKIPPED && answer < options.length ? answer : UNANSWERED;
    } catch {
      return UNANSWERED;
    }
  },
  set(name: string, answer: number): void {
    try {
      if (answer === UNANSWERED) localStorage.removeItem(this.key(name));
      else localStorage.setItem(this.key(name), String(answer));
    } catch {
      // private mode: the answer lasts for this page
    }
  },
};

export class WhyformerPredict extends HTMLElement {
  #question?: Question;
  #answer?: number;
  #live?: HTMLElement;
  #leave = new AbortController();
  /** The option that is chosen and not committed to; and whether the reader tried to commit to none. */
  #picked = UNANSWERED;
  #empty = false;

  /** Ask, with the answer that Python has. If it has none, the remembered one counts. */
  ask(question: Question, answer: number): void {
    this.#question = question;
    this.#answer = answer === UNANSWERED ? memory.get(question) : answer;
  }

  /** Show, and remember, an answer that was given elsewhere, in Python. */
  show(answer: number): void {
    if (answer === this.answer) return;
    this.#answer = answer;
    memory.set(this.#question!.predict, answer);
    if (!this.#live) return;
    this.#paint();
    this.#cover(answer === UNANSWERED);
  }

  get answer(): number {
    return this.#answer ?? UNANSWERED;
  }

  get options(): string[] {
    return this.#question?.options ?? [];
  }

  /** Commit for a class: to its answer, or to the right one if it has none (-1), so that the page says which is. */
  commit(answer: number): void {
    if (!this.waiting) return;
    const verdicts = unveil<[feedback: string, right: boolean][]>(this.#question!.veiled);
    this.#choose(answer >= 0 ? answer : verdicts.findIndex(([, right]) => right));
  }

  /** As if nobody had answered on this device. */
  forget(): void {
    if (this.#question && this.answer !== UNANSWERED) this.#choose(UNANSWERED);
  }

  get waiting(): boolean {
    return this.#question !== undefined && this.answer === UNANSWERED;
  }

  connectedCallback(): void {
    if (this.#live) return this.#listen();
    this.#start();
  }

  #start(): void {
    if (this.#live || !this.isConnected) return;
    const script = this.querySelector(':scope > script[type="application/json"]');
    if (script) this.#question ??= JSON.parse(script.textContent!) as Question;
    if (!this.#question) return;
    this.#answer ??= memory.get(this.#question);
    this.#live = document.createElement("div");
    this.#live.className = "wf-live";
    this.append(this.#live);
    this.setAttribute("alive", "");
    this.#paint();
    this.#listen();
  }

  #listen(): void {
    const { signal } = this.#leave;
    // Whoever follows a link to a state wants to see that lab. In a notebook the labs may come after the question.
    const cover = () => this.#cover(this.waiting, parse(location.hash)?.lab);
    open_what_a_link_names();
    cover();
    document.addEventListener("whyformer:ready", cover, { signal });
    window.addEventListener("hashchange", open_what_a_link_names, { signal });
  }

  disconnectedCallback(): void {
    this.#leave.abort();
    this.#leave = new AbortController();
  }

  #choose(answer: number, focused = this.contains(document.activeElement)): void {
    this.#answer = answer;
    this.#picked = UNANSWERED;
    this.#empty = false;
    memory.set(this.#question!.predict, answer);
    this.#paint();
    this.#cover(answer === UNANSWERED);
    if (answer === UNANSWERED) cover_answer_anew();
    if (answer >= 0) this.#move();
    if (focused)
      this.querySelector<HTMLElement>(answer === UNANSWERED ? "input" : "button")!.focus({ preventScroll: true });
    this.dispatchEvent(new CustomEvent("whyformer:answer", { bubbles: true, detail: { answer } }));
  }

  /** The lab goes to what was asked about; the reader stays here, with the feedback. */
  #move(): void {
    const { then } = this.#question!;
    const [lab] = then ? labs_named<WhyformerLab>(then.lab) : [];
    if (!then || !lab) return;
    lab.go(then.step ?? FREE_PLAY);
    if (!then.step) lab.reset();
    if (Object.keys(then.state).length) lab.set(then.state);
  }

  #paint(): void {
    const { question, options, veiled, predict } = this.#question!;
    const answer = this.answer;
    const done = answer !== UNANSWERED;
    const verdicts = answer >= 0 ? unveil<[feedback: string, right: boolean][]>(veiled) : [];
    const chosen = verdicts[answer];
    const look = (i: number) => {
      if (done) return verdicts[i]?.[1] ? "wf-right" : i === answer ? "wf-wrong" : "";
      return i === this.#picked ? "wf-picked" : "";
    };
    render(
      html`<form class="wf-predict" @keydown=${submit_on_enter} @submit=${(event: Event) => this.#commit(event)}
          @change=${(event: Event) => this.#pick(Number((event.target as HTMLInputElement).value))}>
        <fieldset>
          <legend><strong>${t("Predict")}</strong> ${t(question)}</legend>
          ${options.map(
            (option, i) => html`<label class=${look(i)}>
              <input type="radio" name=${predict} value=${i} .checked=${live(i === (done ? answer : this.#picked))} ?disabled=${done} />
              <span>${t(option)}${verdicts[i]?.[1] ? html` <b>${t("✓ this one")}</b>` : nothing}</span></label>`,
          )}
        </fieldset>
        <div class="wf-feedback" aria-live="polite">${
          chosen
            ? html`<p><strong>${chosen[1] ? t("Right.") : t("Not so.")}</strong> ${t(chosen[0])}</p>`
            : answer === SKIPPED
              ? html`<p>${t("Skipped; nothing is covered any more.")}</p>`
              : this.#empty
                ? html`<p>${t("Choose an answer first, or skip.")}</p>`
                : nothing
        }</div>
        ${
          done
            ? html`<button type="button" @click=${() => this.#choose(UNANSWERED)}>${t("Predict again")}</button>`
            : html`<button type="submit">${t("Commit")}</button>
              <button type="button" @click=${() => this.#choose(SKIPPED)}>${t("Skip")}</button>`
        }
      </form>`,
      this.#live!,
    );
  }

  /** A click or an arrow key picks an option, as in any form; the button commits, or Enter. */
  #pick(option: number): void {
    this.#picked = option;
    this.#empty = false;
    this.#paint();
  }

  #commit(event: Event): void {
    event.preventDefault();
    if (!this.waiting) return;
    if (this.#picked !== UNANSWERED) return this.#choose(this.#picked);
    this.#empty = true;
    this.#paint();
  }

  #cover(covered: boolean, linked?: string): void {
    for (const name of this.#question!.covers) {
      if (covered && linked === short_name(name)) continue;
      for (const lab of labs_named(name)) cover_lab(lab, covered);
    }
    cover_answer();
  }
}
