// Fresh residual stacks of the placement lab, forward and backward. The maths of stacks.py, one draw at a time.

import { softmax } from "../../maths/softmax.ts";
import { length } from "../../maths/sums.ts";
import { add, product, type Matrix } from "../../model/layers.ts";

export const [D, TOKENS, MOST] = [16, 8, 32]; // width of all, and number of classes; tokens; layers
const EPSILON = 1e-5;

export type Place = "post" | "pre" | "none";

/** The weights of one stack, and what enters it. */
export interface Draw {
  x: Matrix;
  readout: Matrix;
  w1: Matrix[];
  w2: Matrix[];
  attention?: Matrix[][]; // W_Q, W_K, W_V, W_O of each layer
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

const root_mean_square = (x: Matrix) => length(x) / Math.sqrt(x.length);

/** What attention of one head leaves for the backward pass. */
interface Heads {
  q: Matrix;
  k: Matrix;
  v: Matrix;
  weights: Matrix; // (TOKENS, TOKENS)
}

function attend(u: Matrix, [w_q, w_k, w_v, w_o]: Matrix[]): { added: Matrix; heads: Heads } {
  const [q, k, v] = [w_q, w_k, w_v].map((w) => product(u, w, D, D));
  const weights = new Float64Array(TOKENS * TOKENS);
  const row = new Float64Array(TOKENS);
  for (let i = 0; i < TOKENS; i++) {
    for (let j = 0; j < TOKENS; j++) {
      row[j] = 0;
      for (let c = 0; c < D; c++) row[j] += (q[i * D + c] * k[j * D + c]) / Math.sqrt(D);
    }
    weights.set(softmax(row), i * TOKENS);
  }
  return { added: product(product(weights, v, TOKENS, D), w_o, D, D), heads: { q, k, v, weights } };
}

/** The gradient at what entered the attention. */
function attend_backward({ q, k, v, weights }: Heads, [w_q, w_k, w_v, w_o]: Matrix[], upstream: Matrix): Matrix {
  const at_output = product_transposed(upstream, w_o);
  const [at_q, at_k, at_v] = [q, k, v].map((one) => new Float64Array(one.length));
  for (let i = 0; i < TOKENS; i++) {
    const at_weights = new Float64Array(TOKENS);
    let mean = 0;
    for (let j = 0; j < TOKENS; j++) {
      const weight = weights[i * TOKENS + j];
      for (let c = 0; c < D; c++) {
        at_weights[j] += at_output[i * D + c] * v[j * D + c];
        at_v[j * D + c] += weight * at_output[i * D + c];
      }
      mean += weight * at_weights[j];
    }
    for (let j = 0; j < TOKENS; j++) {
      const at_score = (weights[i * TOKENS + j] * (at_weights[j] - mean)) / Math.sqrt(D);
      for (let c = 0; c < D; c++) {
        at_q[i * D + c] += at_score * k[j * D + c];
        at_k[j * D + c] += at_score * q[i * D + c];
      }
    }
  }
  const parts = [product_transposed(at_q, w_q), product_transposed(at_k, w_k), product_transposed(at_v, w_v)];
  return parts.reduce(add);
}

/** A sub-layer: attention, or the network, whose hidden numbers it keeps. */
interface Sub {
  before?: Normed; // the norm before it, if any
  hidden?: Matrix;
  heads?: Heads;
  after?: Normed; // the norm after the sum, if any
  x: Matrix; // what leaves it
}

export interface Stack {
  place: Place;
  draw: Draw;
  subs: Sub[];
  scale: number[];
}

/** All 32 layers; a stack of L layers is the first L of them. */
export function forward(place: Place, draw: Draw): Stack {
  let x: Matrix = draw.x;
  const subs: Sub[] = [];
  const scale = [root_mean_square(x)];
  const step = (f: (u: Matrix) => { added: Matrix; hidden?: Matrix; heads?: Heads }) => {
    const before = place === "pre" ? layer_norm(x) : undefined;
    const { added, hidden, heads } = f(before?.unit ?? x);
    const sum = add(x, added);
    const after = place === "post" ? layer_norm(sum) : undefined;
    x = after?.unit ?? sum;
    subs.push({ before, hidden, heads, after, x });
  };
  for (let i = 0; i < MOST; i++) {
    const heads = draw.attention?.[i];
    if (heads) step((u) => attend(u, heads));
    step((u) => {
      const hidden = product(u, draw.w1[i], D, D).map((v) => Math.max(v, 0));
      return { added: product(hidden, draw.w2[i], D, D), hidden };
    });
    scale.push(root_mean_square(x));
  }
  return { place, draw, subs, scale };
}

export interface Gradients {
  at_matrix: number[];
  at_stream: number[];
}

/** Lengths of gradients in the first n_layers, from layer `down_to` (counted from 0) on. */
export function backward({ place, draw, subs }: Stack, n_layers: number, down_to = 0): Gradients {
  const { readout, w1, w2, attention } = draw;
  const per_layer = attention ? 2 : 1;
  const { x } = subs[per_layer * n_layers - 1];
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
  for (let at = per_layer * n_layers - 1; at >= per_layer * down_to; at--) {
    const { before, hidden, heads, after } = subs[at];
    const i = Math.floor(at / per_layer);
    if (after) g = layer_norm_backward(after, g);
    let through: Matrix;
    if (hidden) {
      at_matrix.push(outer_length(hidden, g));
      const inside = product_transposed(g, w2[i]);
      for (let j = 0; j < inside.length; j++) if (hidden[j] <= 0) inside[j] = 0;
      through = product_transposed(inside, w1[i]);
    } else {
      through = attend_backward(heads!, attention![i], g);
    }
    g = add(g, before ? layer_norm_backward(before, through) : through);
    if (at % per_layer === 0) at_stream.push(length(g));
  }
  return { at_matrix: at_matrix.reverse(), at_stream: at_stream.reverse() };
}
