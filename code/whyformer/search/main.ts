// What a page calls when its search is opened (button.ts).

import { t } from "../lab/words.ts";
import { Index, type Page } from "./find.ts";
import { Panel } from "./panel.ts";

let shown: Panel | undefined; // on the page of the search there is no dialog
let dialog: HTMLDialogElement | undefined;
let panel: Panel;

/** The dialog; on the page of the search the field that is there. `shelf` is the way to the book's first folder. */
export function open(pages: Page[], shelf: string): void {
  if (!shown && !dialog) [dialog, panel] = made(pages, shelf);
  if (dialog && !dialog.open) dialog.showModal();
  const { field } = shown ?? panel;
  field.focus();
  field.select();
}

/** The page of the search, which its address asks; it keeps what is asked. */
export function show(place: HTMLElement, pages: Page[], shelf: string): void {
  const address = new URL(location.href);
  const keep = (question: string) => {
    address.searchParams.set("q", question);
    try {
      history.replaceState(history.state, "", address);
    } catch {
      // a browser that keeps the address of a file as it is
    }
  };
  shown = new Panel(place, pages, shelf, keep);
  const question = address.searchParams.get("q");
  if (question) shown.ask(question);
  shown.field.focus();
}

/** What is found, without a page: for the tests. */
export function find(pages: Page[], questions: string[]): string {
  const index = new Index(pages);
  return JSON.stringify(questions.map((question) => index.find(question)));
}

function made(pages: Page[], shelf: string): [HTMLDialogElement, Panel] {
  const around = document.createElement("dialog");
  around.className = "wf-search";
  around.setAttribute("aria-label", t("Search"));
  const close = document.createElement("button");
  Object.assign(close, { type: "button", className: "wf-close", textContent: t("Close") });
  const inside = document.createElement("div");
  around.append(inside, close);
  document.body.append(around);
  around.addEventListener("click", ({ target }) => {
    // beside it, its button, or a link, for within the page that is open the browser stays there
    if (target === around || target === close || (target as Element).closest("a")) around.close();
  });
  return [around, new Panel(inside, pages, shelf)];
}
