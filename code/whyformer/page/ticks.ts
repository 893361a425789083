// A sentence with a mark opens its tick when it is touched; a link in it still is a link.
import { closest } from "./closest.ts";

addEventListener("click", (event) => {
  const sentence = closest(event, ".wf-claimed");
  if (!sentence || closest(event, "a") || !getSelection()!.isCollapsed) return;
  const check = sentence.closest(".wf-proven")!.querySelector<HTMLDetailsElement>(":scope > .wf-check")!;
  check.open = !check.open;
});
