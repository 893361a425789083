// What the scale lab's seed draws: vectors, their products, walks and gradients. What is long to make is kept.

import type { States } from "../../lab/declared.ts";
import { normals, stream } from "../../maths/random.ts";
import { softmax_vjp } from "../../maths/softmax.ts";
import { divisors, LAW_D_K, MAX_KEYS, N_QUERIES, query_gradient, rows } from "./many_draws.ts";

export const D_K_MAX = LAW_D_K.at(-1)!;
export const WALK_POINTS = 64;
const UPSTREAM_STREAM = MAX_KEYS + 1;
const COMPANION_ROWS = 1000;

type State = States["why_sqrt_dk/scale"];

/**
 * What a seed draws, for as many keys (a power of two) and as far as any d_k asked for. A score is a prefix sum, kept at
 * every d_k asked for so far.
 */
interface Draw {
  seed: number;
  n_keys: number;
  q: Float64Array<ArrayBuffer>;
  noise: Float64Array<ArrayBuffer>[];
  upstream: Float64Array;
  prefix: Map<number, { length2: number; products: Float64Array }>;
}

let last: Draw | undefined;

export function drawn_for(seed: number, d_k: number, n_keys: number): Draw {
  if (last?.seed !== seed || last.n_keys < n_keys) {
    const keys = 2 ** Math.ceil(Math.log2(n_keys));
    last = {
      seed,
      n_keys: keys,
      q: new Float64Array(0),
      noise: Array.from({ length: keys }, () => new Float64Array(0)),
      upstream: normals(stream(seed, UPSTREAM_STREAM), MAX_KEYS),
      prefix: new Map([[0, { length2: 0, products: new Float64Array(keys) }]]),
    };
  }
  if (last.q.length < d_k) {
    const length = Math.min(D_K_MAX, Math.max(d_k + (d_k % 2), 2 * last.q.length));
    last.q = normals(stream(seed, 0), length, last.q);
    last.noise = last.noise.map((known, j) => normals(stream(seed, 1 + j), length, known));
  }
  return last;
}

/** The same at every point of the walks, for every key that is drawn; kept for the last draw, by where walks end. */
interface Walked {
  length2: Float64Array;
  products: Float64Array[];
}

let walked: { draw: Draw; to: Map<number, Walked> } | undefined;

export function walked_to(draw: Draw, end: number): Walked {
  if (walked?.draw !== draw) walked = { draw, to: new Map() };
  let found = walked.to.get(end);
  if (!found) {
    const { q, noise } = draw;
    found = { length2: sums_to(end, q, q), products: noise.map((e) => sums_to(end, q, e)) };
    walked.to.set(end, found);
  }
  return found;
}

/** Sums of products of two vectors, up to every point of the walks. */
function sums_to(end: number, a: Float64Array, b: Float64Array): Float64Array {
  const step = end / WALK_POINTS;
  const sums = new Float64Array(WALK_POINTS);
  let sum = 0;
  for (let i = 0; i < end; i++) {
    sum += a[i] * b[i];
    if ((i + 1) % step === 0) sums[(i + 1) / step - 1] = sum;
  }
  return sums;
}

/** Squared length of q and its products with the noise of every key, over the first d_k components. */
export function products_at(draw: Draw, d_k: number) {
  let found = draw.prefix.get(d_k);
  if (!found) {
    let start = 0;
    for (const d of draw.prefix.keys()) if (d < d_k && d > start) start = d;
    const before = draw.prefix.get(start)!;
    let length2 = before.length2;
    for (let i = start; i < d_k; i++) length2 += draw.q[i] ** 2;
    const products = before.products.map((sum, j) => {
      const noise = draw.noise[j];
      for (let i = start; i < d_k; i++) sum += draw.q[i] * noise[i];
      return sum;
    });
    found = { length2, products };
    draw.prefix.set(d_k, found);
  }
  return found;
}

/** One key after another. */
export function walks_of({ length2, products }: Walked, correlation: Float64Array, by: Float64Array): Float64Array {
  const walks = new Float64Array(correlation.length * WALK_POINTS);
  correlation.forEach((r, j) => {
    const aside = Math.sqrt(1 - r * r);
    for (let p = 0; p < WALK_POINTS; p++)
      walks[j * WALK_POINTS + p] = (r * length2[p] + aside * products[j][p]) / by[p];
  });
  return walks;
}

/** For each divisor the gradient at q or, over N_QUERIES queries, at W_Q. */
export function drawn_gradients(
  draw: Draw,
  { d_k, n_keys, quantity, seed }: State,
  scores: Float64Array,
  correlation: Float64Array,
): Float64Array {
  const upstream = draw.upstream.subarray(0, n_keys);
  const all = divisors(d_k);
  const arriving = all.map((divisor) =>
    softmax_vjp(
      scores.map((s) => s / divisor),
      upstream,
    ),
  );
  const along = arriving.map((w) => w.reduce((sum, value, j) => sum + value * correlation[j], 0));
  const [a, b, c] = along.map((part) => draw.q.subarray(0, d_k).map((q) => part * q));
  const none = new Float64Array(3);
  const force = Array.from({ length: n_keys + 1 }, (_, j) =>
    j < n_keys ? arriving.map((gradient) => gradient[j] * Math.sqrt(1 - correlation[j] ** 2)) : none,
  );
  for (let j = 0; j < n_keys; j += 2) {
    // One pass over two keys serves the three divisors: reading and writing is what takes the time.
    const [one, two] = [draw.noise[j], draw.noise[(j + 1) % draw.noise.length]];
    const [[u, v, w], [x, y, z]] = [force[j], force[j + 1]];
    for (let i = 0; i < d_k; i++) {
      a[i] += u * one[i] + x * two[i];
      b[i] += v * one[i] + y * two[i];
      c[i] += w * one[i] + z * two[i];
    }
  }
  return Float64Array.from([a, b, c], (gradient, i) => {
    let squares = 0;
    for (const g of gradient) squares += g * g;
    const alone = Math.sqrt(squares) / all[i];
    return quantity === "gradient_q" ? alone : with_companions(alone, seed, d_k, correlation, all[i]);
  });
}

function with_companions(alone: number, seed: number, d_k: number, correlation: Float64Array, divisor: number): number {
  const others = companions(seed, d_k);
  let sum = alone ** 2;
  for (let r = 0; r < N_QUERIES - 1; r++) {
    sum +=
      query_gradient(
        others.length2[r][0],
        others.orthogonal2[r][0],
        others.noise[r],
        others.upstream[r],
        correlation,
        divisor,
      ) ** 2;
  }
  return Math.sqrt(sum / N_QUERIES);
}

let company: { key: string; rows: ReturnType<typeof rows> } | undefined;

function companions(seed: number, d_k: number) {
  const key = `${seed} ${d_k}`;
  if (company?.key !== key) company = { key, rows: rows(seed, COMPANION_ROWS, N_QUERIES - 1, [d_k], MAX_KEYS) };
  return company.rows;
}
