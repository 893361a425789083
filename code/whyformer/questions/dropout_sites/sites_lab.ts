// The sites lab. Twin of sites_lab.py: same series, same names, same order.

import { html, nothing, svg, type TemplateResult } from "lit-html";
import type { Frame } from "../../lab/frame.ts";
import { wire_tips } from "../../lab/marks/shapes.ts";
import { number, t } from "../../lab/words.ts";

const PLACES = ["embedding", "projections", "attention", "attention_out", "stream", "hidden", "feed_out"] as const;

type Place = (typeof PLACES)[number];

export type State = Record<Place, "no" | "yes"> & { source: string };

interface Source {
  label: string;
  says: string;
  rates: number[];
  covers: boolean[];
}

type Data = Record<string, Source>;

export type Series = ReturnType<typeof compute>;

const [NEITHER, HIT, MISS, FALSE_ALARM, NOT_JUDGED] = [0, 1, 2, 3, 4];
const NOT_SAID = -1;

export function compute(state: State, data: Data) {
  const found: Source | undefined = data[state.source];
  const placed = Float64Array.from(PLACES, (place) => Number(state[place] === "yes"));
  const rates = Float64Array.from(PLACES, (_, i) => found?.rates[i] ?? 0);
  const has = rates.map((rate) => Number(rate !== 0));
  const verdict = placed.map((mine, i) => {
    if (!found) return NEITHER;
    if (!found.covers[i]) return NOT_JUDGED;
    return mine ? (has[i] ? HIT : FALSE_ALARM) : has[i] ? MISS : NEITHER;
  });
  const total = (values: Float64Array) => values.reduce((a, b) => a + b, 0);
  const count = (kind: number) => verdict.filter((v) => v === kind).length;
  return {
    placed,
    has,
    rates,
    verdict,
    chosen: Object.keys(data).indexOf(state.source) + 1,
    n_placed: total(placed),
    n_has: total(has),
    hits: count(HIT),
    misses: count(MISS),
    false_alarms: count(FALSE_ALARM),
  };
}

// ---- the picture

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const { width, em } = frame;
  const wide = width > 44 * em;
  const source = (frame.data as Data)[state.source];
  return html`
    <div class="wf-row">
      ${diagram(state, series, frame)}
      <div style=${`width:${wide ? width - (WIDTH + 2) * em : width}px`}>
        ${sheet(series, frame, Boolean(source))}
        ${frame.controls("source")}
        ${source ? html`<p class="wf-aside">${t(source.says)}</p>` : html`<p class="wf-hint">${t("The sources stay covered until you choose one.")}</p>`}
      </div>
    </div>
    ${source ? overview(state, frame) : nothing}`;
}

/** One layer from the bottom up; a place for dropout between the blocks. */
const COLUMN: (Place | string)[] = [
  "embedding + position",
  "embedding",
  "W_Q, W_K, W_V",
  "projections",
  "softmax(QKᵀ / √dₖ)",
  "attention",
  "times V, then W_O",
  "attention_out",
  "+",
  "stream",
  "LayerNorm",
  "W₁, then ReLU",
  "hidden",
  "W₂",
  "feed_out",
  "+",
  "LayerNorm",
];
const SUMS: [from: number, to: number][] = [
  [1, 8],
  [10, 15],
]; // a path from above one row into another
const ROW = 1.95; // em from row to row
const HIGH = 1.5; // em of a block; targets of touch are at least 24 px
const LEFT = 1.6;
const WIDE = 11.4;
const WIDTH = 20;

