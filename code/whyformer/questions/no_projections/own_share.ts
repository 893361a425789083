// How often a row's largest score is its own, for random tokens. Twin of own_share.py, which gives formulas and reasons.

import { late } from "../../maths/late.ts";
import { Recent } from "../../maths/recent.ts";
import { dot, total } from "../../maths/sums.ts";

export const LAW_D = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128];

const steps = (count: number, at: (i: number) => number) => Array.from({ length: count }, (_, i) => at(i));
const Z = steps(49, (i) => (i - 24) * 0.25);
const Z_WEIGHT = normalised(Z.map((z) => Math.exp((-z * z) / 2)));
const LOG_T = steps(301, (i) => (i - 120) * 0.05);
const LENGTHS = steps(200, (i) => (i + 0.5) / 12);
const THETA = steps(64, (i) => ((i + 0.5) * Math.PI) / 128);

/** Weights in proportion to densities, sum 1. */
function normalised(densities: number[]): number[] {
  const sum = total(densities);
  return densities.map((density) => density / sum);
}

/** Normal distribution function for t above 0, by the series of Marsaglia (2004). */
function phi(t: number): number {
  if (t > 8.3) return 1;
  const square = t * t;
  let [sum, last, term] = [t, 0, t];
  for (let i = 3; sum !== last; i += 2) {
    last = sum;
    term *= square / i;
    sum += term;
  }
  return 0.5 + sum * Math.exp(-0.5 * square - 0.9189385332046728);
}

/** Where a value lies in a table over LOG_T: the second of four entries, and what each counts for. */
interface Place {
  i: number;
  by: [number, number, number, number];
}

/** On the cubic through the four nearest entries, the second from either end outside. */
function place(log_t: number): Place {
  const at = Math.min(LOG_T.length - 3, Math.max(1, (log_t + 6) / 0.05));
  const i = Math.floor(at);
  const f = at - i;
  return {
    i,
    by: [
      (-f * (f - 1) * (f - 2)) / 6,
      ((f * f - 1) * (f - 2)) / 2,
      (-f * (f + 1) * (f - 2)) / 2,
      (f * (f * f - 1)) / 6,
    ],
  };
}

const between = (table: number[], { i, by }: Place) =>
  by[0] * table[i - 1] + by[1] * table[i] + by[2] * table[i + 1] + by[3] * table[i + 2];

/** For each d of LAW_D what each entry of a table over LOG_T counts for in the two integrals over it. */
const counts = late(() => {
  const [none, same] = [0, 1].map(() => LAW_D.map(() => new Array<number>(LOG_T.length).fill(0)));
  const length = LAW_D.map((d) => normalised(LENGTHS.map((r) => r ** (d - 1) * Math.exp((-r * r) / 2))));
  const angle = LAW_D.map((d) => normalised(THETA.map((v) => Math.sin(v) ** (d - 1) * Math.cos(v) ** (d - 2))));
  const add = (to: number[][], log_t: number, weight: (d: number) => number) => {
    const { i, by } = place(log_t);
    for (let d = 0; d < to.length; d++) {
      const share = weight(d);
      for (let k = 0; k < 4; k++) to[d][i - 1 + k] += share * by[k];
    }
  };
  LENGTHS.forEach((r, k) => {
    add(none, Math.log(r), (d) => length[d][k]);
    THETA.forEach((v, m) => add(same, Math.log(r * Math.sin(v)), (d) => length[d][k] * angle[d][m]));
  });
  same[0] = none[0]; // on a line there is no angle
  return { none, same };
});

/** Logarithm of the probability that another token's score is below a token's own, at each LOG_T and each Z. */
function log_below(spread: number): number[][] {
  const others = LOG_T.map((log_t) =>
    Math.log(
      dot(
        Z_WEIGHT,
        Z.map((z) => phi(Math.exp(log_t - spread * z))),
      ),
    ),
  );
  return LOG_T.map((log_t) => Z.map((z) => between(others, place(log_t + spread * z))));
}

const below = new Recent<number[][]>(4); // it is the same for any number of tokens

function winning(n: number, spread: number): number[] {
  if (spread === 0) return LOG_T.map((log_t) => phi(Math.exp(log_t)) ** (n - 1));
  const all = below.get(String(spread), () => log_below(spread));
  return all.map((row) =>
    dot(
      Z_WEIGHT,
      row.map((log) => Math.exp((n - 1) * log)),
    ),
  );
}

type Shares = { none: number[]; same: number[] };

const shares = new Recent<Shares>(4);

/** For each d of LAW_D: without projections, and with W_Q = W_K. */
export const own_shares = (n: number, spread: number): Shares =>
  shares.get(`${n} ${spread}`, () => expected(n, spread));

function expected(n: number, spread: number): Shares {
  const won = winning(n, spread);
  const integrals = (of: number[][]) => of.map((entries) => dot(entries, won));
  return { none: integrals(counts().none), same: integrals(counts().same) };
}
