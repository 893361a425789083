// The wiring lab. Twin of wiring_lab.py: same series, same names, same order.

import { scaleLinear } from "d3-scale";
import { html, svg, type TemplateResult } from "lit-html";
import type { Frame } from "../../lab/frame.ts";
import { panel } from "../../lab/marks/panel.ts";
import { number, t } from "../../lab/words.ts";
import { softmax } from "../../maths/softmax.ts";
import {
  add,
  add_positions,
  attend,
  feed_forward,
  layer_norm,
  product,
  random_matrix,
  type Heads,
  type Matrix,
} from "../../model/layers.ts";

const [D, N_HEADS, D_FF] = [16, 2, 32];
const WORDS = ["ich", "bin", "sehr", "müde", "‹s›", "I", "am", "very", "tired", "hungry", "hungrig", "‹/s›"];
const INPUTS = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const N_SOURCE = 4;
const N_TARGET = 5;
const [HUNGRY, HUNGRIG] = [9, 10];

type Mask = "causal" | "late" | "none";

export interface State {
  mask: Mask;
  memory: "encoder" | "decoder";
  position: number;
  changed: number;
  seed: number;
}

export type Series = ReturnType<typeof compute>;

const LOOKS: Record<Mask, (i: number, j: number) => boolean> = {
  causal: (i, j) => j <= i,
  late: (i, j) => j <= i + 1,
  none: () => true,
};

interface Model {
  table: Matrix;
  encoder: Heads;
  encoder_feed: [Matrix, Matrix];
  self: Heads;
  cross: Heads;
  decoder_feed: [Matrix, Matrix];
}

let kept: { seed: number; model: Model } | undefined;

function model(seed: number): Model {
  if (kept?.seed === seed) return kept.model;
  let index = 0;
  const matrix = (size: number, variance: number) => random_matrix(seed, index++, size, Math.sqrt(variance));
  const heads = (): Heads => {
    const [q, k, v, o] = [0, 1, 2, 3].map(() => matrix(D * D, 2 / D));
    return { n_heads: N_HEADS, q, k, v, o };
  };
  const feed = (): [Matrix, Matrix] => [matrix(D * D_FF, 2 / D), matrix(D_FF * D, 2 / D_FF)];
  const table = matrix(WORDS.length * D, 1 / D); // the order of these is that of the streams
  const built = { table, encoder: heads(), encoder_feed: feed(), self: heads(), cross: heads(), decoder_feed: feed() };
  kept = { seed, model: built };
  return built;
}

function embed(table: Matrix, words: number[]): Matrix {
  const x = new Float64Array(words.length * D);
  words.forEach((word, i) =>
    x.set(
      table.subarray(word * D, (word + 1) * D).map((v) => v * Math.sqrt(D)),
      i * D,
    ),
  );
  return add_positions(x, D);
}

const residual = (x: Matrix, sublayer: (x: Matrix) => Matrix) => layer_norm(add(x, sublayer(x)), D);

/** (5, 12): for each target position the probability of each next word. */
function probabilities(built: Model, words: number[], { mask, memory }: State): Matrix {
  let encoded = embed(built.table, words.slice(0, N_SOURCE));
  encoded = residual(encoded, (z) => attend(built.encoder, z, z, D, LOOKS.none));
  encoded = residual(encoded, (z) => feed_forward(z, ...built.encoder_feed, D, D_FF));
  let x = embed(built.table, words.slice(N_SOURCE));
  x = residual(x, (z) => attend(built.self, z, z, D, LOOKS[mask]));
  x = residual(x, (z) =>
    memory === "decoder" ? attend(built.cross, z, z, D, LOOKS.causal) : attend(built.cross, z, encoded, D, LOOKS.none),
  );
  x = residual(x, (z) => feed_forward(z, ...built.decoder_feed, D, D_FF));
  const out = new Float64Array(N_TARGET * WORDS.length);
  for (let i = 0; i < N_TARGET; i++) {
    const row = x.subarray(i * D, (i + 1) * D);
    const logits = WORDS.map((_, word) => 3 * product(row, built.table.subarray(word * D, (word + 1) * D), D, 1)[0]);
    out.set(softmax(logits), i * WORDS.length);
  }
  return out;
}

export function compute(state: State) {
  const { mask, memory, position, changed, seed } = state;
  const built = model(seed);
  const before = probabilities(built, INPUTS, state);
  const after = INPUTS.map((_, i) =>
    probabilities(
      built,
      INPUTS.map((word, at) => (at === i ? (i < N_SOURCE ? HUNGRIG : HUNGRY) : word)),
      { ...state, mask, memory },
    ),
  );
  const reach = new Float64Array(N_TARGET * INPUTS.length);
  const output = (all: Matrix, i: number) => all.slice(i * WORDS.length, (i + 1) * WORDS.length);
  let [leak, from_source] = [0, 0];
  for (let i = 0; i < N_TARGET; i++) {
    for (let j = 0; j < INPUTS.length; j++) {
      const [one, other] = [output(before, i), output(after[j], i)];
      const moved = one.reduce((sum, p, word) => sum + Math.abs(other[word] - p), 0) / 2;
      reach[i * INPUTS.length + j] = moved;
      if (is_future(i, j)) leak = Math.max(leak, moved);
      if (j < N_SOURCE) from_source = Math.max(from_source, moved);
    }
  }
  const chosen = (position - 1) * INPUTS.length + changed - 1;
  return {
    reach,
    before: output(before, position - 1),
    after: output(after[changed - 1], position - 1),
    chosen,
    moved: 100 * reach[chosen],
    leak: 100 * leak,
    from_source: 100 * from_source,
  };
}

