// How often a row's largest score is its own, for random tokens. Twin of own_share.py, which gives formulas and reasons.

import { late } from "../../maths/late.ts";

export const LAW_D = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128];

const steps = (count: number, at: (i: number) => number) => Array.from({ length: count }, (_, i) => at(i));
const Z = steps(49, (i) => (i - 24) * 0.25);
const Z_WEIGHT = normalised(Z.map((z) => Math.exp((-z * z) / 2)));
const LOG_T = steps(301, (i) => (i - 120) * 0.05);
const LENGTHS = steps(200, (i) => (i + 0.5) / 12);
const THETA = steps(64, (i) => ((i + 0.5) * Math.PI) / 128);
const weights = late(() =>
  LAW_D.map((d) => ({
    length: normalised(LENGTHS.map((r) => r ** (d - 1) * Math.exp((-r * r) / 2))),
    sine: d === 1 ? undefined : normalised(THETA.map((v) => Math.sin(v) ** (d - 1) * Math.cos(v) ** (d - 2))),
  })),
);

/** Weights in proportion to densities, sum 1. */
function normalised(densities: number[]): number[] {
  const sum = densities.reduce((a, b) => a + b);
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

/** Cubic through the four nearest entries of a table over LOG_T, the second from either end outside. */
function between(table: ArrayLike<number>, log_t: number): number {
  const at = Math.min(table.length - 3, Math.max(1, (log_t + 6) / 0.05));
  const i = Math.floor(at);
  const f = at - i;
  return (
    ((-f * (f - 1) * (f - 2)) / 6) * table[i - 1] +
    (((f * f - 1) * (f - 2)) / 2) * table[i] -
    ((f * (f + 1) * (f - 2)) / 2) * table[i + 1] +
    ((f * (f * f - 1)) / 6) * table[i + 2]
  );
}

const dot = (a: number[], b: number[]) => a.reduce((sum, one, i) => sum + one * b[i], 0);

function winning(n: number, spread: number): number[] {
  if (spread === 0) return LOG_T.map((log_t) => phi(Math.exp(log_t)) ** (n - 1));
  const others = LOG_T.map((log_t) =>
    Math.log(
      dot(
        Z_WEIGHT,
        Z.map((z) => phi(Math.exp(log_t - spread * z))),
      ),
    ),
  );
  return LOG_T.map((log_t) =>
    dot(
      Z_WEIGHT,
      Z.map((z) => Math.exp((n - 1) * between(others, log_t + spread * z))),
    ),
  );
}

let kept: { key: string; none: number[]; same: number[] } | undefined;

/** For each d of LAW_D: without projections, and with W_Q = W_K. */
export function own_shares(n: number, spread: number): { none: number[]; same: number[] } {
  const key = `${n} ${spread}`;
  if (kept?.key === key) return kept;
  const won = winning(n, spread);
  const at_length = LENGTHS.map((r) => between(won, Math.log(r)));
  const at_both = LENGTHS.map((r) => THETA.map((v) => between(won, Math.log(r * Math.sin(v)))));
  const none = weights().map(({ length }) => dot(length, at_length));
  const same = weights().map(({ length, sine }, k) =>
    sine
      ? dot(
          length,
          at_both.map((row) => dot(row, sine)),
        )
      : none[k],
  );
  kept = { key, none, same };
  return kept;
}
