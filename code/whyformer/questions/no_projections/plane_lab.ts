// The plane lab. Twin of plane_lab.py: same series, same names, same order; the picture stands here alone.

import { scaleLinear } from "d3-scale";
import { html, nothing, svg, type TemplateResult } from "lit-html";
import type { Frame } from "../../lab/frame.ts";
import { panel, y_axis, type Scale } from "../../lab/marks/panel.ts";
import { bars, dots } from "../../lab/marks/shapes.ts";
import { number, t } from "../../lab/words.ts";
import { softmax } from "../../maths/softmax.ts";

const [N, REACH, MOST_ROUNDS, TIE] = [4, 3, 20, 1e-9];
const TOKENS = [0, 1, 2, 3];

export interface State {
  lengths: number[];
  angles: number[];
  divisor: number;
  rounds: number;
}

export type Series = ReturnType<typeof compute>;

/** The N x N dot products of N points in the plane, row after row. */
function products(x: Float64Array): Float64Array {
  return Float64Array.from({ length: N * N }, (_, at) => {
    const [i, j] = [Math.floor(at / N), at % N];
    return x[2 * i] * x[2 * j] + x[2 * i + 1] * x[2 * j + 1];
  });
}

function all_weights(scores: Float64Array, divisor: number): Float64Array {
  const out = new Float64Array(N * N);
  for (const i of TOKENS) out.set(softmax(scores.subarray(i * N, (i + 1) * N).map((s) => s / divisor)), i * N);
  return out;
}

function attended(x: Float64Array, divisor: number): Float64Array<ArrayBuffer> {
  const weights = all_weights(products(x), divisor);
  const out = new Float64Array(2 * N);
  for (const i of TOKENS)
    for (const j of TOKENS) {
      out[2 * i] += weights[i * N + j] * x[2 * j];
      out[2 * i + 1] += weights[i * N + j] * x[2 * j + 1];
    }
  return out;
}

function largest_distance(x: Float64Array): number {
  let most = 0;
  for (const i of TOKENS)
    for (const j of TOKENS)
      most = Math.max(most, Math.sqrt((x[2 * i] - x[2 * j]) ** 2 + (x[2 * i + 1] - x[2 * j + 1]) ** 2));
  return most;
}

export function compute({ lengths, angles, divisor, rounds }: State) {
  const x = new Float64Array(2 * N);
  for (const i of TOKENS) {
    const turn = angles[i] * (Math.PI / 180);
    x[2 * i] = lengths[i] * Math.cos(turn);
    x[2 * i + 1] = lengths[i] * Math.sin(turn);
  }
  const steps = [x];
  for (let round = 0; round < MOST_ROUNDS; round++) steps.push(attended(steps[round], divisor));
  const scores = products(x);
  const weights = all_weights(scores, divisor);
  const [own, best, own_weight] = [new Float64Array(N), new Float64Array(N), new Float64Array(N)];
  for (const i of TOKENS) {
    const row = scores.subarray(i * N, (i + 1) * N);
    const least = Math.max(...row) - TIE;
    own[i] = row[i] >= least ? 1 : 0;
    best[i] = own[i] ? i : row.findIndex((score) => score >= least);
    own_weight[i] = weights[i * N + i];
  }
  const path = new Float64Array((MOST_ROUNDS + 1) * 2 * N);
  steps.forEach((step, round) => path.set(step, round * 2 * N));
  const apart = Float64Array.from(steps, largest_distance);
  return {
    x,
    scores,
    weights,
    own,
    best,
    own_weight,
    path,
    now: steps[rounds].slice(),
    apart,
    after: rounds,
    n_own: own.reduce((a, b) => a + b),
    apart_now: apart[rounds],
    apart_start: apart[0],
    bound: apart[0] * (-Math.expm1((-2 * Math.max(...lengths) ** 2) / divisor)) ** rounds,
  };
}

// ---- the picture

type Point = [number, number];
const points_of = (x: Float64Array): Point[] => TOKENS.map((i) => [x[2 * i], x[2 * i + 1]]);

