// Labs of a page start one after another, each in a task of its own, so that the page answers in between: those near
// the window first, the others while it rests.

type Start = () => void;

const waiting = new Map<Element, Start>();
let near: IntersectionObserver | undefined;
let going = false;

/** Starts `element` when its turn comes. */
export function take_turn(element: Element, start: Start): void {
  waiting.set(element, start);
  near ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) run(target);
      next_when_idle();
    },
    { rootMargin: "50%" },
  );
  near.observe(element);
}

/** No longer waits: it has started by itself, or is gone. */
export function leave_turn(element: Element): void {
  waiting.delete(element);
  near?.unobserve(element);
}

function run(element: Element): void {
  const start = waiting.get(element);
  leave_turn(element);
  start?.();
}

function next_when_idle(): void {
  if (going || !waiting.size) return;
  going = true;
  const next = () => {
    going = false;
    const [element] = waiting.keys();
    if (element) run(element);
    next_when_idle();
  };
  if ("requestIdleCallback" in window) requestIdleCallback(next, { timeout: 500 });
  else setTimeout(next, 50); // WebKit
}
