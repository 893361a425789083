// Sums of products, exp and log. Every browser gets the same bits from them: the order of each sum is fixed, and exp and
// log are made of +, −, × and ÷, since Math.exp and Math.log differ between browsers in the last bit.

import script from "./product.wasm";

export type Numbers = Float64Array<ArrayBuffer>;

const LN2_HIGH = 0.6931471803691238; // its last 21 bits are 0: a whole number times it is exact
const LN2_LOW = 1.9082149292705877e-10;
/** 1, ½, ¼ … down to the smallest number there is. */
const HALVES: number[] = [];
for (let half = 1; half > 0; half /= 2) HALVES.push(half);

/** 1 / n! for n from 0 to 13. */
const TERMS = [1];
for (let n = 1; n < 14; n++) TERMS.push(TERMS[n - 1] / n);

/** e to the x, for x ≤ 0: x = −k ln 2 + r with |r| ≤ ½ ln 2, and 13 terms of the series at r. */
export function exp(x: number): number {
  const k = Math.round(-x / Math.LN2);
  if (!(k < HALVES.length)) return x < 0 ? 0 : NaN;
  const r = x + k * LN2_HIGH + k * LN2_LOW;
  let sum = TERMS[13];
  for (let n = 12; n >= 0; n--) sum = TERMS[n] + r * sum;
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

const LN_BASE = 9.210340371976184; // ln 10000

/** Rotary positions, in place: of x (…, n, size) each pair of neighbours 2i, 2i + 1 turns by place × 10000^(−2i / size),
    or back with a sign of −1. Cosine and sine of the first place come from their series, those of the others by turning
    on, so that they are made of + and × and ÷ too. */
export function turn(x: Numbers, n: number, size: number, sign: 1 | -1): void {
  for (let i = 0; i < size; i += 2) {
    const angle = sign * exp((-i / size) * LN_BASE);
    let [cos, sin] = [1, 0];
    for (let term = 20; term > 0; term--) [cos, sin] = [1 - (angle * sin) / term, (angle * cos) / term];
    for (let from = i; from < x.length; from += n * size) {
      let c = 1;
      let s = 0;
      for (let at = from; at < from + n * size; at += size) {
        const first = x[at];
        const second = x[at + 1];
        const before = c;
        x[at] = first * c - second * s;
        x[at + 1] = first * s + second * c;
        c = c * cos - s * sin;
        s = s * cos + before * sin;
      }
    }
  }
}

interface Kernel {
  memory: WebAssembly.Memory;
  /** a, row, step, b, out in bytes; n, inner, m, count: product.wat says more. */
  product(...at: [number, number, number, number, number, number, number, number, number]): void;
}

function started(): Kernel | undefined {
  try {
    return new WebAssembly.Instance(new WebAssembly.Module(script)).exports as unknown as Kernel;
  } catch {
    return undefined; // a browser that is old, or locked down
  }
}

const kernel = started();
let room: Numbers = new Float64Array(0); // all of the kernel's memory

/** Rows and columns of a product: (n, inner) times (inner, m). */
export type Sizes = [n: number, inner: number, m: number];

/** The products (count, n, m) of a (count, n, inner) and b (count, inner, m); where `a_is_turned`, each a is (inner, n)
    and its transpose meant. A sum runs over the inner index upwards. WebAssembly is three times as fast as plain code,
    to the same bits. */
export function product(a: Numbers, b: Numbers, [n, inner, m]: Sizes, count = 1, a_is_turned = false): Numbers {
  if (!kernel || n < 4 || m < 4) return plain_product(a, b, [n, inner, m], count, a_is_turned);
  const out = a.length + b.length;
  const end = out + count * n * m;
  if (end > room.length) {
    kernel.memory.grow(Math.ceil((8 * (end - room.length)) / 65536));
    room = new Float64Array(kernel.memory.buffer as ArrayBuffer);
  }
  room.set(a, 0);
  room.set(b, a.length);
  const [row, step] = a_is_turned ? [8, 8 * n] : [8 * inner, 8];
  kernel.product(0, row, step, 8 * a.length, 8 * out, n, inner, m, count);
  return room.slice(out, end);
}

function plain_product(a: Numbers, b: Numbers, [n, inner, m]: Sizes, count: number, a_is_turned: boolean): Numbers {
  const out = new Float64Array(count * n * m);
  const [row, step] = a_is_turned ? [1, n] : [inner, 1];
  for (let c = 0; c < count; c++)
    for (let i = 0; i < n; i++)
      for (let l = 0; l < inner; l++) {
        const factor = a[c * n * inner + i * row + l * step];
        for (let j = (c * n + i) * m, k = (c * inner + l) * m; k < (c * inner + l + 1) * m; j++, k++)
          out[j] += factor * b[k];
      }
  return out;
}

/** Matrices (count, n, m), each turned, (count, m, n). */
export function turned(a: Numbers, n: number, m: number): Numbers {
  const out = new Float64Array(a.length);
  for (let c = 0; c < a.length; c += n * m)
    for (let i = 0; i < n; i++) for (let j = 0, at = c + i; j < m; j++, at += n) out[at] = a[c + i * m + j];
  return out;
}

/** From (count, n, m, size) to (count, m, n, size). */
export function swapped(a: Numbers, n: number, m: number, size: number): Numbers {
  if (n === 1 || m === 1) return a;
  const out = new Float64Array(a.length);
  for (let c = 0, from = 0; c < a.length; c += n * m * size)
    for (let i = 0; i < n; i++)
      for (let j = 0; j < m; j++)
        for (let at = c + (j * n + i) * size, end = at + size; at < end; at++, from++) out[at] = a[from];
  return out;
}

/** Adds a row to each row of the matrix. */
export function add_row(into: Numbers, row: Numbers): void {
  for (let i = 0; i < into.length;) for (let j = 0; j < row.length; j++, i++) into[i] += row[j];
}

/** Adds the rows of the matrix to one row. */
export function add_rows(row: Numbers, from: Numbers): void {
  for (let i = 0; i < from.length;) for (let j = 0; j < row.length; j++, i++) row[j] += from[i];
}

export function add(into: Numbers, from: Numbers): void {
  for (let i = 0; i < into.length; i++) into[i] += from[i];
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
