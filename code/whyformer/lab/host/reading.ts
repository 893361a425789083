// The script comes while the page is still being read, so that labs answer before all of a long page is there: an
// element may be there without its content. Whoever needs that waits here, from one frame to the next.

type Act = () => void;

const waiting = new Map<Element, Act>();

export function is_read(): boolean {
  return document.readyState !== "loading";
}

/** Calls `act` once the whole page has been read; at once if it has been. */
export function when_read(act: Act): void {
  if (is_read()) act();
  else document.addEventListener("DOMContentLoaded", act, { once: true });
}

/** Calls `act` now, and at each frame and at the end if the page is still being read: it grows. */
export function while_reading(act: Act): void {
  act();
  if (is_read()) return;
  const again = () => {
    if (is_read()) return;
    act();
    requestAnimationFrame(again);
  };
  requestAnimationFrame(again);
  when_read(act);
}

/** Calls `act` once all of the element has been read; at once if it has been. */
export function when_whole(element: Element, act: Act): void {
  if (is_whole(element)) return act();
  if (!waiting.size) {
    requestAnimationFrame(look);
    when_read(look); // no frame comes where nobody looks
  }
  waiting.set(element, act);
}

function look(): void {
  for (const [element, act] of waiting) {
    if (!is_whole(element)) continue;
    waiting.delete(element);
    act();
  }
  if (waiting.size) requestAnimationFrame(look);
}

/** Something follows it, or what it is in. */
function is_whole(element: Element): boolean {
  for (let node: Node | null = element; node; node = node.parentNode) if (node.nextSibling) return true;
  return is_read();
}
