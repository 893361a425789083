// The trained-scores lab. Twin of trained_scores_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { mean, median } from "d3-array";
import { bars, controls, heat, note, plot, row, slots } from "../../lab/picture/make.ts";
import type { Block, Colour, Given, Mark } from "../../lab/picture/picture.ts";
import { softmax, softmax_entropy, softmax_jacobian_norm } from "../../maths/softmax.ts";
import { unpacked, type Packed } from "../../lab/packed.ts";
import { t } from "../../lab/words.ts";

const D_K = 32;
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
  const trainedLogits = raw.map((s) => s / D_K ** 0.5);
  const by_row = <T>(values: Float64Array, f: (row: Float64Array) => T) =>
    Array.from({ length: n }, (_, i) => f(values.subarray(i * n, (i + 1) * n)));
  const weights = flat(by_row(logits, softmax));
  const trained = flat(by_row(trainedLogits, softmax));
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
  const center = mean(logits)!;
  return {
    divisor,
    spread: Math.sqrt(mean(logits, (s) => (s - center) ** 2)!),
    weights,
    weights_trained: trained,
    entropy,
    entropy_trained: Float64Array.from(by_row(trainedLogits, softmax_entropy)),
    entropy_mean: mean(entropy)!,
    log_n: Math.log(n),
    jacobian_norm: mean(by_row(logits, softmax_jacobian_norm))!,
    jacobian_norm_trained: mean(by_row(trainedLogits, softmax_jacobian_norm))!,
    value_length: lengths.map((one) => one / unit),
    output,
    moved,
    moved_percent: (100 * length(moved)) / length(output),
  };
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

function length(vector: Float64Array): number {
  let squares = 0;
  for (const x of vector) squares += x * x;
  return Math.sqrt(squares);
}

// ---- the picture

export function view({ text, power }: State, series: Series, { data }: Given): Block[] {
  const { output, moved, value_length: lengths } = series;
  const { tokens } = (data as Data)[text];
  const n = tokens.length;
  const by_token = slots(n, tokens);
  const colour = power === 0.5 ? "scaled" : power < 0.5 ? "unscaled" : "overscaled";
  const weights = (name: string, title: string, colour: Colour, values: Float64Array) =>
    plot(name, title, 22, by_token, by_token, [heat("weights", colour, values, n)], { colour, square: true });
  const over_tokens = (name: string, title: string, top: number, marks: Mark[]) =>
    plot(name, title, 7, by_token, { domain: [0, top], ticks: [0, 1, 2, 3].filter((at) => at <= top) }, marks);
  const slim = (name: string, colour: Colour, y: Float64Array, aside: number, width = 0.38) =>
    bars(name, colour, y, { x: y.map((_, i) => i + aside), width });
  const trained = t("as trained: divided by √dₖ = {root:.3g}", { root: Math.sqrt(D_K) });
  const units = t(
    "Lengths are in units of the median value. Mean norm of the softmax Jacobian: {trained:.3f} as trained, {now:.3f} now.",
    { trained: series.jacobian_norm_trained, now: series.jacobian_norm },
  );
  return [
    controls("text"),
    controls("layer", "head", "power"),
    row(
      weights("trained", trained, "scaled", series.weights_trained),
      weights("now", t("divided by {divisor:.3g}", series), colour, series.weights),
    ),
    row(
      over_tokens("entropy", t("entropy of each row, nats: trained and now; dashed: ln n"), 2.8, [
        slim("as trained", "scaled", series.entropy_trained, -0.2),
        slim("now", colour, series.entropy, 0.2),
        { mark: "rule", name: "ln n", y: series.log_n },
      ]),
      over_tokens(
        "output",
        t("output of each row as trained, and how far it moves"),
        Math.max(1, ...output, ...moved),
        [slim("as trained", "scaled", output, -0.2), slim("how far it moves", colour, moved, 0.2)],
      ),
    ),
    row(
      over_tokens("values", t("length of each key's value; the median is 1"), 3.5, [
        slim("length", "scaled", lengths, 0, 0.5),
      ]),
      note("units", units, "aside"),
    ),
  ];
}
