// How often a row's largest score is its own, for random tokens. Twin of own_share.py, which gives formulas and reasons.

export const LAW_D = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128];

const Z = Array.from({ length: 49 }, (_, i) => (i - 24) * 0.25);
const Z_WEIGHT = normalised(Z.map((z) => (-z * z) / 2));
const LOG_T = Array.from({ length: 301 }, (_, i) => (i - 120) * 0.05);
const [N_R, N_THETA] = [80, 24];

/** Weights in proportion to the exponentials, sum 1. */
function normalised(logs: number[]): number[] {
  const top = Math.max(...logs);
  const parts = logs.map((log) => Math.exp(log - top));
  const sum = parts.reduce((a, b) => a + b);
  return parts.map((part) => part / sum);
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

/** Cubic through the four nearest entries of a table over LOG_T, the end entries outside. */
function between(table: ArrayLike<number>, log_t: number): number {
  const at = Math.min(table.length - 1, Math.max(0, (log_t + 6) / 0.05));
  const i = Math.min(table.length - 3, Math.max(1, Math.floor(at)));
  const f = at - i;
  return (
    ((-f * (f - 1) * (f - 2)) / 6) * table[i - 1] +
    (((f * f - 1) * (f - 2)) / 2) * table[i] -
    ((f * (f + 1) * (f - 2)) / 2) * table[i + 1] +
    ((f * (f * f - 1)) / 6) * table[i + 2]
  );
}

interface Nodes {
  at: number[];
  weight: number[];
}

const middles = (low: number, high: number, count: number) =>
  Array.from({ length: count }, (_, i) => low + ((i + 0.5) * (high - low)) / count);

function lengths(d: number): Nodes {
  const at = middles(Math.max(0, Math.sqrt(d) - 6), Math.sqrt(d) + 6, N_R);
  return { at, weight: normalised(at.map((r) => (d - 1) * Math.log(r) - (r * r) / 2)) };
}

function sines(d: number): Nodes {
  if (d === 1) return { at: [1], weight: [1] };
  const middle = Math.atan(Math.sqrt((d - 1) / Math.max(d - 2, 1e-9)));
  const half = 4 / Math.sqrt(d);
  const theta = middles(Math.max(0, middle - half), Math.min(Math.PI / 2, middle + half), N_THETA);
  const log_density = theta.map((v) => (d - 1) * Math.log(Math.sin(v)) + (d - 2) * Math.log(Math.cos(v)));
  return { at: theta.map(Math.sin), weight: normalised(log_density) };
}

const NODES = LAW_D.map((d) => ({ r: lengths(d), sine: sines(d) }));

function winning(n: number, spread: number): number[] {
  if (spread === 0) return LOG_T.map((log_t) => phi(Math.exp(log_t)) ** (n - 1));
  const others = LOG_T.map((log_t) =>
    Math.log(Z.reduce((sum, z, k) => sum + Z_WEIGHT[k] * phi(Math.exp(log_t - spread * z)), 0)),
  );
  return LOG_T.map((log_t) =>
    Z.reduce((sum, z, k) => sum + Z_WEIGHT[k] * Math.exp((n - 1) * between(others, log_t + spread * z)), 0),
  );
}

let kept: { key: string; none: number[]; same: number[] } | undefined;

/** For each d of LAW_D: without projections, and with W_Q = W_K. */
export function own_shares(n: number, spread: number): { none: number[]; same: number[] } {
  const key = `${n} ${spread}`;
  if (kept?.key === key) return kept;
  const won = winning(n, spread);
  const none = NODES.map(({ r }) =>
    r.at.reduce((sum, length, i) => sum + r.weight[i] * between(won, Math.log(length)), 0),
  );
  const same = NODES.map(({ r, sine }) =>
    r.at.reduce(
      (sum, length, i) =>
        sum +
        r.weight[i] * sine.at.reduce((inner, s, k) => inner + sine.weight[k] * between(won, Math.log(length * s)), 0),
      0,
    ),
  );
  kept = { key, none, same };
  return kept;
}
