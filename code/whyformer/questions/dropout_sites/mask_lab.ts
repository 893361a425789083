// The mask lab. Twin of mask_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import {
  band,
  bars,
  controls,
  heat,
  here,
  legend,
  note,
  now,
  plot,
  row,
  slots,
  texts,
} from "../../lab/picture/make.ts";
import type { Axis, Block, Mark, Plot } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { stream, uniform } from "../../maths/random.ts";
import { softmax } from "../../maths/softmax.ts";
import { total } from "../../maths/sums.ts";

const [N, PASSES, SHOWN] = [8, 500, 16];
const NEAR = 0.01;
const EPSILON = 1e-5;
const SHAPE = [1.6, 0.4, -0.2, 0.9, -1.1, -0.6, 0.1, -1.3];
const READ = [0.25, -0.2, 0.3, 0.15, -0.25, 0.2, -0.15, 0.3];
const PASSED_BY = [0.3, -0.8, 1.2, -0.4, 0.7, -1.1, 0.5, -0.2];

type Site = State["site"];

const BINS: Record<Site, [low: number, width: number, count: number]> = {
  attention: [-0.025, 0.05, 42],
  hidden: [-5.1, 0.2, 51],
  embedding: [-5.1, 0.2, 51],
  residual: [-2.75, 0.1, 55],
};

export type State = States["dropout_sites/mask"];

export type Series = ReturnType<typeof compute>;

function entries(site: Site, spread: number): Float64Array {
  const arriving = Float64Array.from(SHAPE, (s) => spread * s);
  if (site === "attention") return softmax(arriving);
  return site === "hidden" ? arriving.map((s) => Math.max(s, 0)) : arriving;
}

function reading(site: Site, row: Float64Array): number {
  if (site === "residual") {
    const x = row.map((v, j) => PASSED_BY[j] + v);
    const mean = total(x) / N;
    const centred = x.map((v) => v - mean);
    return centred[0] / Math.sqrt(total(centred.map((v) => v * v)) / N + EPSILON);
  }
  return total(site === "attention" ? row : row.map((v, j) => READ[j] * v));
}

export function compute({ site, p, spread, scaling, seed }: State) {
  const before = entries(site, spread);
  const factor = scaling === "train" ? 1 / (1 - p) : 1;
  const [low, width, count] = BINS[site];
  const [share, expected] = [new Float64Array(count), new Float64Array(count)];
  const bin = (value: number) => Math.min(count - 1, Math.max(0, Math.floor((value - low) / width + 1e-9)));
  const evaluation = reading(site, scaling === "test" ? before.map((v) => v * (1 - p)) : before);
  const scaled = before.map((v) => factor * v);

  const kept = new Float64Array(SHOWN * N);
  const off = new Float64Array(PASSES);
  const readings = new Float64Array(SHOWN);
  let after = before;
  for (let pass = 0; pass < PASSES; pass++) {
    const key = stream(seed, pass);
    const row = new Float64Array(N);
    for (let j = 0; j < N; j++) {
      const mask = uniform(key, j) >= p ? 1 : 0;
      row[j] = mask * scaled[j];
      if (pass < SHOWN) kept[pass * N + j] = mask;
    }
    if (pass === 0) after = row;
    const value = reading(site, row);
    if (pass < SHOWN) readings[pass] = value;
    off[pass] = value - evaluation;
    share[bin(value)] += 1 / PASSES;
  }
  const mean_off = total(off) / PASSES;

  const every = new Float64Array(2 ** N);
  const probability = every.map((_, mask) => {
    let n_kept = 0;
    for (let j = 0; j < N; j++) n_kept += (mask >> j) & 1;
    return (1 - p) ** n_kept * p ** (N - n_kept);
  });
  for (let mask = 0; mask < every.length; mask++) {
    const value = reading(
      site,
      scaled.map((v, j) => ((mask >> j) & 1) * v),
    );
    every[mask] = value - evaluation;
    expected[bin(every[mask] + evaluation)] += probability[mask];
  }
  const every_mean = total(every.map((v, i) => probability[i] * v));
  const largest = Math.max(...before);
  return {
    kept,
    before,
    after,
    edges: Float64Array.from({ length: count + 1 }, (_, i) => low + width * i),
    share,
    expected,
    readings,
    now: readings[0],
    evaluation,
    mean: evaluation + mean_off,
    sd: Math.sqrt(total(off.map((v) => (v - mean_off) ** 2)) / PASSES),
    mean_exact: evaluation + every_mean,
    sd_exact: Math.sqrt(total(every.map((v, i) => probability[i] * (v - every_mean) ** 2))),
    sum_squares: total(before.map((v) => v * v)),
    unchanged: total(every.map((v, i) => (Math.abs(v) < NEAR ? probability[i] : 0))),
    largest,
    alone: factor * largest,
    without: factor * (total(before) - largest),
    sd_least: Math.sqrt(p / (1 - p) / N),
  };
}

// ---- the picture

