// The scale lab. Twin of scale_lab.py: same series, same names, same order; the picture stands here alone.

import { ticks } from "d3-array";
import type { Control } from "../../lab/declaration.ts";
import { why_sqrt_dk_scale, type States } from "../../lab/declared.ts";
import { dot } from "../../maths/sums.ts";
import { softmax, softmax_jacobian } from "../../maths/softmax.ts";
import { heat_key } from "../../lab/picture/key.ts";
import {
  band,
  bars,
  controls,
  dots,
  heat,
  here,
  line,
  map,
  note,
  now,
  plot,
  row,
  slots,
  texts,
} from "../../lab/picture/make.ts";
import type { Axis, Block, Look, Mark, Plot } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { D_K_MAX, drawn_for, drawn_gradients, products_at, WALK_POINTS, walked_to, walks_of } from "./drawn.ts";
import { ASKS, WORDS } from "./start_lab.ts";
import { correlations, divisors, law, LAW_D_K, MAX_KEYS, measure, type Quantity } from "./many_draws.ts";

const WALK_ENDS = [512, D_K_MAX];
const AXIS_ROOM = 2.4; // em, for the name of the thumb
const NAMES = ["1", "sqrt", "d_k"] as const;
const { divisor: DIVIDED } = why_sqrt_dk_scale;

export type State = States["why_sqrt_dk/scale"];

export type Series = ReturnType<typeof compute>;

/** The trace of the softmax Jacobian over its maximum, when all weights are equal. */
function movable(weights: Float64Array): number {
  return (1 - dot(weights, weights)) / (1 - 1 / weights.length);
}

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
    level: weights[0].slice().sort().at(-2)! / Math.max(...weights[0]),
    jacobian_unscaled: jacobians[0],
    jacobian_scaled: jacobians[1],
    gradient: movable(weights[1]),
    entry_unscaled: jacobians[0].reduce((a, b) => Math.max(a, b)),
    entry_scaled: jacobians[1].reduce((a, b) => Math.max(a, b)),
    walk_d_k,
    walks: walks_of(walked_to(draw, end), correlation, by_walk),
    envelope_low: edge(-1),
    envelope_high: edge(1),
    drawn: quantity.startsWith("gradient")
      ? drawn_gradients(draw, state, correlation)
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

/** Sixteen sizes to an octave, as in scale_lab.py. */
const D_K = [
  ...Array.from({ length: 32 }, (_, i) => i + 1),
  ...Array.from({ length: 7 * 16 }, (_, i) => 2 ** (5 + Math.floor(i / 16)) * (1 + ((i % 16) + 1) / 16)),
];

/** The style of a line says the condition. */
const LOOKS: Record<State["divisor"], Look[]> = { "1": ["dashed"], sqrt: [], d_k: ["dotted"] };

export function view(state: State, series: Series): Block[] {
  const divided = state.divisor === "1" ? "sqrt" : state.divisor;
  return [
    controls("d_k", "n_keys", "rho", "divisor", "related", "seed"),
    walk_panel(state, series),
    weight_panel(state, series),
    gradient_panel(series),
    note("jacobian", t("Softmax Jacobian: how far each weight moves when each score does"), "hint"),
    row(jacobian_panel(state, series, "unscaled", "1"), jacobian_panel(state, series, "scaled", divided)),
    heat_key(0.25, "gradient", "gradient-negative"),
    controls("quantity"),
    median_panel(state, series),
    law_panel(state, series),
  ];
}

/** One arrow from the weights back to the scores; all the way when all weights are equal. */
function gradient_panel({ gradient }: Series): Plot {
  const share = gradient < 0.005 ? t("under 1 %") : number(gradient, ".0%");
  const title = t("How movable the weights are: {share} of the most", { share });
  const ends = [
    { at: 0, text: t("scores") },
    { at: 1, text: t("weights") },
  ];
  const marks: Mark[] = [{ mark: "back", name: "gradient", colour: "gradient", x1: 1, x2: 1 - gradient, y: 0 }];
  return plot("gradient", title, 1.5, { domain: [0, 1], ticks: ends }, { domain: [-1, 1] }, marks);
}

