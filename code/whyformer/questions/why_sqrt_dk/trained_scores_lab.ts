// The trained-scores lab. Twin of trained_scores_lab.py: same series, same names, same order.

import { why_sqrt_dk_trained_scores_controls, type States } from "../../lab/declared.ts";
import { median, ticks } from "d3-array";
import { bars, column, controls, dots, heat, note, now, plot, row, slots, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Given, Look } from "../../lab/picture/picture.ts";
import { softmax, softmax_entropy, softmax_jacobian_norm } from "../../maths/softmax.ts";
import { length, mean } from "../../maths/sums.ts";
import { unpacked, type Packed } from "../../lab/packed.ts";
import { t } from "../../lab/words.ts";

const D_K = 32;
const N_LAYERS = 6;
const N_HEADS = 12;

export type State = States["why_sqrt_dk/trained_scores"];

type Data = Record<string, { tokens: string[]; scores: Packed; values: Packed }>;

export type Series = ReturnType<typeof compute>;

export function compute({ text, layer, head, power }: State, data: Data) {
  const { tokens, scores, values } = data[text];
  const n = tokens.length;
  const at = (layer - 1) * N_HEADS + head - 1;
  const raw = unpacked(scores, "int16", n * n, at);
  const lower = unpacked(values, "int8", (n * (n + 1)) / 2, at);
  const divisor = D_K ** power;
  const logits = raw.map((s) => s / divisor);
  const trained_logits = raw.map((s) => s / D_K ** 0.5);
  const by_row = <T>(values: Float64Array, f: (row: Float64Array) => T) =>
    Array.from({ length: n }, (_, i) => f(values.subarray(i * n, (i + 1) * n)));
  const weights = flat(by_row(logits, softmax));
  const trained = flat(by_row(trained_logits, softmax));
  const row = (matrix: Float64Array, i: number) => matrix.subarray(i * n, (i + 1) * n);
  const lengths = Float64Array.from({ length: n }, (_, i) =>
    length(lower.subarray((i * (i + 1)) / 2, ((i + 1) * (i + 2)) / 2)),
  );
  const unit = median(lengths)!;
  const over_queries = (change: (i: number) => Float64Array) =>
    Float64Array.from({ length: n }, (_, i) => length(combined(change(i), lower)) / unit);
  const output = over_queries((i) => row(trained, i));
  const moved = over_queries((i) => row(weights, i).map((w, j) => w - row(trained, i)[j]));
  const entropy = Float64Array.from(by_row(logits, softmax_entropy));
  const spreads = head_spreads(scores, n).map((spread) => spread / divisor);
  const largest = by_row(weights, (row) => Math.max(...row));
  return {
    divisor,
    spread: spreads[at],
    head_spread: spreads,
    least_spread: Math.min(...spreads),
    most_spread: Math.max(...spreads),
    weights,
    weights_trained: trained,
    first_weight: mean(by_row(weights, (row) => row[0])),
    least_largest: Math.min(...largest),
    entropy,
    entropy_trained: Float64Array.from(by_row(trained_logits, softmax_entropy)),
    entropy_mean: mean(entropy),
    log_n: Math.log(n),
    jacobian_norm: mean(by_row(logits, softmax_jacobian_norm)),
    jacobian_norm_trained: mean(by_row(trained_logits, softmax_jacobian_norm)),
    value_length: lengths.map((one) => one / unit),
    first_length: lengths[0] / unit,
    output,
    moved,
    output_length: length(output) / Math.sqrt(n),
    moved_percent: (100 * length(moved)) / length(output),
  };
}

const known_spreads = new WeakMap<Packed, Float64Array>();

/** The standard deviation of the raw scores of every head, layer after layer. */
function head_spreads(scores: Packed, n: number): Float64Array {
  let spreads = known_spreads.get(scores);
  if (!spreads) {
    spreads = Float64Array.from({ length: N_LAYERS * N_HEADS }, (_, at) => {
      const raw = unpacked(scores, "int16", n * n, at);
      const center = mean(raw);
      return Math.sqrt(mean(raw.map((s) => (s - center) ** 2)));
    });
    known_spreads.set(scores, spreads);
  }
  return spreads;
}

