// The mask lab. Twin of mask_lab.py: same series, same names, same order.

import { scaleLinear, scaleSqrt } from "d3-scale";
import { html, svg, type TemplateResult } from "lit-html";
import type { Frame } from "../../lab/frame.ts";
import { panel, x_axis, y_axis } from "../../lab/marks/panel.ts";
import { steps } from "../../lab/marks/shapes.ts";
import { number, t } from "../../lab/words.ts";
import { stream, uniform } from "../../maths/random.ts";
import { softmax } from "../../maths/softmax.ts";

const [N, PASSES, SHOWN] = [8, 500, 16];
const EPSILON = 1e-5;
const SHAPE = [1.6, 0.4, -0.2, 0.9, -1.1, -0.6, 0.1, -1.3];
const READ = [0.25, -0.2, 0.3, 0.15, -0.25, 0.2, -0.15, 0.3];
const PASSED_BY = [0.3, -0.8, 1.2, -0.4, 0.7, -1.1, 0.5, -0.2];

type Site = "attention" | "hidden" | "embedding" | "residual";

const BINS: Record<Site, [low: number, width: number, count: number]> = {
  attention: [-0.025, 0.05, 42],
  hidden: [-5.1, 0.2, 51],
  embedding: [-5.1, 0.2, 51],
  residual: [-2.75, 0.1, 55],
};

export interface State {
  site: Site;
  p: number;
  spread: number;
  scaling: "train" | "test" | "none";
  seed: number;
}

export type Series = ReturnType<typeof compute>;

function entries(site: Site, spread: number): Float64Array {
  const arriving = Float64Array.from(SHAPE, (s) => spread * s);
  if (site === "attention") return softmax(arriving);
  return site === "hidden" ? arriving.map((s) => Math.max(s, 0)) : arriving;
}

function reading(site: Site, row: Float64Array): number {
  if (site === "residual") {
    const x = row.map((v, j) => PASSED_BY[j] + v);
    const mean = total(x) / N;
    const centred = x.map((v) => v - mean);
    return centred[0] / Math.sqrt(total(centred.map((v) => v * v)) / N + EPSILON);
  }
  return total(site === "attention" ? row : row.map((v, j) => READ[j] * v));
}

const total = (row: Float64Array) => row.reduce((sum, v) => sum + v, 0);

export function compute({ site, p, spread, scaling, seed }: State) {
  const before = entries(site, spread);
  const factor = scaling === "train" ? 1 / (1 - p) : 1;
  const [low, width, count] = BINS[site];
  const [share, expected] = [new Float64Array(count), new Float64Array(count)];
  const bin = (value: number) => Math.min(count - 1, Math.max(0, Math.floor((value - low) / width + 1e-9)));
  const evaluation = reading(site, scaling === "test" ? before.map((v) => v * (1 - p)) : before);
  const scaled = before.map((v) => factor * v);

  const kept = new Float64Array(SHOWN * N);
  const off = new Float64Array(PASSES);
  const readings = new Float64Array(SHOWN);
  let after = before;
  for (let pass = 0; pass < PASSES; pass++) {
    const key = stream(seed, pass);
    const row = new Float64Array(N);
    for (let j = 0; j < N; j++) {
      const mask = uniform(key, j) >= p ? 1 : 0;
      row[j] = mask * scaled[j];
      if (pass < SHOWN) kept[pass * N + j] = mask;
    }
    if (pass === 0) after = row;
    const value = reading(site, row);
    if (pass < SHOWN) readings[pass] = value;
    off[pass] = value - evaluation;
    share[bin(value)] += 1 / PASSES;
  }
  const mean_off = total(off) / PASSES;

  const every = new Float64Array(2 ** N);
  const probability = every.map((_, mask) => {
    let n_kept = 0;
    for (let j = 0; j < N; j++) n_kept += (mask >> j) & 1;
    return (1 - p) ** n_kept * p ** (N - n_kept);
  });
  for (let mask = 0; mask < every.length; mask++) {
    const value = reading(
      site,
      scaled.map((v, j) => ((mask >> j) & 1) * v),
    );
    every[mask] = value - evaluation;
    expected[bin(every[mask] + evaluation)] += probability[mask];
  }
  const every_mean = total(every.map((v, i) => probability[i] * v));
  return {
    kept,
    before,
    after,
    edges: Float64Array.from({ length: count + 1 }, (_, i) => low + width * i),
    share,
    expected,
    readings,
    now: readings[0],
    evaluation,
    mean: evaluation + mean_off,
    sd: Math.sqrt(total(off.map((v) => (v - mean_off) ** 2)) / PASSES),
    mean_exact: evaluation + every_mean,
    sd_exact: Math.sqrt(total(every.map((v, i) => probability[i] * (v - every_mean) ** 2))),
    sum_squares: total(before.map((v) => v * v)),
  };
}

