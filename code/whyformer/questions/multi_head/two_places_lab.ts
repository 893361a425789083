// The two-places lab. Twin of two_places_lab.py: same series, same names, same order.

import { scaleLinear } from "d3-scale";
import { html, nothing, svg, type TemplateResult } from "lit-html";
import type { Frame } from "../../lab/frame.ts";
import { panel, x_axis, y_axis } from "../../lab/marks/panel.ts";
import { bars } from "../../lab/marks/shapes.ts";
import { number, t } from "../../lab/words.ts";
import { stream, uniform } from "../../maths/random.ts";
import { softmax } from "../../maths/softmax.ts";

const N_BOXES = 5;
const PARALLEL = 1e-6;
const AXES = [
  [1, 2, 3],
  [3, -1, 2],
];
const SCORE = 8; // scores run from 0 to SCORE

export interface State {
  heads: "one" | "two";
  first: number[];
  second: number[];
  left: number;
  right: number;
  seed: number;
}

export type Series = ReturnType<typeof compute>;

const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};

/** x (k) times a matrix (k rows, row-major). */
function times(x: ArrayLike<number>, matrix: ArrayLike<number>): Float64Array {
  const columns = matrix.length / x.length;
  return Float64Array.from({ length: columns }, (_, j) => {
    let sum = 0;
    for (let i = 0; i < x.length; i++) sum += x[i] * matrix[i * columns + j];
    return sum;
  });
}

function mirror(head: number): Float64Array {
  const axis = AXES[head];
  const square = dot(axis, axis);
  return Float64Array.from({ length: 9 }, (_, at) => {
    const [i, j] = [Math.floor(at / 3), at % 3];
    return (i === j ? 1 : 0) - (2 * axis[i] * axis[j]) / square;
  });
}

/** Coefficients and error of the best linear estimate of one place: the projection onto the span of the rows. */
function best_read_out(rows: Float64Array[], place: number): { coefficients: [number, number]; error: number } {
  const length = Math.sqrt(dot(rows[0], rows[0]));
  const first = rows[0].map((w) => w / length);
  const on_first = first[place];
  let coefficients: [number, number] = [on_first / length, 0];
  let nearest = first.map((w) => on_first * w);
  if (rows.length === 2) {
    const along = dot(rows[1], first);
    const rest = rows[1].map((w, i) => w - along * first[i]);
    const left = Math.sqrt(dot(rest, rest));
    if (left > PARALLEL * Math.sqrt(dot(rows[1], rows[1]))) {
      const on_second = rest[place] / left;
      nearest = nearest.map((w, i) => w + (on_second * rest[i]) / left);
      coefficients = [(on_first - (on_second * along) / left) / length, on_second / left];
    }
  }
  const residual = nearest.map((w, i) => (i === place ? 1 : 0) - w);
  return { coefficients, error: dot(residual, residual) };
}

export function compute({ heads, first, second, left, right, seed }: State) {
  const n_heads = heads === "one" ? 1 : 2;
  const colours = new Float64Array(3 * N_BOXES);
  for (let box = 0; box < N_BOXES; box++) {
    const key = stream(seed, box);
    for (let c = 0; c < 3; c++) colours[3 * box + c] = 2 * uniform(key, c) - 1;
  }
  const rows = [softmax(first), softmax(second)];
  const blends = rows.map((row) => times(row, colours));
  const found = [left, right].map((place) => best_read_out(rows.slice(0, n_heads), place - 1));
  const values = blends.map((blend, h) => times(blend, mirror(h)));
  const blocks = [0, 1].map((h) => {
    const turn = mirror(h); // W_O of head h, 3 x 6
    return Float64Array.from({ length: 18 }, (_, at) => {
      const [row, column] = [Math.floor(at / 6), at % 6];
      return found[column < 3 ? 0 : 1].coefficients[h] * turn[3 * row + (column % 3)];
    });
  });
  const slots = times([...values[0], ...values[1]], [...blocks[0], ...blocks[1]]);
  const [one, other] = values.map((value, h) => times(value, blocks[h]));
  const drawn = [left, right].map((place, slot) => {
    const off = [0, 1, 2].map((c) => slots[3 * slot + c] - colours[3 * (place - 1) + c]);
    return dot(off, off);
  });
  return {
    colours,
    weights_first: rows[0],
    weights_second: rows[1],
    blends: Float64Array.from([...blends[0], ...blends[1]]),
    read_out: Float64Array.from(found.flatMap(({ coefficients }) => coefficients)),
    slots,
    error_left: 100 * found[0].error,
    error_right: 100 * found[1].error,
    total: 100 * (found[0].error + found[1].error),
    least: n_heads === 1 && left !== right ? 100 : 0,
    drawn_left: 100 * drawn[0],
    drawn_right: 100 * drawn[1],
    difference: Math.max(...slots.map((v, i) => Math.abs(v - (one[i] + other[i])))),
  };
}

