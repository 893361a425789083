// Softmax and its derivative from the logits of one row. Twin of softmax.py, which gives formulas and sources.
// A masked entry is -Infinity. Inputs are checked in Python and at the edge of a page, not here.

export type Row = ArrayLike<number>;

export interface Split {
  weights: Float64Array;
  /** 1 - weight, to full relative precision. */
  rest: Float64Array;
  /** Position of the largest logit. */
  top: number;
  /** Sum of exp(z - max) over all other positions. */
  tail: number;
}

export function split(logits: Row): Split {
  const n = logits.length;
  let top = 0;
  for (let i = 1; i < n; i++) if (logits[i] > logits[top]) top = i;
  const weights = new Float64Array(n);
  const rest = new Float64Array(n).fill(1);
  const largest = logits[top];
  if (largest === -Infinity) return { weights, rest, top, tail: 0 };
  let tail = 0;
  for (let i = 0; i < n; i++) {
    weights[i] = Math.exp(logits[i] - largest);
    if (i !== top) tail += weights[i];
  }
  const total = 1 + tail;
  for (let i = 0; i < n; i++) {
    weights[i] /= total;
    rest[i] = 1 - weights[i];
  }
  rest[top] = tail / total;
  return { weights, rest, top, tail };
}

export function softmax(logits: Row): Float64Array {
  return split(logits).weights;
}

/** The n x n Jacobian, row after row. */
export function softmax_jacobian(logits: Row): Float64Array {
  const { weights, rest } = split(logits);
  const n = weights.length;
  const jacobian = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) jacobian[i * n + j] = -weights[i] * weights[j];
    jacobian[i * n + i] = weights[i] * rest[i];
  }
  return jacobian;
}

export function softmax_vjp(logits: Row, upstream: Row): Float64Array {
  const { weights, top } = split(logits);
  let meanBehind = 0;
  for (let i = 0; i < weights.length; i++) meanBehind += weights[i] * (upstream[top] - upstream[i]);
  return weights.map((y, i) => y * (meanBehind - (upstream[top] - upstream[i])));
}

export function softmax_jacobian_max(logits: Row): number {
  const { weights, rest, top } = split(logits);
  return weights[top] * rest[top]; // y (1 - y) is largest where y is: 1 - y_top is at least every other y
}

export function softmax_jacobian_norm(logits: Row): number {
  const { weights, rest, top } = split(logits);
  let squares = 0;
  let withoutTop = 0;
  weights.forEach((y, i) => {
    squares += y * y;
    if (i !== top) withoutTop += y * y;
  });
  let sum = 0;
  weights.forEach((y, i) => {
    const others = i === top ? withoutTop : squares - y * y;
    sum += y * y * (rest[i] * rest[i] + others);
  });
  return Math.sqrt(sum);
}

export function softmax_entropy(logits: Row): number {
  const { weights, top, tail } = split(logits);
  let sum = Math.log1p(tail);
  for (let i = 0; i < weights.length; i++) if (weights[i] > 0) sum += weights[i] * (logits[top] - logits[i]);
  return sum;
}
