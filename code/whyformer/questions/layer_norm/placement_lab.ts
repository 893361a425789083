// The placement lab. Twin of placement_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { median } from "d3-array";
import { controls, dots, here, legend, line, note, plot, row, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Mark, Plot } from "../../lab/picture/picture.ts";
import { t } from "../../lab/words.ts";
import { normals, stream } from "../../maths/random.ts";
import { softmax } from "../../maths/softmax.ts";
import { product, type Matrix } from "../../model/layers.ts";

const [D, TOKENS, DRAWS] = [16, 8, 5];
const DEPTHS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];
const MOST = 32;
const EPSILON = 1e-5;
const STREAMS = 2 * MOST + 2;

type Place = "post" | "pre" | "none";

export type State = States["layer_norm/placement"];

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

const NAMES: Record<Place, string> = {
  post: "post-norm: LN(x + f(x))",
  pre: "pre-norm: x + f(LN(x))",
  none: "no norm: x + f(x)",
};
const COLOURS: Record<Place, Colour> = { post: "unscaled", pre: "scaled", none: "theory" };
const LAYERS: Axis = { domain: [0, MOST], ticks: [0, 4, 8, 16, 24, 32] };

export function view(state: State, series: Series): Block[] {
  const places = (Object.keys(NAMES) as Place[]).map((place) => ({ text: t(NAMES[place]), colour: COLOURS[place] }));
  return [
    controls("n_layers", "quantity", "seed"),
    legend("legend", ...places, { text: t("thin: one draw of weights; thick: the median of five") }),
    row(gradients(state, series), scales(series)),
    row(last_by_depth(state, series), note("verdict", verdict(series), "aside")),
  ];
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

function gradients({ quantity }: State, series: Series): Plot {
  const matrix = quantity === "matrix";
  const x = series.layers.subarray(matrix ? 1 : 0);
  const above = Math.max(...series.gradient_none);
  const title = matrix ? t("Gradient at W₂, by layer") : t("Gradient at what enters a layer");
  const axis = { ...LAYERS, label: matrix ? t("layer") : t("layers before it") };
  const beyond = texts("above", "theory", ["left"], ["top"], [t("no norm: above, up to {above:.0f}", { above })]);
  return plot("gradient", title, 14.5, axis, { scale: "log", domain: [0.03, 10], ticks: [0.1, 1, 10] }, [
    ...curves("none", x, series.gradient_none),
    ...curves("post", x, series.gradient_post),
    ...curves("pre", x, series.gradient_pre),
    ...(above > 10 ? [beyond] : []),
  ]);
}

function scales({ layers, scale_none, scale_post, scale_pre }: Series): Plot {
  const y: Axis = { scale: "log", domain: [0.5, 3000], ticks: [1, 10, 100, 1000] };
  const title = t("Root mean square of the stream, by layer");
  return plot("scale", title, 14.5, { ...LAYERS, label: t("layer") }, y, [
    ...curves("none", layers, scale_none),
    ...curves("post", layers, scale_post),
    ...curves("pre", layers, scale_pre),
  ]);
}

/** The gradient at the last matrix against the depth of the stack; dashed: the expected fall, as 1/√(1 + L/2). */
function last_by_depth({ n_layers }: State, { depths, last_post, last_pre }: Series): Plot {
  const start = middle_of(last_pre, DEPTHS.length)[0];
  const expected = DEPTHS.map((depth) => start * Math.sqrt(3 / (2 + depth)));
  const x: Axis = { scale: "log", domain: [1, MOST], ticks: [1, 2, 4, 8, 16, 32], label: t("layers in the stack") };
  const title = t("Gradient at the last W₂, by depth of the stack");
  return plot("last", title, 10.5, x, { scale: "log", domain: [0.05, 3], ticks: [0.1, 1] }, [
    here("n_layers", n_layers),
    line("expected", "theory", DEPTHS, expected, { look: ["dashed"], label: t("expected") }),
    ...curves("post", depths, last_post, t("post-norm")),
    ...curves("pre", depths, last_pre, t("pre-norm")),
  ]);
}

/** The median over the draws of (draws, n) values. */
function middle_of(values: Float64Array, n: number): Float64Array {
  return Float64Array.from({ length: n }, (_, i) =>
    median(Array.from({ length: DRAWS }, (_, draw) => values[draw * n + i]))!,
  );
}

/** Each draw and the median; few points stand as dots too. */
function curves(place: Place, x: Float64Array, values: Float64Array, label?: string): Mark[] {
  const n = x.length;
  const y = middle_of(values, n);
  const colour = COLOURS[place];
  const draws = Array.from({ length: DRAWS }, (_, i) =>
    line(`${place}: draw ${i + 1}`, colour, x, values.subarray(i * n, (i + 1) * n), { look: ["thin"] }),
  );
  const median_line = line(`${place}: median`, colour, x, y, { look: ["thick"], label });
  return [...draws, median_line, ...(n < 6 ? [dots(`${place}: dots`, colour, x, y, { size: 0.28 })] : [])];
}
