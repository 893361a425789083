// The placement lab. Twin of where_lab.py: same series, same names, same order.

import { median } from "d3-array";
import { scaleLinear, scaleLog } from "d3-scale";
import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit-html";
import type { Frame } from "../../lab/frame.ts";
import { end_labels, panel, x_axis, y_axis, type Box, type Scale } from "../../lab/marks/panel.ts";
import { curve, dots } from "../../lab/marks/shapes.ts";
import { number, t } from "../../lab/words.ts";
import { normals, stream } from "../../maths/random.ts";
import { softmax } from "../../maths/softmax.ts";
import { product, type Matrix } from "../../model/layers.ts";

const [D, TOKENS, DRAWS] = [16, 8, 5];
const DEPTHS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];
const MOST = 32;
const EPSILON = 1e-5;
const STREAMS = 2 * MOST + 2;

type Place = "post" | "pre" | "none";

export interface State {
  n_layers: number;
  quantity: "matrix" | "stream";
  seed: number;
}

export type Series = ReturnType<typeof compute>;

interface Draw {
  x: Matrix;
  readout: Matrix;
  w1: Matrix[];
  w2: Matrix[];
}

function weights(seed: number): Draw[] {
  return Array.from({ length: DRAWS }, (_, i) => {
    const matrix = (index: number) => normals(stream(seed, STREAMS * i + index), D * D).map((v) => v / Math.sqrt(D));
    const layers = Array.from({ length: MOST }, (_, layer) => layer);
    return {
      x: normals(stream(seed, STREAMS * i), TOKENS * D),
      readout: matrix(1),
      w1: layers.map((layer) => matrix(2 + 2 * layer)),
      w2: layers.map((layer) => matrix(3 + 2 * layer)),
    };
  });
}

interface Normed {
  unit: Matrix;
  sigma: Float64Array;
}

/** Rows with mean 0 and variance 1, and the standard deviations they had. */
function layer_norm(x: Matrix): Normed {
  const unit = new Float64Array(x.length);
  const sigma = new Float64Array(TOKENS);
  for (let i = 0; i < TOKENS; i++) {
    let [mean, variance] = [0, 0];
    for (let j = i * D; j < (i + 1) * D; j++) mean += x[j] / D;
    for (let j = i * D; j < (i + 1) * D; j++) variance += (x[j] - mean) ** 2 / D;
    sigma[i] = Math.sqrt(variance + EPSILON);
    for (let j = i * D; j < (i + 1) * D; j++) unit[j] = (x[j] - mean) / sigma[i];
  }
  return { unit, sigma };
}

function layer_norm_backward({ unit, sigma }: Normed, upstream: Matrix): Matrix {
  const out = new Float64Array(upstream.length);
  for (let i = 0; i < TOKENS; i++) {
    let [mean, along] = [0, 0];
    for (let j = i * D; j < (i + 1) * D; j++) {
      mean += upstream[j] / D;
      along += (upstream[j] * unit[j]) / D;
    }
    for (let j = i * D; j < (i + 1) * D; j++) out[j] = (upstream[j] - mean - unit[j] * along) / sigma[i];
  }
  return out;
}

/** x (n, d) times the transpose of w (d, d). */
function product_transposed(x: Matrix, w: Matrix): Matrix {
  const out = new Float64Array(x.length);
  for (let i = 0; i < x.length; i += D) {
    for (let j = 0; j < D; j++) {
      let dot = 0;
      for (let k = 0; k < D; k++) dot += x[i + k] * w[j * D + k];
      out[i + j] = dot;
    }
  }
  return out;
}

/** Length of the (d, d) matrix a transposed times b. */
function outer_length(a: Matrix, b: Matrix): number {
  let square = 0;
  for (let i = 0; i < D; i++) {
    for (let j = 0; j < D; j++) {
      let dot = 0;
      for (let token = 0; token < TOKENS * D; token += D) dot += a[token + i] * b[token + j];
      square += dot * dot;
    }
  }
  return Math.sqrt(square);
}

