// The short answer of a chapter is folded until the reader has answered, or opens it; how that was left counts for the
// visit. Without this script it is a fold like any other. In a notebook it is an ordinary text. A link opens any fold.

import { safe_decode } from "../host/address.ts";
import { unfold } from "../host/unfold.ts";

/** A question that may still wait for its answer; before its script has come nobody knows. */
interface Asking extends Element {
  waiting?: boolean;
}

const KEPT = `whyformer:answer:${location.pathname}`;

const fold = () => document.querySelector<HTMLDetailsElement>("details.wf-answer");

/** Opened by hand or by a link, in this visit. */
const kept = {
  get(): boolean {
    try {
      return sessionStorage.getItem(KEPT) !== null;
    } catch {
      return false;
    }
  },
  set(open: boolean): void {
    try {
      if (open) sessionStorage.setItem(KEPT, "1");
      else sessionStorage.removeItem(KEPT);
    } catch {
      // no storage in this browser: as long as the page
    }
  },
};

/** Open if no question above it waits, or as it was left; folded again for a reader who predicts `anew`. */
export function open_or_fold(anew = false): void {
  const answer = fold();
  if (!answer) return;
  if (anew) kept.set(false);
  const waits = [...document.querySelectorAll<Asking>("whyformer-predict")].some(
    (one) => one.waiting !== false && one.compareDocumentPosition(answer) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  answer.open = !waits || kept.get();
}

/** A link to a section that is folded, or to something in it, opens it before the browser goes there. */
function open_for(hash: string): void {
  const answer = fold();
  const target = hash.length > 1 && document.getElementById(safe_decode(hash.slice(1)));
  const section = target && target.closest("section");
  if (!section) return;
  unfold(section.querySelector(":scope > details:is(.wf-answer, .wf-fold) > summary") ?? section);
  if (answer?.closest("section")!.contains(target)) kept.set(true); // at once, for the questions have yet to look whether it opens
}

/** Once for a page. */
export function watch_answer(): void {
  const answer = fold();
  answer?.addEventListener("toggle", () => kept.set(answer.open));
  document.addEventListener("click", ({ target }) => {
    const link = (target as Element).closest<HTMLAnchorElement>('a[href*="#"]');
    if (link?.pathname === location.pathname) open_for(link.hash);
  });
  window.addEventListener("hashchange", () => open_for(location.hash));
  open_for(location.hash);
}
