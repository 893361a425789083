// The assembly lab. Twin of assembly_lab.py: same series, same names, same order.

import { html, nothing, svg, type TemplateResult } from "lit-html";
import type { Frame } from "../../lab/frame.ts";
import { wire_tips } from "../../lab/marks/shapes.ts";
import { number, t } from "../../lab/words.ts";

const BLOCKS = [
  "embedding",
  "positions",
  "self_attention",
  "masked_attention",
  "cross_attention",
  "add_norm",
  "feed_forward",
  "output",
] as const;

type Name = (typeof BLOCKS)[number];

export interface State {
  kind: "both" | "encoder" | "decoder";
  block: Name;
  d_model: number;
  n_heads: number;
  d_ff: number;
  n_layers: number;
  vocabulary: number;
  n_tokens: number;
}

export type Series = ReturnType<typeof compute>;

export function compute(state: State) {
  const { kind, block, d_model, n_heads, d_ff, n_layers, vocabulary, n_tokens } = state;
  const d_k = Math.floor(d_model / n_heads);
  const width = n_heads * d_k;
  const [encoders, decoders] = [kind === "decoder" ? 0 : n_layers, kind === "encoder" ? 0 : n_layers];
  const crossed = kind === "both" ? n_layers : 0;
  const count: Record<Name, number> = {
    embedding: 1,
    positions: kind === "both" ? 2 : 1,
    self_attention: encoders,
    masked_attention: decoders,
    cross_attention: crossed,
    add_norm: 2 * encoders + 2 * decoders + crossed,
    feed_forward: encoders + decoders,
    output: 1,
  };
  const attention = 4 * d_model * width;
  const products = 8 * n_tokens * d_model * width + 4 * n_tokens ** 2 * width;
  const parametersOf: Record<Name, number> = {
    embedding: vocabulary * d_model,
    positions: 0,
    self_attention: attention,
    masked_attention: attention,
    cross_attention: attention,
    add_norm: 2 * d_model,
    feed_forward: 2 * d_model * d_ff + d_ff + d_model,
    output: 0,
  };
  const flopsOf: Record<Name, number> = {
    embedding: 0,
    positions: 0,
    self_attention: products,
    masked_attention: products,
    cross_attention: products,
    add_norm: 0,
    feed_forward: 4 * n_tokens * d_model * d_ff,
    output: 2 * n_tokens * d_model * vocabulary,
  };
  const each = (f: (name: Name) => number) => Float64Array.from(BLOCKS, f);
  const parameters = each((name) => count[name] * parametersOf[name]);
  const flops = each((name) => count[name] * flopsOf[name]);
  const total = (values: Float64Array) => values.reduce((a, b) => a + b);
  const [allParameters, allFlops] = [total(parameters), total(flops)];
  const here = BLOCKS.indexOf(block);
  return {
    instances: each((name) => count[name]),
    parameters,
    flops,
    parameters_share: parameters.map((v) => v / allParameters),
    flops_share: flops.map((v) => v / allFlops),
    d_k,
    width,
    left_over: d_model - width,
    chosen: here,
    times: count[block],
    one_parameters: parametersOf[block],
    one_flops: flopsOf[block],
    millions: allParameters / 1e6,
    gigaflops: allFlops / 1e9,
    parameters_percent: (100 * parameters[here]) / allParameters,
    flops_percent: (100 * flops[here]) / allFlops,
  };
}

// ---- the picture

interface Block {
  name: string;
  question: string;
  formula: string;
  shapes: [string, string][];
  says: string;
  chapter: string;
  chapter_title: string;
}

type Data = Record<Name, Block>;

