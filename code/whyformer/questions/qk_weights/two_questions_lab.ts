// The two-questions lab. Twin of two_questions_lab.py: same series, same names, same order.

import { scaleLinear } from "d3-scale";
import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit-html";
import type { Frame } from "../../lab/frame.ts";
import { panel, type Box } from "../../lab/marks/panel.ts";
import { bars } from "../../lab/marks/shapes.ts";
import { number, t } from "../../lab/words.ts";
import { normals, stream } from "../../maths/random.ts";
import { softmax } from "../../maths/softmax.ts";
import { product as times, type Matrix } from "../../model/layers.ts";

const D = 8;
const N = 5;
const TEXTS: Record<string, string[]> = {
  boy: ["I", "am", "a", "boy", "."],
  dogs: ["dogs", "chase", "cats", "at", "night"],
  gave: ["she", "gave", "him", "old", "books"],
};
const VOCABULARY = Object.values(TEXTS).flat();
const [NEW, TURN, STRETCH, WORD] = [10, 20, 21, 100];

type Form = "drawn" | "turned" | "identity";

export interface State {
  text: string;
  mix: number;
  first: number;
  second: number;
  d_k: number;
  form: Form;
  seed: number;
}

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
  return {
    scores,
    weights,
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
    smallest_self,
    symmetric_percent: 100 * symmetric_share(scores, N),
    product_symmetric_percent: 100 * symmetric_share(product, D),
    unbalanced_percent:
      50 * steps.reduce((sum, f, at) => sum + Math.abs(f - steps[(at % N) * N + Math.floor(at / N)]), 0),
  };
}

// ---- the picture

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const { width, em } = frame;
  const words = TEXTS[state.text].map((word) => t(word));
  const wide = width > 42 * em;
  const third = wide ? (width - 2 * em) / 3 : width;
  const small = wide ? third : (width - em) / 2;
  const half = wide ? (width - 1.5 * em) / 2 : width;
  return html`
    ${frame.controls("mix")}
    <div class="wf-row">
      ${arrows(state, series, words, wide ? width - 19 * em : width, em)}
      <div style=${`width:${wide ? 17.5 * em : width}px`}>${pair_table(state, series, words)}${verdict(state, series)}</div>
    </div>
    <div class="wf-row">
      ${square(state, words, frame, third, t("Scores: each row asks"), series.scores, ".1f", 4)}
      ${square(state, words, frame, third, t("Weights: each row gives 1"), series.weights, ".2f", 1)}
      ${square(
        state,
        words,
        frame,
        third,
        t("Steps of a walk, %"),
        series.steps.map((f) => 100 * f),
        ".1f",
        50,
      )}
    </div>
    ${frame.controls("text", "first", "second", "seed")}
    <div class="wf-row">
      ${standing(series, words, half, em)}
      ${shares(series, half, em)}
    </div>
    ${frame.controls("form", "d_k")}
    <div class="wf-row">
      ${entries(series.query_matrix, small, em, state.form === "drawn" ? t("W_Q") : state.form === "turned" ? t("W_Q R in place of W_Q") : t("W_Q W_Kᵀ in place of W_Q"))}
      ${entries(series.key_matrix, small, em, state.form === "drawn" ? t("W_K") : state.form === "turned" ? t("W_K R⁻ᵀ in place of W_K") : t("the identity in place of W_K"))}
      ${entries(series.product, small, em, t("W_Q W_Kᵀ, their product"))}
    </div>
    <p class="wf-aside">${rewriting(state)}</p>`;
}

