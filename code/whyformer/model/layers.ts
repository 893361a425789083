// The layers of a Transformer for labs: post-norm, no biases. Twin of layers.py for what the labs use.
// A matrix is its entries row after row, with its number of columns known where it is used.

import { normals, stream } from "../maths/random.ts";
import { softmax_into } from "../maths/softmax.ts";

export type Matrix = Float64Array;

/** (n, inner) times (inner, columns). */
export function product(a: Matrix, b: Matrix, inner: number, columns: number): Matrix {
  const rows = a.length / inner;
  const out = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    for (let k = 0; k < inner; k++) {
      const x = a[i * inner + k];
      for (let j = 0; j < columns; j++) out[i * columns + j] += x * b[k * columns + j];
    }
  }
  return out;
}

/** Standard normals times `std`: the matrix of one stream of the generator. */
export function random_matrix(seed: number, index: number, size: number, std: number): Matrix {
  return normals(stream(seed, index), size).map((x) => std * x);
}

/** Rows with mean 0 and variance 1; gain 1, bias 0. */
export function layer_norm(x: Matrix, d: number, epsilon = 1e-5): Matrix {
  const out = new Float64Array(x.length);
  for (let start = 0; start < x.length; start += d) {
    const row = x.subarray(start, start + d);
    const mean = row.reduce((a, b) => a + b) / d;
    const variance = row.reduce((a, b) => a + (b - mean) ** 2, 0) / d;
    for (let j = 0; j < d; j++) out[start + j] = (row[j] - mean) / Math.sqrt(variance + epsilon);
  }
  return out;
}

export interface Heads {
  n_heads: number;
  q: Matrix;
  k: Matrix;
  v: Matrix;
  o: Matrix;
}

/** Multi-head attention of x (n, d) to memory (m, d); `looks(i, j)` says whether query i may look at key j. */
export function attend(
  heads: Heads,
  x: Matrix,
  memory: Matrix,
  d: number,
  looks: (i: number, j: number) => boolean,
): Matrix {
  const [n, m] = [x.length / d, memory.length / d];
  const d_k = d / heads.n_heads;
  const [q, k, v] = [product(x, heads.q, d, d), product(memory, heads.k, d, d), product(memory, heads.v, d, d)];
  const out = new Float64Array(n * d);
  const scores = new Float64Array(m);
  const weights = new Float64Array(m);
  for (let h = 0; h < heads.n_heads; h++) {
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < m; j++) {
        let dot = 0;
        for (let c = h * d_k; c < (h + 1) * d_k; c++) dot += q[i * d + c] * k[j * d + c];
        scores[j] = looks(i, j) ? dot / Math.sqrt(d_k) : -Infinity;
      }
      softmax_into(weights, scores);
      for (let j = 0; j < m; j++)
        for (let c = h * d_k; c < (h + 1) * d_k; c++) out[i * d + c] += weights[j] * v[j * d + c];
    }
  }
  return product(out, heads.o, d, d);
}

export function feed_forward(x: Matrix, up: Matrix, down: Matrix, d: number, d_ff: number): Matrix {
  return product(
    product(x, up, d, d_ff).map((z) => Math.max(0, z)),
    down,
    d_ff,
    d,
  );
}

/** Sinusoidal positions added to x (n, d), in place. */
export function add_positions(x: Matrix, d: number): Matrix {
  for (let i = 0; i < x.length; i++) {
    const [position, column] = [Math.floor(i / d), i % d];
    const angle = position / 10000 ** ((column - (column % 2)) / d);
    x[i] += column % 2 ? Math.cos(angle) : Math.sin(angle);
  }
  return x;
}

export const add = (a: Matrix, b: Matrix): Matrix => a.map((x, i) => x + b[i]);
