// The page of practice: one card at a time, those that are due today, of the chapters that were chosen, or those that
// the address names, in its order: by themselves (`?cards=why-root,one-hot`) or as a deck of the page (`?deck=thursday`).

import { html, nothing, render, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { t } from "../lab/words.ts";
import { Card } from "./card.ts";
import { forget_all, has_progress, is_kept } from "../lab/storage.ts";
import { answer, days_until, is_due, recall } from "./record.ts";
import { again_in, for_anki } from "./words.ts";

/** What was done last, and how it is taken back. */
interface Done {
  says: string;
  undo: () => void;
}

export class Practice {
  #cards: Card[];
  /** A deck of the page that the address names. */
  #deck: HTMLElement | undefined;
  /** A route that the address names; nothing if it names none of these cards. */
  #route: Card[] | undefined;
  #left_out = new Set<string>();
  #pile: Card[] = [];
  #done?: Done;
  #head = document.createElement("div");
  #foot = document.createElement("div");
  #chapters: HTMLElement;

  constructor(root: HTMLElement) {
    this.#chapters = root.querySelector<HTMLElement>(".wf-practice-chapters")!;
    const elements = [...root.querySelectorAll<HTMLElement>(".wf-card")];
    this.#cards = elements.map((element) => new Card(element, (card, could) => this.#answer(card, could)));
    this.#route = this.#asked_for();
    this.#head.className = "wf-practice-head";
    this.#foot.className = "wf-practice-foot";
    root.prepend(this.#head);
    root.append(this.#foot, this.#chapters);
    root.setAttribute("alive", "");
    this.#offer_chapters();
    this.#begin();
    if (location.hash === "#forget") root.querySelector<HTMLElement>(".wf-forget")?.focus(); // from the map
    addEventListener("keydown", (event) => this.#key(event));
    addEventListener("pageshow", ({ persisted }) => persisted && this.#begin());
  }

  #asked_for(): Card[] | undefined {
    const asked = new URLSearchParams(location.search);
    const decks = [...document.querySelectorAll<HTMLElement>(".wf-deck")];
    this.#deck = decks.find((one) => one.dataset.deck === asked.get("deck"));
    const names = this.#deck?.dataset.cards!.split(" ") ?? (asked.get("cards") ?? "").split(",");
    const cards = names.flatMap((name) => {
      const short = name.trim().replace(/^card-/, "");
      return this.#cards.filter((card) => card.name.split("/")[1] === short);
    });
    return cards.length ? [...new Set(cards)] : undefined;
  }

  get #chosen(): Card[] {
    return this.#route ?? this.#cards.filter((card) => !this.#left_out.has(card.name.split("/")[0]));
  }

  /** A new pile: the route, else what is due, longest first; or all that were chosen. */
  #begin(all = false): void {
    const due = (card: Card) => recall(card.name).due;
    const asked = this.#chosen.filter((card) => all || is_due(recall(card.name)));
    this.#pile = this.#route ? [...this.#route] : asked.sort((a, b) => due(a) - due(b));
    this.#show();
  }

  #answer(card: Card, could: boolean): void {
    const [pile, take_back] = [this.#pile, answer(card.name, could)];
    this.#pile = pile.filter((one) => one !== card).concat(could ? [] : [card]);
    const undo = () => {
      take_back();
      this.#pile = pile;
    };
    const says = could ? again_in(days_until(recall(card.name))) : t("Asked again at the end of the pile.");
    this.#did({ says, undo });
  }

  #forget(): void {
    const [pile, remember] = [this.#pile, forget_all()];
    const undo = () => {
      remember();
      this.#pile = pile;
    };
    this.#begin();
    this.#did({ says: t("All that pages kept of your progress is forgotten."), undo });
  }

  #did(done: Done): void {
    this.#done = done;
    this.#show();
    this.#go_on();
  }

  #undo(): void {
    this.#done!.undo();
    this.#done = undefined;
    this.#show();
    this.#go_on();
  }

  #go_on(): void {
    if (this.#pile.length) this.#pile[0].focus();
    else this.#foot.querySelector<HTMLElement>("button")!.focus();
  }

  #show(): void {
    const chosen = new Set(this.#chosen);
    for (const card of this.#cards) {
      card.element.classList.toggle("wf-card-out", !chosen.has(card));
      card.element.classList.toggle("wf-card-waits", card !== this.#pile[0]);
      if (card !== this.#pile[0]) card.turn(false);
    }
    render(this.#counted(), this.#head);
    render(this.#offers(), this.#foot);
    dispatchEvent(new Event("whyformer:progress"));
  }

  #counted(): TemplateResult {
    const count = this.#pile.length;
    const to_say = t("{count} {count:card|cards} to say", { count });
    const today = t("{count} {count:card|cards} to say today", { count });
    const title = this.#deck?.querySelector("a")!.textContent;
    const words = count ? (this.#route ? to_say : today) : this.#route ? t("That was all.") : this.#none_left();
    return html`<p class="wf-practice-count">${title ? html`<span class="wf-practice-deck">${title}</span>` : nothing}<strong>${words}</strong>
        ${this.#route ? html`<a href="practice.html">${t("All cards")}</a>` : nothing}
        ${count ? nothing : html`<button type="button" @click=${() => this.#again()}>${t("Go through them again")}</button>`}</p>
      <p class="wf-card-says" role="status">${
        this.#done
          ? html`${this.#done.says} <button type="button" @click=${() => this.#undo()}>${t("Undo")}</button>`
          : is_kept()
            ? nothing
            : t("This browser keeps nothing: what you answer is known as long as this page is open.")
      }</p>`;
  }

  #none_left(): string {
    const days = this.#chosen.map((card) => days_until(recall(card.name)));
    if (!days.length) return t("Choose a chapter.");
    const soon = Math.min(...days);
    const count = days.filter((each) => each === soon).length;
    return soon > 1
      ? t("Nothing is left for today. Next: {count} {count:card|cards} in {soon} days.", { count, soon })
      : t("Nothing is left for today. Next: {count} {count:card|cards} tomorrow.", { count });
  }

  #again(): void {
    this.#done = undefined;
    this.#begin(true);
    this.#go_on();
  }

  #offers(): TemplateResult {
    return html`<button type="button" @click=${() => print()}>${t("Print these cards")}</button>
      <button type="button" @click=${() => this.#save()}>${t("Text for Anki")}</button>
      ${has_progress() ? html`<button type="button" class="wf-forget" @click=${() => this.#forget()}>${t("Forget my progress")}</button>` : nothing}
      <p>${t("All of this stays on this device.")}
        <span class="wf-practice-keys">${t("Space turns a card; 1: I could say it; 2: not yet.")}</span></p>`;
  }

  /** Beside each chapter a box to choose it, and above them one for all. */
  #offer_chapters(): void {
    if (this.#route) return;
    const rows = [...this.#chapters.querySelectorAll<HTMLElement>("li")];
    const question = (row: HTMLElement) => row.querySelector<HTMLElement>("[data-question]")!.dataset.question!;
    const all = document.createElement("li");
    this.#chapters.prepend(all);
    const paint = () => {
      const box = (checked: boolean, label: unknown, chosen: (yes: boolean) => void) =>
        html`<label><input type="checkbox" .checked=${live(checked)}
          @change=${(event: Event) => choose(() => chosen((event.target as HTMLInputElement).checked))} />${label}</label>`;
      const choose = (act: () => void) => {
        act();
        this.#done = undefined;
        paint();
        this.#begin();
      };
      const none = new Set(rows.map(question));
      render(
        box(!this.#left_out.size, t("All chapters"), (yes) => (this.#left_out = yes ? new Set() : none)),
        all,
      );
      for (const row of rows) {
        const name = question(row);
        const label = html`<span class="wf-unseen">${row.querySelector("a")!.textContent}</span>`;
        const set = (yes: boolean) => (yes ? this.#left_out.delete(name) : this.#left_out.add(name));
        render(box(!this.#left_out.has(name), label, set), place_of(row));
      }
    };
    paint();
  }

  #save(): void {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([for_anki(this.#chosen)], { type: "text/plain;charset=utf-8" }));
    link.download = "whyformer-cards.txt";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  /** Space or Enter turns the card, wherever the keyboard is but on something of its own; 1 and 2 answer. */
  #key(event: KeyboardEvent): void {
    const { key, shiftKey, ctrlKey, metaKey, altKey, repeat, defaultPrevented } = event;
    if (shiftKey || ctrlKey || metaKey || altKey || repeat || defaultPrevented || !this.#pile.length) return;
    const target = event.target as Element;
    if (target.closest("input, textarea, select, dialog, [contenteditable]")) return;
    const [card] = this.#pile;
    const turns = (key === " " || key === "Enter") && !target.closest("a, button, summary, [tabindex='0']");
    if (turns && !card.open) card.turn(true);
    else if (card.open && (key === "1" || key === "2")) card.answer(key === "1");
    else return;
    event.preventDefault();
  }
}

/** Where a row's box stands: before its link. */
function place_of(row: HTMLElement): HTMLElement {
  const found = row.querySelector<HTMLElement>(":scope > .wf-practice-choice");
  if (found) return found;
  const place = document.createElement("span");
  place.className = "wf-practice-choice";
  row.prepend(place);
  return place;
}
