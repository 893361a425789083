// Labs of a page start one after another, each in a task of its own, so that the page answers in between: those near
// the window at once, the others while it rests, from the reader's first move on; until then their still pictures stand.
// A browser that does not hold its place when something above grows (WebKit) starts all while the reader is at the top.

import { soon } from "./soon.ts";

type Start = () => void;

const waiting = new Map<Element, Start>();
const in_sight: Element[] = [];
let near: IntersectionObserver | undefined;
let going = false;
let shows = false;
let looking = 0;
let opening = document.readyState !== "complete";
let moved = !CSS.supports("overflow-anchor", "auto");

const MOVES = ["scroll", "wheel", "pointermove", "pointerdown", "touchstart", "keydown", "focusin"];

/** Whether the page opens: its labs are those that its text has, and take turns. */
export function is_opening(): boolean {
  return opening;
}

/** Call it when all labs of the text are known to the browser. */
export function has_opened(): void {
  opening = false;
}

/** Starts `element` when its turn comes. */
export function take_turn(element: Element, start: Start): void {
  waiting.set(element, start);
  near ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) in_sight.push(target);
      next_in_sight();
    },
    { rootMargin: "50%" },
  );
  near.observe(element);
  if (opening && !looking) looking = requestAnimationFrame(look);
  if (moved) next_when_idle();
  else for (const move of MOVES) addEventListener(move, start_all, { passive: true });
}

/** What an observer says comes late while a page is being read: who is in sight is asked for at the next frame. */
function look(): void {
  looking = 0;
  for (const element of waiting.keys()) {
    const { top, bottom } = element.getBoundingClientRect();
    if (top < 1.5 * innerHeight && bottom > -0.5 * innerHeight) in_sight.push(element);
  }
  next_in_sight();
}

/** Between two of them the page shows the first, and answers. */
function next_in_sight(): void {
  if (!in_sight.length || shows) return;
  shows = true;
  soon(() => {
    run(in_sight.shift()!);
    requestAnimationFrame(() => {
      shows = false;
      next_in_sight();
    });
  });
}

function start_all(): void {
  moved = true;
  for (const move of MOVES) removeEventListener(move, start_all);
  next_when_idle();
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
