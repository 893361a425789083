// Sums of products, exp and log. Every browser gets the same bits from them: the order of each sum is fixed, and exp and
// log are made of +, −, × and ÷, since Math.exp and Math.log differ between browsers in the last bit.

export type Numbers = Float64Array<ArrayBuffer>;

const LN2_HIGH = 0.6931471803691238; // its last 21 bits are 0: a whole number times it is exact
const LN2_LOW = 1.9082149292705877e-10;
/** 1, ½, ¼ … down to the smallest number there is. */
const HALVES: number[] = [];
for (let half = 1; half > 0; half /= 2) HALVES.push(half);

/** e to the x, for x ≤ 0: x = −k ln 2 + r with |r| ≤ ½ ln 2, and 13 terms of the series at r. */
export function exp(x: number): number {
  const k = Math.round(-x / Math.LN2);
  if (!(k < HALVES.length)) return x < 0 ? 0 : NaN;
  const r = x + k * LN2_HIGH + k * LN2_LOW;
  let sum = 1;
  for (let n = 13; n > 0; n--) sum = 1 + (r * sum) / n;
  return sum * HALVES[k];
}

/** ln x for x ≥ 1: x = 2^k m with m near 1, and ln m = 2 artanh((m − 1)/(m + 1)). */
export function log(x: number): number {
  let k = 0;
  for (; x > Math.SQRT2; x /= 2) k++;
  const z = (x - 1) / (x + 1);
  let sum = 0;
  for (let n = 23; n > 0; n -= 2) sum = 1 / n + z * z * sum;
  return k * LN2_HIGH + (k * LN2_LOW + 2 * z * sum);
}

/** Adds a b to `out`, (n, m), from a (n, inner) and b (inner, m); where `a_is_turned` a is (inner, n) and its transpose
    meant. Eight rows of b at a time: several times as fast as one. */
export function times(a: Numbers, b: Numbers, n: number, inner: number, m: number, out: Numbers, a_is_turned = false) {
  const step = a_is_turned ? n : 1;
  for (let i = 0; i < n; i++) {
    const end = (i + 1) * m;
    let at = a_is_turned ? i : i * inner;
    let l = 0;
    for (; l + 7 < inner; l += 8, at += 8 * step) {
      const a0 = a[at];
      const a1 = a[at + step];
      const a2 = a[at + 2 * step];
      const a3 = a[at + 3 * step];
      const a4 = a[at + 4 * step];
      const a5 = a[at + 5 * step];
      const a6 = a[at + 6 * step];
      const a7 = a[at + 7 * step];
      for (let j = i * m, k = l * m; j < end; j++, k++) {
        const first = a0 * b[k] + a1 * b[k + m] + a2 * b[k + 2 * m] + a3 * b[k + 3 * m];
        out[j] += first + (a4 * b[k + 4 * m] + a5 * b[k + 5 * m] + a6 * b[k + 6 * m] + a7 * b[k + 7 * m]);
      }
    }
    for (; l < inner; l++, at += step) for (let j = i * m, k = l * m; j < end; j++, k++) out[j] += a[at] * b[k];
  }
  return out;
}

/** The matrix (n, m) turned, (m, n). */
export function turned(a: Numbers, n: number, m: number): Numbers {
  const out = new Float64Array(n * m);
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) out[j * n + i] = a[i * m + j];
  return out;
}

export function add(into: Numbers, from: Numbers): void {
  for (let i = 0; i < into.length; i++) into[i] += from[i];
}

/** Scalar product of `size` numbers of a from i on and of b from j on. */
export function dot(a: Numbers, i: number, b: Numbers, j: number, size: number): number {
  let even = 0;
  let odd = 0;
  const end = i + size - 1;
  for (; i < end; i += 2, j += 2) {
    even += a[i] * b[j];
    odd += a[i + 1] * b[j + 1];
  }
  return size % 2 ? even + odd + a[i] * b[j] : even + odd;
}

/** Adds `factor` times `size` numbers of b from j on to those of a from i on. */
export function blend(a: Numbers, i: number, b: Numbers, j: number, size: number, factor: number): void {
  for (const end = i + size; i < end; i++, j++) a[i] += factor * b[j];
}

/** Softmax of `size` numbers from `at` on, in place; the logarithm of the sum of their exponentials. */
export function softmax(rows: Numbers, at: number, size: number): number {
  let most = rows[at];
  for (let j = at + 1; j < at + size; j++) if (!(rows[j] <= most)) most = rows[j];
  let sum = 0;
  for (let j = at; j < at + size; j++) sum += rows[j] = exp(rows[j] - most);
  for (let j = at; j < at + size; j++) rows[j] /= sum;
  return most + log(sum);
}
