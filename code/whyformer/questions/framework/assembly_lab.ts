// The assembly lab. Twin of assembly_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { column, controls, note, row, table, wire } from "../../lab/picture/make.ts";
import type { Block, Box, Diagram, Given, Item, Label, Table, Wire } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { total } from "../../maths/sums.ts";

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

export type State = States["framework/assembly"];

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
  const parameters_of: Record<Name, number> = {
    embedding: vocabulary * d_model,
    positions: 0,
    self_attention: attention,
    masked_attention: attention,
    cross_attention: attention,
    add_norm: 2 * d_model,
    feed_forward: 2 * d_model * d_ff + d_ff + d_model,
    output: 0,
  };
  const flops_of: Record<Name, number> = {
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
  const parameters = each((name) => count[name] * parameters_of[name]);
  const flops = each((name) => count[name] * flops_of[name]);
  const [allParameters, allFlops] = [total(parameters), total(flops)];
  const here = BLOCKS.indexOf(block);
  const feed = BLOCKS.indexOf("feed_forward");
  const attentions = (values: Float64Array) => total(values.filter((_, i) => BLOCKS[i].endsWith("attention")));
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
    one_parameters: parameters_of[block],
    one_flops: flops_of[block],
    millions: allParameters / 1e6,
    gigaflops: allFlops / 1e9,
    parameters_percent: (100 * parameters[here]) / allParameters,
    flops_percent: (100 * flops[here]) / allFlops,
    attention_parameters: (100 * attentions(parameters)) / allParameters,
    attention_flops: (100 * attentions(flops)) / allFlops,
    feed_parameters: (100 * parameters[feed]) / allParameters,
    feed_flops: (100 * flops[feed]) / allFlops,
  };
}

// ---- the picture

type Words = "name" | "question" | "formula" | "says" | "chapter" | "chapter_title";
type Data = Record<Name, Record<Words, string> & { shapes: [string, string][] }>;

export function view(state: State, series: Series, { data, told }: Given): Block[] {
  const { n_heads, d_model } = state;
  return [
    controls("kind", "block"),
    row(diagram(state, data), column({}, ...card(state, series, data))),
    controls("d_model", "n_heads", "d_ff", "n_layers", "vocabulary", "n_tokens"),
    note(
      "heads",
      t(
        "{n_heads} {n_heads:head|heads} of dₖ = {d_k:.0f} {n_heads:has|share} the {d_model} columns of each attention matrix.",
        { n_heads, d_model, d_k: series.d_k },
      ),
      "hint",
    ),
    row(
      shares(
        "parameters",
        t("parameters: {millions:,.4g} million", series),
        series.parameters_share,
        state,
        series,
        data,
        told,
      ),
      shares(
        "operations",
        t("operations: {gigaflops:,.4g} billion", series),
        series.flops_share,
        state,
        series,
        data,
        true,
      ),
    ),
  ];
}

// Stacks from the bottom up, as data flows; a layer is what lies between the positions and the output.
const BELOW: Name[] = ["embedding", "positions"];
const FEED: Name[] = ["feed_forward", "add_norm"];
const ENCODER: Name[] = [...BELOW, "self_attention", "add_norm", ...FEED];
const decoder = (...cross: Name[]): Name[] => [...BELOW, "masked_attention", "add_norm", ...cross, ...FEED, "output"];
const STACKS: Record<State["kind"], Record<string, Name[]>> = {
  both: { encoder: ENCODER, decoder: decoder("cross_attention", "add_norm") },
  encoder: { encoder: [...ENCODER, "output"] },
  decoder: { decoder: decoder() },
};

// Units of the diagram: from block to block, a block, from stack to stack, and the margin round a layer.
const [STEP, HIGH, WIDE, STACK, MARGIN] = [2.7, 1.9, 9.6, 12, 0.4];

/** A name of its own for each block of a stack: an add & norm is named after what it adds to. */
const names = (blocks: Name[]): string[] =>
  blocks.map((block, i) => (block === "add_norm" ? `${block} of ${blocks[i - 1]}` : block));

