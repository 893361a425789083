// Numbers that phones have answered, on the slide and in the teacher's window: each with how often it was said, or, where
// there are many, in equal spans.

import { html, type TemplateResult } from "lit-html";
import { t } from "../lab/words.ts";

export interface Group {
  text: string;
  count: number;
}

const FEW = 10; // rows that a slide has room for

/** 1234.5 and 0.00012 as they are read aloud: four digits that matter. */
const short = (value: number) => String(Number(value.toPrecision(4)));

/** Sorted `values` as rows: each number, or spans from the lowest to the highest where more than ten differ. */
export function grouped(values: number[]): Group[] {
  const each = [...new Set(values)].sort((a, b) => a - b);
  const count = (within: (value: number) => boolean) => values.filter(within).length;
  if (each.length <= FEW) return each.map((one) => ({ text: short(one), count: count((value) => value === one) }));
  // The outermost twentieths have no span of their own: one slip of a thumb would squeeze all others into one row.
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))];
  const [low, high] = at(0.05) < at(0.95) ? [at(0.05), at(0.95)] : [each[0], each.at(-1)!];
  const spans = FEW - 2;
  const edges = Array.from({ length: spans + 1 }, (_, i) => low + ((high - low) * i) / spans);
  const rows = edges
    .slice(1)
    .map((end, i) => ({
      text: t("{low} to {high}", { low: short(edges[i]), high: short(end) }),
      count: count((value) => value >= edges[i] && (i + 1 === spans ? value <= high : value < end)),
    }));
  const below = { text: t("below {low}", { low: short(low) }), count: count((value) => value < low) };
  const above = { text: t("above {high}", { high: short(high) }), count: count((value) => value > high) };
  return [below, ...rows, above].filter((one, i, all) => one.count > 0 || (i > 0 && i + 1 < all.length));
}

/** A row with a bar for each group. */
export function numbers_table(values: number[]): TemplateResult {
  const groups = grouped(values);
  const most = Math.max(1, ...groups.map(({ count }) => count));
  return html`<div class="wf-ballot wf-numbers"><table><caption>${t("Your numbers, and how often.")}</caption>${groups.map(
    ({ text, count }) => html`<tr><th scope="row">${text}</th>
      <td class="wf-tally"><div class="wf-vote-first"><i style=${`width:${(75 * count) / most}%`}></i> <b>${count}</b></div></td></tr>`,
  )}</table></div>`;
}
