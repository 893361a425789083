// Cards in a chapter: each for itself, with when it is asked again. They are asked on the page of practice.

import { html, nothing, render } from "lit-html";
import { t } from "../lab/words.ts";
import { Card } from "./card.ts";
import { answer, days_until, recall } from "./record.ts";
import { again_in } from "./words.ts";

export function in_chapter(elements: HTMLElement[]): void {
  for (const element of elements) {
    const says = document.createElement("p");
    says.className = "wf-card-says";
    says.setAttribute("role", "status");
    const show = (undo?: () => void) => {
      const remembered = recall(card.name);
      says.hidden = !remembered.due && !undo;
      const back = () => {
        undo!();
        show();
        card.focus();
      };
      const when = remembered.due
        ? html`${again_in(days_until(remembered))} <a href="practice.html">${t("All cards")}</a>`
        : nothing;
      render(html`${when} ${undo ? html`<button type="button" @click=${back}>${t("Undo")}</button>` : nothing}`, says);
      dispatchEvent(new Event("whyformer:progress"));
    };
    const card = new Card(element, (one, could) => {
      show(answer(one.name, could));
      says.querySelector("button")!.focus({ preventScroll: true });
    });
    element.append(says);
    show();
    addEventListener("pageshow", ({ persisted }) => persisted && show());
  }
}