export function view(state: State, series: Series): Block[] {
  const { evaluation, mean_exact, sd_exact } = series;
  const solid = t("solid: in evaluation, {evaluation:.2f}", { evaluation });
  const dashed = t("dashed: mean in training, {mean_exact:.2f} ± {sd_exact:.2f}", { mean_exact, sd_exact });
  return [
    controls("site"),
    controls("p", "spread", "seed"),
    row(one_pass(state, series), readings(state, series)),
    legend("lines", { text: solid, colour: "ink" }, { text: dashed, colour: "soft" }),
    controls("scaling"),
    note("verdict", verdict(state, series), "aside"),
    masks(state, series),
  ];
}

const SLOTS = Array.from({ length: N }, (_, j) => j);
const NUMBERS = SLOTS.map((j) => String(j + 1));

/** The same columns in both panels: keys or entries. */
const columns = (site: Site): Axis => ({ ...slots(N, NUMBERS), label: site === "attention" ? t("key") : t("entry") });

/** The axis of the bars, by site; the same for every rate and every spread. */
const BARS: Record<Site, Axis> = {
  attention: { domain: [0, 1.75], ticks: [0, 0.5, 1, 1.5] },
  hidden: { domain: [0, 10], ticks: [0, 5, 10] },
  embedding: { domain: [-8, 10], ticks: [-5, 0, 5, 10] },
  residual: { domain: [-8, 10], ticks: [-5, 0, 5, 10] },
};

function one_pass({ site }: State, { before, after, kept, now }: Series): Plot {
  const title =
    site === "attention"
      ? t("Weights without dropout (dashed), in this pass: sum {now:.2f}", { now })
      : t("Entries without dropout (dashed), and in this pass");
  const dropped = SLOTS.filter((j) => kept[j] === 0);
  const [zeros, crosses] = [dropped.map(() => 0), dropped.map(() => "×")];
  const marks: Mark[] = [
    bars("before", "soft", before, { x: SLOTS, width: 0.7, look: ["dashed"] }),
    bars("after", "score", after, { x: SLOTS, width: 0.7 }),
    { mark: "rule", name: "zero", colour: "soft", look: ["solid"], y: 0 },
    texts("dropped", "ink", dropped, zeros, crosses, "above", { size: 1.4 }),
  ];
  return plot("entries", title, 13.5, columns(site), BARS[site], marks);
}

/** The first masks, one line each, with the reading before it. */
function masks({ site }: State, series: Series): Plot {
  const title =
    site === "attention"
      ? t("16 passes: kept keys, and the sum of the row")
      : t("16 passes: kept entries, and the reading");
  const words = Array.from(series.readings, (reading) => number(reading, ".2f"));
  const kept = heat("kept", "score", series.kept, N, 1, { gaps: true });
  return plot("masks", title, 13.5, columns(site), slots(SHOWN, words), [kept]);
}

const READINGS: Record<Site, [name: string, ticks: number[]]> = {
  attention: ["Sum of the row", [0, 0.5, 1, 1.5, 2]],
  hidden: ["One output of W₂", [-4, -2, 0, 2, 4]],
  embedding: ["One entry of a query", [-4, -2, 0, 2, 4]],
  residual: ["One entry after add & norm", [-2, -1, 0, 1, 2]],
};

/** How the readings spread, over the passes and over all masks. */
function readings({ site }: State, series: Series): Plot {
  const { edges, share, expected, mean_exact, sd_exact, evaluation } = series;
  const [name, ticks] = READINGS[site];
  const title = t("{reading}: 500 passes (violet), all masks (grey)", { reading: t(name) });
  const x: Axis = { domain: [edges[0], edges[edges.length - 1]], ticks, label: t("reading") };
  const shares = [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, text: t("{percent} %", { percent: 100 * at }) }));
  const around = [mean_exact - sd_exact, mean_exact + sd_exact];
  const marks: Mark[] = [
    band("mean ± sd", "soft", around, [0, 0], [1, 1]),
    { mark: "histogram", name: "passes", colour: "score", edges, y: share },
    { mark: "histogram", name: "all masks", colour: "soft", edges, y: expected, outline: true },
    { mark: "rule", name: "evaluation", colour: "ink", look: ["solid"], x: evaluation },
    here("mean", mean_exact),
    now("now", "score", series.now, 0, 0.45),
  ];
  return plot("readings", title, 13.5, x, { domain: [0, 1], ticks: shares }, marks);
}

function verdict({ site, p, scaling }: State, series: Series): string {
  const { mean_exact, evaluation, sum_squares, sd_exact } = series;
  if (p === 0) return t("Nothing is dropped: training and evaluation are the same.");
  if (scaling === "none")
    return t(
      "Nothing makes good for what is missing: in training the mean is {mean_exact:.2f}, in evaluation {evaluation:.2f}.",
      { mean_exact, evaluation },
    );
  if (site === "residual")
    return t("LayerNorm is not linear: the mean in training is {mean_exact:.3f}, evaluation gives {evaluation:.3f}.", {
      mean_exact,
      evaluation,
    });
  if (site === "attention" && scaling === "train")
    return t(
      "√(p/(1 − p) · Σ w²) with Σ w² = {sum_squares:.3f} is {sd_exact:.3f}: the more a row is one key, the more a mask does to it.",
      { sum_squares, sd_exact },
    );
  return t("The reading is linear in the entries, so its mean over the masks is what evaluation gives.");
}