// ---- the picture

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const { width, em } = frame;
  const wide = width > 42 * em;
  const half = wide ? (width - 1.5 * em) / 2 : width;
  return html`
    ${frame.controls("site")}
    ${frame.controls("p", "spread", "seed")}
    <div class="wf-row">
      ${row_panel(state, series, half, em)}
      ${masks_panel(state, series, half, em)}
    </div>
    ${histogram(state, series, width, em)}
    ${frame.controls("scaling")}
    <p class="wf-aside">${verdict(state, series)}</p>`;
}

/** What stands on the axis of the bars, by site; the same for every rate and every spread. */
const SCALE: Record<Site, [low: number, high: number, ticks: number[]]> = {
  attention: [0, 1.75, [0, 0.5, 1, 1.5]],
  hidden: [0, 10, [0, 5, 10]],
  embedding: [-8, 10, [-5, 0, 5, 10]],
  residual: [-8, 10, [-5, 0, 5, 10]],
};

function row_panel({ site }: State, series: Series, width: number, em: number): TemplateResult {
  const [low, high, ticks] = SCALE[site];
  const title =
    site === "attention"
      ? t("Weights without dropout (grey), in this pass (blue): sum {now:.2f}", { now: series.now })
      : t("Entries without dropout (grey) and in this pass (blue)");
  return panel({ width, em, height: 12.5 * em, margin: { left: 2.8, bottom: 2.4 }, title }, (box) => {
    const y = scaleLinear([low, high], [box.bottom, box.top]);
    const slot = (box.right - box.left) / N;
    return svg`${y_axis(
      y,
      box,
      ticks.map((at) => ({ at })),
    )}
      ${Array.from({ length: N }, (_, j) => {
        const left = box.left + j * slot;
        const bar = (value: number, from: number, colour: string) => svg`<rect class=${`wf-bars ${colour}`}
          x=${left + from * slot} width=${0.36 * slot} y=${Math.min(y(0), y(value))} height=${Math.abs(y(value) - y(0))} />`;
        const gone = series.kept[j] === 0;
        return svg`${bar(series.before[j], 0.12, "wf-plain")}
          ${
            gone
              ? svg`<text class="wf-end-label wf-unscaled" x=${left + 0.66 * slot} y=${y(0) - 0.2 * em} text-anchor="middle">×</text>`
              : bar(series.after[j], 0.5, "wf-scaled")
          }
          <text x=${left + slot / 2} y=${box.bottom + 1.1 * em} text-anchor="middle">${j + 1}</text>`;
      })}
      <line class="wf-zero" x1=${box.left} x2=${box.right} y1=${y(0)} y2=${y(0)} />
      <text class="wf-axis-label" x=${(box.left + box.right) / 2} y=${box.bottom + 2.2 * em} text-anchor="middle">${
        site === "attention" ? t("key") : t("entry")
      }</text>`;
  });
}

/** The first masks, one line each, with the reading at its end. */
function masks_panel({ site }: State, series: Series, width: number, em: number): TemplateResult {
  const title =
    site === "attention"
      ? t("16 passes: kept keys, and the sum of the row")
      : t("16 passes: kept entries, and the reading");
  return panel({ width, em, height: 12.5 * em, margin: { left: 0.2, bottom: 0.4, right: 0 }, title }, (box) => {
    const group = (box.right - box.left) / 2;
    const column = (group - 3.6 * em) / N;
    const line = (box.bottom - box.top) / (SHOWN / 2);
    return svg`${Array.from({ length: SHOWN }, (_, pass) => {
      const left = box.left + Math.floor(pass / (SHOWN / 2)) * group;
      const y = box.top + (pass % (SHOWN / 2)) * line;
      return svg`<g class="wf-mask">${Array.from(
        { length: N },
        (_, j) => svg`<rect
          class=${series.kept[pass * N + j] ? "wf-kept" : "wf-dropped"} x=${left + (j + 0.08) * column} y=${y + 0.1 * line}
          width=${0.84 * column} height=${0.8 * line} />`,
      )}
        <text class=${pass ? "" : "wf-value"} x=${left + group - 0.6 * em} y=${y + 0.75 * line} text-anchor="end">${number(series.readings[pass], ".2f")}</text></g>`;
    })}`;
  });
}

