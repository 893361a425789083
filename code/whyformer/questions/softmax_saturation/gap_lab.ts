// The gap lab. Twin of gap_lab.py: same series, same names, same order; the picture stands here alone.

import { scaleLinear } from "d3-scale";
import { html, svg, type TemplateResult } from "lit-html";
import type { Frame } from "../../lab/frame.ts";
import { panel, x_axis, y_axis } from "../../lab/marks/panel.ts";
import { curve, dots } from "../../lab/marks/shapes.ts";
import { t } from "../../lab/words.ts";
import { softmax, softmax_jacobian } from "../../maths/softmax.ts";

const A_MAX = 12;
const GRID = Float64Array.from({ length: 121 }, (_, i) => i * 0.1);

/** The three logits of each family at a. */
const FAMILIES: [name: string, logits: (a: number) => [number, number, number]][] = [
  ["(a, a, 2a)", (a) => [a, a, 2 * a]],
  ["(a, 2a, 2a)", (a) => [a, 2 * a, 2 * a]],
  ["(1000, 1000, 1000 + a)", (a) => [1000, 1000, 1000 + a]],
];

export interface State {
  a: number;
}

export type Series = ReturnType<typeof compute>;

/** y3 and its derivative with respect to its own logit, family after family along `a`. */
function third_weight(a: ArrayLike<number>): [weight: Float64Array, derivative: Float64Array] {
  const all = FAMILIES.flatMap(([, logits]) => Array.from(a, logits));
  return [Float64Array.from(all, (z) => softmax(z)[2]), Float64Array.from(all, (z) => softmax_jacobian(z)[8])];
}

const [CURVE, SLOPE] = third_weight(GRID);

export function compute({ a }: State) {
  const [here, slope] = third_weight([a]);
  return {
    curve: CURVE.slice(),
    slope: SLOPE.slice(),
    y3: here,
    derivative: slope,
    y3_gap: here[0],
    y3_tied: here[1],
    derivative_gap: slope[0],
    derivative_tied: slope[1],
  };
}

// ---- the picture

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const { em, width } = frame;
  const columns = width >= 40 * em ? 3 : 1;
  const each = (width - (columns - 1) * 1.2 * em) / columns;
  return html`${frame.controls("a")}
    <div class="wf-row">${FAMILIES.map(([name], i) => family_panel(name, i, state, series, each, em))}</div>`;
}

function family_panel(
  name: string,
  i: number,
  { a }: State,
  series: Series,
  width: number,
  em: number,
): TemplateResult {
  return panel(
    { width, em, height: 15 * em, margin: { top: 0.8, right: 0.9 }, title: t("logits {name}", { name }) },
    (box) => {
      const x = scaleLinear([0, A_MAX], [box.left, box.right]);
      const y = scaleLinear([0, 1], [box.bottom, box.top]);
      const part = (values: Float64Array) => values.subarray(i * GRID.length, (i + 1) * GRID.length);
      const name_at = (value: number, text: string, colour: string) =>
        svg`<text class="wf-end-label ${colour}" x=${box.right} y=${y(value) - 0.5 * em} text-anchor="end">${text}</text>`;
      const last = GRID.length - 1;
      const top = part(series.curve)[last];
      return svg`${x_axis(
        x,
        box,
        [0, 4, 8, 12].map((at) => ({ at })),
        "a",
      )}
      ${y_axis(
        y,
        box,
        [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at })),
      )}
      <line class="wf-here" x1=${x(a)} x2=${x(a)} y1=${box.top} y2=${box.bottom} />
      ${curve(GRID, part(series.curve), x, y, "wf-scaled")}${curve(GRID, part(series.slope), x, y, "wf-gradient wf-dashed")}
      ${dots([x(a)], [y(series.y3[i])], 0.5 * em, "wf-now wf-scaled")}
      ${dots([x(a)], [y(series.derivative[i])], 0.5 * em, "wf-now wf-gradient")}
      ${name_at(top > 0.9 ? 0.86 : top, t("y₃ = {y3:.4f}", { y3: series.y3[i] }), "wf-scaled")}
      ${name_at(part(series.slope)[last], t("∂y₃/∂z₃ = {d:.2g}", { d: series.derivative[i] }), "wf-gradient")}`;
    },
  );
}
