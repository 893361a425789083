// <whyformer-exercise>: a form for an answer. It judges by itself; no kernel is asked.

import { html, render, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { leave, left } from "../storage.ts";
import { t } from "../words.ts";
import { submit_on_enter } from "./enter.ts";
import { judge, type Asked, type Judgement } from "./judge.ts";

/** Of an answer, in letters. */
const LONGEST = 60;

let count = 0;

export class WhyformerExercise extends HTMLElement {
  #asked?: Asked;
  #answer = "";
  #judged?: Judgement;
  #live?: HTMLElement;
  /** Under which name the device keeps the answer; a form that stands under no exercise of a page is not kept. */
  #kept_as = "";
  #id = `wf-exercise-${++count}`;

  /** For hosts that build the element themselves; call it before the element is put into a document. */
  ask(asked: Asked, answer: string): void {
    this.#asked = asked;
    this.show(answer);
  }

  /** Show an answer that was given elsewhere, in Python, and judge it if there is one. */
  show(answer: string): void {
    this.#answer = answer;
    this.#judged = answer === "" ? undefined : judge(this.#asked!, answer);
    if (this.#live) this.#paint();
  }

  get answer(): string {
    return this.#answer;
  }

  connectedCallback(): void {
    this.#start();
  }

  #start(): void {
    if (this.#live) return;
    const script = this.querySelector(':scope > script[type="application/json"]');
    if (script && !this.#asked) {
      this.#asked = JSON.parse(script.textContent!) as Asked;
      this.#come_back();
    }
    if (!this.#asked) return;
    this.#live = document.createElement("div");
    this.#live.className = "wf-live";
    this.append(this.#live);
    this.setAttribute("alive", "");
    this.#paint();
  }

  /** The answer as it was left, with what was said of it. */
  #come_back(): void {
    const exercise = this.closest("div.cell")?.previousElementSibling?.id;
    if (!exercise) return;
    this.#kept_as = `exercise/${exercise}`;
    const answer = left(this.#kept_as, (value) => {
      const { answer, judged } = value as { answer: unknown; judged: unknown };
      return typeof answer === "string" && answer.length <= LONGEST ? { answer, judged: judged === true } : undefined;
    });
    this.#answer = answer?.answer ?? "";
    if (answer?.judged) this.#judged = judge(this.#asked!, this.#answer);
  }

  #leave(): void {
    if (!this.#kept_as) return;
    const judged = this.#judged !== undefined;
    leave(this.#kept_as, this.#answer || judged ? { answer: this.#answer, judged } : undefined);
  }

  /** What was said of another answer goes at once. */
  #edit(event: Event): void {
    this.#answer = (event.target as HTMLInputElement).value;
    this.#judged = undefined;
    this.#leave();
    this.#paint();
  }

  #check(event: Event): void {
    event.preventDefault();
    this.#judged = judge(this.#asked!, this.#answer);
    this.#leave();
    this.#paint();
    this.dispatchEvent(new CustomEvent("whyformer:checked", { bubbles: true, detail: { right: this.#judged[1] } }));
  }

  #paint(): void {
    const [says, right] = this.#judged ?? ["", false];
    const mark = says && (right ? " wf-right" : " wf-wrong");
    render(
      html`<form class="wf-exercise" @keydown=${submit_on_enter} @submit=${(event: Event) => this.#check(event)} @input=${(event: Event) => this.#edit(event)}>
        ${this.#asked!.check === "number" ? this.#box() : this.#options()}
        <button type="submit">${t("Check")}</button>
        <p class=${`wf-verdict${mark}`} id=${`${this.#id}-says`} role="status">${says}</p>
      </form>`,
      this.#live!,
    );
  }

  /** A box for text: one for numbers hides from the page what it takes for none, such as 0,5. */
  #box(): TemplateResult {
    return html`<label for=${this.#id}>${t(this.#asked!.label)}</label>
      <input id=${this.#id} type="text" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength=${LONGEST}
        aria-describedby=${`${this.#id}-says`} .value=${live(this.#answer)} />`;
  }

  #options(): TemplateResult {
    return html`<fieldset aria-describedby=${`${this.#id}-says`}><legend>${t(this.#asked!.label)}</legend>
      ${this.#asked!.options!.map(
        (option, i) => html`<label><input type="radio" name=${this.#id} value=${i + 1}
          .checked=${live(this.#answer === String(i + 1))} /><span>${t(option)}</span></label>`,
      )}</fieldset>`;
  }
}