/** Blocks as buttons, the frame of the layer that is repeated, wires up, and the residual path past each sub-layer. */
function diagram({ kind, block: chosen, n_layers }: State, data: Data): Diagram {
  const stacks = Object.entries(STACKS[kind]);
  const [width, height] = [stacks.length * STACK, Math.max(...stacks.map(([, blocks]) => blocks.length)) * STEP];
  const [boxes, wires, labels]: [Box[], Wire[], Label[]] = [[], [], []];
  const x = (at: number) => at * STACK + 1.6;
  const y = (i: number) => height - HIGH - MARGIN - i * STEP;
  const top = (blocks: Name[]) => y(blocks.lastIndexOf("add_norm")) - MARGIN;
  stacks.forEach(([stack, blocks], at) => {
    const [left, middle, side] = [x(at), x(at) + WIDE / 2, x(at) - 0.5];
    const high = y(BELOW.length) + HIGH + MARGIN - top(blocks);
    const layer = { x: left - 0.9, y: top(blocks), width: WIDE + 1.5, height: high };
    boxes.push({ name: `${stack} layer`, look: "frame", text: "", ...layer });
    const times = { text: t("{n_layers} ×", { n_layers }), anchor: "end" } as const;
    labels.push({ name: `${stack} times`, x: left - 0.1, y: top(blocks) - 0.65, ...times });
    const named = names(blocks);
    blocks.forEach((block, i) => {
      const place = { x: left, y: y(i), width: WIDE, height: HIGH };
      const button = { text: t(data[block].name), pressed: block === chosen, set: { block } };
      boxes.push({ name: `${stack} ${named[i]}`, look: "block", ...place, ...button });
      if (i > 0) wires.push(wire(`${stack} into ${named[i]}`, [middle, y(i - 1)], [middle, y(i) + HIGH]));
      const [start, end] = [y(i - 1) + HIGH + MARGIN, y(i) + HIGH / 2];
      if (block === "add_norm")
        wires.push(wire(`${stack} past ${named[i - 1]}`, [middle, start], [side, start], [side, end], [left, end]));
    });
  });
  if (kind === "both") {
    // From the encoder's top to the decoder's cross-attention: the keys and the values.
    const [middle, start, between] = [x(0) + WIDE / 2, top(ENCODER) - MARGIN, STACK + 0.15];
    const end = y(STACKS.both.decoder.indexOf("cross_attention")) + HIGH / 2;
    const up: Wire["points"][0] = [middle, start + 2 * MARGIN];
    const path = wire("K, V", up, [middle, start], [between, start], [between, end], [x(1), end]);
    wires.push({ ...path, colour: "ink", thick: 0.18 });
    const words = { text: t("K, V"), anchor: "end", colour: "ink", bold: true } as const;
    labels.push({ name: "K, V: name", x: between - 0.3, y: start - 0.65, ...words });
  }
  return { kind: "diagram", name: "model", width, height, least: width, most: width, boxes, wires, labels };
}

/** What is to be known of the chosen block. */
function card({ block, n_heads, d_model, ...sizes }: State, series: Series, data: Data): Block[] {
  const { name, question, formula, shapes, says, chapter, chapter_title } = data[block];
  const gaps = { ...sizes, n_heads, d_model, d_k: series.d_k, width: series.width };
  const rows = [
    ...shapes.map(([what, shape]) => [t(what), t(shape, gaps)]),
    [t("parameters of one"), number(series.one_parameters, ",d")],
    [t("operations of one"), number(series.one_flops, ".3g")],
    [t("how many"), series.times === 0 ? t("none in this model") : number(series.times, ",d")],
  ];
  const link = { text: t(chapter_title), href: `${chapter}.html` };
  const refused = t(
    "{d_model} is not a multiple of {n_heads} heads: with dₖ = {d_k:.0f} the heads cover {width:.0f}. Most code refuses this.",
    gaps,
  );
  return [
    note("block", t(name), "title"),
    note("question", t(question), "question"),
    note("formula", t(formula), "formula"),
    table("sizes", rows),
    note("says", t(says)),
    ...(chapter ? [{ ...note("chapter", t("It has a chapter:")), link }] : []),
    ...(series.left_over ? [note("left over", refused, "warning")] : []),
  ];
}

/** How the whole is shared out; until that is told, only how often each block stands in the model. */
function shares(
  name: string,
  title: string,
  values: Float64Array,
  state: State,
  series: Series,
  data: Data,
  told: boolean,
): Table {
  const rows = BLOCKS.map((block, i): Item[] => {
    const bar = { bar: told ? values[i] : 0, colour: block === state.block ? "ink" : "soft" } as const;
    return [t(data[block].name), bar, told ? number(values[i], ".1%") : t("× {times}", { times: series.instances[i] })];
  });
  return table(name, rows, BLOCKS.indexOf(state.block), { title, numeric: [2] });
}
