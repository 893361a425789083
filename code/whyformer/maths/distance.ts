// How much of a matrix of scores depends on the distance alone. Twin of distance.py.

import { total } from "./sums.ts";

/** Share of the variance of n x n scores that the distance explains. */
export function explained_by_distance(scores: Float64Array, n: number): number {
  const mean = total(scores) / scores.length;
  let [left, all] = [0, 0];
  for (let distance = 1 - n; distance < n; distance++) {
    const [first, last] = [Math.max(0, -distance), n - Math.max(0, distance)];
    let sum = 0;
    for (let i = first; i < last; i++) sum += scores[i * n + i + distance];
    const middle = sum / (last - first);
    for (let i = first; i < last; i++) {
      left += (scores[i * n + i + distance] - middle) ** 2;
      all += (scores[i * n + i + distance] - mean) ** 2;
    }
  }
  return 1 - left / all;
}
