// A card of a page, brought to life: a minute, and below the answer two buttons. Its words stay those of the page.

import { html, render } from "lit-html";
import { t } from "../lab/words.ts";
import { Minute } from "./minute.ts";

/** What an export says of a card, written by the build (whyformer_book/pages/cards.py). */
export interface Words {
  asked: string;
  say: string;
  must: string[];
  next: string;
}

export class Card {
  readonly element: HTMLElement;
  readonly minute: Minute;
  #turn: HTMLDetailsElement;
  #answered: (could: boolean) => void;

  /** `answered` is called when the reader says whether it could be said. */
  constructor(element: HTMLElement, answered: (card: Card, could: boolean) => void) {
    this.element = element;
    this.#answered = (could) => answered(this, could);
    this.#turn = element.querySelector<HTMLDetailsElement>(".wf-card-turn")!;
    const clock = document.createElement("div");
    clock.className = "wf-card-minute";
    this.#turn.before(clock);
    this.minute = new Minute(clock);
    this.#turn.addEventListener("toggle", () => {
      element.classList.toggle("wf-card-turned", this.open);
      if (this.open) this.minute.stop();
    });
    const buttons = document.createElement("div");
    buttons.className = "wf-card-buttons";
    this.#turn.append(buttons);
    render(
      html`<button type="button" @click=${() => this.answer(true)}>${t("I could say it")}</button>
        <button type="button" @click=${() => this.answer(false)}>${t("Not yet: ask me again")}</button>`,
      buttons,
    );
    element.setAttribute("alive", "");
  }

  /** What it is remembered by: its chapter and its name in it. */
  get name(): string {
    return this.element.dataset.card!;
  }

  get words(): Words {
    return JSON.parse(this.element.querySelector(':scope > script[type="application/json"]')!.textContent!) as Words;
  }

  get open(): boolean {
    return this.#turn.open;
  }

  turn(open: boolean): void {
    this.#turn.open = open;
    if (!open) this.minute.stop();
  }

  answer(could: boolean): void {
    this.turn(false);
    this.#answered(could);
  }

  /** The keyboard goes on from here. */
  focus(): void {
    this.#turn.querySelector("summary")!.focus({ preventScroll: true });
    this.element.scrollIntoView({ block: "nearest" });
  }
}
