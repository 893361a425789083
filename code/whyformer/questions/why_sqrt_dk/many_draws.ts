// What happens on average, without drawing a d_k-dimensional vector. Twin of many_draws.py, which explains why it is exact.

import type { States } from "../../lab/declared.ts";
import { quantileSorted } from "d3-array";
import { normals, stream, uniform } from "../../maths/random.ts";
import { softmax_entropy, softmax_jacobian_max, softmax_max } from "../../maths/softmax.ts";

export const LAW_D_K = Array.from({ length: 13 }, (_, i) => 2 ** i);
export const N_DRAWS = 200;
const N_GRADIENTS = 800;
export const N_QUERIES = 32;
export const MAX_KEYS = 64;
const LAW_SEED = 1706;
const STREAMS_PER_ROW = 8;

export type Related = States["why_sqrt_dk/scale"]["related"];
export type Quantity = States["why_sqrt_dk/scale"]["quantity"];

export interface Rows {
  length2: Float64Array[]; // [row][d_k]
  noise: Float64Array[]; // [row][key]
}

function chi_square(seed: number, index: number, degrees: number[]): Float64Array {
  const key = stream(seed, index);
  const odd = normals(stream(seed, index + 1), 1)[0] ** 2;
  const out = new Float64Array(degrees.length);
  let done = 0;
  let sum = 0;
  degrees.forEach((d, i) => {
    // A product of 24 uniforms is at least 2^-792: one logarithm serves them all.
    for (const half = Math.floor(d / 2); done < half;) {
      let product = 1;
      for (const stop = Math.min(half, done + 24); done < stop; done++) product *= uniform(key, done);
      sum += -2 * Math.log(product);
    }
    out[i] = sum + (d % 2) * odd;
  });
  return out;
}

/** `d_k` increasing. */
export function rows(seed: number, firstRow: number, n_rows: number, d_k: number[], nKeys: number): Rows {
  const out: Rows = { length2: [], noise: [] };
  for (let r = 0; r < n_rows; r++) {
    const first = STREAMS_PER_ROW * (firstRow + r);
    out.length2.push(chi_square(seed, first, d_k));
    out.noise.push(normals(stream(seed, first + 4), nKeys));
  }
  return out;
}

export function correlations(rho: number, related: Related, nKeys: number): Float64Array {
  return new Float64Array(nKeys).map((_, j) => (related === "all" || j === 0 ? rho : 0));
}

/** Scratch room for one row of at most MAX_KEYS keys, so that a law of 7800 rows allocates nothing. */
const room = {
  along: new Float64Array(MAX_KEYS),
  logits: new Float64Array(MAX_KEYS),
  weights: new Float64Array(MAX_KEYS),
};

/** Components of the keys along q, and the logits, in scratch room. */
function along_query(length2: number, noise: Float64Array, correlation: Float64Array, divisor: number) {
  const n = correlation.length;
  const along = room.along.subarray(0, n);
  const logits = room.logits.subarray(0, n);
  const length = Math.sqrt(length2);
  for (let j = 0; j < n; j++) {
    const rho = correlation[j];
    along[j] = rho === 0 ? noise[j] : rho * length + Math.sqrt(1 - rho * rho) * noise[j];
    logits[j] = (length * along[j]) / divisor;
  }
  return { along, logits };
}

