// The which-head lab. Twin of which_head_lab.py: same series, same names, same order.

import type { States } from "../../lab/declared.ts";
import { unpacked, type Packed } from "../../lab/packed.ts";
import { column, controls, dots, grid, heat, map, plot, rings, row } from "../../lab/picture/make.ts";
import type { Axis, Block, Cell, Given, Grid, Mark, Plot } from "../../lab/picture/picture.ts";
import { t } from "../../lab/words.ts";

const [N_LAYERS, N_HEADS] = [6, 12];

export type State = States["multi_head/which_head"];

interface Data {
  lost: number[][];
  boy: { tokens: string[]; maps: Packed };
}

export type Series = ReturnType<typeof compute>;

export function compute({ layer, head }: State, { lost: shares, boy: { tokens, maps: all } }: Data) {
  const n = tokens.length;
  const lost = Float64Array.from(shares.flat(), (share) => 100 * share);
  const maps = new Float64Array(lost.length * n * n);
  for (let at = 0; at < lost.length; at++) maps.set(unpacked(all, "int8", n * n, at), at * n * n);
  const chosen = N_HEADS * (layer - 1) + head - 1;
  const map = maps.slice(chosen * n * n, (chosen + 1) * n * n);
  const lost_in_layer = lost.slice(N_HEADS * (layer - 1), N_HEADS * layer);
  const place = (values: Float64Array) => values.filter((other) => other > lost[chosen]).length + 1;
  const early = lost.subarray(0, N_HEADS * (N_LAYERS - 1));
  let before = 0;
  for (let i = 1; i < n; i++) before += map[i * n + i - 1];
  return {
    lost,
    lost_in_layer,
    maps,
    map,
    chosen,
    moved: lost[chosen],
    cosine: 1 - lost[chosen] / 100,
    place: place(lost),
    place_in_layer: place(lost_in_layer),
    before: before / (n - 1),
    most_early: Math.max(...early),
    least_late: Math.min(...lost.subarray(early.length)),
    missed: lost.filter((value) => value >= 1).length,
  };
}

// ---- the picture

const [LAYERS, HEADS] = [N_LAYERS, N_HEADS].map((n) => Array.from({ length: n }, (_, i) => i + 1));
const MOST = 4; // percent
const FAR: Axis = { domain: [0, MOST], ticks: [0, 1, 2, 3, 4] };

export function view(state: State, series: Series, { data }: Given): Block[] {
  const { tokens } = (data as Data).boy;
  return [
    row(
      { ...tiles(state, series, tokens.length), least: 20, most: 36, share: 2 },
      column({ least: 14 }, moved(series), of_chosen(state, series, tokens), all(series)),
    ),
    controls("layer", "head"),
  ];
}

/** A tile for each head, with its map of one sentence; a tap switches it off. */
function tiles(state: State, { maps }: Series, size: number): Grid {
  const cell = (layer: number, head: number): Cell => {
    const at = { text: "", empty: true, set: { layer, head } };
    const off = state.layer === layer && state.head === head;
    return off ? { ...at, tint: "soft", strength: 0.45, frame: "ink" } : at;
  };
  const rows = LAYERS.map((i) => t("layer {i}", { i }));
  const cells = LAYERS.map((layer) => HEADS.map((head) => cell(layer, head)));
  const title = t("72 heads, 72 maps. Tap one to switch it off");
  return grid("heads", HEADS.map(String), rows, cells, { title, maps: { values: maps, size, colour: "score" } });
}

/** How far the meaning moves, as one bar, and where one begins to miss a head. */
function moved({ moved }: Series): Plot {
  const bar = { colour: "ink" as const, x1: [0], y1: [-0.6], y2: [0.6] };
  const marks: Mark[] = [
    { ...bar, mark: "intervals", name: "moved", x2: [moved], look: ["solid"] },
    { mark: "rule", name: "one percent", colour: "ink", x: 1 },
  ];
  const title = t("The meaning moves by {moved:.2f} %", { moved });
  return plot("moved", title, 2.4, FAR, { domain: [-1, 1] }, marks);
}

/** The map of the head that is off: rows are words that look, columns words that are looked at. */
function of_chosen({ layer, head }: State, { map: weights }: Series, tokens: string[]): Plot {
  const title = t("Map of layer {layer}, head {head}: a row looks at columns", { layer, head });
  const n = tokens.length;
  const axis: Axis = { scale: "cells", domain: [-0.5, n - 0.5], ticks: tokens.map((text, at) => ({ at, text })) };
  return { ...map("map", title, n, [heat("weights", "score", weights, n)]), x: axis, y: axis, height: 11 };
}

/** All heads, a line for each layer. */
function all({ lost, chosen }: Series): Plot {
  const layer = Array.from(lost, (_, i) => Math.floor(i / N_HEADS));
  const y: Axis = {
    scale: "cells",
    domain: [-0.5, N_LAYERS - 0.5],
    ticks: LAYERS.map((i) => ({ at: i - 1, text: t("layer {i}", { i }) })),
  };
  const marks = [
    dots("heads", "ink", lost, layer, { size: 0.24 }),
    rings("off", "ink", [lost[chosen]], [layer[chosen]], 0.5),
  ];
  return plot("all", t("Without each head: how far the meaning moves, %"), 9, FAR, y, marks);
}
