// Sections far from the window are not laid out: a page is there sooner, and a drag costs half (book/static/book.css).
// Their heights are guessed until they were seen, so a jump over them would miss: before one, all are laid out.

import { parse, safe_decode } from "./address.ts";
import { is_returning } from "./journey.ts";

export function show_all_sections(): void {
  document.querySelector(".bd-article")?.classList.add("wf-whole");
}

/** What a part of the page is folded in is opened. */
export function unfold(part: Element): void {
  for (let fold = part.closest("details"); fold; fold = fold.parentElement!.closest("details")) fold.open = true;
}

export function skip_far_sections(): void {
  const article = document.querySelector(".bd-article");
  if (!article) return;
  document.addEventListener(
    "click",
    ({ target }) => {
      const link = (target as Element).closest<HTMLAnchorElement>('a[href*="#"]');
      if (!link) return;
      show_all_sections();
      const place = link.hash.length > 1 && document.getElementById(safe_decode(link.hash.slice(1)));
      if (place) hold(place);
    },
    { capture: true },
  );
  const jump = (behavior: ScrollBehavior) => {
    show_all_sections();
    const place = document.getElementById(safe_decode(location.hash.slice(1)));
    place?.scrollIntoView({ behavior });
    if (place) hold(place);
  };
  // Now and then the browser does not jump by itself. On the way back, where to stand is its own business.
  window.addEventListener("hashchange", () => {
    if (is_returning()) return show_all_sections();
    history.replaceState({ ...history.state, whyformer: "seen" }, "");
    jump("auto");
  });
  for (const event of ["pointerdown", "input"]) {
    article.addEventListener(event, ({ target }) => {
      if ((target as Element).closest("whyformer-lab")) article.classList.remove("wf-whole"); // real heights are kept
    });
  }
  // A lab that a link opens is gone to as soon as it is there (element.ts), by guessed heights if they can be mended.
  const goes_by_itself = parse(location.hash) && CSS.supports("overflow-anchor", "auto");
  if (location.hash && !goes_by_itself) jump("instant");
}

/** The type of formulas comes when they are laid out, and breaks lines anew: the place is gone to again, unless the reader moves. */
function hold(place: Element): void {
  const moved = new AbortController();
  for (const event of ["wheel", "touchmove", "keydown", "pointerdown"])
    addEventListener(event, () => moved.abort(), { signal: moved.signal, passive: true, capture: true });
  const again = () => {
    if (!moved.signal.aborted) place.scrollIntoView({ behavior: "instant" });
    moved.abort();
  };
  requestAnimationFrame(() =>
    requestAnimationFrame(() => void document.fonts.ready.then(() => requestAnimationFrame(again))),
  );
}