/** The root mean square over gradients that arrive, and over what of the keys is across q. */
export function query_gradient(
  length2: number,
  noise: Float64Array,
  correlation: Float64Array,
  d_k: number,
  divisor: number,
): number {
  const { along, logits } = along_query(length2, noise, correlation, divisor);
  const n = along.length;
  const weights = room.weights.subarray(0, n);
  let leader = 0;
  for (let j = 1; j < n; j++) if (logits[j] > logits[leader]) leader = j;
  let total = 0;
  for (let j = 0; j < n; j++) total += weights[j] = Math.exp(logits[j] - logits[leader]);
  // Sums without the leader stay exact where its weight is near 1.
  let others = 0;
  let squares = 0;
  let middle = 0;
  for (let j = 0; j < n; j++) {
    const y = (weights[j] /= total);
    if (j === leader) continue;
    others += y;
    squares += y ** 2;
    middle += y * (along[j] - along[leader]);
  }
  let sum = 0;
  for (let j = 0; j < n; j++) {
    const y = weights[j];
    const through = y * (along[j] - along[leader] - middle);
    const length2 = j === leader ? others ** 2 + squares : (1 - y) ** 2 + squares + (weights[leader] ** 2 - y ** 2);
    sum += through ** 2 + (d_k - 1) * (1 - correlation[j] ** 2) * y ** 2 * length2;
  }
  return Math.sqrt(sum) / divisor;
}

export function measure(quantity: Quantity, logits: Float64Array): number {
  if (quantity === "largest_weight") return softmax_max(logits);
  return quantity === "entropy" ? softmax_entropy(logits) : softmax_jacobian_max(logits);
}

export function divisors(d_k: number): [number, number, number] {
  return [1, Math.sqrt(d_k), d_k];
}

export interface Law {
  low: Float64Array; // [divisor * 13 + d_k]
  mid: Float64Array;
  high: Float64Array;
  mean: Float64Array;
}

const law_rows = new Map<number, Rows>();
const remembered = new Map<string, Law>();
const MOST_REMEMBERED = 256;

/** Laws are remembered, since dragging d_k does not change them, and dragging the keys or rho comes back to them. */
export function law(nKeys: number, rho: number, related: Related, quantity: Quantity): Law {
  const key = `${nKeys} ${rho} ${related} ${quantity}`;
  let found = remembered.get(key);
  if (!found) {
    found = compute_law(nKeys, rho, related, quantity);
    if (remembered.size === MOST_REMEMBERED) remembered.delete(remembered.keys().next().value!);
    remembered.set(key, found);
  }
  return found;
}

function compute_law(nKeys: number, rho: number, related: Related, quantity: Quantity): Law {
  const n_rows = quantity.startsWith("gradient") ? N_GRADIENTS : N_DRAWS;
  const all = law_rows.get(n_rows) ?? rows(LAW_SEED, 0, n_rows, LAW_D_K, MAX_KEYS);
  law_rows.set(n_rows, all);
  const correlation = correlations(rho, related, nKeys);
  const size = 3 * LAW_D_K.length;
  const out: Law = {
    low: new Float64Array(size),
    mid: new Float64Array(size),
    high: new Float64Array(size),
    mean: new Float64Array(size),
  };
  LAW_D_K.forEach((d_k, column) =>
    divisors(d_k).forEach((divisor, i) => {
      let values = new Float64Array(n_rows);
      for (let r = 0; r < n_rows; r++) {
        values[r] = quantity.startsWith("gradient")
          ? query_gradient(all.length2[r][column], all.noise[r], correlation, d_k, divisor)
          : measure(quantity, along_query(all.length2[r][column], all.noise[r], correlation, divisor).logits);
      }
      if (quantity === "gradient_w_q") values = batches(values);
      const at = i * LAW_D_K.length + column;
      let sum = 0;
      for (const value of values) sum += value;
      out.mean[at] = sum / n_rows;
      const sorted = Array.from(values.sort());
      out.low[at] = quantileSorted(sorted, 0.1)!;
      out.mid[at] = quantileSorted(sorted, 0.5)!;
      out.high[at] = quantileSorted(sorted, 0.9)!;
    }),
  );
  return out;
}

/** Root mean square over N_QUERIES draws, starting at each draw in turn. */
function batches(values: Float64Array): Float64Array<ArrayBuffer> {
  const out = new Float64Array(values.length);
  for (let r = 0; r < values.length; r++) {
    let sum = 0;
    for (let i = 0; i < N_QUERIES; i++) sum += values[(r + i) % values.length] ** 2;
    out[r] = Math.sqrt(sum / N_QUERIES);
  }
  return out;
}