function diagram(state: State, series: Series, frame: Frame): TemplateResult {
  const em = Math.min(frame.em, frame.width / WIDTH);
  const height = COLUMN.length * ROW + 0.6;
  const top = (row: number) => height - 0.3 - (row + 1) * ROW + (ROW - HIGH) / 2;
  const middle = LEFT + WIDE / 2;
  return html`<div class="wf-diagram wf-dropout-layer" style=${`width:${WIDTH * em}px;height:${height * em}px`}>
    <svg aria-hidden="true" width=${WIDTH * em} height=${height * em} viewBox=${`0 0 ${WIDTH} ${height}`}>
      ${wire_tips()}
      ${COLUMN.slice(1).map((_, i) => svg`<path class="wf-wire" d=${`M${middle},${top(i)}V${top(i + 1) + HIGH}`} />`)}
      ${SUMS.map(([from, to]) => svg`<path class="wf-wire wf-bridge" d=${`M${LEFT},${top(from) + HIGH / 2}H${LEFT - 1.1}V${top(to) + HIGH / 2}H${LEFT}`} />`)}
    </svg>
    ${COLUMN.map((what, row) => {
      const index = PLACES.indexOf(what as Place);
      const box = `left:${LEFT * em}px;top:${top(row) * em}px;width:${WIDE * em}px;height:${HIGH * em}px;font-size:${0.82 * em}px`;
      if (index < 0) return html`<span class="wf-part" style=${box}>${t(what)}</span>`;
      const place = PLACES[index];
      const placed = state[place] === "yes";
      const gaps = { index: index + 1 };
      return html`<button type="button" class="wf-place" aria-pressed=${placed} style=${box}
          @click=${() => frame.set({ [place]: placed ? "no" : "yes" })}>${
            placed ? t("{index}: dropout", gaps) : t("{index}: dropout here?", gaps)
          }</button>
        <span class=${`wf-place-verdict ${KINDS[series.verdict[index]]}`}
          style=${`left:${(LEFT + WIDE + 0.4) * em}px;top:${top(row) * em}px;height:${HIGH * em}px;font-size:${0.82 * em}px`}>${mark(series, index)}</span>`;
    })}
  </div>`;
}

const KINDS = ["", "wf-hit", "wf-miss", "wf-false-alarm", ""];

function rate_of(rate: number): string {
  return rate === NOT_SAID ? t("no rate") : number(rate, ".1f");
}

/** What stands beside a place: the judgement in one or two words. */
function mark({ verdict, rates }: Series, i: number): string {
  const rate = rate_of(rates[i]);
  if (verdict[i] === HIT) return t("✓ {rate}", { rate });
  if (verdict[i] === MISS) return t("missed: {rate}", { rate });
  if (verdict[i] === FALSE_ALARM) return t("✗ not there");
  return verdict[i] === NOT_JUDGED ? t("outside") : "";
}

/** The same placing as native switches, one for each place. */
function sheet(series: Series, frame: Frame, revealed: boolean): TemplateResult {
  return html`<div class="wf-sheet">${PLACES.map(
    (place, i) => html`
    <div class="wf-sheet-row"><span class="wf-sheet-number">${i + 1}</span>${frame.controls(place)}${
      revealed
        ? html`<span class=${`wf-place-verdict ${KINDS[series.verdict[i]]}`}>${mark(series, i) || t("none, as you say")}</span>`
        : nothing
    }</div>`,
  )}
  </div>`;
}

/** All sources side by side, once one is uncovered. */
function overview({ source }: State, frame: Frame): TemplateResult {
  return html`<table class="wf-table wf-sources">
    <thead><tr><th scope="col">${t("dropout at place")}</th>${PLACES.map((_, i) => html`<th scope="col">${i + 1}</th>`)}</tr></thead>
    <tbody>${Object.entries(frame.data as Data).map(
      ([name, { label, rates, covers }]) => html`<tr aria-current=${name === source}>
      <th scope="row">${t(label)}</th>
      ${rates.map((rate, i) => html`<td>${!covers[i] ? "" : rate === 0 ? "–" : rate === NOT_SAID ? "×" : number(rate, ".1f")}</td>`)}
    </tr>`,
    )}</tbody>
  </table>
  <p class="wf-hint">${t("A dash: no dropout. A cross: dropout, no rate given. Empty: outside of what the source describes.")}</p>`;
}
