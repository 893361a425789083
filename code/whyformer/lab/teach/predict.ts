// <whyformer-predict>: a bet on what the lab below will show. The lab is open; the short answer is folded (answer.ts).

import { html, nothing, render } from "lit-html";
import { live } from "lit-html/directives/live.js";
import type { State } from "../declaration.ts";
import type { WhyformerLab } from "../host/element.ts";
import { is_taught, recall, remember } from "../storage.ts";
import { t } from "../words.ts";
import { open_or_fold } from "./answer.ts";
import { submit_on_enter } from "./enter.ts";
import { unveil } from "./veil.ts";

export interface Question {
  predict: string;
  question: string;
  options: string[];
  /** By which number each option is remembered, if that is not its place. */
  numbers?: number[];
  /** Feedback and key, folded by predict.py so that a glance at the page source gives nothing away. */
  veiled: string;
  /** What the lab shows after a bet: a step, and the controls that differ there. */
  then?: { lab: string; step: number; state: State };
}

const UNANSWERED = -1;
const SKIPPED = -2;
/** A class was shown what is right, and has no answer of its own. */
const SHOWN = -3;

const key_of = (name: string) => `whyformer:predict:${name}`;

/** What the reader answered. On slides a class answers, and its answers are kept with the lesson (slides/kept.ts). */
function remembered({ predict, options, numbers }: Question): number {
  const text = is_taught() ? null : recall(key_of(predict));
  const answer = text !== null && /^-?\d+$/.test(text) ? Number(text) : UNANSWERED;
  if (answer < SHOWN || answer >= options.length) return UNANSWERED;
  return answer >= 0 && numbers ? numbers.indexOf(answer) : answer;
}

function keep({ predict, numbers }: Question, answer: number): void {
  if (!is_taught()) remember(key_of(predict), answer === UNANSWERED ? null : String(numbers?.[answer] ?? answer));
}

export class WhyformerPredict extends HTMLElement {
  #question?: Question;
  #answer?: number;
  #live?: HTMLElement;
  /** The option that is chosen and not committed to; and whether the reader tried to commit to none. */
  #picked = UNANSWERED;
  #empty = false;

  /** Ask, with the answer that Python has. If it has none, the remembered one counts. */
  ask(question: Question, answer: number): void {
    this.#question = question;
    this.#answer = answer === UNANSWERED ? remembered(question) : answer;
  }

  /** Show, and remember, an answer that was given elsewhere, in Python. */
  show(answer: number): void {
    if (answer === this.answer) return;
    this.#answer = answer;
    keep(this.#question!, answer);
    if (!this.#live) return;
    this.#paint();
    open_or_fold(answer === UNANSWERED);
  }

  get answer(): number {
    return this.#answer ?? UNANSWERED;
  }

  get options(): string[] {
    return this.#question?.options ?? [];
  }

  get question(): string {
    return this.#question?.question ?? "";
  }

  /** For who teaches: of each option, what is to be said to it and whether it is right. */
  get verdicts(): [feedback: string, right: boolean][] {
    return this.#question ? unveil(this.#question.veiled) : [];
  }

  /** For a class: what is right, as a verdict on its answer, or on none (-1). */
  commit(answer: number): void {
    if (this.waiting) this.#choose(answer >= 0 ? answer : SHOWN);
  }

  /** As if nobody had answered on this device. */
  forget(): void {
    if (this.#question && this.answer !== UNANSWERED) this.#choose(UNANSWERED);
  }

  get waiting(): boolean {
    return this.#question !== undefined && this.answer === UNANSWERED;
  }

  connectedCallback(): void {
    if (this.#live) return; // moved by a script
    const script = this.querySelector(':scope > script[type="application/json"]');
    if (script) this.#question ??= JSON.parse(script.textContent!) as Question;
    if (!this.#question) return;
    this.#answer ??= remembered(this.#question);
    this.#live = document.createElement("div");
    this.#live.className = "wf-live";
    this.append(this.#live);
    this.setAttribute("alive", "");
    this.#paint();
    open_or_fold();
  }

  #choose(answer: number, focused = this.contains(document.activeElement)): void {
    this.#answer = answer;
    this.#picked = UNANSWERED;
    this.#empty = false;
    keep(this.#question!, answer);
    this.#paint();
    open_or_fold(answer === UNANSWERED);
    if (answer >= 0) this.#move();
    if (focused)
      this.querySelector<HTMLElement>(answer === UNANSWERED ? "input" : "button")!.focus({ preventScroll: true });
    this.dispatchEvent(new CustomEvent("whyformer:answer", { bubbles: true, detail: { answer } }));
  }

  /** The lab goes to what was asked about; the reader stays here, with the feedback. A small lab is another matter. */
  #move(): void {
    const { then } = this.#question!;
    if (!then) return;
    const lab = `whyformer-lab[name="${CSS.escape(then.lab)}"]:not([size="small"])`;
    document.querySelector<WhyformerLab>(lab)?.show_bet(then.step, then.state);
  }

  #paint(): void {
    const { question, options, veiled, predict } = this.#question!;
    const answer = this.answer;
    const done = answer !== UNANSWERED;
    const shown = answer >= 0 || answer === SHOWN;
    const verdicts = shown ? unveil<[feedback: string, right: boolean][]>(veiled) : [];
    const verdict = verdicts[answer] ?? verdicts.find(([, right]) => right);
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
          verdict
            ? html`<p>${answer === SHOWN ? nothing : html`<strong>${verdict[1] ? t("Right.") : t("Not so.")}</strong> `}${t(verdict[0])}</p>`
            : answer === SKIPPED
              ? html`<p>${t("Skipped.")}</p>`
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
}
