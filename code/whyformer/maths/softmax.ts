// Softmax and its derivative from the logits of one row. Twin of softmax.py, which gives formulas and sources.
// A masked entry is -Infinity. Inputs are checked in Python and at the edge of a page, not here.

export type Row = ArrayLike<number>;

/** Position of the largest logit, the first of equals. */
export function top_of(logits: Row): number {
  let top = 0;
  for (let i = 1; i < logits.length; i++) if (logits[i] > logits[top]) top = i;
  return top;
}

/**
 * Writes the weights into `out` and returns 1 - the largest of them, to full relative precision: the sum of the other
 * weights, since 1 - y from a rounded y has lost it. A wholly masked row has weights 0 and returns 1.
 */
export function softmax_into(out: Float64Array, logits: Row, top = top_of(logits)): number {
  const largest = logits[top];
  if (largest === -Infinity) {
    out.fill(0);
    return 1;
  }
  let tail = 0;
  for (let i = 0; i < out.length; i++) {
    out[i] = Math.exp(logits[i] - largest);
    if (i !== top) tail += out[i];
  }
  for (let i = 0; i < out.length; i++) out[i] /= 1 + tail;
  return tail / (1 + tail);
}

export function softmax(logits: Row): Float64Array {
  const weights = new Float64Array(logits.length);
  softmax_into(weights, logits);
  return weights;
}

/** The n x n Jacobian, row after row. */
export function softmax_jacobian(logits: Row): Float64Array {
  const n = logits.length;
  const weights = new Float64Array(n);
  const top = top_of(logits);
  const rest = softmax_into(weights, logits, top);
  const jacobian = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) jacobian[i * n + j] = -weights[i] * weights[j];
    jacobian[i * n + i] = weights[i] * (i === top ? rest : 1 - weights[i]);
  }
  return jacobian;
}

/** Writes the gradient at the logits into `out`. */
export function softmax_vjp_into(out: Float64Array, logits: Row, upstream: Row): void {
  const top = top_of(logits);
  softmax_into(out, logits, top);
  let mean_behind = 0;
  for (let i = 0; i < out.length; i++) mean_behind += out[i] * (upstream[top] - upstream[i]);
  for (let i = 0; i < out.length; i++) out[i] *= mean_behind - (upstream[top] - upstream[i]);
}

export function softmax_vjp(logits: Row, upstream: Row): Float64Array {
  const out = new Float64Array(logits.length);
  softmax_vjp_into(out, logits, upstream);
  return out;
}

/** Sum of exp(z - max) over all positions but the top one: what the numbers below are made of. */
function tail_of(logits: Row, top: number): number {
  let tail = 0;
  for (let i = 0; i < logits.length; i++) if (i !== top) tail += Math.exp(logits[i] - logits[top]);
  return tail;
}

export function softmax_max(logits: Row): number {
  return 1 / (1 + tail_of(logits, top_of(logits)));
}

/** y (1 - y) of the largest weight: no other can exceed it, since 1 - y_top is at least every other y. */
export function softmax_jacobian_max(logits: Row): number {
  const tail = tail_of(logits, top_of(logits));
  return tail / (1 + tail) ** 2;
}

export function softmax_jacobian_norm(logits: Row): number {
  const top = top_of(logits);
  const weights = new Float64Array(logits.length);
  const epsilon = softmax_into(weights, logits, top);
  if (epsilon === 0) return 0;
  const share2 = weights.map((y, i) => (i === top ? 0 : (y / epsilon) ** 2));
  const total = share2.reduce((a, b) => a + b);
  const largest2 = weights[top] ** 2;
  let sum = largest2 * (1 + total);
  for (let i = 0; i < weights.length; i++) {
    sum += share2[i] * ((1 - weights[i]) ** 2 + largest2 + epsilon ** 2 * (total - share2[i]));
  }
  return epsilon * Math.sqrt(sum);
}

export function softmax_entropy(logits: Row): number {
  const top = top_of(logits);
  let tail = 0;
  let sum = 0;
  for (let i = 0; i < logits.length; i++) {
    if (i === top) continue;
    const gap = logits[top] - logits[i];
    const e = Math.exp(-gap);
    tail += e;
    if (e > 0) sum += e * gap;
  }
  return Math.log1p(tail) + sum / (1 + tail);
}
