// Which keys a lab keeps from JupyterLab, whose shortcuts for single keys would move, change or delete cells.

/** JupyterLab leaves a key alone when the focused element has this mark. */
const MARK = "data-lm-suppress-shortcuts";
const EDITING = ["a", "c", "v", "x", "y", "z", "backspace", "delete", "arrowleft", "arrowright", "home", "end"];

/** A control uses plain keys, and a field the combinations that edit text; JupyterLab saves, runs and has its menus. */
function is_ours({ key, ctrlKey, metaKey, altKey, shiftKey, target }: KeyboardEvent): boolean {
  const field = (target as Element).matches("input[type=number], input[type=text]");
  if (ctrlKey || metaKey) return field && !altKey && EDITING.includes(key.toLowerCase());
  return !altKey && !(shiftKey && key === "Enter");
}

export function keep_keys(el: HTMLElement): void {
  const mark = (event: Event, ours: boolean) => (event.target as Element).toggleAttribute(MARK, ours);
  el.addEventListener("focusin", (event) => mark(event, true)); // for hosts that look before the event comes here
  el.addEventListener("keydown", (event) => mark(event, is_ours(event)), { capture: true });
}
