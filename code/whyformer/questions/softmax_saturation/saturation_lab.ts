// The saturation lab. Twin of saturation_lab.py: same series, same names, same order; the picture stands here alone.

import type { States } from "../../lab/declared.ts";
import { heat_key } from "../../lab/picture/key.ts";
import { bars, column, controls, heat, legend, map, plot, row } from "../../lab/picture/make.ts";
import type { Axis, Block, Buttons, Colour, Mark } from "../../lab/picture/picture.ts";
import { t } from "../../lab/words.ts";
import {
  softmax,
  softmax_jacobian,
  softmax_jacobian_max,
  softmax_jacobian_norm,
  softmax_vjp,
} from "../../maths/softmax.ts";

const LOGIT = 10; // logits run from -LOGIT to LOGIT
const [FEWEST, MOST] = [2, 12];

export type State = States["softmax_saturation/saturation"];

export type Series = ReturnType<typeof compute>;

function upstream_gradient(kind: State["upstream"], logits: number[]): Float64Array {
  const n = logits.length;
  if (kind === "alternate") return Float64Array.from(logits, (_, i) => (i % 2 === 0 ? 1 : -1) / Math.sqrt(n));
  const order = logits.map((_, i) => i).sort((a, b) => logits[b] - logits[a]); // stable: of equals, the first
  const chosen = new Float64Array(n);
  chosen[order[kind === "largest" ? 0 : 1]] = 1;
  return chosen;
}

export function compute({ logits, temperature, offset, upstream }: State) {
  const z = logits.map((logit) => (logit + offset) / temperature);
  const arriving = upstream_gradient(upstream, logits);
  const downstream = softmax_vjp(z, arriving).map((g) => g / temperature);
  const weights = softmax(z);
  return {
    weights,
    jacobian: softmax_jacobian(z),
    upstream_gradient: arriving,
    downstream_gradient: downstream,
    largest_weight: Math.max(...weights),
    largest_entry: softmax_jacobian_max(z),
    jacobian_norm: softmax_jacobian_norm(z),
    left: Math.hypot(...downstream),
  };
}

// ---- the picture

export function view({ logits, offset }: State, series: Series): Block[] {
  const n = logits.length;
  const x: Axis = { domain: [0.5, n + 0.5] };
  /** A plot with a slot for each logit. */
  const slotted = (name: string, title: string, ticks: number[], height: number, colour: Colour, marks: Mark[]) =>
    plot(name, title, height, x, { domain: [ticks[0], ticks.at(-1)!], ticks }, marks, { colour });
  const arrows = (name: string, colour: Colour, y2: Float64Array, aside: number): Mark => {
    const x = y2.map((_, i) => i + 1 + aside);
    return { mark: "segments", name, colour, tips: true, x1: x, y1: y2.map(() => 0), x2: x, y2 };
  };
  const above = offset === 0 ? t("logits: drag the bars") : t("logits, above {offset:.4g}: drag the bars", { offset });
  const largest = t("weights: largest {largest_weight:.4f}", series);
  const entry = t("Jacobian: largest entry {largest_entry:.2g}", series);
  const left = t("gradient: {percent:.2g} % of its length is left", { percent: 100 * series.left });
  const signed = { root: true, negative: "gradient-negative", numbers: ".3f" } as const;
  const key = [
    { text: t("arrives at the weights"), colour: "soft" },
    { text: t("left at the logits"), colour: "gradient" },
  ] as const;
  const logit_panel = slotted("logits", above, [-LOGIT, -5, 0, 5, LOGIT], 13, "score", [
    bars("logits", "score", logits, { look: ["hollow"], numbers: ".1f" }),
    { mark: "grips", name: "grips", control: "logits", y: logits },
  ]);
  const weight_panel = slotted("weights", largest, [0, 0.25, 0.5, 0.75, 1], 13, "score", [
    bars("weights", "score", series.weights, { numbers: ".2f" }),
  ]);
  const entries = heat("jacobian", "gradient", series.jacobian, n, 0.25, signed);
  const jacobian_panel = map("jacobian", entry, n, [entries], { colour: "gradient" });
  const gradient_panel = slotted("gradient", left, [-1, -0.5, 0, 0.5, 1], 16, "gradient", [
    { mark: "rule", name: "zero", colour: "soft", look: ["solid"], y: 0 },
    arrows("arrives", "soft", series.upstream_gradient, -0.2),
    arrows("left", "gradient", series.downstream_gradient, 0.2),
  ]);
  return [
    controls("temperature", "offset", "upstream"),
    row(column({}, logit_panel, add_and_remove(logits)), weight_panel),
    row(
      column({}, jacobian_panel, heat_key(0.25, "gradient", "gradient-negative")),
      column({}, gradient_panel, legend("gradient legend", ...key)),
    ),
  ];
}

function add_and_remove(logits: number[]): Buttons {
  const add = { text: t("Add a logit"), set: { logits: [...logits, 0] }, off: logits.length >= MOST };
  const remove = { text: t("Remove the last"), set: { logits: logits.slice(0, -1) }, off: logits.length <= FEWEST };
  return { kind: "buttons", buttons: [add, remove] };
}
