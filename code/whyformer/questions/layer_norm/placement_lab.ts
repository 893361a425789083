// The placement lab. Twin of placement_lab.py: same series, same names, same order.

import type { Control } from "../../lab/declaration.ts";
import type { States } from "../../lab/declared.ts";
import { median } from "d3-array";
import { controls, dots, here, legend, line, note, plot, row, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Look, Mark, Plot } from "../../lab/picture/picture.ts";
import { t } from "../../lab/words.ts";
import { at_once } from "../../maths/pieces.ts";
import { normals, stream } from "../../maths/random.ts";
import { backward, D, forward, MOST, TOKENS, type Draw, type Gradients, type Place, type Stack } from "./stacks.ts";

const DRAWS = 5;
const DEPTHS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];
const STREAMS = 2 * MOST + 2;

export type State = States["layer_norm/placement"];

export type Series = ReturnType<typeof compute>;

/** Parts of the variance 1/fan-in: of feed-forward matrices, of queries, keys and values, of attention's output. */
const PART = { fan_in: [1, 1, 1], pytorch: [1 / 3, 1 / 2, 1 / 3] };

function weights(seed: number, attention: boolean, start: State["start"]): Draw[] {
  const [feed, of_heads, of_output] = PART[start].map(Math.sqrt);
  return Array.from({ length: DRAWS }, (_, i) => {
    const at = (index: number, part = 1) => normals(stream(seed, index), D * D).map((v) => (part * v) / Math.sqrt(D));
    const matrix = (index: number, part = 1) => at(STREAMS * i + index, part);
    const beyond = (index: number, part: number) => at(DRAWS * STREAMS + index, part);
    const layers = Array.from({ length: MOST }, (_, layer) => layer);
    return {
      x: normals(stream(seed, STREAMS * i), TOKENS * D),
      readout: matrix(1),
      w1: layers.map((layer) => matrix(2 + 2 * layer, feed)),
      w2: layers.map((layer) => matrix(3 + 2 * layer, feed)),
      attention: attention
        ? layers.map((layer) =>
            [0, 1, 2, 3].map((k) => beyond(4 * (MOST * i + layer) + k, k < 3 ? of_heads : of_output)),
          )
        : undefined,
    };
  });
}

interface Kept {
  stacks: Stack[];
  last: number[][]; // by draw and depth
  gradients: Map<number, Gradients[]>; // by number of layers
}

/** The stacks of the last few draws, so that sliding the depth to and fro costs little. */
const kept = new Map<string, Record<Place, Kept>>();
const MOST_KEPT = 4;

/** The stacks of one seed, in pieces that a page can take while it rests. */
function* made(seed: number, inside: State["inside"], start: State["start"]): Generator<void, Record<Place, Kept>> {
  const name = `${seed} ${inside} ${start}`;
  const found = kept.get(name);
  if (found) return found;
  const normed = weights(seed, inside === "both", start);
  const bare = normed.map((draw) => ({ ...draw, attention: undefined }));
  const make = (place: Place): Kept => {
    const stacks = (place === "none" ? bare : normed).map((draw) => forward(place, draw));
    const last = stacks.map((stack) => DEPTHS.map((depth) => backward(stack, depth, depth - 1).at_matrix[0]));
    return { stacks, last, gradients: new Map() };
  };
  yield;
  const post = make("post");
  yield;
  const pre = make("pre");
  yield;
  const places = { post, pre, none: make("none") };
  if (kept.size === MOST_KEPT) kept.delete(kept.keys().next().value!);
  kept.set(name, places);
  return places;
}

/** The next draw, while the reader rests: then the button finds it. */
export function* ahead(state: State, control: (name: string) => Control) {
  yield* made((state.seed + 1) % (control("seed").max! + 1), state.inside, state.start);
}

export function compute({ n_layers, inside, start, quantity, seed }: State) {
  const places = at_once(made(seed, inside, start));
  const of = (place: Place) => {
    const { stacks, last, gradients } = places[place];
    const runs = gradients.get(n_layers) ?? stacks.map((stack) => backward(stack, n_layers));
    gradients.set(n_layers, runs);
    return {
      scale: Float64Array.from(stacks.flatMap((one) => one.scale.slice(0, n_layers + 1))),
      gradient: Float64Array.from(runs.flatMap((one) => (quantity === "matrix" ? one.at_matrix : one.at_stream))),
      last: Float64Array.from(last.flat()),
      end: median(stacks, (one) => one.scale[n_layers])!,
      first: median(runs, (one) => one.at_matrix[0])!,
      output: median(runs, (one) => one.at_matrix.at(-1))!,
      spread: Math.max(...runs.map((one) => one.at_matrix[0])) / Math.min(...runs.map((one) => one.at_matrix[0])),
    };
  };
  const [post, pre, none] = [of("post"), of("pre"), of("none")];
  return {
    layers: Float64Array.from({ length: n_layers + 1 }, (_, i) => i),
    depths: Float64Array.from(DEPTHS),
    scale_post: post.scale,
    gradient_post: post.gradient,
    last_post: post.last,
    end_post: post.end,
    first_post: post.first,
    output_post: post.output,
    spread_post: post.spread,
    scale_pre: pre.scale,
    gradient_pre: pre.gradient,
    last_pre: pre.last,
    end_pre: pre.end,
    first_pre: pre.first,
    output_pre: pre.output,
    spread_pre: pre.spread,
    scale_none: none.scale,
    gradient_none: none.gradient,
    last_none: none.last,
    end_none: none.end,
    first_none: none.first,
    output_none: none.output,
    spread_none: none.spread,
  };
}

