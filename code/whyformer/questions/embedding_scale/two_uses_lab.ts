// The two-uses lab. Twin of two_uses_lab.py: same series, same names, same order.

import { embedding_scale_two_uses_controls, type States } from "../../lab/declared.ts";
import { controls, dots, here, line, now, plot, row, table, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Mark, Plot } from "../../lab/picture/picture.ts";
import { t } from "../../lab/words.ts";
import { normals, stream } from "../../maths/random.ts";
import { drawn_by } from "../../maths/recent.ts";

const [VOCABULARY, DRAWS] = [1000, 8];
const STDS = Array.from({ length: 12 }, (_, i) => 2 ** (i - 6));
const ENDS = [0.005, 2];

export type State = States["embedding_scale/two_uses"];

export type Series = ReturnType<typeof compute>;

/** The mean over all words as the target: ln sum exp z, minus the mean of z. */
function loss_of(unit: Float64Array, std: number): number {
  let [top, sum, all] = [-Infinity, 0, 0];
  for (const z of unit) top = Math.max(top, std * z);
  for (const z of unit) {
    sum += Math.exp(std * z - top);
    all += std * z;
  }
  return top + Math.log(sum) - all / unit.length;
}

function median(values: Float64Array): number {
  const sorted = values.slice().sort();
  return (sorted[DRAWS / 2 - 1] + sorted[DRAWS / 2]) / 2;
}

const losses = (unit: Float64Array[], std: number) => Float64Array.from(unit, (one) => loss_of(one, std));

const drawn = drawn_by((seed) => {
  const unit = Array.from({ length: DRAWS }, (_, i) => normals(stream(seed, i), VOCABULARY));
  return { unit, curve: Float64Array.from(STDS, (std) => median(losses(unit, std))) };
});

export function compute({ spread, into, out, d_model: d, seed }: State) {
  const sigma = { small: 0.02, root: d ** -0.5, one: 1 }[spread];
  const m = into === "root" ? Math.sqrt(d) : 1;
  const o = out === "root" ? d ** -0.5 : 1;
  const { unit, curve } = drawn(seed);
  const std = o * sigma * Math.sqrt(d);
  const loss = losses(unit, std);
  const first_loss = median(loss);
  return {
    spreads: Float64Array.from(ENDS),
    ratios: Float64Array.from(ENDS, (end) => m * end * Math.SQRT2),
    stds: Float64Array.from(ENDS, (end) => o * end * Math.sqrt(d)),
    curve_std: Float64Array.from(STDS),
    curve_loss: curve.slice(),
    loss,
    sigma,
    ratio: m * sigma * Math.SQRT2,
    std,
    first_loss,
    uniform: Math.log(VOCABULARY),
    above: first_loss - Math.log(VOCABULARY),
  };
}

// ---- the picture

export function view(_: State, series: Series): Block[] {
  return [
    controls("spread", "into", "out"),
    row(wishes(series), first_loss(series)),
    table("facts", [
      [t("word ÷ position, wish: 1 or more"), t("{ratio:.3g}", { ...series })],
      [t("spread of the logits, wish: about 1"), t("{std:.3g}", { ...series })],
      [t("first loss above that of equal logits"), t("{above:.3g} nats", { ...series })],
    ]),
    controls("d_model", "seed"),
  ];
}

/** Both uses over the spread of the table: two parallel lines, and each factor lifts or lowers one of them. */
function wishes({ spreads, ratios, stds, sigma, ratio, std }: Series): Plot {
  const across: Mark = { mark: "rule", name: "1", y: 1, look: ["solid"] };
  const marks: Mark[] = [
    across,
    here("spread", sigma),
    line("input", "ink", spreads, ratios, { straight: true, look: ["thick"], label: t("word ÷ position") }),
    line("output", "score", spreads, stds, { straight: true, look: ["thick"], label: t("logits") }),
    now("input now", "ink", sigma, ratio, 0.45),
    now("output now", "score", sigma, std, 0.45),
  ];
  const x: Axis = {
    scale: "log",
    domain: [0.005, 2],
    ticks: [0.01, 0.1, 1],
    label: t(embedding_scale_two_uses_controls.spread),
  };
  const y: Axis = { scale: "log", domain: [0.004, 100], ticks: [0.01, 0.1, 1, 10, 100] };
  const title = t("word ÷ position {ratio:.2g} (wish ≥ 1), logits {std:.2g} (wish ≈ 1)", { ratio, std });
  return plot("wishes", title, 16, x, y, marks, { least: 16 });
}

/** The first loss by the spread of the logits: the median of the draws, and each draw at the present spread. */
function first_loss({ curve_std, curve_loss, loss, std, first_loss, uniform }: Series): Plot {
  const marks: Mark[] = [
    { mark: "rule", name: "equal logits", y: uniform, look: ["solid"] },
    here("now", std),
    line("median", "ink", curve_std, curve_loss, { look: ["thick"] }),
    dots(
      "draws",
      "score",
      Array.from(loss, () => std),
      loss,
      { size: 0.3 },
    ),
    texts("ln 1000", "soft", ["left"], [uniform], [t("ln 1000")], "above"),
  ];
  const x: Axis = { scale: "log", domain: [1 / 64, 32], ticks: [0.1, 1, 10], label: t("spread of the logits") };
  const y: Axis = { scale: "log", domain: [5, 150], ticks: [5, 10, 20, 50, 100] };
  return plot("loss", t("first loss: {first_loss:.1f} nats", { first_loss }), 16, x, y, marks, { least: 14 });
}