/** The corners of the convex hull, in order (Andrew's monotone chain). */
function hull(points: Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (all: Point[]) => {
    const out: Point[] = [];
    for (const p of all) {
      while (out.length > 1) {
        const [a, b] = out.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        out.pop();
      }
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const { em, width } = frame;
  const wide = width >= 40 * em;
  const left = wide ? 0.54 * width : width;
  const right = wide ? width - left - 1.2 * em : width;
  const half = wide ? (right - 0.5 * em) / 2 : (width - 0.5 * em) / 2;
  return html`${frame.controls("rounds", "divisor")}
    <div class="wf-row">
      ${plane(state, series, left, frame)}
      <div style=${`width:${right}px`}>
        ${weight_table(series)}
        ${verdict(series)}
        <p class="wf-legend">${t("After {rounds} of 20 rounds: {apart_now:.3f} apart, proved to be at most {bound:.3f}.", { ...series, rounds: state.rounds })}</p>
        <div class="wf-row">
          ${bar_panel("lengths", state.lengths, [0, REACH], [0, 1, 2, 3], t("lengths: drag"), series, half, frame)}
          ${bar_panel("angles", state.angles, [-180, 180], [-180, 0, 180], t("angles: drag"), series, half, frame)}
        </div>
      </div>
    </div>`;
}

const colour_of = (series: Series, i: number) => (series.own[i] ? "wf-plain" : "wf-unscaled");

function plane(state: State, series: Series, width: number, frame: Frame): TemplateResult {
  const { em } = frame;
  const side = Math.min(width, 27 * em);
  const title = t("arrows: tokens, drag the tips; blue dots: after {rounds} of 20 rounds", { rounds: state.rounds });
  const margin = { left: 0.2, right: 0.2, top: 0.2, bottom: 0.2 };
  return panel({ width, em, height: side, margin, title, colour: "wf-scaled" }, (box) => {
    const shift = (width - side) / 2;
    const x = scaleLinear([-3.4, 3.4], [box.left + shift, box.left + shift + side - 0.4 * em]);
    const y = scaleLinear([-3.4, 3.4], [box.bottom, box.top]);
    const corners = (points: Point[]) =>
      hull(points)
        .map(([a, b]) => `${x(a)},${y(b)}`)
        .join(" ");
    const now = points_of(series.now);
    return svg`
      ${[1, 2, 3].map(
        (r) => svg`<circle class="wf-circle" cx=${x(0)} cy=${y(0)} r=${x(r) - x(0)} />
        <text x=${x(-0.72 * r)} y=${y(-0.72 * r)} text-anchor="middle">${r}</text>`,
      )}
      <polygon class="wf-hull wf-plain" points=${corners(points_of(series.x))} />
      <polygon class="wf-hull wf-scaled" points=${corners(now)} />
      ${TOKENS.map((i) => svg`<polyline class="wf-curve wf-thin wf-scaled" points=${trail(series.path, i, x, y)} />`)}
      ${TOKENS.map((i) => preference(series, i, x, y))}
      ${points_of(series.x).map(([a, b], i) => arrow(x(0), y(0), x(a), y(b), colour_of(series, i), em))}
      ${dots(
        now.map((p) => x(p[0])),
        now.map((p) => y(p[1])),
        0.4 * em,
        "wf-now wf-scaled",
      )}
      ${points_of(series.x).map(([a, b], i) => tip(i, a, b, x, y, state, series, frame))}`;
  });
}

function trail(path: Float64Array, i: number, x: Scale, y: Scale): string {
  return Array.from({ length: MOST_ROUNDS + 1 }, (_, round) => {
    const at = round * 2 * N + 2 * i;
    return `${x(path[at]).toFixed(1)},${y(path[at + 1]).toFixed(1)}`;
  }).join(" ");
}

/** From a token that looks past itself, a dashed line to what it looks at. */
function preference(series: Series, i: number, x: Scale, y: Scale) {
  if (series.own[i]) return nothing;
  const j = series.best[i];
  return svg`<line class="wf-curve wf-dashed wf-unscaled" x1=${x(series.x[2 * i])} y1=${y(series.x[2 * i + 1])}
    x2=${x(series.x[2 * j])} y2=${y(series.x[2 * j + 1])} />`;
}

function arrow(x0: number, y0: number, x1: number, y1: number, colour: string, em: number) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const head = Math.min(0.7 * em, 0.5 * length);
  const wing = (side: number) =>
    `${x1 - head * ux - side * 0.5 * head * uy},${y1 - head * uy + side * 0.5 * head * ux}`;
  return svg`<path class="wf-arrow ${colour}" d=${`M${x0},${y0}L${x1},${y1}M${wing(1)}L${x1},${y1}L${wing(-1)}`} />`;
}

/** The tip of an arrow, to be dragged; the bars beside the plane do the same from the keyboard. */
function tip(i: number, a: number, b: number, x: Scale, y: Scale, state: State, series: Series, frame: Frame) {
  const { em } = frame;
  const length = Math.hypot(a, b) || 1;
  const put = (values: number[], value: number) => values.map((old, k) => (k === i ? value : old));
  const down = (event: PointerEvent) => {
    event.preventDefault();
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    const circle = event.currentTarget as SVGCircleElement;
    if (!circle.hasPointerCapture(event.pointerId)) return;
    const frame_of = circle.ownerSVGElement!.getBoundingClientRect();
    const unit = x(1) - x(0);
    const [px, py] = [(event.clientX - frame_of.left - x(0)) / unit, (y(0) - (event.clientY - frame_of.top)) / unit];
    const now = Math.round(20 * Math.min(REACH, Math.hypot(px, py))) / 20;
    const turn = Math.round((Math.atan2(py, px) * 180) / Math.PI);
    frame.set({ lengths: put(state.lengths, now), angles: put(state.angles, turn) });
  };
  const out = 1.1 * em;
  return svg`<circle class="wf-tip ${colour_of(series, i)}" cx=${x(a)} cy=${y(b)} r=${1.1 * em}
      @pointerdown=${down} @pointermove=${move} />
    <text class="wf-end-label ${colour_of(series, i)}" text-anchor="middle"
      x=${x(a) + (out * a) / length} y=${y(b) - (out * b) / length + 0.35 * em}>${i + 1}</text>`;
}

function weight_table(series: Series): TemplateResult {
  return html`<div class="wf-panel">
    <div class="wf-panel-title wf-scaled">${t("Weights: row looks at column")}</div>
    <table class="wf-mirror">
      <thead><tr><th scope="col">${t("token")}</th>${TOKENS.map((j) => html`<th scope="col">${j + 1}</th>`)}</tr></thead>
      <tbody>${TOKENS.map(
        (i) => html`<tr class=${series.own[i] ? "" : "wf-past"}>
        <th scope="row">${i + 1}</th>
        ${TOKENS.map((j) => {
          const weight = series.weights[i * N + j];
          return html`<td class=${j === series.best[i] ? "wf-best" : ""} style=${`--wf-strength:${Math.round(50 * weight)}%`}>${number(weight, ".2f")}</td>`;
        })}
      </tr>`,
      )}</tbody>
    </table>
  </div>`;
}

function verdict(series: Series): TemplateResult {
  const past = TOKENS.filter((i) => !series.own[i]);
  if (past.length === 0) return html`<p class="wf-hint">${t("Every token gives itself its largest weight.")}</p>`;
  const i = past[0];
  const j = series.best[i];
  const gaps = { i: i + 1, j: j + 1, with_self: series.scores[i * N + i], other: series.scores[i * N + j] };
  return html`<p class="wf-warning">${t("Framed rows look past themselves. Token {i}: {with_self:.2f} with itself, {other:.2f} with token {j}.", gaps)}</p>`;
}

function bar_panel(
  name: "lengths" | "angles",
  values: number[],
  domain: [number, number],
  ticks: number[],
  title: string,
  series: Series,
  width: number,
  frame: Frame,
): TemplateResult {
  const { em } = frame;
  const margin = { left: 2.6, right: 0.3, top: 1, bottom: 1.5 };
  const height = 11 * em;
  const [left, right, top, bottom] = [
    margin.left * em,
    width - margin.right * em,
    margin.top * em,
    height - margin.bottom * em,
  ];
  const step = (right - left) / N;
  const grip = 16;
  const over = frame.handles(name, (i) => left + i * step, step, top - grip / 2, bottom - top + grip);
  return panel(
    { width, em, height, margin, title, colour: "wf-plain" },
    (box) => {
      const y = scaleLinear(domain, [box.bottom, box.top]);
      return svg`${y_axis(
        y,
        box,
        ticks.map((tick) => ({ at: tick, text: number(tick, "") })),
      )}
      ${bars(values, y, box.left, box.right, "wf-plain", 0.35)}
      ${values.map((value, i) => {
        const x = box.left + (i + 0.5) * step;
        return svg`<line class="wf-grip" x1=${x - 0.32 * step} x2=${x + 0.32 * step} y1=${y(value)} y2=${y(value)} />
          <text class="wf-end-label ${colour_of(series, i)}" x=${x} y=${box.bottom + 1.2 * em} text-anchor="middle">${i + 1}</text>`;
      })}`;
    },
    over,
  );
}