/** Of independent standard normals nearly all lie within so many standard deviations. */
const WIDE = 3;

/** The axis has room for the scores that are not divided, and stays where it is when one divides. */
function reach({ rho, related }: State, end: number): [number, number] {
  const spread = WIDE * Math.sqrt(end);
  return [-spread, (related === "all" || rho > 0 ? rho * end : 0) + spread];
}

/** What a key is called: a word of the sentence, if there are as many. */
const word_of = (j: number, n_keys: number) =>
  n_keys === WORDS.length ? t(WORDS[j]) : t("key {number}", { number: j + 1 });

/** Each score as its products are added up; the key that has most weight at d_k stands out. */
function walk_panel(state: State, series: Series): Plot {
  const { d_k, n_keys, divisor } = state;
  const d = series.walk_d_k;
  const end = d[d.length - 1];
  const first = series.weights_scaled.indexOf(series.largest_scaled);
  const walk = (j: number) => series.walks.subarray(j * WALK_POINTS, (j + 1) * WALK_POINTS);
  const others = Array.from({ length: n_keys }, (_, j) => j).filter((j) => j !== first);
  const domain = reach(state, end);
  const title = t("Scores {divided}, as dₖ products are added", { divided: t(DIVIDED[divisor]) });
  const x: Axis = { domain: [0, end], ticks: [0, end / 4, end / 2, (3 * end) / 4, end], lower: 0.45 };
  const not_divided = (j: number) => walk(j).map((score, p) => score * divisors(d[p])[NAMES.indexOf(divisor)]);
  const fan =
    divisor === "1"
      ? []
      : others.map((j) =>
          line(`key ${j + 1}, not divided`, "soft", d, not_divided(j), { look: ["thin", "dashed"], straight: true }),
        );
  const label = word_of(first, n_keys);
  return plot(
    "walks",
    title,
    15,
    x,
    { domain, ticks: ticks(...domain, 5).slice(1) }, // the lowest would stand where the thumb's name does
    [
      band("one standard deviation", "soft", d, series.envelope_low, series.envelope_high),
      ...fan,
      here("d_k", d_k),
      ...others.map((j) => line(`key ${j + 1}`, "score", d, walk(j), { look: ["thin"], straight: true })),
      line(`key ${first + 1}`, "score", d, walk(first), { straight: true, label }),
      dots(
        "scores",
        "score",
        series.scores_scaled.map(() => d_k),
        series.scores_scaled,
        { size: 0.22 },
      ),
      {
        ...{ mark: "thumb", name: "thumb", control: "d_k", values: D_K.filter((each) => each <= end), at: d_k },
        ...{ symbol: t("dₖ"), label: t("dₖ"), said: String(d_k) },
      },
    ],
    { least: 17, axis_room: AXIS_ROOM },
  );
}

/** Weights as they are divided; behind them, as ghosts, not divided. */
function weight_panel({ divisor, d_k, n_keys }: State, series: Series): Plot {
  const weights = series.weights_scaled;
  const over_words = n_keys === WORDS.length;
  const x: Axis = over_words
    ? { ...slots(n_keys), scale: "words", words: WORDS.map((word) => t(word)), asks: ASKS }
    : {
        domain: [-0.5, n_keys - 0.5],
        ticks: [
          { at: 0, text: t("key 1") },
          { at: n_keys - 1, text: String(n_keys) },
        ],
      };
  const at = { x: weights.map((_, j) => j), ...(over_words ? { wide: 1.5 } : {}) };
  const marks: Mark[] = [bars("weights", "score", weights, over_words ? { ...at, numbers: ".0%" } : at)];
  if (divisor !== "1") marks.unshift(bars("not divided", "soft", series.weights_unscaled, { ...at, look: ["dashed"] }));
  const y: Axis = over_words
    ? { domain: [0, 1], ticks: [{ at: 1, text: "" }] }
    : { domain: [0, 1], ticks: [0, 0.5, 1] };
  return plot("weights", over_words ? undefined : t("Weights at dₖ = {d_k}", { d_k }), 11, x, y, marks, {
    least: 27,
    share: 1.5,
  }); // on a phone words have no room beside
}

