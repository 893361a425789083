// The scale lab. Twin of scale_lab.py: same series, same names, same order; the picture stands here alone.

import { ticks } from "d3-array";
import type { Control } from "../../lab/declaration.ts";
import type { States } from "../../lab/declared.ts";
import { softmax, softmax_jacobian } from "../../maths/softmax.ts";
import { heat_key } from "../../lab/picture/key.ts";
import { band, bars, controls, dots, heat, here, line, map, note, now, plot, row } from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Given, Mark, Plot } from "../../lab/picture/picture.ts";
import { t } from "../../lab/words.ts";
import { D_K_MAX, drawn_for, drawn_gradients, products_at, WALK_POINTS, walked_to, walks_of } from "./drawn.ts";
import { correlations, divisors, law, LAW_D_K, MAX_KEYS, measure, type Quantity } from "./many_draws.ts";

const WALK_ENDS = [512, D_K_MAX];
const NAMES = ["1", "sqrt", "d_k"] as const;
const DIVIDED = ["÷ 1", "÷ √dₖ", "÷ dₖ"];
const COLOURS: Colour[] = ["unscaled", "scaled", "overscaled"];

export type State = States["why_sqrt_dk/scale"];

export type Series = ReturnType<typeof compute>;

export function compute(state: State) {
  const { d_k, n_keys, rho, related, quantity, seed } = state;
  const end = WALK_ENDS.find((each) => each >= d_k)!;
  const draw = drawn_for(seed, end, n_keys);
  const { length2, products } = products_at(draw, d_k);
  const correlation = correlations(rho, related, n_keys);
  const scores = correlation.map((r, j) => r * length2 + Math.sqrt(1 - r * r) * products[j]);
  const all = divisors(d_k);
  const by = all[NAMES.indexOf(state.divisor)];
  const shared = related === "all" ? rho : 0;
  const spread = Math.sqrt((1 - shared ** 2) * length2);
  const over = (divisor: number) => scores.map((s) => s / divisor);
  const scaled = over(by);
  const weights = [softmax(scores), softmax(scaled)];
  const jacobians = [softmax_jacobian(scores), softmax_jacobian(scaled)];
  const walk_d_k = Float64Array.from({ length: WALK_POINTS }, (_, p) => (end / WALK_POINTS) * (p + 1));
  const by_walk = walk_d_k.map((d) => divisors(d)[NAMES.indexOf(state.divisor)]);
  const edge = (side: number) =>
    walk_d_k.map((d, p) => (shared * d + side * Math.sqrt((1 - shared ** 2) * d)) / by_walk[p]);
  const many = law(n_keys, rho, related, quantity);
  const nearest = Math.round(Math.log2(d_k));
  return {
    scores_unscaled: scores,
    scores_scaled: scaled,
    center_unscaled: shared * length2,
    center_scaled: (shared * length2) / by,
    spread_unscaled: spread,
    spread_scaled: spread / by,
    weights_unscaled: weights[0],
    weights_scaled: weights[1],
    largest_unscaled: Math.max(...weights[0]),
    largest_scaled: Math.max(...weights[1]),
    jacobian_unscaled: jacobians[0],
    jacobian_scaled: jacobians[1],
    entry_unscaled: jacobians[0].reduce((a, b) => Math.max(a, b)),
    entry_scaled: jacobians[1].reduce((a, b) => Math.max(a, b)),
    walk_d_k,
    walks: walks_of(walked_to(draw, end), correlation, by_walk),
    envelope_low: edge(-1),
    envelope_high: edge(1),
    drawn: quantity.startsWith("gradient")
      ? drawn_gradients(draw, state, scores, correlation)
      : Float64Array.from(all, (divisor) => measure(quantity, over(divisor))),
    law_low: many.low.slice(), // copies: what is remembered is not handed out
    law_mid: many.mid.slice(),
    law_high: many.high.slice(),
    law_mean: many.mean.slice(),
    mid_unscaled: many.mid[nearest],
    mid_scaled: many.mid[LAW_D_K.length + nearest],
  };
}

/** The laws at other numbers of keys, one at a time, while the reader rests: then sliding the keys finds them. */
export function* ahead({ rho, related, quantity }: State, control: (name: string) => Control) {
  for (const n_keys of control("n_keys").values!) yield law(n_keys, rho, related, quantity);
}

// ---- the picture

type Column = { which: "unscaled" | "scaled"; colour: Colour; name: string };

export function view(state: State, series: Series, { small }: Given): Block[] {
  const i = NAMES.indexOf(state.divisor);
  const columns: Column[] = [
    { which: "unscaled", colour: COLOURS[0], name: t("unscaled") },
    { which: "scaled", colour: COLOURS[i], name: t("divided by {divided}", { divided: [t("1"), "√dₖ", "dₖ"][i] }) },
  ];
  const main = row({ ...walk_panel(state, series), share: 2 }, weight_panel(state, series));
  if (small) return [controls("d_k", "divisor"), main];
  return [
    controls("d_k", "n_keys", "rho", "divisor", "related", "seed"),
    main,
    note("jacobian", t("Softmax Jacobian: how far each weight moves when each score does"), "hint"),
    row(...columns.map((column) => jacobian_panel(state, series, column))),
    heat_key(0.25, "gradient", "gradient-negative"),
    controls("quantity"),
    law_panel(state, series),
  ];
}

/** Of independent standard normals nearly all lie within so many standard deviations. */
const WIDE = 3;

