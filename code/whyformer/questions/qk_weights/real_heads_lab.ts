// The real-heads lab. Twin of real_heads_lab.py: same series, same names, same order.

import { scaleLinear } from "d3-scale";
import { html, svg, type TemplateResult } from "lit-html";
import type { Frame } from "../../lab/frame.ts";
import { dots } from "../../lab/marks/shapes.ts";
import { panel, x_axis, y_axis } from "../../lab/marks/panel.ts";
import { token_map } from "../../lab/marks/token_map.ts";
import { unpacked, type Packed } from "../../lab/packed.ts";
import { number, t } from "../../lab/words.ts";
import { softmax } from "../../maths/softmax.ts";

const D_K = 32;
const N_HEADS = 12;

export interface State {
  text: string;
  layer: number;
  head: number;
  blend: number;
}

type Data = Record<string, { tokens: string[]; scores: Packed }>;

export type Series = ReturnType<typeof compute>;

export function compute({ text, layer, head, blend }: State, data: Data) {
  const { tokens, scores: packed } = data[text];
  const n = tokens.length;
  const trained = unpacked(packed, "int16", n * n, (layer - 1) * N_HEADS + head - 1).map((s) => s / Math.sqrt(D_K));
  const mirror = (at: number) => (at % n) * n + Math.floor(at / n);
  const core = centred(trained, n);
  const turned = core.map((c, at) => (blend * (c - core[mirror(at)])) / 2);
  const now = core.map((c, at) => c - turned[at]);
  const [weights, before] = [
    rows(
      trained.map((s, at) => s - turned[at]),
      n,
    ),
    rows(trained, n),
  ];
  const [there, back]: number[][] = [[], []];
  let [even, whole, moved, largest] = [0, 0, 0, 0];
  now.forEach((s, at) => {
    if (at % n > Math.floor(at / n)) {
      there.push(s);
      back.push(now[mirror(at)]);
    }
    even += ((s + now[mirror(at)]) / 2) ** 2;
    whole += s ** 2;
    moved += Math.abs(weights[at] - before[at]);
    largest = Math.max(largest, Math.abs(core[at]));
  });
  return {
    there: Float64Array.from(there),
    back: Float64Array.from(back),
    weights_trained: before,
    weights,
    largest,
    symmetric_percent: (100 * even) / whole,
    moved_percent: (50 * moved) / n,
  };
}

/** Scores without what a whole row or a whole column shares. */
function centred(scores: Float64Array, n: number): Float64Array {
  const [row, column] = [new Float64Array(n), new Float64Array(n)];
  scores.forEach((s, at) => {
    row[Math.floor(at / n)] += s / n;
    column[at % n] += s / n;
  });
  const all = row.reduce((a, b) => a + b) / n;
  return scores.map((s, at) => s - row[Math.floor(at / n)] - column[at % n] + all);
}

/** A softmax over each row. */
function rows(scores: Float64Array, n: number): Float64Array {
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++) out.set(softmax(scores.subarray(i * n, (i + 1) * n)), i * n);
  return out;
}

// ---- the picture

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const { width, em } = frame;
  const { tokens } = (frame.data as Data)[state.text];
  const wide = width > 42 * em;
  const room = wide ? (width - 3 * em) / 3 : width;
  return html`
    ${frame.controls("blend")}
    <div class="wf-row">
      ${there_and_back(series, room, em)}
      ${token_map({ weights: series.weights_trained, tokens, width: room, em, title: t("weights as trained"), colour: "scaled" })}
      ${token_map({ weights: series.weights, tokens, width: room, em, title: t("weights of these scores"), colour: "scaled" })}
    </div>
    <p class="wf-hint">${
      state.blend === 1
        ? t(
            "Symmetric: each pair has one score in both directions. What a whole column shares, such as a liking of all for [CLS], is left in.",
          )
        : t(
            "A dot off the dashed line is a pair with a direction. Centred: without what a whole row or a whole column shares, which needs no direction.",
          )
    }</p>
    ${frame.controls("layer", "head", "text")}`;
}

/** Every pair of tokens: the score of the first for the later one, and the score back. The axes keep to the head. */
function there_and_back({ there, back, largest }: Series, width: number, em: number): TemplateResult {
  const title = t("the score back (up), centred");
  const side = Math.min(width - 3.4 * em, 17 * em);
  return panel(
    { width: side + 3.4 * em, em, height: side + 3.2 * em, margin: { left: 2.8, right: 0.6, bottom: 2.6 }, title },
    (box) => {
      const limit = 5 * Math.ceil((largest + 0.5) / 5);
      const x = scaleLinear([-limit, limit], [box.left, box.right]);
      const y = scaleLinear([-limit, limit], [box.bottom, box.top]);
      const ticks = [-limit, 0, limit].map((at) => ({ at, text: number(at, ".0f") }));
      return svg`${x_axis(x, box, ticks, t("score for a later token, centred"))}
      ${y_axis(y, box, ticks)}
      <line class="wf-here" x1=${box.left} y1=${box.bottom} x2=${box.right} y2=${box.top} />
      ${dots(Array.from(there, x), Array.from(back, y), 0.3 * em, "wf-scaled")}`;
    },
  );
}