// ---- the picture

const NAMES: Record<Place, string> = {
  post: "post-norm: LN(x + f(x))",
  pre: "pre-norm: x + f(LN(x))",
  none: "no norm: x + f(x)",
};
/** One hue for what is drawn, a style of line for the place: dotted before the sub-layer, dashed where no norm stands. */
const LOOKS: Record<Place, Look[]> = { post: [], pre: ["dotted"], none: ["dashed"] };
const LAYERS: Axis = { domain: [0, MOST], ticks: [0, 4, 8, 16, 24, 32] };

export function view(state: State, series: Series): Block[] {
  const names = state.inside === "both" ? { ...NAMES, none: "no norm, and no attention" } : NAMES;
  const places = (Object.keys(names) as Place[]).map((place) => ({
    text: t(names[place]),
    colour: "ink" as Colour,
    look: LOOKS[place],
  }));
  return [
    controls("n_layers", "inside", "start", "quantity", "seed"),
    legend("legend", ...places, { text: t("thin: one draw of weights; thick: the median of five") }),
    row(gradients(state, series), scales(series)),
    row(last_by_depth(state, series), note("verdict", verdict(series), "aside")),
  ];
}

function verdict(series: Series): string {
  const ratio = series.output_post / series.output_pre;
  return ratio > 1.5
    ? t(
        "At the last W₂ post-norm has {ratio:.1f} times the gradient of pre-norm; at the first {first:.1f} times. Pre-norm's stream has grown to {end_pre:.1f}, and its last norm divides the gradient by as much.",
        { ratio, first: series.first_post / series.first_pre, end_pre: series.end_pre },
      )
    : t(
        "In so shallow a stack the place of the norm makes little difference: {output_post:.2f} and {output_pre:.2f} at the last W₂.",
        series,
      );
}

function gradients({ quantity }: State, series: Series): Plot {
  const matrix = quantity === "matrix";
  const x = series.layers.subarray(matrix ? 1 : 0);
  const above = Math.max(...series.gradient_none);
  const title = matrix ? t("Gradient at W₂, by layer") : t("Gradient at what enters a layer");
  const axis = { ...LAYERS, label: matrix ? t("layer") : t("layers before it") };
  const beyond = texts("above", "soft", ["left"], ["top"], [t("no norm: above, up to {above:.0f}", { above })]);
  return plot("gradient", title, 14.5, axis, { scale: "log", domain: [0.003, 10], ticks: [0.01, 0.1, 1, 10] }, [
    ...curves("gradient", "none", x, series.gradient_none, t("no norm")),
    ...curves("gradient", "post", x, series.gradient_post, t("post-norm")),
    ...curves("gradient", "pre", x, series.gradient_pre, t("pre-norm")),
    ...(above > 10 ? [beyond] : []),
  ]);
}

function scales({ layers, scale_none, scale_post, scale_pre }: Series): Plot {
  const y: Axis = { scale: "log", domain: [0.5, 3000], ticks: [1, 10, 100, 1000] };
  const title = t("Root mean square of the stream, by layer");
  return plot("scale", title, 14.5, { ...LAYERS, label: t("layer") }, y, [
    ...curves("ink", "none", layers, scale_none, t("no norm")),
    ...curves("ink", "post", layers, scale_post, t("post-norm")),
    ...curves("ink", "pre", layers, scale_pre, t("pre-norm")),
  ]);
}

/** The gradient at the last matrix against the depth of the stack; thin: the law of line 6, without attention. */
function last_by_depth({ n_layers, inside, start: scale }: State, { depths, last_post, last_pre }: Series): Plot {
  const start = middle_of(last_pre, DEPTHS.length)[0];
  const added = PART[scale][0] ** 2 / 2; // to the mean square, by each layer
  const expected = DEPTHS.map((depth) => start * Math.sqrt((1 + added) / (1 + added * depth)));
  const law = line("expected", "soft", DEPTHS, expected, { look: ["thin"], label: t("expected") });
  const x: Axis = { scale: "log", domain: [1, MOST], ticks: [1, 2, 4, 8, 16, 32], label: t("layers in the stack") };
  const title = t("Gradient at the last W₂, by depth of the stack");
  return plot("last", title, 10.5, x, { scale: "log", domain: [0.05, 3], ticks: [0.1, 1] }, [
    here("n_layers", n_layers),
    ...(inside === "feed" ? [law] : []),
    ...curves("gradient", "post", depths, last_post, t("post-norm")),
    ...curves("gradient", "pre", depths, last_pre, t("pre-norm")),
  ]);
}

/** The median over the draws of (draws, n) values. */
function middle_of(values: Float64Array, n: number): Float64Array {
  return Float64Array.from({ length: n }, (_, i) =>
    median(Array.from({ length: DRAWS }, (_, draw) => values[draw * n + i]))!,
  );
}

/** Each draw and the median; few points stand as dots too. */
function curves(colour: Colour, place: Place, x: Float64Array, values: Float64Array, label?: string): Mark[] {
  const n = x.length;
  const y = middle_of(values, n);
  const draws = Array.from({ length: DRAWS }, (_, i) =>
    line(`${place}: draw ${i + 1}`, colour, x, values.subarray(i * n, (i + 1) * n), {
      look: ["thin", ...LOOKS[place]],
    }),
  );
  const median_line = line(`${place}: median`, colour, x, y, { look: ["thick", ...LOOKS[place]], label });
  return [
    ...draws,
    median_line,
    ...(n < 6 ? [dots(`${place}: dots`, colour, x, y, { size: 0.28, look: LOOKS[place] })] : []),
  ];
}
