// The training lab. Twin of training_lab.py: same series, same names, same order.

import { why_sqrt_dk_training_controls, type States } from "../../lab/declared.ts";
import { median, quantile, range } from "d3-array";
import { controls, dots, line, note, plot, row } from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Given, Look, Mark } from "../../lab/picture/picture.ts";
import { unpacked, type Packed } from "../../lab/packed.ts";
import { t } from "../../lab/words.ts";

const D_K = [16, 64, 256, 512];
const RATES = ["0.0003", "0.001", "0.003", "0.01"];
const NAMES = ["unscaled", "scaled", "overscaled"] as const;
const LOOKS: Look[][] = [["dashed"], [], ["dotted"]];
const SEEDS = 5;
const NEVER = 1500;

type Quantity = State["quantity"];

export type State = States["why_sqrt_dk/training"];

type Data = Record<Quantity, Packed> & { steps: number[]; arrived: number[][] };

export type Series = ReturnType<typeof compute>;

export function compute({ d_k, rate, quantity }: State, data: Data) {
  const n = data.steps.length;
  const row = 3 * D_K.indexOf(d_k);
  const at = RATES.indexOf(rate);
  const curves = new Float64Array(3 * SEEDS * n);
  for (let i = 0; i < 3; i++) {
    for (let seed = 0; seed < SEEDS; seed++) {
      const index = ((row + i) * RATES.length + at) * SEEDS + seed;
      const one = unpacked(data[quantity], "int16", n, index);
      curves.set(quantity === "gradient" ? one.map(Math.exp) : one, (i * SEEDS + seed) * n);
    }
  }
  const middle = (i: number) =>
    Float64Array.from({ length: n }, (_, s) => median(range(SEEDS), (seed) => curves[(i * SEEDS + seed) * n + s])!);
  const medians = range(3).map(middle);
  const arrived = Float64Array.from(data.arrived.slice(row, row + 3).flat());
  const arrival = Float64Array.from(range(3 * RATES.length), (i) =>
    quantile(arrived.subarray(i * SEEDS, (i + 1) * SEEDS), 0.5, (step) => step || NEVER)!,
  );
  const there = (i: number) => range(SEEDS).filter((s) => arrived[(i * RATES.length + at) * SEEDS + s] > 0).length;
  const when = (i: number) => arrival[i * RATES.length + at];
  return {
    step: Float64Array.from(data.steps),
    curves,
    median_unscaled: medians[0],
    median_scaled: medians[1],
    median_overscaled: medians[2],
    first_unscaled: medians[0][0],
    first_scaled: medians[1][0],
    first_overscaled: medians[2][0],
    arrived,
    arrival,
    seeds_unscaled: there(0),
    seeds_scaled: there(1),
    seeds_overscaled: there(2),
    step_unscaled: when(0),
    step_scaled: when(1),
    step_overscaled: when(2),
  };
}

// ---- the picture

const SHOWN: Record<Quantity, [title: string, y: Axis]> = {
  loss: ["Loss, nats (a guess: ln 64 = 4.16)", { domain: [0, 7], ticks: [0, 1, 2, 3, 4, 5, 6] }],
  gradient: [
    "Length of the gradient of W_Q; below 0.001 at the edge",
    { scale: "log", domain: [1e-3, 20], ticks: [0.001, 0.01, 0.1, 1, 10] },
  ],
  entropy: [
    "Mean entropy of the rows, nats (at most ln 32 = 3.47)",
    { domain: [0, Math.log(32)], ticks: [0, 1, 2, 3] },
  ],
};
const LABELS = ["not divided", "÷ √dₖ", "÷ dₖ"];
const ROLES: Record<Quantity, Colour> = { loss: "ink", gradient: "gradient", entropy: "score" };
const part = (values: Float64Array, i: number, n: number) => values.subarray(i * n, (i + 1) * n);

export function view({ rate, quantity }: State, series: Series, { told }: Given): Block[] {
  const [title, y] = SHOWN[quantity];
  const { step, curves } = series;
  const x: Axis = { scale: "log", domain: [1, step.at(-1)!], ticks: [1, 10, 100, 1000], label: t("training step") };
  const role = ROLES[quantity];
  const seeds = range(3 * SEEDS).map((i) => {
    const by = Math.floor(i / SEEDS);
    const look: Look[] = ["thin", ...LOOKS[by]];
    return line(`${NAMES[by]}: seed ${(i % SEEDS) + 1}`, role, step, part(curves, i, step.length), { look });
  });
  const medians = NAMES.map((name, i) =>
    line(`${name}: median`, role, step, series[`median_${name}`], {
      look: ["thick", ...LOOKS[i]],
      label: t(LABELS[i]),
    }),
  );
  const arrived: Mark[] = quantity === "loss" ? [{ mark: "rule", name: "arrived", y: 1, look: ["solid"] }] : [];
  return [
    controls("d_k", "rate", "quantity"),
    row(
      plot("curves", t(title), 15, x, y, [...arrived, ...seeds, ...medians], { least: 20, share: 1.5 }),
      arrivals_panel(RATES.indexOf(rate), series, told),
    ),
    note("how to read", t("One seed: thin line or dot. Median of five seeds: thick line."), "hint"),
  ];
}

/**
 * When each run arrives, by learning rate: a dot for a seed, a bar for the median; what does not, beyond the axis. While
 * a step asks, only those of the chosen rate.
 */
function arrivals_panel(chosen: number, series: Series, told: boolean) {
  const or_never = (step: number) => (step === 0 || step === NEVER ? Infinity : step);
  const runs = RATES.length * SEEDS;
  const of_divisor = (name: string, i: number): Mark[] => {
    const look = LOOKS[i];
    const [from, to] = told ? [0, RATES.length] : [chosen, chosen + 1];
    const middle = range(from, to).map((at) => at + 0.24 * (i - 1));
    const seeds = range(from * SEEDS, to * SEEDS);
    const places = seeds.map((run) => Math.floor(run / SEEDS) + 0.24 * (i - 1) + 0.035 * ((run % SEEDS) - 2));
    const arrived = part(series.arrived, i, runs)
      .map(or_never)
      .slice(from * SEEDS, to * SEEDS);
    const median = part(series.arrival, i, RATES.length).map(or_never).slice(from, to);
    const [x1, x2] = [-0.12, 0.12].map((end) => middle.map((at) => at + end));
    return [
      line(`${name}: trend`, "ink", middle, median, { look: ["thin", ...look], straight: true, label: t(LABELS[i]) }),
      dots(`${name}: seeds`, "ink", places, arrived, { size: 0.22, look }),
      { mark: "segments", name: `${name}: medians`, colour: "ink", look: ["thick"], x1, y1: median, x2, y2: median },
    ];
  };
  const ticks = RATES.map((text, at) => ({ at, text }));
  const x: Axis = { domain: [-0.5, RATES.length - 0.5], ticks, label: t(why_sqrt_dk_training_controls.rate) };
  const y: Axis = { scale: "log", domain: [30, NEVER], ticks: [30, 100, 300, 1000], beyond: t("never") };
  const [x1, x2] = [[chosen - 0.5], [chosen + 0.5]];
  const here: Mark = { mark: "intervals", name: "rate", colour: "ink", x1, x2, y1: [30], y2: [Infinity] };
  return plot("arrivals", t("First step with loss below 1; bars: medians"), 13, x, y, [
    here,
    ...NAMES.flatMap(of_divisor),
  ]);
}