/** The five words; arrows to the right above them, arrows to the left below; an arrow is as thick as its weight. */
function arrows({ first, second }: State, series: Series, words: string[], width: number, em: number): TemplateResult {
  const [a, b] = [first - 1, second - 1];
  const room = 6.3 * em;
  const title = t("An arrow is as thick as its weight; a frame, as the weight of a word for itself");
  return panel(
    { width, em, height: 2 * room + 2.4 * em, margin: { left: 0.4, right: 0.4, top: 0, bottom: 0 }, title },
    (box) => {
      const middle = (box.top + box.bottom) / 2;
      const slot = (box.right - box.left) / N;
      const x = (i: number) => box.left + (i + 0.5) * slot;
      const chosen = (i: number, j: number) => (i === a && j === b) || (i === b && j === a);
      const pairs = words.flatMap((_, i) => words.map((_, j) => [i, j] as const)).filter(([i, j]) => i !== j);
      const drawn = [...pairs.filter(([i, j]) => !chosen(i, j)), ...pairs.filter(([i, j]) => chosen(i, j))];
      return svg`
      ${drawn.map(([i, j]) => arrow(x(i), x(j), middle, series.weights[i * N + j], chosen(i, j), Math.abs(i - j), room, em))}
      ${words.map(
        (word, i) => svg`
        <rect class="wf-self ${a === b && i === a ? "wf-scaled" : "wf-plain"}" x=${x(i) - 0.42 * slot} y=${middle - 0.95 * em}
          width=${0.84 * slot} height=${1.9 * em} rx=${0.4 * em} stroke-width=${series.weights[i * N + i] * 0.8 * em} />
        <text class=${i === a || i === b ? "wf-word wf-word-chosen" : "wf-word"} x=${x(i)} y=${middle + 0.35 * em} text-anchor="middle">${word}</text>`,
      )}
      ${
        a === b
          ? ""
          : [
              [a, b],
              [b, a],
            ].map(([i, j]) => label(series, i, j, (x(i) + x(j)) / 2, middle, room, box))
      }`;
    },
  );
}

function arc_height(distance: number, room: number): number {
  return (room * (0.8 + distance)) / (N + 0.6);
}

function arrow(
  from: number,
  to: number,
  middle: number,
  weight: number,
  chosen: boolean,
  distance: number,
  room: number,
  em: number,
): SVGTemplateResult {
  const side = to > from ? -1 : 1; // to the right above the words, to the left below
  const lane = 0.35 * em * Math.sign(to - from); // leaves and arrives beside the middle of a word
  const [start, end] = [from + lane, to - lane];
  const edge = middle + side * 1.05 * em;
  const top = middle + side * (1.05 * em + (4 / 3) * (arc_height(distance, room) - 0.9 * em));
  const thick = 0.6 + weight * 0.9 * em;
  const tip = 0.3 * em + thick / 2;
  const tail = edge + side * tip;
  return svg`<g class=${chosen ? "wf-arc wf-scaled wf-arc-chosen" : "wf-arc wf-plain"}>
    <path class="wf-arc-line" stroke-width=${thick} d=${`M${start},${edge}C${start},${top} ${end},${top} ${end},${tail}`} />
    <path class="wf-arc-tip" d=${`M${end},${edge}l${tip},${side * tip}h${-2 * tip}z`} />
  </g>`;
}

/** Weight and score of one chosen arrow, beyond its bow. */
function label(
  series: Series,
  i: number,
  j: number,
  x: number,
  middle: number,
  room: number,
  box: Box,
): SVGTemplateResult {
  const { em } = box;
  const at = i * N + j;
  const thick = 0.45 * em * series.weights[at];
  const far = 1.05 * em + arc_height(Math.abs(i - j), room) - 0.9 * em + thick;
  const half = 5.2 * em;
  const inside = Math.min(Math.max(x, box.left + half), box.right - half);
  const y = j > i ? middle - far - 0.4 * em : middle + far + 1.1 * em;
  return svg`<text class="wf-end-label wf-scaled wf-on-paper" x=${inside} y=${y} text-anchor="middle">${t(
    "score {score:.2f}, weight {weight:.2f}",
    { score: series.scores[at], weight: series.weights[at] },
  )}</text>`;
}

