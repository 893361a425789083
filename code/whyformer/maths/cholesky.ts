// A small linear system, solved in the page.

/** The solution of a symmetric positive definite system, by Cholesky; `matrix` and `right` stay as they are. */
export function solved(matrix: number[][], right: number[]): number[] {
  const n = right.length;
  const lower = matrix.map((entries) => [...entries]);
  const out = [...right];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = lower[i][j];
      for (let k = 0; k < j; k++) sum -= lower[i][k] * lower[j][k];
      lower[i][j] = i === j ? Math.sqrt(sum) : sum / lower[j][j];
    }
    for (let k = 0; k < i; k++) out[i] -= lower[i][k] * out[k];
    out[i] /= lower[i][i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) out[i] -= lower[k][i] * out[k];
    out[i] /= lower[i][i];
  }
  return out;
}
