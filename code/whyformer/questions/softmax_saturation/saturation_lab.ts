// The saturation lab. Twin of saturation_lab.py: same series, same names, same order; the picture stands here alone.

import { scaleLinear } from "d3-scale";
import { html, nothing, svg, type TemplateResult } from "lit-html";
import type { Frame } from "../../lab/frame.ts";
import { heat_key, heat_map } from "../../lab/marks/heat_map.ts";
import { panel, y_axis, type Box } from "../../lab/marks/panel.ts";
import { bars } from "../../lab/marks/shapes.ts";
import { number, t } from "../../lab/words.ts";
import {
  softmax,
  softmax_jacobian,
  softmax_jacobian_max,
  softmax_jacobian_norm,
  softmax_vjp,
} from "../../maths/softmax.ts";

const LOGIT = 10; // logits run from -LOGIT to LOGIT
const [FEWEST, MOST] = [2, 12];

export interface State {
  logits: number[];
  temperature: number;
  offset: number;
  upstream: "largest" | "second" | "alternate";
}

export type Series = ReturnType<typeof compute>;

function upstream_gradient(kind: State["upstream"], logits: number[]): Float64Array {
  const n = logits.length;
  if (kind === "alternate") return Float64Array.from(logits, (_, i) => (i % 2 === 0 ? 1 : -1) / Math.sqrt(n));
  const order = logits.map((_, i) => i).sort((a, b) => logits[b] - logits[a]); // stable: of equals, the first
  const chosen = new Float64Array(n);
  chosen[order[kind === "largest" ? 0 : 1]] = 1;
  return chosen;
}

export function compute({ logits, temperature, offset, upstream }: State) {
  const z = logits.map((logit) => (logit + offset) / temperature);
  const arriving = upstream_gradient(upstream, logits);
  const downstream = softmax_vjp(z, arriving).map((g) => g / temperature);
  const weights = softmax(z);
  return {
    weights,
    jacobian: softmax_jacobian(z),
    upstream_gradient: arriving,
    downstream_gradient: downstream,
    largest_weight: Math.max(...weights),
    largest_entry: softmax_jacobian_max(z),
    jacobian_norm: softmax_jacobian_norm(z),
    left: Math.hypot(...downstream),
  };
}

// ---- the picture

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const { em, width } = frame;
  const two = width >= 34 * em;
  const half = two ? (width - 1.5 * em) / 2 : width;
  return html`${frame.controls("temperature", "offset", "upstream")}
    <div class="wf-row">
      <div>${logit_panel(state, half, frame)}${add_and_remove(state, frame)}</div>
      ${weight_panel(series, half, em)}
    </div>
    <div class="wf-row">
      <div>
        ${heat_map({
          matrix: series.jacobian,
          n: state.logits.length,
          limit: 0.25,
          width: half,
          side: Math.min(half, 17 * em),
          em,
          colour: "wf-gradient",
          title: t("Jacobian: largest entry {largest_entry:.2g}", series),
        })}
        ${heat_key(0.25, Math.min(half, 17 * em), em)}
      </div>
      ${gradient_panel(series, half, em)}
    </div>`;
}

const slot = (box: Box, n: number) => (box.right - box.left) / n;

function logit_panel({ logits, offset }: State, width: number, frame: Frame): TemplateResult {
  const { em } = frame;
  const n = logits.length;
  const title = offset === 0 ? t("logits: drag the bars") : t("logits, above {offset}: drag the bars", { offset });
  const margin = { bottom: 1.4, left: 2.6, right: 0.6, top: 1.4 };
  const height = 16 * em;
  const [left, right, top, bottom] = [
    margin.left * em,
    width - margin.right * em,
    margin.top * em,
    height - margin.bottom * em,
  ];
  const step = (right - left) / n;
  const grip = 16; // the native thumb's height, so that it stands exactly where the bar ends
  const over = frame.handles("logits", (i) => left + i * step, step, top - grip / 2, bottom - top + grip);
  return panel(
    { width, em, height, margin, title, colour: "wf-plain" },
    (box) => {
      const y = scaleLinear([-LOGIT, LOGIT], [box.bottom, box.top]);
      return svg`${y_axis(
        y,
        box,
        [-10, -5, 0, 5, 10].map((at) => ({ at, text: number(at, "") })),
      )}
      ${bars(logits, y, box.left, box.right, "wf-plain")}
      ${logits.map((z, i) => {
        const x = box.left + (i + 0.5) * slot(box, n);
        return svg`<line class="wf-grip" x1=${x - 0.36 * slot(box, n)} x2=${x + 0.36 * slot(box, n)} y1=${y(z)} y2=${y(z)} />
          <text class="wf-value" x=${x} y=${y(z) + (z < 0 ? 1.2 : -0.5) * em} text-anchor="middle">${number(z, ".1f")}</text>`;
      })}`;
    },
    over,
  );
}