// ---- the picture

type Name = "first" | "second";

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const { em, width } = frame;
  const half = width >= 34 * em ? (width - 1.5 * em) / 2 : width;
  const two = state.heads === "two";
  return html`${frame.controls("heads", "seed")}
    <div class="wf-row">
      ${head_panel("first", 0, state, series, half, frame)}
      ${two ? head_panel("second", 1, state, series, half, frame) : no_head(half, frame)}
    </div>
    ${frame.controls("left", "right")}
    <div class="wf-row">
      <div style="width:${half}px">
        <div class="wf-panel-title">${t("What the layer puts out, with the best W_O there is")}</div>
        ${slot_table(state, series)}
        <p class="wf-hint">${
          two
            ? t(
                "Concatenated and times W_O, or each head times its rows of W_O and then added: largest difference {difference:.1g}.",
                series,
              )
            : t("Both slots are multiples of one blend. That is all there is to read.")
        }</p>
      </div>
      ${trade_panel(state, series, half, em)}
    </div>`;
}

/** A value as a colour: 0 is middle grey. */
const paint = (values: ArrayLike<number>, at = 0) =>
  `rgb(${[0, 1, 2].map((c) => Math.round(255 * Math.min(1, Math.max(0, 0.5 + 0.5 * values[3 * at + c])))).join(" ")})`;

function head_panel(
  name: Name,
  head: number,
  state: State,
  series: Series,
  width: number,
  frame: Frame,
): TemplateResult {
  const { em } = frame;
  const scores = state[name];
  const weights = series[`weights_${name}`];
  const margin = { bottom: 5.6, left: 1.8, right: 5, top: 1.4 };
  const height = 17 * em;
  const [left, right, top, bottom] = [
    margin.left * em,
    width - margin.right * em,
    margin.top * em,
    height - margin.bottom * em,
  ];
  const step = (right - left) / N_BOXES;
  const grip = 16; // the native thumb's height
  const over = frame.handles(name, (i) => left + i * step, step, top - grip / 2, bottom - top + grip);
  const title = t("head {h}: drag its scores", { h: head + 1 });
  return panel(
    { width, em, height, margin, title, colour: "wf-plain" },
    (box) => {
      const y = scaleLinear([0, SCORE], [box.bottom, box.top]);
      const middle = (i: number) => left + (i + 0.5) * step;
      const side = Math.min(2.2 * em, 0.8 * step);
      return svg`${y_axis(
        y,
        box,
        [0, 2, 4, 6, 8].map((at) => ({ at })),
      )}
      ${bars(scores, y, left, right, "wf-plain", 0.3)}
      ${scores.map(
        (score, i) => svg`
        <line class="wf-grip" x1=${middle(i) - 0.32 * step} x2=${middle(i) + 0.32 * step} y1=${y(score)} y2=${y(score)} />
        <rect class="wf-swatch" x=${middle(i) - side / 2} y=${bottom + 0.5 * em} width=${side} height=${side} style=${`fill:${paint(series.colours, i)}`} />
        ${
          i + 1 === state.left || i + 1 === state.right
            ? svg`<rect class="wf-asked" x=${middle(i) - side / 2 - 3} y=${bottom + 0.5 * em - 3} width=${side + 6} height=${side + 6} />`
            : nothing
        }
        <text x=${middle(i)} y=${bottom + 3.9 * em} text-anchor="middle">${i + 1}</text>
        <text class="wf-end-label wf-scaled" x=${middle(i)} y=${bottom + 5.2 * em} text-anchor="middle">${number(weights[i], ".2f")}</text>`,
      )}
      <rect class="wf-swatch" x=${right + 1.1 * em} y=${bottom + 0.2 * em} width=${2.8 * em} height=${2.8 * em} style=${`fill:${paint(series.blends, head)}`} />
      <text x=${right + 2.5 * em} y=${bottom + 3.9 * em} text-anchor="middle">${t("blend")}</text>
      <text class="wf-end-label wf-scaled" x=${right + 0.9 * em} y=${bottom + 5.2 * em}>${t("weights")}</text>`;
    },
    over,
  );
}