export function view(state: State, series: Series, frame: Frame): TemplateResult {
  const { width, em } = frame;
  const wide = width > 40 * em;
  return html`
    ${frame.controls("kind", "block")}
    <div class="wf-row">
      ${diagram(state, frame)}
      <div class="wf-card" style=${`width:${wide ? width - 26 * em : width}px`}>${card(state, series, frame)}</div>
    </div>
    ${frame.controls("d_model", "n_heads", "d_ff", "n_layers", "vocabulary", "n_tokens")}
    <p class="wf-hint">${t(
      "{n_heads} {n_heads:head|heads} of dₖ = {d_k:.0f} {n_heads:has|share} the {d_model} columns of each attention matrix.",
      { n_heads: state.n_heads, d_model: state.d_model, d_k: series.d_k },
    )}</p>
    <div class="wf-row">
      ${shares(t("parameters: {millions:,.4g} million", series), series.parameters_share, state, frame, wide)}
      ${shares(t("operations: {gigaflops:,.4g} billion", series), series.flops_share, state, frame, wide)}
    </div>`;
}

/** From the bottom up, as data flows; `null` marks where a layer that is repeated begins and ends. */
const ENCODER: (Name | null)[] = [
  "embedding",
  "positions",
  null,
  "self_attention",
  "add_norm",
  "feed_forward",
  "add_norm",
  null,
];
const DECODER: (Name | null)[] = [
  "embedding",
  "positions",
  null,
  "masked_attention",
  "add_norm",
  "cross_attention",
  "add_norm",
  "feed_forward",
  "add_norm",
  null,
  "output",
];
const ROW = 2.7; // em from block to block
const HIGH = 1.9; // em of a block
const COLUMN = 12; // em from column to column
const WIDE = 9.6; // em of a block

function diagram(state: State, frame: Frame): TemplateResult {
  const { kind, block } = state;
  const decoder = kind === "decoder" ? DECODER.filter((_, i) => i !== 5 && i !== 6) : DECODER;
  const encoder: (Name | null)[] = kind === "encoder" ? [...ENCODER, "output"] : ENCODER;
  const columns = kind === "both" ? [encoder, decoder] : [kind === "encoder" ? encoder : decoder];
  const rows = Math.max(...columns.map((column) => column.filter(Boolean).length));
  const height = rows * ROW + 1.4;
  const width = columns.length * COLUMN;
  const em = Math.min(frame.em, frame.width / width); // a narrow screen shrinks the whole
  const places = columns.map((column, at) => place(column, at, height));
  return html`<div class="wf-diagram" style=${`width:${width * em}px;height:${height * em}px`}>
    <svg aria-hidden="true" width=${width * em} height=${height * em} viewBox=${`0 0 ${width} ${height}`}>
      ${wire_tips()}
      ${places.map((column) => wires(column))}
      ${kind === "both" ? bridge(places) : nothing}
    </svg>
    ${places.map(
      ({ boxes, repeat }) => html`
      ${boxes.map(
        ({ name, x, y }) => html`<button type="button" class="wf-block" aria-pressed=${block === name}
        style=${`left:${x * em}px;top:${y * em}px;width:${WIDE * em}px;height:${HIGH * em}px;font-size:${0.82 * em}px`}
        @click=${() => frame.set({ block: name })}>${t((frame.data as Data)[name].name)}</button>`,
      )}
      <span class="wf-repeat" style=${`left:${repeat.x * em}px;top:${repeat.y * em}px;font-size:${0.9 * em}px`}>${t("{n_layers} ×", { ...state })}</span>`,
    )}
  </div>`;
}

interface Place {
  boxes: { name: Name; x: number; y: number }[];
  repeat: { x: number; y: number; top: number; bottom: number };
}

function place(column: (Name | null)[], at: number, height: number): Place {
  const boxes: Place["boxes"] = [];
  const edges: number[] = [];
  let y = height - ROW;
  for (const name of column) {
    if (name === null) {
      edges.push(y + HIGH + 0.4);
      continue;
    }
    boxes.push({ name, x: at * COLUMN + 1.4, y });
    y -= ROW;
  }
  const [bottom, top] = edges;
  return { boxes, repeat: { x: at * COLUMN + 0.6, y: top - 1.4, top, bottom } };
}