function pair_table({ first, second }: State, series: Series, words: string[]): TemplateResult {
  const [a, b] = [words[first - 1], words[second - 1]];
  const row = (from: string, to: string, score: number, weight: number) => html`<tr>
    <th scope="row">${t("{from} → {to}", { from, to })}</th><td>${number(score, ".2f")}</td><td>${number(weight, ".2f")}</td>
  </tr>`;
  return html`<table class="wf-table wf-pair">
    <thead><tr><th scope="col">${t("from → to")}</th><th scope="col">${t("score")}</th><th scope="col">${t("weight")}</th></tr></thead>
    <tbody>
      ${row(a, b, series.score_there, series.weight_there)}
      ${first === second ? "" : row(b, a, series.score_back, series.weight_back)}
    </tbody>
  </table>`;
}

function verdict({ mix, first, second }: State, series: Series): TemplateResult {
  const gaps = { unbalanced: series.unbalanced_percent, self: series.smallest_self };
  const pair =
    first === second
      ? t("A word and itself: there is only one score. Choose two words.")
      : mix === 0
        ? t("One matrix: the two scores are equal. The weights are not: each word divides by its own row's sum.")
        : t("Two matrices: the score back is another question with another answer.");
  const balance =
    mix === 0
      ? t(
          "A walk still steps from A to B as often as from B to A. The smallest score of a word with itself is {self:.2f}; it is never below 0.",
          gaps,
        )
      : t(
          "Of all steps of a walk {unbalanced:.1f} % are not matched by a step back. The smallest score of a word with itself is {self:.2f}.",
          gaps,
        );
  return html`<p>${pair}</p><p class="wf-hint">${balance}</p>`;
}

/** Five by five numbers with words beside them; a click on a cell chooses its two words. */
function square(
  { first, second }: State,
  words: string[],
  frame: Frame,
  width: number,
  title: string,
  matrix: Matrix,
  digits: string,
  limit: number,
): TemplateResult {
  const unseen = digits === ".1f" ? 0.05 : 0.005; // 0.0 and not −0.0
  return html`<div style=${`width:${width}px`}>
    <div class="wf-panel-title">${title}</div>
    <table class="wf-reach wf-square">
      <thead><tr><td></td>${words.map((word) => html`<th scope="col">${word}</th>`)}</tr></thead>
      <tbody>${words.map(
        (word, i) => html`<tr>
        <th scope="row">${word}</th>
        ${words.map((_, j) => {
          const value = matrix[i * N + j];
          const kind = limit !== 4 ? "" : value < 0 ? "wf-below" : "wf-above";
          const strength = Math.round(50 * Math.sqrt(Math.min(1, Math.abs(value) / limit)));
          const here = (i === first - 1 && j === second - 1) || (i === second - 1 && j === first - 1);
          return html`<td class=${kind} aria-current=${here} style=${`--wf-strength:${strength}%`}
            @click=${() => frame.set({ first: i + 1, second: j + 1 })}>${number(Math.abs(value) < unseen ? 0 : value, digits)}</td>`;
        })}
      </tr>`,
      )}</tbody>
    </table>
  </div>`;
}

/** Where a long walk stands, beside the row sums. */
function standing(series: Series, words: string[], width: number, em: number): TemplateResult {
  const title = t("Blue: where a long walk stands, %; grey: each row's share of all exp(score), %");
  return panel(
    { width, em, height: 8.2 * em, margin: { left: 0.4, right: 0.4, top: 1.4, bottom: 1.6 }, title },
    (box) => {
      const y = scaleLinear([0, 1], [box.bottom, box.top]);
      const slot = (box.right - box.left) / N;
      return svg`
      ${bars(series.walk, y, box.left - 0.17 * slot, box.right - 0.17 * slot, "wf-scaled", 0.66)}
      ${bars(series.row_share, y, box.left + 0.17 * slot, box.right + 0.17 * slot, "wf-theory", 0.66)}
      <line class="wf-zero" x1=${box.left} x2=${box.right} y1=${box.bottom} y2=${box.bottom} />
      ${words.map((word, i) => {
        const x = box.left + (i + 0.5) * slot;
        return svg`<text x=${x} y=${box.bottom + 1.1 * em} text-anchor="middle">${word}</text>
          <text class="wf-end-label wf-scaled" x=${x - 0.17 * slot} y=${y(series.walk[i]) - 0.3 * em} text-anchor="middle">${number(100 * series.walk[i], ".0f")}</text>
          <text class="wf-end-label wf-theory" x=${x + 0.17 * slot} y=${y(series.row_share[i]) - 0.3 * em} text-anchor="middle">${number(100 * series.row_share[i], ".0f")}</text>`;
      })}`;
    },
  );
}

