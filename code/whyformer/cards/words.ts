// What is said of when a card comes again, and a card as a line of text.

import { t } from "../lab/words.ts";
import type { Card } from "./card.ts";

/** In words: 0 days is today. */
export function again_in(days: number): string {
  if (days === 0) return t("Asked again today.");
  return days === 1 ? t("Asked again tomorrow.") : t("Asked again in {days} days.", { days });
}

const ESCAPED: { [sign: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** A field that Anki reads as HTML: no tab and no line break is left in it, nor a quote that would open a field. */
function field(text: string): string {
  return text
    .replace(/[&<>"]/g, (sign) => ESCAPED[sign])
    .replace(/\r\n?|\n/g, "<br>")
    .replaceAll("\t", " ");
}

/**
 * Cards for Anki (File > Import): a line for each, with its name, so that a later file brings up to date what was
 * imported, its question, its answer and its chapter as a tag.
 */
export function for_anki(cards: Card[]): string {
  const head = ["#separator:tab", "#html:true", "#guid column:1", "#tags column:4"];
  const rows = cards.map(({ name, words: { asked, say, must, next } }) => {
    const points = must.map((point) => `– ${point}`).join("\n");
    const answer = `${say}\n\n${points}\n\n${t("They ask next: {next}", { next })}`;
    return [`whyformer:${name}`, asked, answer, `whyformer::${name.split("/")[0]}`].map(field).join("\t");
  });
  return `${[...head, ...rows].join("\n")}\n`;
}
