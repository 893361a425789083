// The training lab. Twin of training_lab.py: same series, same names, same order.

import { median, quantile } from "d3-array";
import { scaleLinear, scaleLog } from "d3-scale";
import { html, svg, type TemplateResult } from "lit-html";
import type { Frame } from "../../lab/frame.ts";
import { panel, x_axis, y_axis, type Scale } from "../../lab/marks/panel.ts";
import { curve, dots } from "../../lab/marks/shapes.ts";
import { unpacked, type Packed } from "../../lab/packed.ts";
import { number, t } from "../../lab/words.ts";

const D_K = [16, 64, 256, 512];
const RATES = ["0.0003", "0.001", "0.003", "0.01"];
const NAMES = ["unscaled", "scaled", "overscaled"] as const;
const SEEDS = 5;
const NEVER = 1500;

type Quantity = "loss" | "gradient" | "entropy";

export interface State {
  d_k: number;
  rate: string;
  quantity: Quantity;
}

type Data = Record<Quantity, Packed> & { steps: number[]; arrived: number[][] };

export type Series = ReturnType<typeof compute>;

export function compute({ d_k, rate, quantity }: State, data: Data) {
  const n = data.steps.length;
  const row = 3 * D_K.indexOf(d_k);
  const at = RATES.indexOf(rate);
  const curves = new Float64Array(3 * SEEDS * n);
  for (let i = 0; i < 3; i++) {
    for (let seed = 0; seed < SEEDS; seed++) {
      const index = ((row + i) * RATES.length + at) * SEEDS + seed;
      const one = unpacked(data[quantity], "int16", n, index);
      curves.set(quantity === "gradient" ? one.map(Math.exp) : one, (i * SEEDS + seed) * n);
    }
  }
  const middle = (i: number) =>
    Float64Array.from({ length: n }, (_, s) => median(range(SEEDS), (seed) => curves[(i * SEEDS + seed) * n + s])!);
  const arrived = Float64Array.from(data.arrived.slice(row, row + 3).flat());
  const arrival = Float64Array.from(range(3 * RATES.length), (i) =>
    quantile(arrived.subarray(i * SEEDS, (i + 1) * SEEDS), 0.5, (step) => step || NEVER)!,
  );
  const there = (i: number) => range(SEEDS).filter((s) => arrived[(i * RATES.length + at) * SEEDS + s] > 0).length;
  const when = (i: number) => arrival[i * RATES.length + at];
  return {
    step: Float64Array.from(data.steps),
    curves,
    median_unscaled: middle(0),
    median_scaled: middle(1),
    median_overscaled: middle(2),
    arrived,
    arrival,
    seeds_unscaled: there(0),
    seeds_scaled: there(1),
    seeds_overscaled: there(2),
    step_unscaled: when(0),
    step_scaled: when(1),
    step_overscaled: when(2),
  };
}

const range = (length: number) => Array.from({ length }, (_, i) => i);

// ---- the picture

const RANGES: Record<Quantity, { from: number; to: number; ticks: number[]; log?: boolean; title: string }> = {
  loss: { from: 0, to: 7, ticks: [0, 1, 2, 3, 4, 5, 6], title: "loss, nats (a guess: ln 64 = 4.16)" },
  gradient: { from: 1e-3, to: 10, ticks: [0.001, 0.01, 0.1, 1, 10], log: true, title: "length of the gradient at W_Q" },
  entropy: {
    from: 0,
    to: Math.log(32),
    ticks: [0, 1, 2, 3],
    title: "mean entropy of the rows, nats (at most ln 32 = 3.47)",
  },
};
const LABELS = ["÷ 1", "÷ √dₖ", "÷ dₖ"];

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const { width, em } = frame;
  const wide = width > 44 * em;
  const right = wide ? 19 * em : width;
  return html`${frame.controls("d_k", "rate", "quantity")}
    <div class="wf-legend">
      ${NAMES.map((name, i) => html`<span class="wf-panel-title wf-${name}">${LABELS[i]}</span>`)}
      <span class="wf-hint">${t("thin: one seed; thick: the median of five")}</span>
    </div>
    <div class="wf-row">
      ${curves_panel(state, series, wide ? width - right - 1.5 * em : width, em)}
      ${arrivals_panel(state, series, right, em)}
    </div>`;
}