function add_and_remove({ logits }: State, frame: Frame): TemplateResult {
  const add = () => frame.set({ logits: [...logits, 0] });
  const remove = () => frame.set({ logits: logits.slice(0, -1) });
  return html`<div class="wf-presets">
    <button type="button" ?disabled=${logits.length >= MOST} @click=${add}>${t("Add a logit")}</button>
    <button type="button" ?disabled=${logits.length <= FEWEST} @click=${remove}>${t("Remove the last")}</button>
  </div>`;
}

function weight_panel(series: Series, width: number, em: number): TemplateResult {
  const title = t("weights: largest {largest_weight:.4f}", series);
  return panel({ width, em, height: 16 * em, margin: { bottom: 1.4, top: 1.4 }, title, colour: "wf-scaled" }, (box) => {
    const y = scaleLinear([0, 1], [box.bottom, box.top]);
    const n = series.weights.length;
    return svg`${y_axis(
      y,
      box,
      [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at })),
    )}
      ${bars(series.weights, y, box.left, box.right, "wf-scaled")}
      ${Array.from(
        series.weights,
        (w, i) => svg`<text class="wf-value" text-anchor="middle"
        x=${box.left + (i + 0.5) * slot(box, n)} y=${y(w) - 0.4 * em}>${n > 8 ? number(w, ".1f") : number(w, ".2f")}</text>`,
      )}`;
  });
}

function gradient_panel(series: Series, width: number, em: number): TemplateResult {
  const title = t("gradient: {percent:.2g} % of its length is left", { percent: 100 * series.left });
  return panel(
    { width, em, height: 18 * em, margin: { bottom: 1.4, top: 0.8 }, title, colour: "wf-gradient" },
    (box) => {
      const y = scaleLinear([-1, 1], [box.bottom, box.top]).clamp(true);
      const n = series.weights.length;
      const arrow = (value: number, x: number, colour: string) => {
        const head = Math.min(0.5 * em, Math.abs(y(value) - y(0)));
        if (head < 0.5)
          return svg`<line class="wf-arrow ${colour}" x1=${x - 0.3 * em} x2=${x + 0.3 * em} y1=${y(0)} y2=${y(0)} />`;
        const back = y(value) + Math.sign(value) * head;
        return svg`<path class="wf-arrow ${colour}" d=${`M${x},${y(0)}V${y(value)}M${x - 0.35 * em},${back}L${x},${y(value)}L${x + 0.35 * em},${back}`} />`;
      };
      return svg`${y_axis(
        y,
        box,
        [-1, -0.5, 0, 0.5, 1].map((at) => ({ at, text: number(at, "") })),
      )}
      <line class="wf-zero" x1=${box.left} x2=${box.right} y1=${y(0)} y2=${y(0)} />
      ${Array.from(series.upstream_gradient, (u, i) => {
        const x = box.left + (i + 0.5) * slot(box, n);
        const side = Math.min(0.7 * em, 0.22 * slot(box, n));
        return svg`${u === 0 ? nothing : arrow(u, x - side, "wf-theory")}${arrow(series.downstream_gradient[i], x + side, "wf-gradient")}`;
      })}
      <text class="wf-end-label wf-theory" x=${box.left + 0.4 * em} y=${box.bottom - 1.6 * em}>${t("grey: arrives at the weights")}</text>
      <text class="wf-end-label wf-gradient" x=${box.left + 0.4 * em} y=${box.bottom - 0.4 * em}>${t("purple: left at the logits")}</text>`;
    },
  );
}
