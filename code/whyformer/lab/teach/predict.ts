// <whyformer-predict>: commit before the reveal. The labs it covers stay under a curtain until an answer or a skip.

import { html, nothing, render } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { parse, short_name } from "../host/address.ts";
import { t } from "../words.ts";

export interface Question {
  predict: string;
  question: string;
  options: string[];
  /** Feedback and key, folded by predict.py so that a glance at the page source gives nothing away. */
  veiled: string;
  covers: string[];
}

const UNANSWERED = -1;
const SKIPPED = -2;
const KEY = "predict-first";

function unveil(veiled: string): [feedback: string, right: boolean][] {
  const bytes = Uint8Array.from(atob(veiled), (c, i) => c.charCodeAt(0) ^ KEY.charCodeAt(i % KEY.length));
  return JSON.parse(new TextDecoder().decode(bytes));
}

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

  connectedCallback(): void {
    if (this.#live) return;
    const script = this.querySelector(':scope > script[type="application/json"]');
    if (script) this.#question ??= JSON.parse(script.textContent!) as Question;
    if (!this.#question) return;
    this.#answer ??= memory.get(this.#question);
    this.#live = document.createElement("div");
    this.#live.className = "wf-live";
    this.append(this.#live);
    this.setAttribute("alive", "");
    this.#paint();
    // Whoever follows a link to a state wants to see that lab. In a notebook the labs may come after the question.
    const cover = () => this.#cover(this.answer === UNANSWERED, parse(location.hash)?.lab);
    cover();
    document.addEventListener("whyformer:ready", cover, { signal: this.#leave.signal });
  }

  disconnectedCallback(): void {
    this.#leave.abort();
  }

  #choose(answer: number, focused = this.contains(document.activeElement)): void {
    this.#answer = answer;
    memory.set(this.#question!.predict, answer);
    this.#paint();
    this.#cover(answer === UNANSWERED);
    if (focused)
      this.querySelector<HTMLElement>(answer === UNANSWERED ? "input" : "button")!.focus({ preventScroll: true });
    this.dispatchEvent(new CustomEvent("whyformer:answer", { bubbles: true, detail: { answer } }));
  }

  #paint(): void {
    const { question, options, veiled, predict } = this.#question!;
    const answer = this.answer;
    const done = answer !== UNANSWERED;
    const verdicts = answer >= 0 ? unveil(veiled) : [];
    const chosen = verdicts[answer];
    render(
      html`<form class="wf-predict" @submit=${(event: Event) => this.#commit(event)}>
        <fieldset>
          <legend><strong>${t("Predict")}</strong> ${t(question)}</legend>
          ${options.map(
            (option, i) => html`<label class=${verdicts[i]?.[1] ? "wf-right" : i === answer ? "wf-wrong" : ""}
              @click=${(event: MouseEvent) => event.detail > 0 && !done && this.#choose(i, true)}>
              <input type="radio" name=${predict} value=${i} .checked=${live(i === answer)} ?disabled=${done} />
              <span>${t(option)}${verdicts[i]?.[1] ? html` <b>${t("✓ this one")}</b>` : nothing}</span></label>`,
          )}
        </fieldset>
        <div class="wf-feedback" aria-live="polite">${
          chosen
            ? html`<p><strong>${chosen[1] ? t("Right.") : t("Not so.")}</strong> ${t(chosen[0])}</p>`
            : answer === SKIPPED
              ? html`<p>${t("Skipped; the lab is open.")}</p>`
              : nothing
        }</div>
        ${
          done
            ? html`<button type="button" @click=${() => this.#choose(UNANSWERED)}>${t("Ask me again")}</button>`
            : html`<button type="submit">${t("Commit")}</button>
              <button type="button" @click=${() => this.#choose(SKIPPED)}>${t("Skip and open the lab")}</button>`
        }
      </form>`,
      this.#live!,
    );
  }

  /**
   * A click on an option commits; from the keyboard, arrow keys only move, and Enter or the button commits. The click is
   * heard at the label: what it passes on to its radio button cannot be told from a key's click in WebKit.
   */
  #commit(event: Event): void {
    event.preventDefault();
    const chosen = this.querySelector<HTMLInputElement>("input:checked");
    if (chosen && this.answer === UNANSWERED) this.#choose(Number(chosen.value));
  }

  #cover(covered: boolean, linked?: string): void {
    for (const name of this.#question!.covers) {
      if (covered && linked === short_name(name)) continue;
      for (const lab of document.querySelectorAll(`whyformer-lab[name="${CSS.escape(name)}"]`)) {
        if (lab.getAttribute("size") === "small") continue;
        lab.toggleAttribute("covered", covered);
        lab.setAttribute("data-cover", t("Predict first, above. Then the lab opens."));
      }
    }
  }
}
