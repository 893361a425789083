// The cost lab. Twin of cost_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { column, controls, note, plot, row, table, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Given, Look, Mark, Plot } from "../../lab/picture/picture.ts";
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
    products: n * n * d_k,
    tanhs: n * n * d_k,
    mib_scores: MIB * n ** 2,
    mib_pairs: MIB * n ** 2 * d_k,
    mib_query: MIB * n * d_k,
  };
}

// ---- the picture

export function view(state: State, series: Series, { told }: Given): Block[] {
  return [
    controls("n", "d_k"),
    row(sheets_panel(state, series), column({ least: 17 }, bill(series, told), way_panel(series), how_to_read())),
  ];
}

const ACROSS = 8; // sheets in a row
const SHEET = 0.88; // side of one at the most tokens

/** What is held at once, to scale: one sheet of n × n scores, and all sheets of tanh. */
function sheets_panel({ n, d_k }: State, { mib_scores, mib_pairs }: Series): Plot {
  const side = (SHEET * n) / N[N.length - 1];
  const squares = (name: string, colour: Colour, look: Look[], lefts: number[], heads: number[]): Mark => {
    const [x2, y1] = [lefts.map((x) => x + side), heads.map((y) => y - side)];
    return { mark: "intervals", name, colour, look, x1: lefts, x2, y1, y2: heads };
  };
  const sheets = Array.from({ length: d_k }, (_, i) => i);
  const lefts = sheets.map((i) => i % ACROSS);
  const heads = sheets.map((i) => ACROSS - Math.floor(i / ACROSS));
  const scores = t("q·k: one sheet of scores, {mib:.3g} MiB", { mib: mib_scores });
  const tanhs = t("tanh(q + k): {d_k} sheets, {mib:.3g} MiB", { d_k, mib: mib_pairs });
  const x: Axis = { domain: [-0.1, 9.9], ticks: [0, 2, 4, 6, 8], label: t("sheets in a row") };
  const y: Axis = { domain: [0, 11], ticks: [] };
  return plot("sheets", t("n × n numbers held at once, to scale"), 17, x, y, [
    squares("scores", "score", ["solid"], [0], [10.9]),
    squares("tanh", "ink", ["solid"], lefts, heads),
    texts("one", "score", [1.1], [10.4], [scores], "right"),
    texts("many", "ink", [0], [8.9], [tanhs], "right"),
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
  return plot("by way", t("Times on one machine, six ways"), 11, x, y, [
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

/** What both scores take; operations are counted once that is told. */
function bill({ products, tanhs, mib_pairs }: Series, told: boolean): Block {
  const count = (value: number) => (told ? number(value, ",.0f") : "?");
  const rows = [
    [t("products"), count(products), count(products)],
    [t("values of tanh"), count(0), count(tanhs)],
    [t("MiB held between"), "0", number(mib_pairs, ".3g")],
  ];
  return table("bill", rows, -1, { head: ["", t("q·k, matrices"), t("tanh, all pairs")], numeric: [1, 2] });
}

const how_to_read = (): Block =>
  note(
    "how to read",
    t("Bars start at the matrix product, × 1. By query: one query at a time. By pair: all products first, then sums."),
    "hint",
  );
