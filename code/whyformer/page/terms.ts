// What a word of the glossary means, beside it: by pointing, tapping or focus. Without a script it is a link.
import { closest } from "./closest.ts";

let shown: HTMLElement | undefined;
let pointer: string | undefined;
const box = document.createElement("div");
Object.assign(box, { id: "wf-says", role: "tooltip", hidden: true });

function hide(): void {
  shown?.removeAttribute("aria-describedby");
  shown = undefined;
  box.hidden = true;
}

function show(term: HTMLElement): void {
  if (shown === term) return;
  hide();
  shown = term;
  const chinese = Object.assign(document.createElement("b"), { lang: "zh-CN", textContent: term.dataset.zh ?? "" });
  box.replaceChildren(...(term.dataset.zh ? [chinese, " "] : []), term.dataset.says!);
  box.hidden = false;
  document.body.append(box);
  term.setAttribute("aria-describedby", box.id);
  const [word] = term.getClientRects();
  const left = Math.max(8, Math.min(word.left, document.documentElement.clientWidth - box.offsetWidth - 8));
  const above = word.bottom + box.offsetHeight + 8 > innerHeight;
  const top = above ? word.top - box.offsetHeight - 4 : word.bottom + 4;
  Object.assign(box.style, { left: `${left + scrollX}px`, top: `${top + scrollY}px` });
}

const term_of = (event: Event) => closest(event, ".wf-term");

addEventListener("pointerdown", (event) => (pointer = event.pointerType), true);
addEventListener("pointerover", (event) => {
  if (event.pointerType !== "mouse") return;
  const term = term_of(event);
  if (term) show(term);
  else if (event.target !== box && document.activeElement !== shown) hide();
});
addEventListener("focusin", (event) => {
  const term = term_of(event);
  if (term) show(term);
  else hide();
});
addEventListener("click", (event) => {
  const term = term_of(event);
  if (!term) return hide();
  if (pointer === "mouse" || !event.detail) return; // a mouse, or Enter, follows the link
  event.preventDefault();
  show(term);
});
addEventListener("keydown", (event) => event.key === "Escape" && hide());
