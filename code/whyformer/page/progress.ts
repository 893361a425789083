// How far the reader is, chapter by chapter: bets made, cards said, exercises solved. It stands in the contents, and on
// the page of practice (whyformer_book/pages/cards.py). It is kept in this browser alone, under
// `whyformer:<what>:<chapter>/<name>`.
import { kept_progress } from "../lab/storage.ts";
import { t } from "../lab/words.ts";

type Count = { predict: number; "card-1": number; solved: number };

const KEY = /^whyformer:(predict|card-1|solved):([^/]+)\//;
const NONE: Count = { predict: 0, "card-1": 0, solved: 0 };

const chapter_of = (address: string): string =>
  new URL(address, location.href).pathname
    .split("/")
    .pop()!
    .replace(/\.html$/, "");

/** By chapter. A bet that was skipped is none, nor is a card said whose last answer was "not yet". */
function counts(): Map<string, Count> {
  const found = new Map<string, Count>();
  for (const [key, text] of kept_progress()) {
    const [, what, chapter] = KEY.exec(key) ?? [];
    if (!what || (what === "predict" && !(Number(text) >= 0)) || (what === "card-1" && !/^[1-3] /.test(text))) continue;
    const one = found.get(chapter) ?? { ...NONE };
    one[what as keyof Count] += 1;
    found.set(chapter, one);
  }
  return found;
}

function in_full(one: Count, totals: DOMStringMap): string[] {
  const [cards, exercises, bets] = [totals.cards, totals.exercises, totals.bets].map(Number);
  return [
    bets > 0 && (one.predict ? t("bet made") : t("no bet yet")),
    t("{said} of {cards} cards said", { said: Math.min(one["card-1"], cards), cards }),
    exercises > 0 &&
      t("{solved} of {exercises} exercises solved", { solved: Math.min(one.solved, exercises), exercises }),
  ].filter((part) => part !== false);
}

const in_short = (one: Count): string[] =>
  [
    one.predict && t("bet"),
    one["card-1"] && t("{count} said", { count: one["card-1"] }),
    one.solved && t("{count} solved", { count: one.solved }),
  ].filter((part) => part !== 0);

function show(): void {
  const found = counts();
  for (const place of document.querySelectorAll<HTMLElement>(".wf-progress"))
    place.textContent = in_full(found.get(place.dataset.question!) ?? NONE, place.dataset).join(" · ");
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".bd-sidebar-primary .toctree-l1 > a")) {
    const words = in_short(found.get(chapter_of(link.href)) ?? NONE).join(" · ");
    let place = link.querySelector(".wf-done-so-far");
    if (!place && !words) continue;
    if (!place) {
      place = document.createElement("span");
      place.className = "wf-done-so-far";
      link.append(" ", place);
    }
    place.textContent = words;
  }
}

addEventListener("whyformer:checked", (event) => {
  const { target, detail } = event as CustomEvent<{ right: boolean }>;
  const exercise = (target as Element).closest("div.cell")?.previousElementSibling;
  if (!detail.right || !exercise?.id) return;
  try {
    localStorage.setItem(`whyformer:solved:${chapter_of("")}/${exercise.id}`, "1");
  } catch {
    // private mode: nothing is kept
  }
  show();
});
addEventListener("whyformer:answer", show);
addEventListener("whyformer:progress", show);
addEventListener("pageshow", ({ persisted }) => persisted && show()); // back from the browser's memory
show();
