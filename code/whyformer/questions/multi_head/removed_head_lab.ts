// The removed-head lab. Twin of removed_head_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { median } from "d3-array";
import { column, controls, dots, grid, legend, note, plot, rings, row } from "../../lab/picture/make.ts";
import type { Axis, Block, Cell, Plot } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";

const [N_LAYERS, N_HEADS] = [6, 12];

type Quantity = State["quantity"];

export type State = States["multi_head/removed_head"];

type Data = Record<Quantity | "lost", number[][]>;

export type Series = ReturnType<typeof compute>;

function ranks(values: Float64Array): Float64Array {
  return values.map((value) => {
    let [below, equal] = [0, 0];
    for (const other of values) {
      if (other < value) below++;
      if (other === value) equal++;
    }
    return below + (equal + 1) / 2;
  });
}

function rank_correlation(one: Float64Array, other: Float64Array): number {
  const [a, b] = [one, other].map((values) => ranks(values).map((rank) => rank - (values.length + 1) / 2));
  const product = (x: Float64Array, y: Float64Array) => x.reduce((sum, v, i) => sum + v * y[i], 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}

export function compute({ layer, head, quantity }: State, data: Data) {
  const lost = Float64Array.from(data.lost.flat(), (value) => 1000 * value);
  const values = Float64Array.from(data[quantity].flat());
  const chosen = N_HEADS * (layer - 1) + head - 1;
  const early = N_HEADS * (N_LAYERS - 1);
  const row = [N_HEADS * (layer - 1), N_HEADS * layer] as const;
  return {
    lost,
    values,
    lost_in_layer: lost.slice(...row),
    values_in_layer: values.slice(...row),
    chosen,
    lost_here: lost[chosen],
    cosine_here: 1 - lost[chosen] / 1000,
    value_here: values[chosen],
    place: lost.filter((value) => value > lost[chosen]).length + 1,
    median_of_layer: median(lost.subarray(...row))!,
    correlation: rank_correlation(values.subarray(0, early), lost.subarray(0, early)),
  };
}

// ---- the picture

const [LAYERS, HEADS] = [N_LAYERS, N_HEADS].map((n) => Array.from({ length: n }, (_, i) => i + 1));
const AXES: Record<Quantity, Axis & { label: string }> = {
  entropy: { domain: [0, 2.5], ticks: [0, 1, 2], label: "entropy of its rows, nats" },
  first: { domain: [0, 1], ticks: [0, 0.5, 1], label: "its weight on the first token" },
  distance: { domain: [0, 1], ticks: [0, 0.5, 1], label: "distance from its layer's other maps" },
  value: { domain: [0, 1.2], ticks: [0, 0.5, 1], label: "length of the first token's value" },
};

export function view(state: State, series: Series): Block[] {
  const half = t(
    "Layer {layer}: half of its heads lose less than {median_of_layer:.1f}. Measured on 200 sentences, to 0.1.",
    { layer: state.layer, ...series },
  );
  const [early, late] = [t("layers 1 to 5"), t("layer 6")];
  const layers = legend("layers", { text: early, colour: "scaled" }, { text: late, colour: "theory" });
  const heads = scatter(state, series);
  const cell = (layer: number, head: number): Cell => {
    const lost = series.lost[(layer - 1) * N_HEADS + head - 1];
    const [text, strength] = [number(lost, lost < 9.95 ? ".1f" : ".0f"), 0.5 * Math.sqrt(lost / 40)];
    const frame = state.layer === layer && state.head === head ? "ink" : undefined;
    return { text, tint: "unscaled", strength, frame, set: { layer, head } }; // a click removes the head
  };
  const title = t("Lost without this head alone: 1000 · (1 − cosine)");
  const rows = LAYERS.map((i) => t("layer {i}", { i }));
  const cells = LAYERS.map((layer) => HEADS.map((head) => cell(layer, head)));
  const losses = grid("losses", HEADS.map(String), rows, cells, { title });
  return [
    row(column({ least: 24 }, losses, note("half", half, "hint")), column({ most: 20 }, heads, layers)),
    controls("layer", "head", "quantity"),
  ];
}

/** All heads: what is lost, over the chosen quantity. */
function scatter({ quantity }: State, { values, lost, chosen, correlation }: Series): Plot {
  const early = N_HEADS * (N_LAYERS - 1);
  const part = (from: number, to?: number) => [values.subarray(from, to), lost.subarray(from, to)] as const;
  const marks = [
    dots("layers 1 to 5", "scaled", ...part(0, early)),
    dots("layer 6", "theory", ...part(early)),
    rings("chosen", "ink", ...part(chosen, chosen + 1), 0.55),
  ];
  const title = t("Blue dots: rank correlation {correlation:.2f}", { correlation });
  const x = { ...AXES[quantity], label: t(AXES[quantity].label) };
  const y: Axis = { scale: "log", domain: [0.3, 60], ticks: [1, 10], label: t("lost") };
  return plot("heads", title, 12.5, x, y, marks, { colour: "scaled" });
}
