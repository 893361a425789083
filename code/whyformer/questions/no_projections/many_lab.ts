// The many-token lab. Twin of many_lab.py: same series, same names, same order; the picture stands here alone.

import { scaleLinear, scaleLog } from "d3-scale";
import { html, svg, type TemplateResult } from "lit-html";
import { ref } from "lit-html/directives/ref.js";
import type { Frame } from "../../lab/frame.ts";
import { paint } from "../../lab/marks/heat_map.ts";
import { panel, x_axis, y_axis } from "../../lab/marks/panel.ts";
import { curve, dots } from "../../lab/marks/shapes.ts";
import { palette, rgb } from "../../lab/theme.ts";
import { number, t } from "../../lab/words.ts";
import { normals, stream } from "../../maths/random.ts";
import { softmax } from "../../maths/softmax.ts";
import { LAW_D, own_shares } from "./law.ts";

const [LENGTH_STREAM, W_Q, W_K, W_V] = [100, 1000, 2000, 3000];
const [MOST_TOKENS, MOST_D] = [32, LAW_D.at(-1)!];

export interface State {
  projections: "none" | "same" | "q" | "qk";
  values: "x" | "w";
  divisor: "1" | "sqrt";
  d: number;
  n_tokens: number;
  spread: number;
  seed: number;
}

export type Series = ReturnType<typeof compute>;

/** What a seed draws, at the largest size; a smaller d or n is the beginning of it. */
interface Draw {
  seed: number;
  z: Float64Array;
  x: Float64Array[];
  matrices: Map<number, Float64Array[]>;
}

let last: Draw | undefined;

function drawn_for(seed: number): Draw {
  if (last?.seed !== seed) {
    last = {
      seed,
      z: normals(stream(seed, LENGTH_STREAM), MOST_TOKENS),
      x: Array.from({ length: MOST_TOKENS }, (_, i) => normals(stream(seed, i), MOST_D)),
      matrices: new Map(),
    };
  }
  return last;
}

/** Rows of x, each times a d x d matrix with independent normal entries of variance 1/d. */
function projected(rows: Float64Array[], draw: Draw, which: number, d: number): Float64Array[] {
  if (!draw.matrices.has(which)) {
    draw.matrices.set(
      which,
      Array.from({ length: MOST_D }, (_, i) => normals(stream(draw.seed, which + i), MOST_D)),
    );
  }
  const matrix = draw.matrices.get(which)!;
  return rows.map((row) => {
    const out = new Float64Array(d);
    for (let i = 0; i < d; i++) {
      const [value, from] = [row[i] / Math.sqrt(d), matrix[i]];
      for (let k = 0; k < d; k++) out[k] += value * from[k];
    }
    return out;
  });
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

export function compute({ projections, values, divisor, d, n_tokens: n, spread, seed }: State) {
  const draw = drawn_for(seed);
  const x = draw.x.slice(0, n).map((row, i) => row.subarray(0, d).map((value) => value * Math.exp(spread * draw.z[i])));
  const q = projections === "none" ? x : projected(x, draw, W_Q, d);
  const k = projections === "qk" ? projected(x, draw, W_K, d) : projections === "same" ? q : x;
  const v = values === "w" ? projected(x, draw, W_V, d) : x;
  const by = divisor === "sqrt" ? Math.sqrt(d) : 1;

  const weights = new Float64Array(n * n);
  const [best, own_weight] = [new Float64Array(n), new Float64Array(n)];
  const [low, high] = [new Float64Array(d).fill(Infinity), new Float64Array(d).fill(-Infinity)];
  for (const row of x)
    row.forEach((value, c) => {
      low[c] = Math.min(low[c], value);
      high[c] = Math.max(high[c], value);
    });
  let [n_own, outside] = [0, 0];
  for (let i = 0; i < n; i++) {
    const row = softmax(k.map((key) => dot(q[i], key) / by));
    weights.set(row, i * n);
    for (let j = 1; j < n; j++) if (row[j] > row[best[i]]) best[i] = j;
    own_weight[i] = row[i];
    if (best[i] === i) n_own++;
    const out = new Float64Array(d);
    v.forEach((value, j) => {
      for (let c = 0; c < d; c++) out[c] += row[j] * value[c];
    });
    for (let c = 0; c < d; c++) {
      const margin = 1e-9 * (high[c] - low[c]);
      if (out[c] < low[c] - margin || out[c] > high[c] + margin) outside++;
    }
  }
  const { none, same } = own_shares(n, spread);
  const percent = (share: number[]) => Float64Array.from(share, (value) => 100 * value);
  const law =
    projections === "none"
      ? percent(none)
      : projections === "same"
        ? percent(same)
        : new Float64Array(LAW_D.length).fill(100 / n);
  return {
    weights,
    best,
    own_weight,
    law_none: percent(none),
    law_same: percent(same),
    law,
    n_own,
    share: (100 * n_own) / n,
    expected: law[LAW_D.indexOf(d)],
    mean_own: own_weight.reduce((a, b) => a + b) / n,
    outside: (100 * outside) / (n * d),
  };
}

// ---- the picture

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const { em, width } = frame;
  const wide = width >= 38 * em;
  const left = wide ? 18 * em : width;
  const right = wide ? width - left - 1.5 * em : width;
  return html`${frame.controls("projections", "values", "divisor")}${frame.controls("d", "n_tokens", "spread", "seed")}
    <div class="wf-row">
      ${weight_map(state, series, left, em)}
      <div style=${`width:${right}px`}>${law_panel(state, series, right, em)}${facts(state, series)}</div>
    </div>`;
}

