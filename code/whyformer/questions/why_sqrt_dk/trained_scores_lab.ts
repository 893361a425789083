// The trained-scores lab. Twin of trained_scores_lab.py: same series, same names, same order.

import { mean, median } from "d3-array";
import { scaleLinear } from "d3-scale";
import { html, svg, type TemplateResult } from "lit-html";
import { softmax, softmax_entropy, softmax_jacobian_norm } from "../../maths/softmax.ts";
import { unpacked, type Packed } from "../../lab/packed.ts";
import type { Frame } from "../../lab/frame.ts";
import { panel, y_axis } from "../../lab/marks/panel.ts";
import { bars } from "../../lab/marks/shapes.ts";
import { token_label, token_map } from "../../lab/marks/token_map.ts";
import { t } from "../../lab/words.ts";

const D_K = 32;
const N_HEADS = 12;

export interface State {
  text: string;
  layer: number;
  head: number;
  power: number;
}

type Data = Record<string, { tokens: string[]; scores: Packed; values: Packed }>;

export type Series = ReturnType<typeof compute>;

export function compute({ text, layer, head, power }: State, data: Data) {
  const { tokens, scores, values } = data[text];
  const n = tokens.length;
  const at = (layer - 1) * N_HEADS + head - 1;
  const raw = unpacked(scores, "int16", n * n, at);
  const lower = unpacked(values, "int8", (n * (n + 1)) / 2, at);
  const divisor = D_K ** power;
  const logits = raw.map((s) => s / divisor);
  const trainedLogits = raw.map((s) => s / D_K ** 0.5);
  const by_row = <T>(values: Float64Array, f: (row: Float64Array) => T) =>
    Array.from({ length: n }, (_, i) => f(values.subarray(i * n, (i + 1) * n)));
  const weights = flat(by_row(logits, softmax));
  const trained = flat(by_row(trainedLogits, softmax));
  const row = (matrix: Float64Array, i: number) => matrix.subarray(i * n, (i + 1) * n);
  const lengths = Float64Array.from({ length: n }, (_, i) =>
    length(lower.subarray((i * (i + 1)) / 2, ((i + 1) * (i + 2)) / 2)),
  );
  const unit = median(lengths)!;
  const over_queries = (change: (i: number) => Float64Array) =>
    Float64Array.from({ length: n }, (_, i) => length(combined(change(i), lower)) / unit);
  const output = over_queries((i) => row(trained, i));
  const moved = over_queries((i) => row(weights, i).map((w, j) => w - row(trained, i)[j]));
  const entropy = Float64Array.from(by_row(logits, softmax_entropy));
  const center = mean(logits)!;
  return {
    divisor,
    spread: Math.sqrt(mean(logits, (s) => (s - center) ** 2)!),
    weights,
    weights_trained: trained,
    entropy,
    entropy_trained: Float64Array.from(by_row(trainedLogits, softmax_entropy)),
    entropy_mean: mean(entropy)!,
    log_n: Math.log(n),
    jacobian_norm: mean(by_row(logits, softmax_jacobian_norm))!,
    jacobian_norm_trained: mean(by_row(trainedLogits, softmax_jacobian_norm))!,
    value_length: lengths.map((one) => one / unit),
    output,
    moved,
    moved_percent: (100 * length(moved)) / length(output),
  };
}

function flat(rows: Float64Array[]): Float64Array {
  const out = new Float64Array(rows.length * rows[0].length);
  rows.forEach((row, i) => out.set(row, i * row.length));
  return out;
}

/** `weights` (n) times the lower triangle (n x n), whose entries stand row after row. */
function combined(weights: Float64Array, lower: Float64Array): Float64Array {
  const out = new Float64Array(weights.length);
  weights.forEach((w, i) => {
    for (let column = 0; column <= i; column++) out[column] += w * lower[(i * (i + 1)) / 2 + column];
  });
  return out;
}

function length(vector: Float64Array): number {
  let squares = 0;
  for (const x of vector) squares += x * x;
  return Math.sqrt(squares);
}

// ---- the picture

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const { width, em } = frame;
  const tokens = (frame.data as Data)[state.text].tokens;
  const wide = width > 36 * em;
  const room = wide ? (width - 1.5 * em) / 2 : width;
  const colour = state.power === 0.5 ? "scaled" : state.power < 0.5 ? "unscaled" : "overscaled";
  const { divisor } = series;
  return html`
    ${frame.controls("text")}
    ${frame.controls("layer", "head", "power")}
    <div class="wf-row">
      ${token_map({ weights: series.weights_trained, tokens, width: room, em, title: t("as trained: divided by √dₖ = {root:.3g}", { root: D_K ** 0.5 }), colour: "scaled" })}
      ${token_map({ weights: series.weights, tokens, width: room, em, title: t("divided by {divisor:.3g}", { divisor }), colour })}
    </div>
    <div class="wf-row">
      ${pairs({
        left: series.entropy_trained,
        right: series.entropy,
        top: 2.8,
        line: series.log_n,
        colour,
        tokens,
        width: room,
        frame,
        title: t("entropy of each row, nats: trained and now; dashed: ln n"),
      })}
      ${pairs({
        left: series.output,
        right: series.moved,
        top: Math.max(1, ...series.output, ...series.moved),
        colour,
        tokens,
        width: room,
        frame,
        title: t("output of each row as trained, and how far it moves"),
      })}
    </div>
    <div class="wf-row">
      ${pairs({
        left: series.value_length,
        top: 3.5,
        colour,
        tokens,
        width: room,
        frame,
        title: t("length of each key's value; the median is 1"),
      })}
      <p class="wf-aside" style=${`width:${room}px`}>${t(
        "Lengths are in units of the median value. Mean norm of the softmax Jacobian: {trained:.3f} as trained, {now:.3f} now.",
        { trained: series.jacobian_norm_trained, now: series.jacobian_norm },
      )}</p>
    </div>`;
}

interface Pairs {
  left: Float64Array;
  right?: Float64Array;
  top: number;
  line?: number;
  colour: string;
  tokens: string[];
  width: number;
  frame: Frame;
  title: string;
}

/** One bar for each token, or two side by side: as trained, and now. */
function pairs({ left, right, top, line, colour, tokens, width, frame, title }: Pairs): TemplateResult {
  const { em } = frame;
  const bottom = 0.5 * Math.max(...tokens.map((token) => token.length)) + 0.8;
  return panel({ width, em, height: (7 + bottom) * em, margin: { bottom }, title }, (box) => {
    const y = scaleLinear([0, top], [box.bottom, box.top]).clamp(true);
    const slot = (box.right - box.left) / tokens.length;
    const size = Math.min(0.82 * em, 0.95 * slot);
    const shift = right ? 0.2 * slot : 0;
    const gap = right ? 0.6 : 0.5;
    return svg`${y_axis(
      y,
      box,
      [0, 1, 2, 3].filter((at) => at < top).map((at) => ({ at })),
    )}
      ${line === undefined ? "" : svg`<line class="wf-here" x1=${box.left} x2=${box.right} y1=${y(line)} y2=${y(line)} />`}
      ${bars(left, y, box.left - shift, box.right - shift, "wf-scaled", gap)}
      ${right ? bars(right, y, box.left + shift, box.right + shift, `wf-${colour}`, gap) : ""}
      ${tokens.map((token, i) =>
        token_label(token, box.left + (i + 0.5) * slot + 0.35 * size, box.bottom + 0.4 * em, -90, size),
      )}`;
  });
}
