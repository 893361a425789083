// The removed-head lab. Twin of removed_head_lab.py: same series, same names, same order.

import { median } from "d3-array";
import { scaleLinear, scaleLog } from "d3-scale";
import { html, svg, type TemplateResult } from "lit-html";
import type { Frame } from "../../lab/frame.ts";
import { panel, x_axis, y_axis } from "../../lab/marks/panel.ts";
import { dots } from "../../lab/marks/shapes.ts";
import { number, t } from "../../lab/words.ts";

const [N_LAYERS, N_HEADS] = [6, 12];

type Quantity = "entropy" | "first" | "distance" | "value";

export interface State {
  layer: number;
  head: number;
  quantity: Quantity;
}

type Data = Record<Quantity | "lost", number[][]>;

export type Series = ReturnType<typeof compute>;

function ranks(values: Float64Array): Float64Array {
  return values.map((value) => {
    let [below, equal] = [0, 0];
    for (const other of values) {
      if (other < value) below++;
      if (other === value) equal++;
    }
    return below + (equal + 1) / 2;
  });
}

function rank_correlation(one: Float64Array, other: Float64Array): number {
  const [a, b] = [one, other].map((values) => ranks(values).map((rank) => rank - (values.length + 1) / 2));
  const product = (x: Float64Array, y: Float64Array) => x.reduce((sum, v, i) => sum + v * y[i], 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}

export function compute({ layer, head, quantity }: State, data: Data) {
  const lost = Float64Array.from(data.lost.flat(), (value) => 1000 * value);
  const values = Float64Array.from(data[quantity].flat());
  const chosen = N_HEADS * (layer - 1) + head - 1;
  const early = N_HEADS * (N_LAYERS - 1);
  const row = [N_HEADS * (layer - 1), N_HEADS * layer] as const;
  return {
    lost,
    values,
    lost_in_layer: lost.slice(...row),
    values_in_layer: values.slice(...row),
    chosen,
    lost_here: lost[chosen],
    cosine_here: 1 - lost[chosen] / 1000,
    value_here: values[chosen],
    place: lost.filter((value) => value > lost[chosen]).length + 1,
    median_of_layer: median(lost.subarray(...row))!,
    correlation: rank_correlation(values.subarray(0, early), lost.subarray(0, early)),
  };
}

// ---- the picture

const LABELS: Record<Quantity, { to: number; ticks: number[]; text: string }> = {
  entropy: { to: 2.5, ticks: [0, 1, 2], text: "entropy of its rows, nats" },
  first: { to: 1, ticks: [0, 0.5, 1], text: "its weight on the first token" },
  distance: { to: 1, ticks: [0, 0.5, 1], text: "distance from its layer's other maps" },
  value: { to: 1.2, ticks: [0, 0.5, 1], text: "length of the first token's value" },
};

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const { em, width } = frame;
  const wide = width > 44 * em;
  const right = wide ? 20 * em : width;
  return html`
    <div class="wf-row">
      <div style="width:${wide ? width - right - 1.5 * em : width}px">
        <div class="wf-panel-title">${t("Lost without this head alone: 1000 · (1 − cosine)")}</div>
        ${grid(state, series, frame)}
        <p class="wf-hint">${t("Layer {layer}: half of its heads lose less than {median_of_layer:.1f}. Measured on 200 sentences, to 0.1.", { layer: state.layer, ...series })}</p>
      </div>
      ${scatter(state, series, right, em)}
    </div>
    ${frame.controls("layer", "head", "quantity")}`;
}

function grid(state: State, series: Series, frame: Frame): TemplateResult {
  const choose = (i: number, j: number) => () => frame.set({ layer: i + 1, head: j + 1 });
  const range = (n: number) => Array.from({ length: n }, (_, i) => i);
  return html`<table class="wf-reach wf-heads">
    <thead><tr><td></td>${range(N_HEADS).map((j) => html`<th scope="col">${j + 1}</th>`)}</tr></thead>
    <tbody>${range(N_LAYERS).map(
      (i) => html`<tr>
      <th scope="row">${t("layer {i}", { i: i + 1 })}</th>
      ${range(N_HEADS).map((j) => {
        const lost = series.lost[i * N_HEADS + j];
        const strength = Math.round(50 * Math.sqrt(lost / 40));
        return html`<td aria-current=${state.layer === i + 1 && state.head === j + 1} style=${`--wf-strength:${strength}%`}
          @click=${choose(i, j)}>${number(lost, lost < 9.95 ? ".1f" : ".0f")}</td>`;
      })}
    </tr>`,
    )}</tbody>
  </table>`;
}

/** All heads: what is lost, over the chosen quantity. */
function scatter({ quantity }: State, series: Series, width: number, em: number): TemplateResult {
  const { to, ticks, text } = LABELS[quantity];
  const title = t("Blue dots: rank correlation {correlation:.2f}", series);
  return panel({ width, em, height: 17 * em, margin: { left: 3, top: 1.2 }, title, colour: "wf-scaled" }, (box) => {
    const x = scaleLinear([0, to], [box.left, box.right]);
    const y = scaleLog([0.3, 60], [box.bottom, box.top]);
    const early = N_HEADS * (N_LAYERS - 1);
    const xs = Array.from(series.values, (v) => x(v));
    const ys = Array.from(series.lost, (v) => y(v));
    return svg`${x_axis(
      x,
      box,
      ticks.map((at) => ({ at })),
      t(text),
    )}
      ${y_axis(
        y,
        box,
        [1, 10].map((at) => ({ at })),
      )}
      ${dots(xs.slice(0, early), ys.slice(0, early), 0.26 * em, "wf-scaled")}
      ${dots(xs.slice(early), ys.slice(early), 0.26 * em, "wf-theory")}
      <text x=${box.left - 2.2 * em} y=${box.top - 0.1 * em}>${t("lost")}</text>
      <circle class="wf-ring" cx=${xs[series.chosen]} cy=${ys[series.chosen]} r=${0.55 * em} />
      <text class="wf-end-label wf-theory" x=${box.right} y=${box.top + 0.4 * em} text-anchor="end">${t("layer 6")}</text>
      <text class="wf-end-label wf-scaled" x=${box.right} y=${box.bottom - 0.5 * em} text-anchor="end">${t("layers 1 to 5")}</text>`;
  });
}
