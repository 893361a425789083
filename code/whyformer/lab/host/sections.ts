// A jump lands on its heading: the type of formulas comes late and breaks lines anew, and folds open on the way.

import { parse, safe_decode } from "./address.ts";
import { is_returning } from "./journey.ts";

export function land_on_headings(): void {
  if (!document.querySelector(".bd-article")) return;
  document.addEventListener(
    "click",
    ({ target }) => {
      const link = (target as Element).closest<HTMLAnchorElement>('a[href*="#"]');
      const place = link && link.hash.length > 1 && document.getElementById(safe_decode(link.hash.slice(1)));
      if (place) hold(place);
    },
    { capture: true },
  );
  const jump = (behavior: ScrollBehavior) => {
    const place = document.getElementById(safe_decode(location.hash.slice(1)));
    place?.scrollIntoView({ behavior });
    if (place) hold(place);
  };
  // Now and then the browser does not jump by itself. On the way back, where to stand is its own business.
  window.addEventListener("hashchange", () => {
    if (is_returning()) return;
    history.replaceState({ ...history.state, whyformer: "seen" }, "");
    jump("auto");
  });
  // A lab that a link opens is gone to as soon as it is there (element.ts).
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
