// Most scripts of a page listen to all of it and ask where an event came from.

/** The nearest element that matches, from where the event came outwards. */
export function closest(event: Event, selector: string): HTMLElement | null {
  return event.target instanceof Element ? event.target.closest<HTMLElement>(selector) : null;
}
