// The normalisation lab. Twin of normalisation_lab.py: same series, same names, same order.

import { scaleLinear } from "d3-scale";
import { html, svg, type TemplateResult } from "lit-html";
import type { Frame } from "../../lab/frame.ts";
import { panel, y_axis } from "../../lab/marks/panel.ts";
import { dots } from "../../lab/marks/shapes.ts";
import { number, t } from "../../lab/words.ts";
import { normals, stream } from "../../maths/random.ts";

const SENTENCES = [
  ["the", "cat", "sleeps"],
  ["dogs", "bark", "loudly", "outside"],
  ["rain", "fell", "all", "night"],
  ["hurry"],
];
const VOCABULARY = [...SENTENCES.flat(), "wolves", "owls", "children"];
const NAMES = ["A", "B", "C", "D"];
const NORMS = ["batch", "eval", "layer", "rms", "none"] as const;
const LABELS = ["BatchNorm, training", "BatchNorm, evaluation", "LayerNorm", "RMSNorm", "no norm"];
const [N_SENTENCES, N_POSITIONS, N_FEATURES] = [4, 6, 4];
const PLACES = N_SENTENCES * N_POSITIONS;
const CELLS = PLACES * N_FEATURES;
const CELLS_OF_ONE = N_POSITIONS * N_FEATURES;
const EPSILON = 1e-5;
const THRESHOLD = 1e-9;
const SEED = 29;
const MEAN = [0, 1, -0.5, 0];
const STD = [1, 0.5, 1.5, 0.8];
const VECTORS = VOCABULARY.map((_, word) =>
  normals(stream(SEED, word), N_FEATURES).map((v, f) => MEAN[f] + STD[f] * v),
);

type Norm = (typeof NORMS)[number];

export interface State {
  norm: Norm;
  padding: "left_out" | "counted";
  first: string;
  length: number;
  batch: number;
  padded_to: number;
  which: string;
  position: number;
  feature: number;
}

export type Series = ReturnType<typeof compute>;

type Given = Pick<State, "first" | "length" | "batch" | "padded_to">;

/** x (sentence, position, feature), 0 at padding; present (sentence, position): 1 a token, 2 padding, 0 nothing. */
interface Batch {
  x: Float64Array;
  present: Float64Array;
}

const words_of = (i: number, { first, length }: Given) =>
  i === 1 ? [first, ...SENTENCES[1].slice(1, length)] : SENTENCES[i];

function batch_of(given: Given): Batch {
  const x = new Float64Array(CELLS);
  const present = new Float64Array(PLACES);
  for (let i = 0; i < given.batch; i++) {
    present.fill(2, i * N_POSITIONS, i * N_POSITIONS + given.padded_to);
    words_of(i, given).forEach((word, p) => {
      x.set(VECTORS[VOCABULARY.indexOf(word)], (i * N_POSITIONS + p) * N_FEATURES);
      present[i * N_POSITIONS + p] = 1;
    });
  }
  return { x, present };
}

const REFERENCE = batch_of({ first: "dogs", length: 3, batch: 4, padded_to: 4 });

function moments(values: number[]): [number, number] {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return [mean, values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length];
}

const is_member = (kind: number, padding: State["padding"]) => kind === 1 || (kind === 2 && padding === "counted");

function normalised(norm: Norm, padding: State["padding"], { x, present }: Batch): Float64Array {
  const out = new Float64Array(CELLS);
  const of_feature = (f: number): [number, number] => {
    if (norm === "eval") return [MEAN[f], STD[f] ** 2];
    const values: number[] = [];
    present.forEach((kind, at) => is_member(kind, padding) && values.push(x[at * N_FEATURES + f]));
    return moments(values);
  };
  const statistics = norm === "batch" || norm === "eval" ? MEAN.map((_, f) => of_feature(f)) : [];
  for (let at = 0; at < PLACES; at++) {
    if (present[at] === 0) continue;
    const token = x.subarray(at * N_FEATURES, (at + 1) * N_FEATURES);
    const [mean, variance] = moments([...token]);
    const square = token.reduce((a, b) => a + b * b, 0) / N_FEATURES;
    for (let f = 0; f < N_FEATURES; f++) {
      let [m, v] = statistics[f] ?? [mean, variance];
      if (norm === "rms") [m, v] = [0, square];
      out[at * N_FEATURES + f] = norm === "none" ? token[f] : (token[f] - m) / Math.sqrt(v + EPSILON);
    }
  }
  return out;
}