function curves_panel({ quantity }: State, series: Series, width: number, em: number): TemplateResult {
  const { from, to, ticks, log, title } = RANGES[quantity];
  const n = series.step.length;
  return panel({ width, em, height: 19 * em, margin: { left: 3.2 }, title: t(title) }, (box) => {
    const x = scaleLog([1, series.step[n - 1]], [box.left, box.right]);
    const y = (log ? scaleLog : scaleLinear)([from, to], [box.bottom, box.top]).clamp(true);
    return svg`${x_axis(
      x,
      box,
      [1, 10, 100, 1000].map((at) => ({ at })),
      t("training step"),
    )}
      ${y_axis(
        y,
        box,
        ticks.map((at) => ({ at, text: number(at, "") })),
      )}
      ${quantity === "loss" ? svg`<line class="wf-here" x1=${box.left} x2=${box.right} y1=${y(1)} y2=${y(1)} />` : ""}
      ${range(3 * SEEDS).map((i) =>
        curve(
          series.step,
          series.curves.subarray(i * n, (i + 1) * n),
          x,
          y,
          `wf-thin wf-${NAMES[Math.floor(i / SEEDS)]}`,
        ),
      )}
      ${NAMES.map((name) => curve(series.step, series[`median_${name}`], x, y, `wf-thick wf-${name}`))}`;
  });
}

/** When each run arrives, by learning rate: a dot for a seed, a bar for the median. */
function arrivals_panel({ rate }: State, series: Series, width: number, em: number): TemplateResult {
  const title = t("First step with loss below 1");
  return panel({ width, em, height: 19 * em, margin: { left: 3.4 }, title }, (box) => {
    const x = scaleLinear([-0.5, RATES.length - 0.5], [box.left, box.right]);
    const never = box.top + 0.8 * em;
    const within: Scale = scaleLog([30, NEVER], [box.bottom, box.top + 3 * em]);
    const y: Scale = Object.assign(
      (step: number) => (step === 0 || step === NEVER ? never : within(Math.max(30, step))),
      { domain: within.domain, range: within.range },
    );
    const here = RATES.indexOf(rate);
    const jitter = (i: number, seed: number) => 0.24 * (i - 1) + 0.035 * (seed - 2);
    return svg`
      <rect class="wf-chosen" x=${x(here - 0.5)} width=${x(1) - x(0)} y=${box.top} height=${box.bottom - box.top} />
      ${x_axis(
        x,
        box,
        RATES.map((text, at) => ({ at, text })),
        t("learning rate"),
      )}
      ${y_axis(y, box, [{ at: 0, text: t("never") }, ...[30, 100, 300, 1000].map((at) => ({ at }))])}
      ${NAMES.map(
        (name, i) => svg`${arrival_dots(series, i, x, y, jitter, em, `wf-${name}`)}
        ${medians(series, i, x, y, `wf-${name}`)}`,
      )}`;
  });
}

function arrival_dots(
  series: Series,
  i: number,
  x: Scale,
  y: Scale,
  jitter: (i: number, seed: number) => number,
  em: number,
  colour: string,
) {
  const [xs, ys]: [number[], number[]] = [[], []];
  range(RATES.length * SEEDS).forEach((at) => {
    xs.push(x(Math.floor(at / SEEDS) + jitter(i, at % SEEDS)));
    ys.push(y(series.arrived[i * RATES.length * SEEDS + at]));
  });
  return dots(xs, ys, 0.22 * em, colour);
}

function medians(series: Series, i: number, x: Scale, y: Scale, colour: string) {
  const path = range(RATES.length).map((r) => {
    const at = r + 0.24 * (i - 1);
    return `M${x(at - 0.12)},${y(series.arrival[i * RATES.length + r])}H${x(at + 0.12)}`;
  });
  return svg`<path class="wf-curve wf-thick ${colour}" d=${path.join("")} />`;
}
