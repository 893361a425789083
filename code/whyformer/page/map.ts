// What the reader has answered so far, on the map of the first page. It is kept in this browser alone.
import { kept_progress } from "../lab/storage.ts";
import { t } from "../lab/words.ts";

const BET = /^whyformer:predict:([^/]+)/;
const map = document.querySelector(".wf-map");
const told = map?.querySelector(".wf-map-progress");

function show(map: Element, told: Element): void {
  const bets = [...kept_progress()].filter(([, answer]) => Number(answer) >= 0);
  const answered = new Set(bets.map(([key]) => BET.exec(key)?.[1]));
  let count = 0;
  const links = [...map.querySelectorAll<HTMLAnchorElement>("a[data-question]")];
  for (const link of links) {
    const is_answered = answered.has(link.dataset.question);
    count += Number(is_answered);
    link.nextElementSibling!.textContent = is_answered ? ` ✓ ${t("predicted")}` : "";
  }
  told.textContent = count
    ? `${t("You have made a prediction for {count} of {all} questions.", { count, all: links.length })} `
    : "";
  if (!count) return;
  const forget = document.createElement("a");
  forget.href = new URL("practice.html#forget", links[0].href).href;
  forget.textContent = t("Forget my progress");
  told.append(forget);
}

if (map && told) {
  show(map, told);
  addEventListener("pageshow", ({ persisted }) => persisted && show(map, told)); // back from the browser's memory
}