function no_head(width: number, frame: Frame): TemplateResult {
  return html`<div class="wf-no-head" style="width:${width}px">
    <button type="button" @click=${() => frame.set({ heads: "two" })}>${t("Add a second head")}</button>
  </div>`;
}

function slot_table(state: State, series: Series): TemplateResult {
  const rows = [
    { box: state.left, missed: series.error_left, drawn: series.drawn_left },
    { box: state.right, missed: series.error_right, drawn: series.drawn_right },
  ];
  const swatch = (values: Float64Array, at: number) =>
    html`<span class="wf-chip" style="background:${paint(values, at)}"></span>`;
  return html`<table class="wf-table wf-slots">
    <thead><tr><td></td><th scope="col">${t("should be")}</th><th scope="col">${t("is")}</th><th scope="col">${t("missed now")}</th><th scope="col">${t("on average")}</th></tr></thead>
    <tbody>${rows.map(({ box, missed, drawn }, slot) => {
      const [a, b] = Array.from(series.read_out.subarray(2 * slot, 2 * slot + 2), (v) => Math.round(100 * v) / 100 + 0);
      const made =
        state.heads === "one"
          ? t("slot {slot} = {a:.2f} · head 1", { slot: slot + 1, a })
          : t("slot {slot} = ({a:.2f}) · head 1 + ({b:.2f}) · head 2", { slot: slot + 1, a, b });
      return html`<tr><th scope="row">${t("slot {slot}", { slot: slot + 1 })}</th><td>${swatch(series.colours, box - 1)}</td><td>${swatch(series.slots, slot)}</td>
          <td>${t("{drawn:.0f} %", { drawn })}</td><td><strong>${t("{missed:.0f} %", { missed })}</strong></td></tr>
        <tr><td colspan="5" class="wf-made">${made}</td></tr>`;
    })}</tbody>
  </table>`;
}

/** What is missed of either slot. One head cannot enter the triangle. */
function trade_panel(state: State, series: Series, width: number, em: number): TemplateResult {
  const title =
    state.left === state.right
      ? t("Missed: {total:.0f} % together. One box asked twice is one box.", series)
      : t("Missed: {total:.0f} % together", series);
  const margin = { left: 3.4, right: Math.max(0.8, width / em - 3.4 - 15), top: 1, bottom: 2.8 };
  return panel({ width, em, height: 18.8 * em, margin, title, colour: "wf-scaled" }, (box) => {
    const x = scaleLinear([0, 100], [box.left, box.right]);
    const y = scaleLinear([0, 100], [box.bottom, box.top]);
    const ticks = [0, 50, 100].map((at) => ({ at }));
    const bound = state.left !== state.right;
    return svg`
      ${bound ? svg`<path class="wf-forbidden" d=${`M${x(0)},${y(0)}H${x(100)}L${x(0)},${y(100)}z`} />` : nothing}
      ${x_axis(x, box, ticks, t("missed of slot 1, %"))}${y_axis(y, box, ticks)}
      <text class="wf-axis-label" transform=${`translate(${box.left - 2.4 * em} ${(box.top + box.bottom) / 2}) rotate(-90)`} text-anchor="middle">${t("missed of slot 2, %")}</text>
      ${
        bound
          ? svg`<line class="wf-here" x1=${x(0)} x2=${x(100)} y1=${y(100)} y2=${y(0)} />
            <text class="wf-value" x=${x(5)} y=${y(27)}>${t("no single head")}</text>
            <text class="wf-value" x=${x(5)} y=${y(27) + 1.2 * em}>${t("gets in here")}</text>`
          : nothing
      }
      <circle class="wf-dots wf-now wf-scaled" cx=${x(series.error_left)} cy=${y(series.error_right)} r=${0.55 * em} />`;
  });
}
