// The two-uses lab. Twin of two_uses_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { controls, dots, here, line, plot, row, slots, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Mark, Plot } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { normals, stream } from "../../maths/random.ts";
import { drawn_by } from "../../maths/recent.ts";

const [VOCABULARY, DRAWS] = [1000, 8];
const STDS = Array.from({ length: 12 }, (_, i) => 2 ** (i - 6));
const [LEAST, MOST] = [0.004, 200]; // of the axis of both ends
const WANTED = { ratio: 1, std: 2 };

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
  return [controls("spread", "into", "out"), row(ends(series), first_loss(series)), controls("d_model", "seed")];
}

/** Both uses of the table as bars, and in grey where they are wanted: the spread moves both, a factor one of them. */
function ends({ ratio, std }: Series): Plot {
  const bar = (name: string, colour: Colour, at: number, to: number): Mark => ({
    mark: "intervals",
    name,
    colour,
    look: ["solid"],
    x1: [LEAST],
    x2: [to],
    y1: [at - 0.2],
    y2: [at + 0.2],
  });
  const said = (value: number) => number(value, ".2g");
  const marks: Mark[] = [
    {
      mark: "intervals",
      name: "wanted",
      colour: "soft",
      x1: [WANTED.ratio, LEAST],
      x2: [MOST, WANTED.std],
      y1: [-0.4, 0.6],
      y2: [0.4, 1.4],
    },
    bar("word ÷ position", "ink", 0, ratio),
    bar("logits", "score", 1, std),
    texts("how long", "ink", [ratio], [0], [said(ratio)], "right"),
    texts("how wide", "score", [std], [1], [said(std)], "right"),
  ];
  const x: Axis = { scale: "log", domain: [LEAST, MOST], ticks: [0.01, 0.1, 1, 10, 100] };
  const y = slots(2, [t("word ÷ position"), t("logits")]);
  return plot("ends", t("Grey: wanted, at least 1 and at most 2"), 10, x, y, marks, { least: 16 });
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
  return plot("loss", t("first loss: {first_loss:.1f} nats", { first_loss }), 14, x, y, marks, { least: 14 });
}
