// The cost lab. Twin of cost_lab.py: same series, same names, same order.

import { dot_vs_additive_cost_controls, type States } from "../../lab/declared.ts";
import { controls, here, line, note, now, plot, row, table, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Look, Mark, Plot } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";

const N = [32, 64, 128, 256, 512];
const D_K = [16, 32, 64];
const WAYS = ["dot", "dot_by_query", "dot_by_pair", "additive", "additive_relu", "additive_by_query"] as const;
const MIB = 4 / 2 ** 20;

type Way = (typeof WAYS)[number];

export type State = States["dot_vs_additive/cost"];

export type Series = ReturnType<typeof compute>;

export function compute({ n, d_k }: State, data: { milliseconds: Record<Way, number[][]> }) {
  const [at, row] = [N.indexOf(n), D_K.indexOf(d_k)];
  const ms = (way: Way) => Float64Array.from(data.milliseconds[way][row]);
  const times = (way: Way, other: Way = "dot") => ms(way)[at] / ms(other)[at];
  const over = (f: (n: number) => number) => Float64Array.from(N, f);
  return {
    n_of: Float64Array.from(N),
    ms_dot: ms("dot"),
    ms_dot_by_query: ms("dot_by_query"),
    ms_dot_by_pair: ms("dot_by_pair"),
    ms_additive: ms("additive"),
    ms_additive_relu: ms("additive_relu"),
    ms_additive_by_query: ms("additive_by_query"),
    times_dot_by_query: times("dot_by_query"),
    times_dot_by_pair: times("dot_by_pair"),
    times_additive: times("additive"),
    times_additive_relu: times("additive_relu"),
    times_additive_by_query: times("additive_by_query"),
    tanh_over_relu: times("additive", "additive_relu"),
    memory_scores: over((n) => MIB * n ** 2),
    memory_pairs: over((n) => MIB * n ** 2 * (1 + d_k)),
    memory_query: over((n) => MIB * n * (n + d_k)),
    products: n * n * d_k,
    tanhs: n * n * d_k,
    mib_scores: MIB * n ** 2,
    mib_pairs: MIB * n ** 2 * d_k,
    mib_query: MIB * n * d_k,
  };
}

// ---- the picture

const tokens = (): Axis => ({
  scale: "log",
  domain: [N[0], N[N.length - 1]],
  ticks: N,
  label: t(dot_vs_additive_cost_controls.n),
});

export function view(state: State, series: Series): Block[] {
  return [
    controls("n", "d_k"),
    row(time_panel(state, series), bill(state, series)),
    row(memory_panel(state, series), way_panel(series)),
    note(
      "how to read",
      t(
        "Bars start at the matrix product, × 1. By query: one query at a time. By pair: all products first, then sums.",
      ),
      "hint",
    ),
  ];
}

/** Over n, the measured time of the dot product and of the additive score. */
function time_panel({ n }: State, { ms_dot, ms_additive, ms_additive_by_query }: Series): Plot {
  const of = (name: string, label: string, colour: Colour, look: Look[], values: Float64Array): Mark[] => [
    line(name, colour, N, values, { label, look, straight: true }),
    now(`${name} now`, colour, n, values[N.indexOf(n)], 0.4),
  ];
  const y: Axis = { scale: "log", domain: [0.002, 80], ticks: [0.01, 0.1, 1, 10] };
  return plot("time", t("Milliseconds, measured on one machine"), 13, tokens(), y, [
    here("n", n),
    ...of("dot", t("q·k, matrices"), "score", ["thick"], ms_dot),
    ...of("additive", t("tanh, all pairs"), "ink", [], ms_additive),
    ...of("additive by query", t("tanh, by query"), "ink", ["thin"], ms_additive_by_query),
  ]);
}

/** How many times as long as the product of matrices each way took. */
function way_panel(series: Series): Plot {
  const names = [t("q·k, matrices"), t("q·k, by query"), t("q·k, by pair"), t("tanh, all pairs")];
  names.push(t("ReLU, all pairs"), t("tanh, by query"));
  const times = WAYS.map((way) => (way === "dot" ? 1 : series[`times_${way}`]));
  const bar = (name: string, colour: Colour, from: number, to: number): Mark => {
    const y = Array.from({ length: to - from }, (_, i) => from + i);
    const x1 = y.map(() => 1);
    return { mark: "segments", name, colour, look: ["thick"], x1, y1: y, x2: times.slice(from, to), y2: y };
  };
  const words = times.map((value) => t("× {value}", { value: number(value, value < 10 ? ".1f" : ".0f") }));
  const y: Axis = { scale: "cells", domain: [-0.5, 5.5], ticks: names.map((text, at) => ({ at, text })) };
  const x: Axis = {
    scale: "log",
    domain: [1, 400],
    ticks: [1, 10, 100],
    label: t("times as long as the matrix product"),
  };
  return plot("by way", t("Measured time, six ways"), 13, x, y, [
    bar("dot products", "score", 1, 3),
    bar("additive scores", "ink", 3, 6),
    texts(
      "times",
      "ink",
      times,
      WAYS.map((_, i) => i),
      words,
      "right",
    ),
  ]);
}

/** Over n, what is held at once. */
function memory_panel({ n }: State, series: Series): Plot {
  const of = (name: string, label: string, colour: Colour, look: Look[], values: Float64Array): Mark[] => [
    line(name, colour, N, values, { label, look, straight: true }),
    now(`${name} now`, colour, n, values[N.indexOf(n)], 0.4),
  ];
  const y: Axis = { scale: "log", domain: [0.003, 100], ticks: [0.01, 0.1, 1, 10, 100] };
  return plot("memory", t("MiB held at once: scores, and what stands between"), 13, tokens(), y, [
    here("n", n),
    ...of("scores", t("scores alone"), "score", ["thick"], series.memory_scores),
    ...of("pairs", t("tanh, all pairs"), "ink", [], series.memory_pairs),
    ...of("query", t("tanh, by query"), "ink", ["thin"], series.memory_query),
  ]);
}

function bill({ n }: State, series: Series): Block {
  const { products, tanhs, ms_dot, ms_additive, mib_pairs } = series;
  const [count, at] = [(value: number) => number(value, ",.0f"), N.indexOf(n)];
  const rows = [
    [t("products"), count(products), count(products)],
    [t("values of tanh"), "0", count(tanhs)],
    [t("MiB in between"), "0", number(mib_pairs, ".3g")],
    [t("milliseconds"), number(ms_dot[at], ".3g"), number(ms_additive[at], ".3g")],
  ];
  return table("bill", rows, -1, { head: ["", t("q·k, matrices"), t("tanh, all pairs")], numeric: [1, 2] });
}