function sharing(norm: Norm, padding: State["padding"], { present }: Batch, chosen: number): Float64Array {
  const shared = new Float64Array(CELLS);
  const [place, feature] = [Math.floor(chosen / N_FEATURES), chosen % N_FEATURES];
  if (present[place] === 0) return shared;
  if (norm === "batch") {
    present.forEach((kind, at) => (shared[at * N_FEATURES + feature] = Number(is_member(kind, padding))));
  }
  if (norm === "layer" || norm === "rms") shared.fill(1, place * N_FEATURES, (place + 1) * N_FEATURES);
  return shared;
}

const sum = (values: Float64Array) => values.reduce((a, b) => a + b, 0);

export function compute(state: State) {
  const { norm, padding, which, position, feature } = state;
  const given = batch_of(state);
  const change = (n: Norm) => {
    const [before, after] = [normalised(n, padding, REFERENCE), normalised(n, padding, given)];
    const size = after.map((value, i) => {
      const at = Math.floor(i / N_FEATURES);
      return given.present[at] === 1 && REFERENCE.present[at] === 1 ? Math.abs(value - before[i]) : 0;
    });
    return { before, after, size };
  };
  const changes = NORMS.map(change);
  const { before, after, size } = changes[NORMS.indexOf(norm)];
  const has_moved = (sizes: Float64Array) => sizes.map((v) => Number(v > THRESHOLD));
  const of_a = (values: Float64Array) => values.subarray(0, CELLS_OF_ONE);
  const largest = (sizes: Float64Array) => of_a(sizes).reduce((a, b) => Math.max(a, b), 0);
  const moved = has_moved(size);
  const chosen = (NAMES.indexOf(which) * N_POSITIONS + position - 1) * N_FEATURES + feature - 1;
  const shared = sharing(norm, padding, given, chosen);
  return {
    before,
    after,
    moved,
    shared,
    present: given.present,
    moved_by_norm: Float64Array.from(changes, (one) => sum(has_moved(of_a(one.size)))),
    largest_by_norm: Float64Array.from(changes, (one) => largest(one.size)),
    chosen,
    chosen_before: before[chosen],
    chosen_after: after[chosen],
    n_shared: sum(shared),
    moved_a: sum(of_a(moved)),
    moved_others: sum(moved.subarray(CELLS_OF_ONE)),
    cells_a: N_FEATURES * SENTENCES[0].length,
    largest_a: largest(size),
  };
}

// ---- the picture

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const { width, em } = frame;
  const columns = width > 40 * em ? 2 : 1;
  const gap = 1.5 * em;
  const side = Math.floor((width - (columns - 1) * gap) / columns);
  return html`
    ${frame.controls("norm", "padding")}
    ${frame.controls("first", "length", "batch", "padded_to")}
    <div class="wf-row wf-batch">${NAMES.map((_, i) => grid(i, state, series, frame, side))}</div>
    <p class="wf-hint">${t("Framed: moved since the batch was “dogs bark loudly”, 4 sentences, 4 positions. Blue: enters the mean and the variance of the chosen cell. In brackets: padding.")}</p>
    ${chosen_cell(state, series)}
    <div class="wf-row">
      ${numbers_of_a(series, side, em)}
      <div style=${`width:${side}px`}>${by_norm(state, series)}</div>
    </div>
    ${frame.controls("which", "position", "feature")}`;
}

/** One sentence: a column for each position, a row for each feature. */
function grid(i: number, state: State, series: Series, frame: Frame, width: number): TemplateResult {
  const words = words_of(i, state);
  const positions = Array.from({ length: N_POSITIONS }, (_, p) => p);
  const kind = (p: number) => series.present[i * N_POSITIONS + p];
  const gone = kind(0) === 0;
  const title = gone
    ? t("sentence {name}, not in the batch", { name: NAMES[i] })
    : t("sentence {name}: {moved:d} of {cells:d} numbers moved", {
        name: NAMES[i],
        moved: moved_in(i, series),
        cells: N_FEATURES * words.length,
      });
  return html`<div style=${`width:${width}px`}>
    <div class="wf-panel-title">${title}</div>
    <table class="wf-reach wf-cells">
      <thead><tr><td></td>${positions.map(
        (p) => html`<th scope="col">${kind(p) === 1 ? t(words[p]) : kind(p) === 2 ? t("[pad]") : "\u00a0"}</th>`,
      )}</tr></thead>
      <tbody>${MEAN.map(
        (_, f) => html`<tr>
        <th scope="row">${f + 1}</th>
        ${positions.map((p) => cell((i * N_POSITIONS + p) * N_FEATURES + f, kind(p), series, frame))}
      </tr>`,
      )}</tbody>
    </table>
  </div>`;
}

