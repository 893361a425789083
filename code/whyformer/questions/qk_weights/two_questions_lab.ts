// The two-questions lab. Twin of two_questions_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { normals, stream } from "../../maths/random.ts";
import { softmax } from "../../maths/softmax.ts";
import { product as times, type Matrix } from "../../model/layers.ts";
import { D, N, TEXTS } from "./two_questions_texts.ts";

export { view } from "./two_questions_picture.ts";

const VOCABULARY = Object.values(TEXTS).flat();
const [NEW, TURN, STRETCH, WORD] = [10, 20, 21, 100];

export type State = States["qk_weights/two_questions"];

export type Series = ReturnType<typeof compute>;

const build = (rows: number, columns: number, entry: (i: number, j: number) => number): Matrix =>
  Float64Array.from({ length: rows * columns }, (_, at) => entry(Math.floor(at / columns), at % columns));

const transposed = (a: Matrix, columns: number): Matrix =>
  build(columns, a.length / columns, (i, j) => a[j * columns + i]);

/** W_Q and W_K, (8, d_k); column c is a stream of its own, so that more columns leave the first as they are. */
function matrices({ mix, d_k, seed }: State): [Matrix, Matrix] {
  const drawn = (start: number) => {
    const columns = Array.from({ length: d_k }, (_, c) => normals(stream(seed, start + c), D));
    return build(D, d_k, (i, c) => columns[c][i] / Math.sqrt(D));
  };
  const [w_q, w_new] = [drawn(0), drawn(NEW)];
  const length = Math.sqrt((1 - mix) ** 2 + mix ** 2);
  return [w_q, w_q.map((w, i) => ((1 - mix) * w + mix * w_new[i]) / length)];
}

/** Other matrices with the same product W_Q W_K^T. */
function rewritten([w_q, w_k]: [Matrix, Matrix], { d_k, form, seed }: State): [Matrix, Matrix] {
  if (form === "identity") return [times(w_q, transposed(w_k, d_k), d_k, D), build(D, D, (i, j) => Number(i === j))];
  if (form === "turned") {
    const v = normals(stream(seed, TURN), d_k);
    const stretch = normals(stream(seed, STRETCH), d_k).map((z) => Math.exp(0.5 * z));
    const square = v.reduce((sum, x) => sum + x * x, 0);
    const reflection = (i: number, j: number) => Number(i === j) - (2 * v[i] * v[j]) / square;
    return [
      times(
        w_q,
        build(d_k, d_k, (i, j) => reflection(i, j) * stretch[j]),
        d_k,
        d_k,
      ),
      times(
        w_k,
        build(d_k, d_k, (i, j) => reflection(i, j) / stretch[j]),
        d_k,
        d_k,
      ),
    ];
  }
  return [w_q, w_k];
}

/** Where a long walk stands: the elimination of Grassmann, Taksar and Heyman, which never subtracts. */
function stationary(chain: Matrix): Float64Array {
  const p = chain.slice();
  for (let last = N - 1; last > 0; last--) {
    let leaves = 0;
    for (let j = 0; j < last; j++) leaves += p[last * N + j];
    for (let i = 0; i < last; i++) {
      p[i * N + last] /= leaves;
      for (let j = 0; j < last; j++) p[i * N + j] += p[i * N + last] * p[last * N + j];
    }
  }
  const out = new Float64Array(N);
  out[0] = 1;
  for (let i = 1; i < N; i++) for (let j = 0; j < i; j++) out[i] += out[j] * p[j * N + i];
  return as_shares(out);
}

function as_shares(values: Float64Array): Float64Array {
  const total = values.reduce((a, b) => a + b);
  return values.map((v) => v / total);
}

function symmetric_share(matrix: Matrix, n: number): number {
  let [even, whole] = [0, 0];
  matrix.forEach((value, at) => {
    even += ((value + matrix[(at % n) * n + Math.floor(at / n)]) / 2) ** 2;
    whole += value ** 2;
  });
  return even / whole;
}

export function compute(state: State) {
  const { text, first, second, d_k, seed } = state;
  const [w_q, w_k] = rewritten(matrices(state), state);
  const width = w_q.length / D;
  const words = TEXTS[text].map((word) => normals(stream(seed, WORD + VOCABULARY.indexOf(word)), D));
  const x = build(N, D, (i, j) => words[i][j]);
  const product = times(w_q, transposed(w_k, width), width, D);
  const scores = times(times(x, w_q, D, width), transposed(times(x, w_k, D, width), width), width, N).map(
    (s) => s / Math.sqrt(d_k),
  );
  const weights = new Float64Array(N * N);
  const row_sums = new Float64Array(N);
  const largest = Math.max(...scores);
  let smallest_self = Infinity;
  for (let i = 0; i < N; i++) {
    const row = scores.subarray(i * N, (i + 1) * N);
    weights.set(softmax(row), i * N);
    row_sums[i] = row.reduce((sum, s) => sum + Math.exp(s - largest), 0);
    smallest_self = Math.min(smallest_self, row[i]);
  }
  const walk = stationary(weights);
  const steps = build(N, N, (i, j) => walk[i] * weights[i * N + j]);
  const [there, back] = [(first - 1) * N + second - 1, (second - 1) * N + first - 1];
  const sums = build(N, N, (i, j) => weights[i * N + j] + weights[j * N + i]);
  const both = [weights[there], weights[back]];
  return {
    scores,
    weights,
    sums,
    steps,
    row_share: as_shares(row_sums),
    walk,
    query_matrix: w_q,
    key_matrix: w_k,
    product,
    score_there: scores[there],
    score_back: scores[back],
    weight_there: weights[there],
    weight_back: weights[back],
    weight_sum: sums[there],
    uneven: Math.max(...both) / Math.min(...both),
    largest_sum: Math.max(...sums.filter((_, at) => at % (N + 1) !== 0)),
    smallest_self,
    symmetric_percent: 100 * symmetric_share(scores, N),
    product_symmetric_percent: 100 * symmetric_share(product, D),
    unbalanced_percent:
      50 * steps.reduce((sum, f, at) => sum + Math.abs(f - steps[(at % N) * N + Math.floor(at / N)]), 0),
  };
}