const length = (x: Matrix) => Math.sqrt(x.reduce((a, b) => a + b * b, 0));
const root_mean_square = (x: Matrix) => length(x) / Math.sqrt(x.length);
const add = (a: Matrix, b: Matrix) => a.map((v, i) => v + b[i]);

interface Layer {
  before?: Normed; // the norm before W_1, if any
  hidden: Matrix;
  after?: Normed; // the norm after the sum, if any
  x: Matrix; // what leaves the layer
}

interface Stack {
  place: Place;
  draw: Draw;
  layers: Layer[];
  scale: number[];
}

/** All 32 layers; a stack of L layers is the first L of them. */
function forward(place: Place, draw: Draw): Stack {
  let x: Matrix = draw.x;
  const layers: Layer[] = [];
  const scale = [root_mean_square(x)];
  for (let i = 0; i < MOST; i++) {
    const before = place === "pre" ? layer_norm(x) : undefined;
    const hidden = product(before?.unit ?? x, draw.w1[i], D, D);
    for (let j = 0; j < hidden.length; j++) hidden[j] = Math.max(hidden[j], 0);
    const sum = add(x, product(hidden, draw.w2[i], D, D));
    const after = place === "post" ? layer_norm(sum) : undefined;
    x = after?.unit ?? sum;
    layers.push({ before, hidden, after, x });
    scale.push(root_mean_square(x));
  }
  return { place, draw, layers, scale };
}

interface Gradients {
  at_matrix: number[];
  at_stream: number[];
}

/** Lengths of gradients in the first n_layers, from layer `down_to` (counted from 0) on. */
function backward({ place, draw, layers }: Stack, n_layers: number, down_to = 0): Gradients {
  const { readout, w1, w2 } = draw;
  const { x } = layers[n_layers - 1];
  const last = place === "pre" ? layer_norm(x) : undefined;
  const logits = product(last?.unit ?? x, readout, D, D);
  const error = new Float64Array(TOKENS * D);
  for (let i = 0; i < TOKENS; i++) {
    error.set(softmax(logits.subarray(i * D, (i + 1) * D)), i * D);
    error[i * D + i] -= 1;
  }
  let g: Matrix = product_transposed(error, readout).map((v) => v / TOKENS);
  if (last) g = layer_norm_backward(last, g);
  const [at_matrix, at_stream]: [number[], number[]] = [[], [length(g)]];
  for (let i = n_layers - 1; i >= down_to; i--) {
    const { before, hidden, after } = layers[i];
    if (after) g = layer_norm_backward(after, g);
    at_matrix.push(outer_length(hidden, g));
    const inside = product_transposed(g, w2[i]);
    for (let j = 0; j < inside.length; j++) if (hidden[j] <= 0) inside[j] = 0;
    const through = product_transposed(inside, w1[i]);
    g = add(g, before ? layer_norm_backward(before, through) : through);
    at_stream.push(length(g));
  }
  return { at_matrix: at_matrix.reverse(), at_stream: at_stream.reverse() };
}

interface Kept {
  stacks: Stack[];
  last: number[][]; // by draw and depth
  gradients: Map<number, Gradients[]>; // by number of layers
}

let kept: { seed: number; places: Record<Place, Kept> } | undefined;

/** The stacks of one seed, kept while it stays, so that sliding the depth to and fro costs little. */
function stacks_of(seed: number): Record<Place, Kept> {
  if (kept?.seed === seed) return kept.places;
  const drawn = weights(seed);
  const make = (place: Place): Kept => {
    const stacks = drawn.map((draw) => forward(place, draw));
    const last = stacks.map((stack) => DEPTHS.map((depth) => backward(stack, depth, depth - 1).at_matrix[0]));
    return { stacks, last, gradients: new Map() };
  };
  kept = { seed, places: { post: make("post"), pre: make("pre"), none: make("none") } };
  return kept.places;
}