function moved_in(i: number, series: Series): number {
  return sum(series.moved.subarray(i * CELLS_OF_ONE, (i + 1) * CELLS_OF_ONE));
}

function cell(at: number, kind: number, series: Series, frame: Frame): TemplateResult {
  const choose = () =>
    frame.set({
      which: NAMES[Math.floor(at / CELLS_OF_ONE)],
      position: Math.floor((at % CELLS_OF_ONE) / N_FEATURES) + 1,
      feature: (at % N_FEATURES) + 1,
    });
  const look = [
    kind === 0 ? "wf-nothing" : kind === 2 ? "wf-pad" : "",
    series.shared[at] ? "wf-sharing" : "",
    series.moved[at] ? "wf-moved" : "",
  ].join(" ");
  const value = number(series.after[at], ".1f").replace("−0.0", "0.0");
  return html`<td class=${look} aria-current=${at === series.chosen} @click=${choose}>${
    kind === 0 ? "" : kind === 2 ? `(${value})` : value
  }</td>`;
}

function chosen_cell(state: State, series: Series): TemplateResult {
  const kind = series.present[Math.floor(series.chosen / N_FEATURES)];
  const where = { which: state.which, position: state.position, feature: state.feature, ...series };
  const name = t("Chosen: sentence {which}, position {position}, feature {feature}.", where);
  const statistics = {
    batch: t(
      "Its mean and variance are those of feature {feature} over {n_shared} {n_shared:place|places} of the whole batch.",
      where,
    ),
    eval: t("Its mean and variance are fixed numbers, kept from training: no cell of this batch enters."),
    layer: t("Its mean and variance are those of the {n_shared} features of this one token.", where),
    rms: t(
      "It is divided by the root mean square of the {n_shared} features of this one token. No mean is taken off.",
      where,
    ),
    none: t("It is left as it is."),
  };
  if (kind === 0) return html`<p>${name} ${t("There is nothing at this place now.")}</p>`;
  const was_there = REFERENCE.present[Math.floor(series.chosen / N_FEATURES)] === kind;
  return html`<p>${name} ${statistics[state.norm]} ${
    was_there
      ? t("It was {chosen_before:.3f} and is {chosen_after:.3f}.", series)
      : t("It is {chosen_after:.3f}; in the batch as it was, this cell was not there.", series)
  }</p>`;
}

/** The 12 numbers of sentence A, before and now. */
function numbers_of_a(series: Series, width: number, em: number): TemplateResult {
  const n = series.cells_a;
  const title = t("The {cells_a} numbers of sentence A: ring before, dot now", series);
  return panel({ width, em, height: 14 * em, title, margin: { left: 2, bottom: 1.6 } }, (box) => {
    const x = scaleLinear([-0.7, n - 0.3], [box.left, box.right]);
    const y = scaleLinear([-4, 4], [box.bottom, box.top]).clamp(true);
    const slots = Array.from({ length: n }, (_, i) => i);
    const before = slots.map((i) => y(series.before[i]));
    const after = slots.map((i) => y(series.after[i]));
    const links = slots.map((i) => `M${x(i)},${before[i]}V${after[i]}`).join("");
    return svg`${y_axis(
      y,
      box,
      [-4, -2, 0, 2, 4].map((at) => ({ at, text: number(at, "d") })),
    )}
      ${SENTENCES[0].map((word, p) => svg`<text x=${x(p * N_FEATURES + 1.5)} y=${box.bottom + 1.2 * em} text-anchor="middle">${t(word)}</text>`)}
      <path class="wf-curve wf-unscaled" d=${links} />
      ${slots.map((i) => svg`<circle class="wf-ring" cx=${x(i)} cy=${before[i]} r=${0.36 * em} />`)}
      ${dots(slots.map(x), after, 0.24 * em, series.moved_a ? "wf-unscaled" : "wf-plain")}`;
  });
}

/** What the same change does under every norm. */
function by_norm(state: State, series: Series): TemplateResult {
  return html`<table class="wf-table">
    <thead><tr><th scope="col">${t("the same change under")}</th><th scope="col">${t("moves in A")}</th><th scope="col">${t("by up to")}</th></tr></thead>
    <tbody>${NORMS.map(
      (norm, i) => html`<tr aria-current=${norm === state.norm}>
      <th scope="row">${t(LABELS[i])}</th>
      <td>${t("{moved:d} of {cells:d}", { moved: series.moved_by_norm[i], cells: series.cells_a })}</td>
      <td>${number(series.largest_by_norm[i], ".2f")}</td>
    </tr>`,
    )}</tbody>
  </table>`;
}
