// The relying lab. Twin of rely_lab.py: same series, same names, same order; the picture stands here alone.

import { dropout_sites_rely_controls as called, type States } from "../../lab/declared.ts";
import { bars, controls, here, line, now, plot, row, slots, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Given, Mark, Plot } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { solved } from "../../maths/cholesky.ts";
import { normals, stream } from "../../maths/random.ts";
import { drawn_by } from "../../maths/recent.ts";
import { dot, total } from "../../maths/sums.ts";

const UNITS = 8;
const MOST = 100;
const SIZES = { much: 1, little: 0.1 };
const RATES = Float64Array.from({ length: 17 }, (_, i) => i * 0.05);

export type State = States["dropout_sites/rely"];

export type Series = ReturnType<typeof compute>;

interface Moments {
  second: number[][];
  cross: number[];
  power: number;
}

const drawn = drawn_by((seed: number) => Array.from({ length: 1 + UNITS }, (_, i) => normals(stream(seed, i), MOST)));

const each = Array.from({ length: UNITS }, (_, j) => j);

/** Over the examples: the mean of x xᵀ, of x y, of y². */
function moments({ examples, noise: called, seed }: State): Moments {
  const size = SIZES[called];
  if (examples === "fresh") {
    const second = each.map((i) => each.map((j) => 1 + (i === j ? size ** 2 : 0)));
    return { second, cross: each.map(() => 1), power: 1 };
  }
  const count = Number(examples);
  const [signal, ...noise] = drawn(seed).map((values) => values.subarray(0, count));
  const units = noise.map((own) => own.map((e, i) => signal[i] + size * e));
  const mean = (a: Float64Array, b: Float64Array) => dot(a, b) / count;
  return {
    second: units.map((a) => units.map((b) => mean(a, b))),
    cross: units.map((a) => mean(a, signal)),
    power: mean(signal, signal),
  };
}

/** The weights with the least error over all masks, or with one penalty for all. */
function learned({ second, cross }: Moments, p: number, way: State["way"]): Float64Array {
  const squares = each.map((i) => second[i][i]);
  const mean = total(squares) / UNITS;
  const penalty = squares.map((square) => (p / (1 - p)) * (way === "dropout" ? square : mean));
  const penalised = second.map((entries, i) => entries.map((v, j) => (i === j ? v + penalty[i] : v)));
  return Float64Array.from(solved(penalised, cross));
}

/** The error on the examples and on new ones, without masks, as shares of the target's mean square. */
function errors(
  { second, cross, power }: Moments,
  size: number,
  weights: Float64Array,
): [learned: number, fresh: number] {
  const read = total(each.map((i) => weights[i] * total(each.map((j) => second[i][j] * weights[j]))));
  const on_learned = (power - 2 * total(each.map((j) => weights[j] * cross[j])) + read) / power;
  return [on_learned, (1 - total(weights)) ** 2 + size ** 2 * total(weights.map((w) => w * w))];
}

export function compute(state: State) {
  const all = moments(state);
  const size = SIZES[state.noise];
  const trained = (rate: number, way: State["way"]) => {
    const weights = learned(all, rate, way);
    return [weights, ...errors(all, size, weights)] as const;
  };
  const [weights, on_learned, on_new] = trained(state.p, state.way);
  const at_rates = Array.from(RATES, (rate) => trained(rate, state.way));
  const bare = at_rates[0][0];
  const [learned_at, new_at] = ([1, 2] as const).map((which) => Float64Array.from(at_rates, (one) => one[which]));
  const at = new_at.indexOf(Math.min(...new_at));
  return {
    weights,
    bare,
    negative: weights.filter((w) => w < 0).length,
    negative_bare: bare.filter((w) => w < 0).length,
    on_learned,
    on_new,
    on_learned_bare: learned_at[0],
    on_new_bare: new_at[0],
    new_dropout: trained(state.p, "dropout")[2],
    new_ridge: trained(state.p, "ridge")[2],
    rates: RATES.slice(),
    learned_at,
    new_at,
    best: RATES[at],
    best_new: new_at[at],
  };
}

// ---- the picture

export function view(state: State, series: Series, { told }: Given): Block[] {
  return [
    controls("p"),
    controls("way"),
    row(error_panel(state, series), weight_panel(state, series)),
    curve_panel(state, series, told),
    controls("examples", "noise", "seed"),
  ];
}

/** What the output multiplies each unit with; behind it, as ghosts, with neither masks nor a penalty. */
function weight_panel({ p }: State, { weights, bare }: Series): Plot {
  const names = each.map((j) => String(j + 1));
  const low = Math.min(-0.2, 1.1 * Math.min(...bare));
  const high = Math.max(0.4, 1.1 * Math.max(...bare));
  const marks: Mark[] = [{ mark: "rule", name: "zero", colour: "soft", look: ["solid"], y: 0 }];
  if (p > 0) marks.push(bars("neither", "soft", bare, { x: each, width: 0.7, look: ["dashed"] }));
  marks.push(bars("weights", "ink", weights, { x: each, width: 0.7 }));
  const title = t("What one output multiplies each unit by");
  return plot(
    "weights",
    title,
    10,
    { ...slots(UNITS, names), label: t("unit") },
    { domain: [low, high], ticks: [0, 0.2] },
    marks,
  );
}

const percent = (at: number) => ({ at, text: number(at, ".0%") });

/** Two bars: on the examples that were learned, and on new ones. */
function error_panel({ p, noise }: State, series: Series): Plot {
  const { on_learned, on_new, on_learned_bare, on_new_bare } = series;
  const both = [0, 1];
  const [least, digits] = noise === "little" ? [0.02, ".1%"] : [0.5, ".0%"];
  const high = Math.max(least, 1.25 * on_new_bare, 1.25 * on_new);
  const marks: Mark[] = [];
  if (p > 0)
    marks.push(bars("neither", "soft", [on_learned_bare, on_new_bare], { x: both, width: 0.5, look: ["dashed"] }));
  marks.push(bars("errors", "ink", [on_learned, on_new], { x: both, width: 0.5, numbers: digits }));
  const x: Axis = slots(2, [t("its examples"), t("new ones")]);
  return plot("errors", t("Error, without masks"), 10, x, { domain: [0, high], ticks: [0, least].map(percent) }, marks);
}

/** Both errors at every rate; where the one on new examples is least, once the step has told. */
function curve_panel({ p, noise }: State, series: Series, told: boolean): Plot {
  const { rates, learned_at, new_at, on_learned, on_new, best, best_new } = series;
  const high = Math.max(noise === "little" ? 0.12 : 0.5, 1.15 * new_at[0]);
  const ticks = (high > 1.2 ? [0, 0.5, 1] : high < 0.25 ? [0, 0.1] : [0, 0.25, 0.5]).map(percent);
  const marks: Mark[] = [
    here("p", p),
    line("its examples", "soft", rates, learned_at, { label: t("its examples") }),
    line("new ones", "ink", rates, new_at, { label: t("new ones") }),
    now("on its examples", "soft", p, on_learned),
    now("on new ones", "ink", p, on_new),
  ];
  if (told) marks.push(texts("least", "ink", [best], [best_new], [t("least")], "below"));
  const x: Axis = { domain: [0, 0.8], ticks: [0, 0.2, 0.4, 0.6, 0.8], label: t(called.p) };
  return plot("curve", t("Error at every rate"), 9, x, { domain: [-0.1 * high, high], ticks }, marks);
}