const TICKS: Record<Site, number[]> = {
  attention: [0, 0.5, 1, 1.5, 2],
  hidden: [-4, -2, 0, 2, 4],
  embedding: [-4, -2, 0, 2, 4],
  residual: [-2, -1, 0, 1, 2],
};

const READINGS: Record<Site, string> = {
  attention: "Sum of the row",
  hidden: "One output of W₂",
  embedding: "One entry of a query",
  residual: "One entry after add & norm",
};

function histogram({ site }: State, series: Series, width: number, em: number): TemplateResult {
  const { edges, share, expected, mean_exact, sd_exact, evaluation, now } = series;
  const title = t("{reading}: 500 passes (blue), and all 256 masks (grey line)", { reading: t(READINGS[site]) });
  return panel({ width, em, height: 15 * em, margin: { left: 3.4, top: 2.9 }, title }, (box) => {
    const x = scaleLinear([edges[0], edges[edges.length - 1]], [box.left, box.right]);
    const y = scaleSqrt([0, 1], [box.bottom, box.top]);
    const label = t("the reading; heights are on a root scale");
    const name = (line: number, text: string, colour: string) =>
      svg`<text class=${`wf-end-label ${colour}`} x="0" y=${box.top - (2.6 - line) * em}>${text}</text>`;
    return svg`
      <rect class="wf-band wf-theory" x=${x(mean_exact - sd_exact)} width=${x(mean_exact + sd_exact) - x(mean_exact - sd_exact)} y=${box.top} height=${box.bottom - box.top} />
      ${x_axis(
        x,
        box,
        TICKS[site].map((at) => ({ at })),
        label,
      )}
      ${y_axis(
        y,
        box,
        [0, 0.01, 0.05, 0.2, 0.5, 1].map((at) => ({ at, text: t("{percent} %", { percent: 100 * at }) })),
      )}
      ${steps(share, edges, x, y, "wf-scaled")}
      ${outline(expected, edges, x, y)}
      <line class="wf-evaluation" x1=${x(evaluation)} x2=${x(evaluation)} y1=${box.top - 0.6 * em} y2=${box.bottom} />
      <line class="wf-here" x1=${x(mean_exact)} x2=${x(mean_exact)} y1=${box.top} y2=${box.bottom} />
      <circle class="wf-dots wf-now wf-scaled" cx=${x(now)} cy=${box.bottom} r=${0.45 * em} />
      ${name(0.5, t("solid: in evaluation, {evaluation:.2f}", { evaluation }), "wf-plain")}
      ${name(1.7, t("dashed: mean in training, {mean_exact:.2f} ± {sd_exact:.2f}", { mean_exact, sd_exact }), "wf-theory")}`;
  });
}

function outline(values: Float64Array, edges: Float64Array, x: (v: number) => number, y: (v: number) => number) {
  let path = `M${x(edges[0]).toFixed(1)},${y(0).toFixed(1)}`;
  values.forEach((value, i) => (path += `V${y(value).toFixed(1)}H${x(edges[i + 1]).toFixed(1)}`));
  return svg`<path class="wf-curve wf-theory" d=${path} />`;
}

function verdict({ site, p, scaling }: State, series: Series): string {
  const { mean_exact, evaluation, sum_squares, sd_exact } = series;
  if (p === 0) return t("Nothing is dropped: training and evaluation are the same.");
  if (scaling === "none")
    return t(
      "Nothing makes good for what is missing: in training the mean is {mean_exact:.2f}, in evaluation {evaluation:.2f}.",
      { mean_exact, evaluation },
    );
  if (site === "residual")
    return t("LayerNorm is not linear: the mean in training is {mean_exact:.3f}, evaluation gives {evaluation:.3f}.", {
      mean_exact,
      evaluation,
    });
  if (site === "attention" && scaling === "train")
    return t(
      "√(p/(1 − p) · Σ w²) with Σ w² = {sum_squares:.3f} is {sd_exact:.3f}: the more a row is one key, the more a mask does to it.",
      { sum_squares, sd_exact },
    );
  return t("The reading is linear in the entries, so its mean over the masks is what evaluation gives.");
}