/** How much of the scores and of the product is symmetric. */
function shares(series: Series, width: number, em: number): TemplateResult {
  const rows = [
    [t("of the scores"), series.symmetric_percent],
    [t("of W_Q W_Kᵀ"), series.product_symmetric_percent],
  ] as const;
  const title = t("Symmetric share, %; dashed: an even split, as of large random matrices");
  return panel(
    { width, em, height: 8.2 * em, margin: { left: 6.6, right: 3.4, top: 1.4, bottom: 1.6 }, title },
    (box) => {
      const x = scaleLinear([0, 100], [box.left, box.right]);
      const slot = (box.bottom - box.top) / rows.length;
      return svg`${rows.map(([name, percent], i) => {
        const y = box.top + i * slot + 0.2 * slot;
        return svg`<text x=${box.left - 0.5 * em} y=${y + 0.3 * slot + 0.35 * em} text-anchor="end">${name}</text>
        <rect class="wf-bars wf-plain" x=${box.left} y=${y} width=${x(percent) - box.left} height=${0.6 * slot} />
        <text class="wf-value" x=${x(percent) + 0.3 * em} y=${y + 0.3 * slot + 0.35 * em}>${number(percent, ".0f")}</text>`;
      })}
    <line class="wf-here" x1=${x(50)} x2=${x(50)} y1=${box.top - 0.4 * em} y2=${box.bottom} />
    ${[0, 50, 100].map((at) => svg`<text x=${x(at)} y=${box.bottom + 1.1 * em} text-anchor="middle">${number(at, ".0f")}</text>`)}`;
    },
  );
}

/** The entries of a matrix with eight rows, by colour: purple above 0, green below. */
function entries(matrix: Matrix, width: number, em: number, title: string): TemplateResult {
  const columns = matrix.length / D;
  const cell = 1.05 * em;
  return panel(
    { width, em, height: (D + 0.6) * cell, margin: { left: 0.3, top: 0.3, right: 0.3, bottom: 0.3 }, title },
    ({ left, top }) => svg`
    <rect class="wf-layer-frame" x=${left} y=${top} width=${columns * cell} height=${D * cell} />
    ${Array.from(
      matrix,
      (value, at) => svg`<rect class=${`wf-bars ${value < 0 ? "wf-negative" : "wf-gradient"}`}
      x=${left + (at % columns) * cell} y=${top + Math.floor(at / columns) * cell} width=${cell} height=${cell}
      fill-opacity=${Math.sqrt(Math.min(1, Math.abs(value) / 2)).toFixed(3)} />`,
    )}`,
  );
}

function rewriting({ form, d_k }: State): string {
  if (form === "turned")
    return t("Other matrices, the same product, so the same scores. R is any matrix that can be inverted.");
  if (form === "identity") {
    return d_k === D
      ? t(
          "With d_k = d_model = 8 the identity can take the place of W_K, and no matrix grows: two matrices are one too many.",
        )
      : t(
          "The scores stay, but the one matrix has 8 columns instead of {d_k}. At the old size, 8 × {d_k}, the identity does not fit.",
          { d_k },
        );
  }
  return t("Purple above 0, green below. Write the same head in another way, and watch what stays.");
}
