// Sums that go from the first number to the last: in another order the last bits of a series would be others.

export function total(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum;
}

export function mean(values: ArrayLike<number>): number {
  return total(values) / values.length;
}

/** Of as many numbers as `a` has; `b` may go on. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

export function length(vector: ArrayLike<number>): number {
  return Math.sqrt(dot(vector, vector));
}