function jacobian_panel({ n_keys }: State, series: Series, which: "unscaled" | "scaled", by: State["divisor"]): Plot {
  const title = t("{name}: largest entry {entry:.2g}", { name: t(DIVIDED[by]), entry: series[`entry_${which}`] });
  const look = { root: true, negative: "gradient-negative", numbers: ".3f" } as const;
  const entries = heat("jacobian", "gradient", series[`jacobian_${which}`], n_keys, 0.25, look);
  return map(`jacobian ${which}`, title, n_keys, [entries], { height: 13 });
}

const RANGES: Record<Quantity, { name: string; from: number; to: number; ticks: number[]; log?: boolean }> = {
  largest_weight: { name: "Largest weight", from: 0, to: 1, ticks: [0, 0.5, 1] },
  entropy: { name: "Entropy of the weights", from: 0, to: Math.log(MAX_KEYS), ticks: [0, 1, 2, 3, 4] },
  largest_entry: { name: "Largest entry of J", from: 0, to: 0.25, ticks: [0, 0.05, 0.1, 0.15, 0.2, 0.25] },
  gradient_q: { name: "Gradient at one query", from: 1e-3, to: 100, ticks: [0.001, 0.01, 0.1, 1, 10, 100], log: true },
  gradient_w_q: {
    name: "Gradient of the query matrix",
    from: 1e-3,
    to: 100,
    ticks: [0.001, 0.01, 0.1, 1, 10, 100],
    log: true,
  },
};

/** The medians of many draws, not divided and divided: two arrows, as long as they are large. */
function median_panel({ quantity }: State, { mid_unscaled, mid_scaled }: Series): Plot {
  const two = [mid_unscaled, mid_scaled];
  const most = Math.max(...two);
  const title = t("{name}: median of many draws", { name: t(RANGES[quantity].name) });
  const colour = quantity.startsWith("gradient") ? "gradient" : "score";
  const y = slots(2, [t(DIVIDED["1"]), t(DIVIDED.sqrt)]);
  const marks: Mark[] = two.flatMap((value, i): Mark[] => [
    { mark: "back", name: `median ${i + 1}`, colour, x1: 0, x2: -value, y: i },
    texts(`number ${i + 1}`, colour, [-value], [i], [number(value, ".2g")], "above"),
  ]);
  const ends = [
    { at: -most, text: number(most, ".2g") },
    { at: 0, text: "0" },
  ];
  return plot("medians", title, 9, { domain: [-1.1 * most, 0], ticks: ends }, y, marks);
}

function law_panel({ d_k, quantity }: State, series: Series): Plot {
  const { name: shown, from, to, ticks, log } = RANGES[quantity];
  const n = LAW_D_K.length;
  const x: Axis = { scale: "log", domain: [1, D_K_MAX], ticks: LAW_D_K.filter((_, i) => i % 2 === 0), label: "dₖ" };
  const title = t("{shown}: line median, band 10 to 90 %, dots mean of many draws; large dot: this one", {
    shown: t(shown),
  });
  const each = NAMES.map((by, i) => {
    const part = (values: Float64Array) => values.subarray(i * n, (i + 1) * n);
    const [name, look] = [t(DIVIDED[by]), LOOKS[by]];
    return {
      band: band(`${by}: 10 to 90 %`, "score", LAW_D_K, part(series.law_low), part(series.law_high)),
      lines: [
        line(`${by}: median`, "score", LAW_D_K, part(series.law_mid), { label: name, look }),
        dots(`${by}: mean`, "score", LAW_D_K, part(series.law_mean), { size: 0.16 }),
        { ...now(`${by}: this draw`, "score", d_k, series.drawn[i]), look: ["now", ...look] } satisfies Mark,
      ],
    };
  });
  const marks = [here("d_k", d_k), ...each.map((one) => one.band), ...each.flatMap((one) => one.lines)];
  return plot("law", title, 13.5, x, { scale: log ? "log" : "linear", domain: [from, to], ticks }, marks);
}
