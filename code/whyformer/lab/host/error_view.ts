// What stands in place of a lab that does not start or has stopped, in words for a reader.

import { html, type TemplateResult } from "lit-html";
import { t } from "../words.ts";

/** The bundle does not have it. */
export function no_lab(name: string): TemplateResult {
  return html`<p class="wf-error" role="alert">${t("There is no lab named “{name}” in this bundle.", { name })}</p>`;
}

/** What the page says of it cannot be read: there is no state to go back to. */
export function damaged(): TemplateResult {
  const words = t("This lab cannot start, since what the page says of it is damaged. Loading the page again may help.");
  return html`<p class="wf-error" role="alert">${words}</p>`;
}

/** Its code failed in the present state. */
export function stopped(host: "page" | "jupyter"): TemplateResult {
  const words =
    host === "page"
      ? t(
          "This lab has stopped: its code failed in this state. A still picture stands in for it; Reset brings the lab back.",
        )
      : t(
          "This lab has stopped: its code failed in this state. Reset brings it back; lab.svg() draws a still picture.",
        );
  return html`<p class="wf-error" role="alert">${words}</p>
    <div class="wf-lab"><button type="button" data-act="reset">${t("Reset")}</button></div>`;
}