/** Upward wires, the residual path round each sub-layer, and the frame of the repeated layer. */
function wires({ boxes, repeat }: Place) {
  const middle = (x: number) => x + WIDE / 2;
  return svg`
    <rect class="wf-layer" x=${boxes[0].x - 0.9} y=${repeat.top} width=${WIDE + 1.5} height=${repeat.bottom - repeat.top} rx="0.5" />
    ${boxes.map(({ name, x, y }, i) => {
      const below = boxes[i - 1];
      const wire = below ? svg`<path class="wf-wire" d=${`M${middle(x)},${below.y}V${y + HIGH}`} />` : nothing;
      if (name !== "add_norm") return wire;
      const from = below.y + HIGH + 0.4;
      const side = x - 0.5;
      return svg`${wire}<path class="wf-wire" d=${`M${middle(x)},${from}H${side}V${y + HIGH / 2}H${x}`} />`;
    })}`;
}

/** From the encoder's top to the decoder's cross-attention: the keys and the values. */
function bridge([encoder, decoder]: Place[]) {
  const last = encoder.boxes.at(-1)!;
  const cross = decoder.boxes.find(({ name }) => name === "cross_attention")!;
  const x = last.x + WIDE / 2;
  const top = encoder.repeat.top - 0.4;
  const between = COLUMN + 0.15;
  const y = cross.y + HIGH / 2;
  return svg`<path class="wf-wire wf-bridge" d=${`M${x},${last.y}V${top}H${between}V${y}H${cross.x}`} />
    <text class="wf-wire-label" x=${between - 0.3} y=${top - 0.35} text-anchor="end" style="font-size:0.85px">${t("K, V")}</text>`;
}

function card({ block, n_heads, d_model, ...sizes }: State, series: Series, frame: Frame): TemplateResult {
  const found = (frame.data as Data)[block];
  const gaps = { ...sizes, n_heads, d_model, d_k: series.d_k, width: series.width };
  return html`
    <div class="wf-card-title">${t(found.name)}</div>
    <p class="wf-question">${t(found.question)}</p>
    <p class="wf-formula">${t(found.formula)}</p>
    <table class="wf-table"><tbody>
      ${found.shapes.map(([what, shape]) => html`<tr><th scope="row">${t(what)}</th><td>${t(shape, gaps)}</td></tr>`)}
      <tr><th scope="row">${t("parameters of one")}</th><td>${number(series.one_parameters, ",d")}</td></tr>
      <tr><th scope="row">${t("operations of one")}</th><td>${number(series.one_flops, ".3g")}</td></tr>
      <tr><th scope="row">${t("how many")}</th><td>${series.times === 0 ? t("none in this model") : number(series.times, ",d")}</td></tr>
    </tbody></table>
    <p>${t(found.says)}</p>
    ${found.chapter ? html`<p>${t("It has a chapter:")} <a href=${`${found.chapter}.html`}>${t(found.chapter_title)}</a></p>` : nothing}
    ${
      series.left_over
        ? html`<p class="wf-warning">${t(
            "{d_model} is not a multiple of {n_heads} heads: with dₖ = {d_k:.0f} the heads cover {width:.0f}. Most code refuses this.",
            gaps,
          )}</p>`
        : nothing
    }`;
}

function shares(title: string, values: Float64Array, state: State, frame: Frame, wide: boolean): TemplateResult {
  const { em } = frame;
  const width = wide ? (frame.width - 1.5 * em) / 2 : frame.width;
  return html`<div class="wf-panel" style=${`width:${width}px`}>
    <div class="wf-panel-title">${title}</div>
    <table class="wf-shares"><tbody>${BLOCKS.map(
      (name, i) => html`<tr aria-current=${state.block === name}>
      <th scope="row">${t((frame.data as Data)[name].name)}</th>
      <td><span style=${`width:${100 * values[i]}%`}></span></td>
      <td>${number(100 * values[i], ".1f")} %</td>
    </tr>`,
    )}</tbody></table>
  </div>`;
}
