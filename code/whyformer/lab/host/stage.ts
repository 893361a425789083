// The room of a step: cause and effect stand on one screen (docs/architecture.md, "Steps and the stage").

const RAIL = 15; // em, beside the picture where that leaves it twice as much
const GAP = 1.4; // em between the two
const NARROW = 34; // em, below which one panel is shown at a time

/** The whole lab, title included, is at most so tall, in CSS pixels. */
export function tallest(width: number, height: number, projected: boolean): number {
  const most = projected ? 600 : width <= 375 ? 560 : width <= 480 ? 600 : 640;
  return Math.min(most, Math.max(400, height - 60));
}

export function room_for({ width, em }: { width: number; em: number }) {
  const projected = document.documentElement.classList.contains("wf-projector");
  const beside = width >= 3 * RAIL * em;
  return {
    beside,
    width: beside ? Math.floor(width - (RAIL + GAP) * em) : width,
    em,
    height: tallest(window.innerWidth, window.innerHeight, projected),
    one: width < NARROW * em,
  };
}