/** The weights, one row for a token; a ring marks each row's largest weight, a square one that is not its own. */
function weight_map({ n_tokens: n, divisor }: State, series: Series, width: number, em: number): TemplateResult {
  const side = Math.min(width - 1.2 * em, 17 * em);
  const cell = side / n;
  const [red, green, blue] = rgb(palette.scaled);
  const size = Math.min(0.9 * em, 0.8 * cell);
  return html`<div class="wf-panel" style=${`width:${width}px`}>
    <div class="wf-panel-title wf-scaled">${divisor === "sqrt" ? t("weights, divided by √d") : t("weights, undivided")}</div>
    <div class="wf-heat" style=${`width:${side}px;height:${side}px`}>
      <canvas aria-hidden="true" ${ref((canvas) =>
        paint(canvas as HTMLCanvasElement | undefined, series.weights, n, (value) => [
          red,
          green,
          blue,
          Math.round(255 * Math.sqrt(value)),
        ]),
      )}></canvas>
      <svg aria-hidden="true" width=${side} height=${side}>${Array.from(series.best, (j, i) => {
        const [x, y] = [(j + 0.5) * cell, (i + 0.5) * cell];
        return j === i
          ? svg`<circle class="wf-ring" cx=${x} cy=${y} r=${size / 2} />`
          : svg`<rect class="wf-ring wf-unscaled" x=${x - size / 2} y=${y - size / 2} width=${size} height=${size} />`;
      })}</svg>
    </div>
    <p class="wf-legend">${t("One row for a token. Ring: its largest weight is on itself. Orange square: on another.")}</p>
  </div>`;
}

function law_panel({ d, n_tokens: n, projections }: State, series: Series, width: number, em: number): TemplateResult {
  const title = t("rows that look at themselves, % (lines: expected; dot: this draw)");
  return panel({ width, em, height: 14.5 * em, margin: { right: 0.9 }, title, colour: "wf-plain" }, (box) => {
    const x = scaleLog([1, MOST_D], [box.left, box.right]);
    const y = scaleLinear([0, 100], [box.bottom, box.top]);
    const label = (at: number, value: number, right: number, up: number, anchor: string, text: string) =>
      svg`<text class="wf-end-label wf-plain" x=${x(at) + right * em} y=${y(value) + up * em} text-anchor=${anchor}>${text}</text>`;
    const shown = (which: string) => (projections === which ? "wf-thick wf-scaled" : "wf-theory");
    const chance = projections === "q" || projections === "qk" ? "wf-thick wf-scaled" : "wf-theory";
    return svg`${x_axis(
      x,
      box,
      [1, 4, 16, 64, 128].map((at) => ({ at })),
      "d",
    )}
      ${y_axis(
        y,
        box,
        [0, 25, 50, 75, 100].map((at) => ({ at })),
      )}
      <line class="wf-here" x1=${x(d)} x2=${x(d)} y1=${box.top} y2=${box.bottom} />
      ${curve(LAW_D, series.law_none, x, y, shown("none"))}
      ${curve(LAW_D, series.law_same, x, y, `${shown("same")} wf-dashed`)}
      ${curve([1, MOST_D], [100 / n, 100 / n], x, y, chance)}
      ${dots([x(d)], [y(series.share)], 0.55 * em, "wf-now wf-scaled")}
      ${label(LAW_D[4], series.law_none[4], -0.5, -0.3, "end", t("x·x"))}
      ${label(LAW_D[6], series.law_same[6], 0.7, 0.9, "start", t("W_Q = W_K"))}
      ${label(MOST_D, 100 / n, 0, -0.4, "end", t("W_Q alone, or W_Q and W_K: 1/n"))}`;
  });
}

function facts({ n_tokens }: State, series: Series): TemplateResult {
  const rows: [string, string][] = [
    [t("rows whose largest weight is their own"), t("{n_own} of {n_tokens}", { n_own: series.n_own, n_tokens })],
    [t("expected over many draws"), t("{expected:.1f} %", series)],
    [t("mean weight of a token on itself"), number(series.mean_own, ".3f")],
    [t("output coordinates outside the range of the inputs"), t("{outside:.1f} %", series)],
  ];
  return html`<table class="wf-table"><tbody>${rows.map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td style="white-space:nowrap">${value}</td></tr>`,
  )}</tbody></table>`;
}
