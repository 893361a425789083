// The field and its results, in a dialog or in the page of the search. The reader's words only ever become text.

import { html, nothing, render, type TemplateResult } from "lit-html";
import { t } from "../lab/words.ts";
import { Index, type Found, type Page, type Piece } from "./find.ts";

const TRY = ["why divide by √dₖ", "layernorm vs batchnorm", "positional encoding"];

export class Panel {
  private readonly index: Index;
  private question = "";
  private found: Found[] = [];
  private chosen = 0;

  constructor(
    private readonly place: HTMLElement,
    pages: Page[],
    private readonly shelf: string,
    private readonly asked: (question: string) => void = () => {},
  ) {
    this.index = new Index(pages);
    place.replaceChildren();
    this.draw();
  }

  get field(): HTMLInputElement {
    return this.place.querySelector("input")!;
  }

  /** Look for something, as if it were typed. */
  ask(question: string): void {
    this.question = question;
    this.found = this.index.find(question);
    this.chosen = 0;
    this.asked(question);
    this.draw();
  }

  private draw(): void {
    const { question, found, chosen } = this;
    render(
      html`<input
          type="search"
          role="combobox"
          aria-label=${t("Search the book")}
          aria-controls="wf-found"
          aria-autocomplete="list"
          aria-expanded=${String(found.length > 0)}
          aria-activedescendant=${found.length ? `wf-found-${chosen}` : nothing}
          placeholder=${t("Search the book: a question, a word, √dₖ")}
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          .value=${question}
          @input=${(event: Event) => this.ask((event.target as HTMLInputElement).value)}
          @keydown=${(event: KeyboardEvent) => this.press(event)}
        />
        <p class="wf-count" role="status">${this.said()}</p>
        <div id="wf-found" role="listbox" aria-label=${t("Pages found")}>
          ${found.map((one, number) => this.one(one, number))}
        </div>
        ${question.trim() && found.length ? nothing : this.suggested()}`,
      this.place,
    );
  }

  private said(): string {
    if (!this.question.trim()) return t("Ask as you would ask a person.");
    if (!this.found.length) return t("Nothing found. Try fewer words, another spelling, or one of these:");
    return t("{count} {count:page|pages}", { count: this.found.length });
  }

  private one(found: Found, number: number): TemplateResult {
    return html`<a
      role="option"
      id="wf-found-${number}"
      tabindex="-1"
      aria-selected=${String(number === this.chosen)}
      href=${this.shelf + found.address}
      @pointermove=${() => number !== this.chosen && this.choose(number)}
    >
      <b>${found.title.map(piece)}</b>
      ${found.heading.length ? html`<span class="wf-section">${found.heading.map(piece)}</span>` : nothing}
      <span class="wf-excerpt">${found.excerpt.map(piece)}</span>
    </a>`;
  }

  private suggested(): TemplateResult {
    const ask = (words: string) => {
      this.ask(words);
      this.field.focus();
    };
    return html`<p class="wf-try">
      ${TRY.map((words) => html`<button type="button" @click=${() => ask(words)}>${words}</button> `)}
      <a href="${this.shelf}chapters/asked.html">${t("All that was asked")}</a>
    </p>`;
  }

  private press(event: KeyboardEvent): void {
    event.stopPropagation(); // slides and labs have the arrows, too
    const last = this.found.length - 1;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") {
      event.preventDefault(); // or the field would be emptied first
      const dialog = this.place.closest("dialog");
      if (dialog) dialog.close();
      else this.ask("");
    }
    if (last < 0 || event.isComposing) return;
    if (event.key === "Enter") this.place.querySelector<HTMLElement>(`#wf-found-${this.chosen}`)!.click();
    if (step) this.choose((this.chosen + step + last + 1) % (last + 1));
    if (step || event.key === "Enter") event.preventDefault();
  }

  private choose(number: number): void {
    this.chosen = number;
    this.draw();
    this.place.querySelector(`#wf-found-${number}`)!.scrollIntoView({ block: "nearest" });
  }
}

function piece({ text, is_marked }: Piece): TemplateResult | string {
  return is_marked ? html`<mark>${text}</mark>` : text;
}
