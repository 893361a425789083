// What a link has moved is marked for a moment, so that the eye finds it.

const MARK = "wf-moved";

/** How long a mark stays, in milliseconds. lab.css lets it fade, unless the reader wants nothing to move. */
const STAYS = 2400;

export function mark(elements: Iterable<Element>): void {
  for (const one of elements) {
    one.classList.add(MARK);
    setTimeout(() => one.classList.remove(MARK), STAYS);
  }
}

/** The fields and panels of a lab where the controls with these names are; what is off stage is behind "More". */
export function places_of(names: string[], live: Element): Set<Element> {
  const found = names.flatMap((name) => {
    const inputs = [...live.querySelectorAll(`[name="${CSS.escape(name)}"]`)];
    return inputs.length ? inputs.map((input) => input.closest(".wf-field, .wf-panel")) : more(live);
  });
  return new Set(found.filter((one) => one !== null));
}

function more(live: Element): Element[] {
  return [...live.querySelectorAll(".wf-more > summary")];
}
