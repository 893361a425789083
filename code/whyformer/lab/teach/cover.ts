// What is covered until the reader has predicted: labs, and the short answer of the chapter. All keep their room.

import { safe_decode } from "../host/address.ts";
import { t } from "../words.ts";

/** A question that may still wait for its answer. */
interface Asking extends Element {
  waiting?: boolean;
}

/** Labs with that name; a small one is no secret. */
export function labs_named<Lab extends HTMLElement>(name: string): Lab[] {
  return [...document.querySelectorAll<Lab>(`whyformer-lab[name="${CSS.escape(name)}"]:not([size="small"])`)];
}

export function cover_lab(lab: HTMLElement, covered: boolean): void {
  lab.toggleAttribute("covered", covered);
  lab.setAttribute("data-cover", t("Predict first, above. Then the lab opens."));
}

/** Only a page of the book has a section with that name; in a notebook the answer is an ordinary text. */
const ANSWER = "section#short-answer";

/** A link has led to the short answer: who asks for it by name has it, until asked to predict again. */
let asked_for = false;

/** Opens the short answer if the address of the page names it, or something in it. */
export function open_what_a_link_names(): void {
  const section = document.querySelector(ANSWER);
  const target = location.hash.length > 1 && document.getElementById(safe_decode(location.hash.slice(1)));
  if (!target || !section?.contains(target)) return;
  asked_for = true;
  cover_answer();
}

export function cover_answer_anew(): void {
  asked_for = false;
  cover_answer();
}

/** Covers the short answer as long as a question above it waits. */
export function cover_answer(): void {
  const section = document.querySelector<HTMLElement>(ANSWER);
  if (!section?.firstElementChild) return;
  const waiting = [...document.querySelectorAll<Asking>("whyformer-predict")].filter(
    (one) => one.waiting && one.compareDocumentPosition(section) & Node.DOCUMENT_POSITION_FOLLOWING,
  ).length;
  const covered = waiting > 0 && !asked_for;
  section.classList.toggle("wf-covered", covered);
  const [heading, ...rest] = section.querySelectorAll<HTMLElement>(":scope > :not(.wf-curtain)");
  for (const part of rest) part.inert = covered;
  const curtain = section.querySelector(":scope > .wf-curtain");
  if (!covered) return curtain?.remove();
  const words =
    waiting > 1
      ? t("Commit to each prediction above, or skip it, to read the short answer.")
      : t("Commit to a prediction above, or skip, to read the short answer.");
  const told = curtain ?? document.createElement("p");
  if (told.textContent !== words) told.textContent = words;
  if (curtain) return;
  told.className = "wf-curtain";
  heading.after(told);
}
