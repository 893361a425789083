// What the scale lab's seed draws: vectors, their products, walks and gradients. What is long to make is kept.

import type { States } from "../../lab/declared.ts";
import { normals, stream } from "../../maths/random.ts";
import { drawn_by, Recent } from "../../maths/recent.ts";
import { divisors, LAW_D_K, MAX_KEYS, N_QUERIES, query_gradient, rows } from "./many_draws.ts";

export const D_K_MAX = LAW_D_K.at(-1)!;
export const WALK_POINTS = 64;
const COMPANION_ROWS = 1000;

type State = States["why_sqrt_dk/scale"];

/**
 * What a seed draws, for as many keys (a power of two) and as many components as were asked for. A score is a prefix
 * sum, kept at every d_k asked for so far.
 */
interface Draw {
  n_keys: number;
  q: Float64Array;
  /** Component after component, the keys of each side by side: one pass adds up all products. */
  noise: Float64Array;
  prefix: Map<number, { length2: number; products: Float64Array }>;
  /** By where walks end. */
  walked: Map<number, Walked>;
}

/** Squared length and products at every point of the walks, for every key that is drawn. */
interface Walked {
  length2: Float64Array;
  products: Float64Array[];
}

const drawn = drawn_by((): { draw?: Draw } => ({}));

export function drawn_for(seed: number, length: number, n_keys: number): Draw {
  const kept = drawn(seed);
  if (!kept.draw || kept.draw.n_keys < n_keys || kept.draw.q.length < length) {
    const keys = 2 ** Math.ceil(Math.log2(n_keys));
    const noise = new Float64Array(length * keys);
    for (let j = 0; j < keys; j++) {
      const own = normals(stream(seed, 1 + j), length);
      for (let i = 0; i < length; i++) noise[i * keys + j] = own[i];
    }
    kept.draw = {
      n_keys: keys,
      q: normals(stream(seed, 0), length),
      noise,
      prefix: new Map([[0, { length2: 0, products: new Float64Array(keys) }]]),
      walked: new Map(),
    };
  }
  return kept.draw;
}

export function walked_to(draw: Draw, end: number): Walked {
  let found = draw.walked.get(end);
  if (!found) {
    const { q, noise, n_keys } = draw;
    found = {
      length2: sums_to(end, q, q, 0, 1),
      products: Array.from({ length: n_keys }, (_, j) => sums_to(end, q, noise, j, n_keys)),
    };
    draw.walked.set(end, found);
  }
  return found;
}

/** Sums of products of two vectors, up to every point of the walks. The second is every so many-th number of `b`. */
function sums_to(end: number, a: Float64Array, b: Float64Array, from: number, every: number): Float64Array {
  const step = end / WALK_POINTS;
  const sums = new Float64Array(WALK_POINTS);
  let sum = 0;
  for (let i = 0; i < end; i++) {
    sum += a[i] * b[from + i * every];
    if ((i + 1) % step === 0) sums[(i + 1) / step - 1] = sum;
  }
  return sums;
}

/** Squared length of q and its products with the noise of every key, over the first d_k components. */
export function products_at(draw: Draw, d_k: number) {
  let found = draw.prefix.get(d_k);
  if (!found) {
    const { q, noise, n_keys } = draw;
    let start = 0;
    for (const d of draw.prefix.keys()) if (d < d_k && d > start) start = d;
    const before = draw.prefix.get(start)!;
    let length2 = before.length2;
    const products = before.products.slice();
    for (let i = start; i < d_k; i++) {
      length2 += q[i] ** 2;
      for (let j = 0; j < n_keys; j++) products[j] += q[i] * noise[i * n_keys + j];
    }
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
export function drawn_gradients(draw: Draw, { d_k, quantity, seed }: State, correlation: Float64Array): Float64Array {
  const { length2, products } = products_at(draw, d_k);
  const noise = products.map((product) => product / Math.sqrt(length2));
  return Float64Array.from(divisors(d_k), (divisor) => {
    const alone = query_gradient(length2, noise, correlation, d_k, divisor);
    if (quantity === "gradient_q") return alone;
    const others = companions(seed, d_k);
    let sum = alone ** 2;
    for (let r = 0; r < N_QUERIES - 1; r++)
      sum += query_gradient(others.length2[r][0], others.noise[r], correlation, d_k, divisor) ** 2;
    return Math.sqrt(sum / N_QUERIES);
  });
}

const company = new Recent<ReturnType<typeof rows>>(2);

const companions = (seed: number, d_k: number) =>
  company.get(`${seed} ${d_k}`, () => rows(seed, COMPANION_ROWS, N_QUERIES - 1, [d_k], MAX_KEYS));
