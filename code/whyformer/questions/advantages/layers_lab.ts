// The layers lab. Twin of layers_lab.py: same series, same names, same order.

import { advantages_layers_controls, type States } from "../../lab/declared.ts";
import { controls, here, line, now, plot, row } from "../../lab/picture/make.ts";
import type { Axis, Block, Colour, Given, Look, Plot } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";

const LENGTHS = Float64Array.from({ length: 13 }, (_, i) => 2 ** (i + 4));

export type State = States["advantages/layers"];

export type Series = ReturnType<typeof compute>;

/** Multiplications of a token with the matrices of its layer, in units of d²: of attention, and of the cell. */
const MATRICES: Record<State["count"], [own: number, cell: number]> = {
  table: [0, 1],
  simple: [4, 2],
  lstm: [4, 8],
  layer: [12, 8],
};

function dilated(n: number, kernel: number): number {
  let [layers, seen] = [0, 1];
  for (; seen < n; seen *= kernel) layers++;
  return layers;
}

export function compute({ n, d, kernel, window, count }: State) {
  const [own, cell] = MATRICES[count];
  const both = count === "table" ? 1 : 2;
  const memory = cell === 8 ? 2 : 1;
  const over = (...rows: ((n: number) => number)[]) => Float64Array.from(rows.flatMap((f) => Array.from(LENGTHS, f)));
  const seen = (n: number) => Math.min(window, n);
  const work = over(
    (n) => own * n * d ** 2 + both * n ** 2 * d,
    (n) => cell * n * d ** 2,
    (n) => kernel * n * d ** 2,
    (n) => own * n * d ** 2 + both * seen(n) * n * d,
  );
  const waits = over(
    () => 1,
    (n) => n,
    () => 1,
    () => 1,
  );
  const hops = over(
    () => 1,
    (n) => n - 1,
    (n) => dilated(n, kernel),
    (n) => Math.ceil((n - 1) / (kernel - 1)),
    (n) => Math.ceil((n - 1) / (seen(n) - 1)),
  );
  const kept = over(
    (n) => 2 * n * d,
    () => memory * d,
    () => (kernel - 1) * d,
    (n) => 2 * seen(n) * d,
  );
  const at = (values: Float64Array, kind: number) => values[kind * LENGTHS.length + LENGTHS.indexOf(n)];
  return {
    lengths: LENGTHS.slice(),
    work,
    relative: work.map((products, i) => products / work[LENGTHS.length + (i % LENGTHS.length)]),
    waits,
    hops,
    kept,
    ratio: at(work, 0) / at(work, 1),
    crossing: Math.max(0, ((cell - own) * d) / both),
    waits_attention: at(waits, 0),
    waits_recurrence: at(waits, 1),
    hops_attention: at(hops, 0),
    hops_recurrence: at(hops, 1),
    hops_dilated: at(hops, 2),
    hops_plain: at(hops, 3),
    hops_window: at(hops, 4),
    kept_attention: at(kept, 0),
    kept_recurrence: at(kept, 1),
  };
}

// ---- the picture

interface Kind {
  name: string;
  colour: Colour;
  look: Look[];
}

const ATTENTION: Kind = { name: "attention", colour: "score", look: ["thick"] };
const RECURRENCE: Kind = { name: "recurrence", colour: "ink", look: ["thick"] };
const CONVOLUTION: Kind = { name: "convolution", colour: "soft", look: [] };
const DILATED: Kind = { ...CONVOLUTION, name: "dilated" };
const PLAIN: Kind = { name: "plain", colour: "soft", look: ["thin"] };
const WINDOW: Kind = { name: "window", colour: "score", look: ["thin"] };
const KINDS = [ATTENTION, RECURRENCE, CONVOLUTION, WINDOW];

const powers = (low: number, high: number): Axis => ({
  scale: "log",
  domain: [low, high],
  ticks: Array.from({ length: 13 }, (_, i) => 10 ** (i - 3))
    .filter((at) => at >= low && at <= high)
    .map((at) => ({ at, text: at < 1e4 ? number(at, "") : number(at, ".0e").replace("1·", "") })),
});

/**
 * One line for each kind of layer over the length of the text, and a dot at the chosen length. Until it is told, lines go
 * as far as the reader has gone.
 */
function over_length(
  { n }: State,
  told: boolean,
  name: string,
  title: string,
  values: Float64Array,
  y: Axis,
  kinds = KINDS,
  labels = kinds.map((kind) => kind.name),
): Plot {
  const rows = kinds.map((_, i) => values.subarray(i * LENGTHS.length, (i + 1) * LENGTHS.length));
  const x: Axis = {
    scale: "log",
    domain: [16, 65536],
    ticks: [16, 256, 4096, 65536],
    label: t(advantages_layers_controls.n),
  };
  const shown = told ? LENGTHS.length : LENGTHS.indexOf(n) + 1;
  const marks = kinds.flatMap(({ name, colour, look }, i) => [
    line(name, colour, LENGTHS.subarray(0, shown), rows[i].subarray(0, shown), {
      look,
      straight: true,
      label: labels[i] && t(labels[i]),
    }),
    now(`${name}: now`, colour, n, rows[i][LENGTHS.indexOf(n)], i < 2 ? 0.4 : 0.25),
  ]);
  return plot(name, title, 14, x, y, [here("n", n), ...marks], { least: 13 });
}

export function view(state: State, { relative, waits, hops, kept }: Series, { told }: Given): Block[] {
  return [
    controls("n", "d", "count"),
    controls("kernel", "window"),
    row(
      over_length(state, told, "work", t("Multiplications, recurrence = 1"), relative, powers(0.002, 2000)),
      over_length(state, told, "waits", t("Steps that wait"), waits, powers(1, 1e5), KINDS, [
        "all others",
        "recurrence",
      ]),
      over_length(state, told, "hops", t("Hops, first to last"), hops, powers(1, 1e5), [
        ATTENTION,
        RECURRENCE,
        DILATED,
        PLAIN,
        WINDOW,
      ]),
    ),
    over_length(state, told, "kept", t("Numbers kept while generating"), kept, powers(30, 1e9)),
  ];
}