export function compute({ n_layers, quantity, seed }: State) {
  const places = stacks_of(seed);
  const of = (place: Place) => {
    const { stacks, last, gradients } = places[place];
    const runs = gradients.get(n_layers) ?? stacks.map((stack) => backward(stack, n_layers));
    gradients.set(n_layers, runs);
    return {
      scale: Float64Array.from(stacks.flatMap((one) => one.scale.slice(0, n_layers + 1))),
      gradient: Float64Array.from(runs.flatMap((one) => (quantity === "matrix" ? one.at_matrix : one.at_stream))),
      last: Float64Array.from(last.flat()),
      end: median(stacks, (one) => one.scale[n_layers])!,
      first: median(runs, (one) => one.at_matrix[0])!,
      output: median(runs, (one) => one.at_matrix.at(-1))!,
    };
  };
  const [post, pre, none] = [of("post"), of("pre"), of("none")];
  return {
    layers: Float64Array.from({ length: n_layers + 1 }, (_, i) => i),
    depths: Float64Array.from(DEPTHS),
    scale_post: post.scale,
    gradient_post: post.gradient,
    last_post: post.last,
    end_post: post.end,
    first_post: post.first,
    output_post: post.output,
    scale_pre: pre.scale,
    gradient_pre: pre.gradient,
    last_pre: pre.last,
    end_pre: pre.end,
    first_pre: pre.first,
    output_pre: pre.output,
    scale_none: none.scale,
    gradient_none: none.gradient,
    last_none: none.last,
    end_none: none.end,
    first_none: none.first,
    output_none: none.output,
  };
}

// ---- the picture

const COLOURS: Record<Place, string> = { post: "wf-unscaled", pre: "wf-scaled", none: "wf-theory" };

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const { width, em } = frame;
  const columns = width > 40 * em ? 2 : 1;
  const side = columns === 2 ? (width - 1.5 * em) / 2 : width;
  return html`${frame.controls("n_layers", "quantity", "seed")}
    <div class="wf-legend">
      <span class="wf-panel-title wf-unscaled">${t("post-norm: LN(x + f(x))")}</span>
      <span class="wf-panel-title wf-scaled">${t("pre-norm: x + f(LN(x))")}</span>
      <span class="wf-panel-title wf-theory">${t("no norm: x + f(x)")}</span>
      <span class="wf-hint">${t("thin: one draw of weights; thick: the median of five")}</span>
    </div>
    <div class="wf-row">
      ${gradients(state, series, side, em)}
      ${scales(series, side, em)}
    </div>
    <div class="wf-row">
      ${last_by_depth(state, series, side, em)}
      <p class="wf-aside" style=${`width:${side}px`}>${verdict(series)}</p>
    </div>`;
}

function verdict(series: Series): string {
  const ratio = series.output_post / series.output_pre;
  return ratio > 1.5
    ? t(
        "At the last layer post-norm has {ratio:.1f} times the gradient of pre-norm; at the first layer {first:.1f} times. Pre-norm's stream has grown to {end_pre:.1f}, and its last norm divides the gradient by as much.",
        { ratio, first: series.first_post / series.first_pre, end_pre: series.end_pre },
      )
    : t(
        "In so shallow a stack the place of the norm makes little difference: {output_post:.2f} and {output_pre:.2f} at the last layer.",
        series,
      );
}

const TICKS = [0, 4, 8, 16, 24, 32].map((at) => ({ at }));

function gradients({ quantity }: State, series: Series, width: number, em: number): TemplateResult {
  const title = quantity === "matrix" ? t("Gradient at W₂, by layer") : t("Gradient at what enters a layer");
  return panel({ width, em, height: 18 * em, title, margin: { left: 3 } }, (box) => {
    const x = scaleLinear([0, MOST], [box.left, box.right]);
    const y = scaleLog([0.03, 10], [box.bottom, box.top]).clamp(true);
    const from = quantity === "matrix" ? 1 : 0;
    const above = Math.max(...series.gradient_none);
    return svg`${x_axis(x, box, TICKS, quantity === "matrix" ? t("layer") : t("layers before it"))}
      ${y_axis(
        y,
        box,
        [0.1, 1, 10].map((at) => ({ at, text: number(at, "") })),
      )}
      ${curves(series.gradient_none, series.layers.subarray(from), x, y, "none", em)}
      ${curves(series.gradient_post, series.layers.subarray(from), x, y, "post", em)}
      ${curves(series.gradient_pre, series.layers.subarray(from), x, y, "pre", em)}
      ${above > 10 ? svg`<text class="wf-end-label wf-theory" x=${box.left + 0.6 * em} y=${box.top + 1.3 * em}>${t("no norm: above, up to {above:.0f}", { above })}</text>` : ""}`;
  });
}