function flat(rows: Float64Array[]): Float64Array {
  const out = new Float64Array(rows.length * rows[0].length);
  rows.forEach((row, i) => out.set(row, i * row.length));
  return out;
}

/** `weights` (n) times the lower triangle (n x n), whose entries stand row after row. */
function combined(weights: Float64Array, lower: Float64Array): Float64Array {
  const out = new Float64Array(weights.length);
  weights.forEach((w, i) => {
    for (let column = 0; column <= i; column++) out[column] += w * lower[(i * (i + 1)) / 2 + column];
  });
  return out;
}

// ---- the picture

export function view({ text, layer, head, power }: State, series: Series, { data, told }: Given): Block[] {
  const { output, moved, value_length: lengths } = series;
  const { tokens } = (data as Data)[text];
  const n = tokens.length;
  const look: Look[] = power === 0.5 ? [] : power < 0.5 ? ["dashed"] : ["dotted"];
  const room = { axis_room: 4 }; // the bars stand over the columns of the map
  const weights = (name: string, title: string, values: Float64Array) =>
    plot(name, title, 14, slots(n, tokens), slots(n, tokens), [heat("weights", "score", values, n)], {
      colour: "score",
      ...room,
    });
  const slim = (name: string, y: Float64Array, aside: number, width = 0.38, look: Look[] = []) =>
    bars(name, "value", y, { x: y.map((_, i) => i + aside), width, look });
  const up = (top: number): Axis => ({ domain: [0, top], ticks: ticks(0, top, 4) });
  const values = plot(
    "values",
    t("Length of each key's value; the median is 1"),
    5,
    slots(n, tokens),
    up(3.5),
    [slim("length", lengths, 0, 0.5)],
    room,
  );
  const outputs = plot(
    "output",
    t("Length of each row's output"),
    12,
    slots(n, tokens),
    up(1.25 * Math.max(0.8, ...output, ...moved)),
    [
      slim("as trained", output, -0.2),
      slim("how far it moves", moved, 0.2, 0.38, look),
      texts("length", "value", ["left"], ["top"], [t("as trained")]),
      texts("move", "value", ["right"], ["top"], [t("how far it moves")]),
    ],
    { ...room, least: 22 },
  );
  const trained = t("As trained: divided by √dₖ = {root:.3g}", { root: Math.sqrt(D_K) });
  const units = t(
    "Lengths are in units of the median value. Mean norm of the softmax Jacobian: {trained:.3f} as trained, {now:.3f} now.",
    { trained: series.jacobian_norm_trained, now: series.jacobian_norm },
  );
  return [
    controls("text"),
    controls("layer", "head", "power"),
    row(
      heads_panel(layer, head, look, series, told),
      column(
        { least: 20 },
        values,
        weights(
          "now",
          power === 0
            ? t("Weights of each row, not divided")
            : t("Weights of each row, divided by {divisor:.3g}", series),
          series.weights,
        ),
      ),
      column({ least: 20 }, outputs, weights("trained", trained, series.weights_trained)),
    ),
    note("units", units, "hint"),
  ];
}

/** The heads of a layer side by side. */
function heads_panel(layer: number, head: number, look: Look[], { head_spread, spread }: Series, told: boolean) {
  const place = (at: number) => 1 + Math.floor(at / N_HEADS) + 0.06 * ((at % N_HEADS) - (N_HEADS - 1) / 2);
  const x: Axis = {
    domain: [0.5, N_LAYERS + 0.5],
    ticks: [1, 2, 3, 4, 5, 6],
    label: t(why_sqrt_dk_trained_scores_controls.layer),
    grid: false,
  };
  const y: Axis = { scale: "log", domain: [0.1, 100], ticks: [0.1, 1, 10, 100] };
  const title = told
    ? t("Standard deviation of the scores of all 72 heads; dashed: 1; large dot: this head")
    : t("Standard deviation of the scores of this head; dashed: 1");
  return plot("heads", title, 20, x, y, [
    { mark: "rule", name: "one", y: 1 },
    ...(told
      ? [
          dots(
            "heads",
            "score",
            Array.from(head_spread, (_, at) => place(at)),
            head_spread,
            { look },
          ),
        ]
      : []),
    now("this head", "score", place((layer - 1) * N_HEADS + head - 1), spread),
  ]);
}