/** How far the axis goes: as far as the expected scores of related keys, and WIDE standard deviations of the others. */
function reach({ divisor, rho, related }: State, end: number): [number, number] {
  const by = divisors(end)[NAMES.indexOf(divisor)];
  const [spread, expected] =
    divisor === "d_k" ? [WIDE / Math.sqrt(end / WALK_POINTS), rho] : [(WIDE * Math.sqrt(end)) / by, (rho * end) / by];
  return [-spread, (related === "all" || rho > 0 ? expected : 0) + spread];
}

/** Each score as its products are added up; the key that has most weight at d_k stands out. */
function walk_panel(state: State, series: Series): Plot {
  const { d_k, n_keys, divisor } = state;
  const colour = COLOURS[NAMES.indexOf(divisor)];
  const d = series.walk_d_k;
  const end = d[d.length - 1];
  const first = series.weights_scaled.indexOf(series.largest_scaled);
  const walk = (j: number) => series.walks.subarray(j * WALK_POINTS, (j + 1) * WALK_POINTS);
  const others = Array.from({ length: n_keys }, (_, j) => j).filter((j) => j !== first);
  const domain = reach(state, end);
  const title = t("Scores {divided}, product after product", { divided: DIVIDED[NAMES.indexOf(divisor)] });
  const x: Axis = {
    domain: [0, end],
    ticks: [0, end / 4, end / 2, (3 * end) / 4, end],
    label: t("products added, dₖ"),
  };
  return plot(
    "walks",
    title,
    15,
    x,
    { domain, ticks: ticks(...domain, 5) },
    [
      band("one standard deviation", "soft", d, series.envelope_low, series.envelope_high),
      here("d_k", d_k),
      ...others.map((j) => line(`key ${j + 1}`, colour, d, walk(j), { look: ["thin"], straight: true })),
      line(`key ${first + 1}`, colour, d, walk(first), { straight: true }),
      dots(
        "scores",
        colour,
        series.scores_scaled.map(() => d_k),
        series.scores_scaled,
        { size: 0.22 },
      ),
    ],
    { least: 20 },
  );
}

/** Weights as they are divided; behind them, undivided. */
function weight_panel({ divisor, d_k }: State, series: Series): Plot {
  const weights = series.weights_scaled;
  const n = weights.length;
  const colour = COLOURS[NAMES.indexOf(divisor)];
  const title = t("Weights at dₖ = {d_k}: largest {largest:.2f}", { d_k, largest: series.largest_scaled });
  const x: Axis = { domain: [0.5, n + 0.5], ticks: [{ at: 1, text: t("key 1") }, n] };
  const y: Axis = { domain: [0, 1], ticks: [0, 0.5, 1] };
  const marks: Mark[] = [bars("weights", colour, weights)];
  if (divisor !== "1")
    marks.unshift(bars("unscaled", "unscaled", series.weights_unscaled, { look: ["faint"], width: 1 }));
  return plot("weights", title, 15, x, y, marks, { colour, least: 11 });
}

function jacobian_panel({ n_keys }: State, series: Series, { which, colour, name }: Column): Plot {
  const title = t("{name}: largest entry {entry:.2g}", { name, entry: series[`entry_${which}`] });
  const look = { root: true, negative: "gradient-negative", numbers: ".3f" } as const;
  const entries = heat("jacobian", "gradient", series[`jacobian_${which}`], n_keys, 0.25, look);
  return map(`jacobian ${which}`, title, n_keys, [entries], { colour, height: 13 });
}

const RANGES: Record<Quantity, { name: string; from: number; to: number; ticks: number[]; log?: boolean }> = {
  largest_weight: { name: "Largest weight", from: 0, to: 1, ticks: [0, 0.5, 1] },
  entropy: { name: "Entropy of the weights", from: 0, to: Math.log(MAX_KEYS), ticks: [0, 1, 2, 3, 4] },
  largest_entry: { name: "Largest entry of J", from: 0, to: 0.25, ticks: [0, 0.05, 0.1, 0.15, 0.2, 0.25] },
  gradient_q: { name: "Gradient at q", from: 1e-3, to: 100, ticks: [0.001, 0.01, 0.1, 1, 10, 100], log: true },
  gradient_w_q: {
    name: "Gradient that W_Q feels",
    from: 1e-3,
    to: 100,
    ticks: [0.001, 0.01, 0.1, 1, 10, 100],
    log: true,
  },
};

function law_panel({ d_k, quantity }: State, series: Series): Plot {
  const { name: shown, from, to, ticks, log } = RANGES[quantity];
  const n = LAW_D_K.length;
  const x: Axis = { scale: "log", domain: [1, D_K_MAX], ticks: LAW_D_K.filter((_, i) => i % 2 === 0), label: "dₖ" };
  const title = t("{shown}: line median, band 10 to 90 %, dots mean of many draws; large dot: this one", {
    shown: t(shown),
  });
  const each = DIVIDED.map((name, i) => {
    const part = (values: Float64Array) => values.subarray(i * n, (i + 1) * n);
    const colour = COLOURS[i];
    return {
      band: band(`${name}: 10 to 90 %`, colour, LAW_D_K, part(series.law_low), part(series.law_high)),
      lines: [
        line(`${name}: median`, colour, LAW_D_K, part(series.law_mid), { label: name }),
        dots(`${name}: mean`, colour, LAW_D_K, part(series.law_mean), { size: 0.16 }),
        now(`${name}: this draw`, colour, d_k, series.drawn[i]),
      ],
    };
  });
  const marks = [here("d_k", d_k), ...each.map((one) => one.band), ...each.flatMap((one) => one.lines)];
  return plot("law", title, 13.5, x, { scale: log ? "log" : "linear", domain: [from, to], ticks }, marks);
}