function scales(series: Series, width: number, em: number): TemplateResult {
  return panel(
    { width, em, height: 18 * em, title: t("Root mean square of the stream, by layer"), margin: { left: 3.4 } },
    (box) => {
      const x = scaleLinear([0, MOST], [box.left, box.right]);
      const y = scaleLog([0.5, 3000], [box.bottom, box.top]).clamp(true);
      return svg`${x_axis(x, box, TICKS, t("layer"))}
      ${y_axis(
        y,
        box,
        [1, 10, 100, 1000].map((at) => ({ at })),
      )}
      ${curves(series.scale_none, series.layers, x, y, "none", em)}
      ${curves(series.scale_post, series.layers, x, y, "post", em)}
      ${curves(series.scale_pre, series.layers, x, y, "pre", em)}`;
    },
  );
}

/** The gradient at the last matrix against the depth of the stack; dashed: the expected fall, as 1/√(1 + L/2). */
function last_by_depth({ n_layers }: State, series: Series, width: number, em: number): TemplateResult {
  const title = t("Gradient at the last W₂, by depth of the stack");
  return panel({ width, em, height: 14 * em, title, margin: { left: 3, right: 5.6 } }, (box) => {
    const x = scaleLog([1, MOST], [box.left, box.right]);
    const y = scaleLog([0.05, 3], [box.bottom, box.top]).clamp(true);
    const start = middle_of(series.last_pre, DEPTHS.length)[0];
    const expected = DEPTHS.map((depth) => start * Math.sqrt(3 / (2 + depth)));
    const end = (values: Float64Array) => y(middle_of(values, DEPTHS.length).at(-1)!);
    return svg`${x_axis(
      x,
      box,
      [1, 2, 4, 8, 16, 32].map((at) => ({ at })),
      t("layers in the stack"),
    )}
      ${y_axis(
        y,
        box,
        [0.1, 1].map((at) => ({ at, text: number(at, "") })),
      )}
      <line class="wf-here" x1=${x(n_layers)} x2=${x(n_layers)} y1=${box.top} y2=${box.bottom} />
      ${curve(series.depths, expected, x, y, "wf-theory wf-dashed")}
      ${curves(series.last_post, series.depths, x, y, "post", em)}
      ${curves(series.last_pre, series.depths, x, y, "pre", em)}
      ${labels(end(series.last_post), end(series.last_pre), y(expected.at(-1)!), box)}`;
  });
}

function labels(post: number, pre: number, theory: number, box: Box): SVGTemplateResult {
  return end_labels(
    [
      { y: post, text: t("post-norm"), colour: "wf-unscaled" },
      { y: pre, text: t("pre-norm"), colour: "wf-scaled" },
      { y: theory, text: t("expected"), colour: "wf-theory" },
    ],
    box,
  );
}

/** The median over the draws of (draws, n) values. */
function middle_of(values: Float64Array, n: number): Float64Array {
  return Float64Array.from({ length: n }, (_, i) =>
    median(Array.from({ length: DRAWS }, (_, draw) => values[draw * n + i]))!,
  );
}

function curves(
  values: Float64Array,
  xs: Float64Array,
  x: Scale,
  y: Scale,
  place: Place,
  em: number,
): SVGTemplateResult {
  const n = xs.length;
  const middle = middle_of(values, n);
  const draws = Array.from({ length: DRAWS }, (_, i) => values.subarray(i * n, (i + 1) * n));
  return svg`${draws.map((one) => curve(xs, one, x, y, `wf-thin ${COLOURS[place]}`))}
    ${curve(xs, middle, x, y, `wf-thick ${COLOURS[place]}`)}
    ${
      n < 6
        ? dots(
            Array.from(xs, (v) => x(v)),
            Array.from(middle, (v) => y(v)),
            0.28 * em,
            COLOURS[place],
          )
        : ""
    }`;
}
