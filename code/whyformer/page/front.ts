// The formula of the first page: a part shows its question, and the divisor is struck out while the lab does not divide.
import type { WhyformerLab } from "../lab/host/element.ts";

const front = document.querySelector(".wf-front")!;
const parts = front.querySelectorAll<HTMLElement>(".wf-formula [data-part]");

function show(name: string | undefined): void {
  for (const each of front.querySelectorAll<HTMLElement>(".wf-formula [data-part], .wf-part-note"))
    each.classList.toggle("wf-shown", each.dataset.part === name);
  for (const each of parts) each.setAttribute("aria-pressed", String(each.dataset.part === name));
}

for (const part of parts) {
  part.setAttribute("role", "button");
  part.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // to another tab
    event.preventDefault();
    show(part.dataset.part);
  });
  part.addEventListener("keydown", (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    show(part.dataset.part);
  });
}
front.classList.add("wf-alive");
show("root"); // as the page has it

const root = front.querySelector('.wf-formula [data-part="root"]')!;

function strike({ target }: Pick<Event, "target">): void {
  const is_struck = (target as Partial<WhyformerLab>).state?.divisor === "1";
  root.classList.toggle("wf-struck", is_struck);
  front.querySelector(".wf-not-divided")!.classList.toggle("wf-shown", is_struck);
}

front.addEventListener("whyformer:ready", strike);
front.addEventListener("whyformer:change", strike);
const lab = front.querySelector("whyformer-lab");
if (lab?.hasAttribute("alive")) strike({ target: lab });