const is_future = (output: number, input: number) => input > N_SOURCE + output;

// ---- the picture

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const { width, em } = frame;
  const wide = width > 42 * em;
  return html`
    ${frame.controls("mask", "memory")}
    <div class="wf-row">
      <div style=${`width:${wide ? width - 18 * em : width}px`}>
        <div class="wf-panel-title">${t("How far each output moves, in %, when a word is exchanged")}</div>
        ${reach_table(state, series, frame)}
        ${verdict(state, series)}
      </div>
      ${next_word(state, series, wide ? 16.5 * em : width, em)}
    </div>
    ${frame.controls("position", "changed", "seed")}`;
}

function reach_table(state: State, series: Series, frame: Frame): TemplateResult {
  const choose = (i: number, j: number) => () => frame.set({ position: i + 1, changed: j + 1 });
  return html`<table class="wf-reach">
    <thead>
      <tr><td></td><th colspan=${N_SOURCE} scope="colgroup">${t("source")}</th><th colspan=${N_TARGET} scope="colgroup">${t("target so far")}</th></tr>
      <tr><td></td>${INPUTS.map((word) => html`<th scope="col"><span>${t(WORDS[word])}</span></th>`)}</tr>
    </thead>
    <tbody>${INPUTS.slice(N_SOURCE).map(
      (word, i) => html`<tr>
      <th scope="row">${t("after {word}", { word: t(WORDS[word]) })}</th>
      ${INPUTS.map((_, j) => {
        const moved = series.reach[i * INPUTS.length + j];
        const leaks = is_future(i, j) && moved > 0;
        const kind = `${leaks ? "wf-leak" : ""} ${j === N_SOURCE ? "wf-first" : ""}`;
        const here = state.position === i + 1 && state.changed === j + 1;
        const strength = Math.round(50 * Math.sqrt(moved));
        return html`<td class=${kind} aria-current=${here} style=${`--wf-strength:${strength}%`}
          @click=${choose(i, j)}>${number(100 * moved, ".0f")}</td>`;
      })}
    </tr>`,
    )}</tbody>
  </table>`;
}

function verdict({ memory }: State, series: Series): TemplateResult {
  const found = [
    series.leak > 0 ? t("Framed: an output sees words that come after it. It could copy its own answer.") : "",
    memory === "decoder" ? t("Source columns are 0: this model translates without reading.") : "",
  ].filter(Boolean);
  return html`<p class=${found.length ? "wf-warning" : "wf-hint"}>${
    found.length ? found.join(" ") : t("As it should be: every source word counts, and no word that comes later.")
  }</p>`;
}

/** The chosen output: the probability of each next word before and after the exchange. */
function next_word({ position, changed }: State, series: Series, width: number, em: number): TemplateResult {
  const row = 1.35 * em;
  const word = INPUTS[changed - 1];
  const other = WORDS[changed <= N_SOURCE ? HUNGRIG : HUNGRY];
  const title = t("Next word after “{last}”, when {word} becomes {other}", {
    last: t(WORDS[INPUTS[N_SOURCE + position - 1]]),
    word: t(WORDS[word]),
    other: t(other),
  });
  return panel(
    { width, em, height: WORDS.length * row + 3 * em, margin: { left: 4.2, bottom: 2.4, right: 1 }, title },
    (box) => {
      const x = scaleLinear([0, 1], [box.left, box.right]);
      return svg`${WORDS.map((name, i) => {
        const y = box.top + i * row;
        return svg`<text x=${box.left - 0.4 * em} y=${y + 0.8 * em} text-anchor="end">${t(name)}</text>
        <rect class="wf-bars wf-scaled" x=${box.left} y=${y} width=${x(series.before[i]) - box.left} height=${0.5 * em} />
        <rect class="wf-bars wf-unscaled" x=${box.left} y=${y + 0.55 * em} width=${x(series.after[i]) - box.left} height=${0.5 * em} />`;
      })}
    <text class="wf-end-label wf-scaled" x=${box.left} y=${box.bottom + 0.9 * em}>${t("as it is")}</text>
    <text class="wf-end-label wf-unscaled" x=${box.right} y=${box.bottom + 2 * em} text-anchor="end">${t("exchanged: moved by {moved:.0f} %", series)}</text>`;
    },
  );
}
