// A minute to say an answer: it counts down quietly, and at its end it says so and nothing else.

import { html, render } from "lit-html";
import { t } from "../lab/words.ts";

const MINUTE = 60_000;

export class Minute {
  #place: HTMLElement;
  #end = 0;
  #timer = 0;

  constructor(place: HTMLElement) {
    this.#place = place;
    this.#paint();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#end = 0;
    this.#paint();
  }

  #start(): void {
    this.stop();
    this.#end = Date.now() + MINUTE;
    this.#timer = window.setInterval(() => this.#paint(), 250);
    this.#paint();
  }

  #paint(): void {
    const left = Math.max(0, Math.ceil((this.#end - Date.now()) / 1000));
    if (this.#end && !left) clearInterval(this.#timer);
    const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    render(
      !this.#end
        ? html`<button type="button" @click=${() => this.#start()}>${t("Start a minute")}</button>`
        : html`<button type="button" @click=${() => (left ? this.stop() : this.#start())}>${left ? t("Stop") : t("Another minute")}</button>
          <span class="wf-card-clock" role="timer">${left ? clock : t("The minute is over.")}</span>`,
      this.#place,
    );
  }
}
