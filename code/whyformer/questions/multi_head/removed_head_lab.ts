// The removed-head lab. Twin of removed_head_lab.py: same series, same names, same order.

import { multi_head_removed_head, multi_head_removed_head_controls, type States } from "../../lab/declared.ts";
import { bars, column, controls, dots, grid, legend, plot, rings, row } from "../../lab/picture/make.ts";
import type { Axis, Block, Cell, Colour, Plot } from "../../lab/picture/picture.ts";
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

export function compute({ layer, head, quantity, cells }: State, data: Data) {
  const lost = Float64Array.from(data.lost.flat(), (value) => 1000 * value);
  const values = Float64Array.from(data[quantity].flat());
  const chosen = N_HEADS * (layer - 1) + head - 1;
  const early = N_HEADS * (N_LAYERS - 1);
  const row = (values: Float64Array, at: number) => values.slice(N_HEADS * (at - 1), N_HEADS * at);
  const by_layer = Float64Array.from({ length: N_LAYERS }, (_, i) =>
    rank_correlation(row(values, i + 1), row(lost, i + 1)),
  );
  const before = by_layer.slice(0, -1);
  const place = (values: Float64Array, value: number) => values.filter((other) => other > value).length + 1;
  return {
    lost,
    values,
    shown: cells === "lost" ? lost : values,
    lost_in_layer: row(lost, layer),
    values_in_layer: row(values, layer),
    chosen,
    lost_here: lost[chosen],
    cosine_here: 1 - lost[chosen] / 1000,
    value_here: values[chosen],
    place: place(lost, lost[chosen]),
    place_in_layer: place(row(lost, layer), lost[chosen]),
    place_of_value: place(values, values[chosen]),
    correlation: rank_correlation(values.subarray(0, early), lost.subarray(0, early)),
    by_layer,
    within: before.reduce((sum, value) => sum + value, 0) / before.length,
    highest_early: Math.max(...before),
    lowest_early: Math.min(...before),
    most_early: Math.max(...lost.subarray(0, early)),
    least_late: Math.min(...lost.subarray(early)),
  };
}

// ---- the picture

const [LAYERS, HEADS] = [N_LAYERS, N_HEADS].map((n) => Array.from({ length: n }, (_, i) => i + 1));
const LABELS = multi_head_removed_head.quantity;
const AXES: Record<Quantity, Axis> = {
  entropy: { domain: [0, 2.5], ticks: [0, 1, 2] },
  first: { domain: [0, 1], ticks: [0, 0.5, 1] },
  largest: { domain: [0, 1], ticks: [0, 0.5, 1] },
  distance: { domain: [0, 1], ticks: [0, 0.5, 1] },
  value: { domain: [0, 1.2], ticks: [0, 0.5, 1] },
};

export function view(state: State, series: Series): Block[] {
  const [early, late] = [t("layers 1 to 5"), t("layer 6")];
  const layers = legend("layers", { text: early, colour: "ink" }, { text: late, colour: "soft" });
  const heads = scatter(state, series);
  const most = AXES[state.quantity].domain[1];
  const cell = (layer: number, head: number): Cell => {
    const value = series.shown[(layer - 1) * N_HEADS + head - 1];
    const frame: Colour | undefined = state.layer === layer && state.head === head ? "ink" : undefined;
    const at = { frame, set: { layer, head } }; // a click removes the head
    if (state.cells === "maps")
      return { text: number(100 * value, ".0f"), tint: "score", strength: (0.5 * value) / most, ...at };
    const text = number(value, value < 9.95 ? ".1f" : ".0f");
    return { text, tint: "soft", strength: 0.5 * Math.sqrt(value / 40), ...at };
  };
  const title =
    state.cells === "maps"
      ? t("By head: 100 · {shown}", { shown: t(LABELS[state.quantity]) })
      : t("Lost without this head alone: 1000 · (1 − cosine)");
  const rows = LAYERS.map((i) => t("layer {i}", { i }));
  const cells = LAYERS.map((layer) => HEADS.map((head) => cell(layer, head)));
  return [
    row(
      { ...grid("cells", HEADS.map(String), rows, cells, { title }), least: 24 },
      column({ least: 14 }, heads, layers),
      by_layer(series),
    ),
    controls("cells", "layer", "head", "quantity"),
  ];
}

/** The rank correlation of the quantity and the loss in each layer alone. */
function by_layer({ by_layer, within }: Series): Plot {
  const x: Axis = { domain: [0.5, N_LAYERS + 0.5], ticks: LAYERS, label: t(multi_head_removed_head_controls.layer) };
  const y: Axis = { domain: [-1, 1], ticks: [-1, -0.5, 0, 0.5, 1], label: t("rank correlation with the loss") };
  const title = t("In each layer; layers 1 to 5 on average {within:.2f}", { within });
  const marks = [bars("by layer", "soft", by_layer, { numbers: ".2f" })];
  return plot("by layer", title, 12.5, x, y, marks, { least: 14 });
}

/** All heads: what is lost, over the chosen quantity. */
function scatter({ quantity }: State, { values, lost, chosen, correlation }: Series): Plot {
  const early = N_HEADS * (N_LAYERS - 1);
  const part = (from: number, to?: number) => [values.subarray(from, to), lost.subarray(from, to)] as const;
  const marks = [
    dots("layers 1 to 5", "ink", ...part(0, early)),
    dots("layer 6", "soft", ...part(early)),
    rings("chosen", "ink", ...part(chosen, chosen + 1), 0.55),
  ];
  const title = t("Layers 1 to 5 at once: rank correlation {correlation:.2f}", { correlation });
  const x = { ...AXES[quantity], label: t(LABELS[quantity]) };
  const y: Axis = { scale: "log", domain: [0.3, 60], ticks: [1, 10], label: t("lost") };
  return plot("heads", title, 12.5, x, y, marks);
}
