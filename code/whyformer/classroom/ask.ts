// A button that asks first, in the page: it opens to a question with two answers.

import { html, type TemplateResult } from "lit-html";
import { t } from "../lab/words.ts";

export function asking(label: string, question: string, act: () => void): TemplateResult {
  const close = (event: Event) => {
    const details = (event.currentTarget as Element).closest("details")!;
    details.open = false;
    details.querySelector("summary")!.focus();
  };
  const yes = (event: Event) => {
    close(event);
    act();
  };
  return html`<details class="wf-ask">
    <summary role="button">${label}</summary>
    <span>${question}
      <button type="button" @click=${yes}>${t("Yes")}</button>
      <button type="button" @click=${close}>${t("No")}</button></span>
  </details>`;
}
