// The rows lab. Twin of rows_lab.py: same series, same names, same order; the picture stands here alone.

import type { States } from "../../lab/declared.ts";
import { column, controls, dragged, grid, note, plot, row, texts, xs, ys } from "../../lab/picture/make.ts";
import type { Axis, Block, Cell, Colour, Given, Grid, Look, Mark, Plot, Point } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { softmax } from "../../maths/softmax.ts";

const [N, REACH, ONE_LENGTH, TIE, EDGE] = [4, 3, 1.6, 1e-9, 3.4];
const WORDS = [0, 1, 2, 3];
const PLACES = ["encoder", "decoder", "output"];
const NAMES = ["cat", "sat", "mat", "dog"]; // as they are in Python
const named = (i: number): string => t(NAMES[i]);
const [READ, ANSWER, RATE, LEAST_SIZE, LEAST] = [0, 1, 2, 0.05, 1e-12];
const [LENGTHS, ANGLES, READ_LENGTHS, READ_ANGLES] = [[1.3], [-60], [1.6, 2.2], [60, -150]]; // where “cat” begins
/** Lengths and angles of the other words where encoder and decoder have tables of their own. */
const OTHERS = [
  { lengths: [1.9, 1.2, 2.4], angles: [-130, 150, 0] },
  { lengths: [1.5, 2.3, 1.0], angles: [100, -40, 165] },
];

export type State = States["weight_tying/rows"];

export type Series = ReturnType<typeof compute>;

const point = (xy: Float64Array, i: number): Point => [xy[2 * i], xy[2 * i + 1]];

/** For each row the share of all directions of h in which its product is the largest. */
function winning_share(e: Float64Array): Float64Array {
  return Float64Array.from(WORDS, (k) => {
    const differences = WORDS.filter((j) => j !== k).map((j): Point => [
      e[2 * k] - e[2 * j],
      e[2 * k + 1] - e[2 * j + 1],
    ]);
    if (differences.some(([x, y]) => Math.sqrt(x * x + y * y) < TIE)) return 0;
    const turns = differences.map(([x, y]) => Math.atan2(y, x)).sort((a, b) => a - b);
    let gap = turns[0] + 2 * Math.PI - turns.at(-1)!;
    for (let i = 1; i < turns.length; i++) gap = Math.max(gap, turns[i] - turns[i - 1]);
    return gap > Math.PI + TIE ? (gap - Math.PI) / (2 * Math.PI) : 0;
  });
}

/** Points by their lengths and their angles in degrees. */
function plane_of(lengths: ArrayLike<number>, angles: ArrayLike<number>): Float64Array {
  const points = new Float64Array(2 * lengths.length);
  for (let i = 0; i < lengths.length; i++) {
    const turn = angles[i] * (Math.PI / 180);
    points[2 * i] = lengths[i] * Math.cos(turn);
    points[2 * i + 1] = lengths[i] * Math.sin(turn);
  }
  return points;
}

/** What one step adds to the row that is read, and to the rows of the output: see rows_lab.py. */
function training(read: Float64Array, output: Float64Array, h: Float64Array) {
  const logits = Float64Array.from(WORDS, (i) => output[2 * i] * h[0] + output[2 * i + 1] * h[1]);
  const error = softmax(logits).map((y, i) => y - (i === ANSWER ? 1 : 0));
  const [x, y] = point(read, READ);
  const turn = Math.atan2(h[1], h[0]) - Math.atan2(y, x);
  const stretch = Math.sqrt(h[0] ** 2 + h[1] ** 2) / Math.max(Math.sqrt(x * x + y * y), LEAST_SIZE);
  const [cos, sin] = [stretch * Math.cos(turn), stretch * Math.sin(turn)];
  const [u, v] = [0, 1].map((c) => WORDS.reduce((sum, i) => sum + error[i] * output[2 * i + c], 0));
  const as_input = new Float64Array(2 * N);
  as_input[2 * READ] = -RATE * (cos * u + sin * v);
  as_input[2 * READ + 1] = -RATE * (cos * v - sin * u);
  return { as_input, as_output: Float64Array.from(output, (_, i) => -RATE * error[i >> 1] * h[i % 2]) };
}

const moved = (steps: Float64Array) =>
  WORDS.filter((i) => Math.sqrt(steps[2 * i] ** 2 + steps[2 * i + 1] ** 2) > LEAST).length;

export function compute({ tables, lengths, angles, read_lengths, read_angles, rows, trained }: State) {
  const size = Float64Array.from(WORDS, (i) => (rows === "one" ? ONE_LENGTH : lengths[i]));
  const points = plane_of([...size, lengths[N]], angles);
  const [e, h] = [points.slice(0, 2 * N), points.slice(2 * N)];
  const apart = OTHERS.map((others, i) =>
    plane_of([read_lengths[i], ...others.lengths], [read_angles[i], ...others.angles]),
  );
  const [encoder, decoder] = tables === "three" ? apart : [e, e];
  const cats = plane_of([lengths[0], ...read_lengths], [angles[0], ...read_angles]);
  const starts = plane_of([...LENGTHS, ...READ_LENGTHS], [...ANGLES, ...READ_ANGLES]);
  const shifts = [0, 2, 4].map((i) => Math.sqrt((cats[i] - starts[i]) ** 2 + (cats[i + 1] - starts[i + 1]) ** 2));
  const still = new Float64Array(2 * N);
  const { as_input, as_output } = trained === "yes" ? training(decoder, e, h) : { as_input: still, as_output: still };
  const both = as_input.map((value, i) => value + as_output[i]);
  const [step_encoder, step_decoder, step_output] =
    tables === "three" ? [still, as_input, as_output] : [both, both, both];
  const logits = Float64Array.from(WORDS, (i) => e[2 * i] * h[0] + e[2 * i + 1] * h[1]);
  const distances = Float64Array.from(WORDS, (i) => Math.sqrt((e[2 * i] - h[0]) ** 2 + (e[2 * i + 1] - h[1]) ** 2));
  const y = softmax(logits);
  const [most, least] = [Math.max(...logits) - TIE, Math.min(...distances) + TIE];
  const best = logits.findIndex((logit) => logit >= most);
  const nearest = distances.findIndex((distance) => distance <= least);
  const share = winning_share(e);
  return {
    e,
    h,
    size,
    encoder,
    decoder,
    shift: Math.max(...shifts),
    logits,
    distances,
    y,
    share,
    n_can_win: share.filter((s) => s > 0).length,
    best: 1 + best,
    nearest: 1 + nearest,
    y_best: y[best],
    y_nearest: y[nearest],
    logit_best: logits[best],
    logit_nearest: logits[nearest],
    distance_best: distances[best],
    distance_nearest: distances[nearest],
    share_last: share[N - 1],
    step_encoder,
    step_decoder,
    step_output,
    moved_encoder: moved(step_encoder),
    moved_decoder: moved(step_decoder),
    moved_output: moved(step_output),
  };
}

// ---- the picture

/** A row each, and the last for h. */
const each = (): Axis => ({
  domain: [0.5, N + 1.5],
  ticks: [...WORDS.map((i) => ({ at: i + 1, text: named(i) })), { at: N + 1, text: "h" }],
});
const DOWN = [-0.72, -1.44, -2.16]; // where the names of the circles are, down to the left
const SQUARE: Point[] = [
  [-EDGE, -EDGE],
  [EDGE, -EDGE],
  [EDGE, EDGE],
  [-EDGE, EDGE],
];

/** What of a polygon lies where (a, b) . (x, y) is at least c (Sutherland and Hodgman). */
function clipped(corners: Point[], [a, b]: Point, c: number): Point[] {
  const over = ([x, y]: Point) => a * x + b * y - c;
  return corners.flatMap((p, i) => {
    const q = corners[(i + 1) % corners.length];
    const [at_p, at_q] = [over(p), over(q)];
    const share = at_p / (at_p - at_q);
    const crossing: Point = [p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])];
    return [...(at_p >= 0 ? [p] : []), ...(at_p * at_q < 0 ? [crossing] : [])];
  });
}

/** Area of a polygon: a word that wins nowhere and ties at h = 0 has a region without one. */
const size_of = (corners: Point[]) =>
  corners.reduce((sum, [x, y], i) => {
    const [u, v] = corners[(i + 1) % corners.length];
    return sum + (x * v - y * u) / 2;
  }, 0);

/** Where h would have its largest product with row k, or where that row would be the nearest. */
function region(e: Float64Array, k: number, nearest: boolean): Point[] {
  const [x, y] = point(e, k);
  return WORDS.filter((j) => j !== k).reduce((corners, j) => {
    const [u, v] = point(e, j);
    // One normal for both, the difference of the rows: the border goes through the origin, or midway between them.
    return clipped(corners, [x - u, y - v], nearest ? (x * x + y * y - u * u - v * v) / 2 : 0);
  }, SQUARE);
}

export function view(state: State, series: Series, { told }: Given): Block[] {
  return [
    controls("tables", "rows", "trained"),
    row(...([0, 1, 2] as const).map((place) => socket(place, state, series))),
    moves(state, series),
    row(
      plane(state, series, told),
      column(
        {},
        numbers(series, told),
        verdict(series),
        row(
          dragged("lengths", t("lengths: drag"), each(), state.lengths, [0, 1, 2, REACH]),
          dragged("angles", t("angles: drag"), each(), state.angles, [-180, 0, 180]),
        ),
      ),
    ),
  ];
}

/** Where a table is read or compared, its rows, and what one training step adds to them. “cat” can be dragged. */
function socket(place: 0 | 1 | 2, { tables, trained }: State, series: Series): Plot {
  const own = tables === "three";
  const { h, encoder, decoder, e, step_encoder, step_decoder, step_output } = series;
  const rows = [encoder, decoder, e][place];
  const steps = [step_encoder, step_decoder, step_output][place];
  const tips = WORDS.map((i): Point => point(rows, i));
  const marks: Mark[] = [{ mark: "circles", name: "lengths", r: [1, 2, 3] }];
  const arrow = (name: string, colour: Colour, [x, y]: Point, look: Look[] = []) =>
    marks.push({ mark: "segments", name, colour, look, x1: [0], y1: [0], x2: [x], y2: [y], tips: true });
  const word = (name: string, colour: Colour, [x, y]: Point, shown = name) => {
    const out = 1 + 0.55 / Math.max(Math.hypot(x, y), 0.1);
    marks.push(texts(`name of ${name}`, colour, [out * x], [out * y], [shown], "on", { look: ["over"], size: 0.9 }));
  };
  if (place === 2) arrow("h", "query", point(h, 0), ["thin"]);
  tips.forEach((tip, i) => arrow(NAMES[i], i === READ ? "ink" : "soft", tip, i === READ ? [] : ["thin"]));
  WORDS.forEach((i) => {
    const [x, y] = point(steps, i);
    if (Math.hypot(x, y) <= LEAST) return;
    const [x1, y1] = tips[i];
    const look: Look[] = ["strong"];
    const [x2, y2] = [x1 + x, y1 + y];
    marks.push({
      mark: "segments",
      name: `step of ${NAMES[i]}`,
      colour: "gradient",
      look,
      x1: [x1],
      y1: [y1],
      x2: [x2],
      y2: [y2],
      tips: true,
    });
  });
  if (place === 2) word("h", "query", point(h, 0));
  tips.forEach((tip, i) => word(NAMES[i], i === READ ? "ink" : "soft", tip, named(i)));
  const [lengths, angles] = own && place < 2 ? ["read_lengths", "read_angles"] : ["lengths", "angles"];
  if (trained === "no")
    marks.push({
      mark: "polar",
      name: "tips",
      lengths,
      angles,
      entries: [own && place < 2 ? place : READ],
      names: [t("“{word}”", { word: named(READ) })],
      colours: ["ink"],
      x: [tips[READ][0]],
      y: [tips[READ][1]],
    });
  const titles = [t("encoder reads"), t("decoder reads"), t("output compares")];
  const axis: Axis = { domain: [-EDGE, EDGE] };
  return plot(PLACES[place], titles[place], 13, axis, axis, marks, { square: true, least: 6.5, most: 15 });
}

/** How far one training step moves each row at each place. */
function moves({ trained }: State, { step_encoder, step_decoder, step_output }: Series): Grid {
  const far = [step_encoder, step_decoder, step_output].map((steps) =>
    WORDS.map((i) => Math.sqrt(steps[2 * i] ** 2 + steps[2 * i + 1] ** 2)),
  );
  const most = Math.max(...far.flat(), LEAST);
  const cells = WORDS.map((i): Cell[] =>
    far.map((each): Cell => {
      if (trained === "no") return { text: "–", empty: true };
      const is_moved = each[i] > LEAST;
      const text = is_moved ? number(each[i], each[i] < 0.095 ? ".1g" : ".2f") : "0";
      return { text, tint: "gradient", strength: (0.6 * each[i]) / most, bold: is_moved };
    }),
  );
  const title = t("how far one step moves each row");
  return grid("moves", [t("encoder"), t("decoder"), t("output")], WORDS.map(named), cells, {
    title,
    colour: "gradient",
  });
}

/** A row is violet if its word wins, dark if it is only the nearest, grey if neither. */
const colour_of = (i: number, { best, nearest }: Series): Colour =>
  i + 1 === best ? "score" : i + 1 === nearest ? "ink" : "soft";

/** The rows and h as arrows, the region where the winner wins, and that where the nearest row is the nearest. */
function plane({ lengths, angles }: State, series: Series, told: boolean): Plot {
  const { e, h, size, best, nearest, share } = series;
  const tips = [...WORDS.map((i) => point(e, i)), point(h, 0)];
  const beyond = [...size, lengths[N]].map((length, i): Point => {
    const turn = (angles[i] * Math.PI) / 180;
    return [(length + 0.45) * Math.cos(turn), (length + 0.45) * Math.sin(turn)];
  });
  const area = (name: string, colour: Colour, corners: Point[]): Mark[] =>
    size_of(corners) > 1e-3 ? [{ mark: "polygon", name, colour, x: xs(corners), y: ys(corners) }] : [];
  const look_of = (i: number): Look[] => (told && i < N && !share[i] ? ["thin"] : []); // wins in no direction
  const arrow = (i: number, name: string, colour: Colour, shown = name): Mark[] => [
    {
      mark: "segments",
      name,
      colour,
      look: look_of(i),
      x1: [0],
      y1: [0],
      x2: [tips[i][0]],
      y2: [tips[i][1]],
      tips: true,
    },
    texts(`name of ${name}`, colour, [beyond[i][0]], [beyond[i][1]], [shown], "on", { look: ["over"] }),
  ];
  const colours = WORDS.map((i) => (told ? colour_of(i, series) : "ink"));
  const distance: Mark = {
    mark: "segments",
    name: "distance",
    colour: nearest === best ? "score" : "ink",
    look: ["dashed"],
    x1: [h[0]],
    y1: [h[1]],
    x2: [tips[nearest - 1][0]],
    y2: [tips[nearest - 1][1]],
  };
  const regions = told
    ? [
        ...area("wins", "score", region(e, best - 1, false)),
        ...area("is nearest", "soft", region(e, nearest - 1, true)),
      ]
    : [];
  const marks: Mark[] = [
    ...regions,
    { mark: "circles", name: "lengths", r: [1, 2, 3] },
    texts("1, 2, 3", "soft", DOWN, DOWN, ["1", "2", "3"], "on", { bold: false }),
    ...(told ? [distance] : []),
    ...WORDS.flatMap((i) => arrow(i, NAMES[i], colours[i], named(i))),
    ...arrow(N, "h", "query"),
    {
      mark: "polar",
      name: "tips",
      lengths: "lengths",
      angles: "angles",
      names: [...WORDS.map((i) => t("“{word}”", { word: named(i) })), "h"],
      colours: [...colours, "query"],
      x: xs(tips),
      y: ys(tips),
    },
  ];
  const [winner, closest] = [named(best - 1), named(nearest - 1)];
  const title = told
    ? t("violet: “{winner}” wins; grey: “{closest}” is nearest", { winner, closest })
    : t("rows of the output table, and h");
  const axis: Axis = { domain: [-EDGE, EDGE] };
  return plot("plane", title, 27, axis, axis, marks, { square: true, share: 1.3, most: 27 });
}

function numbers(series: Series, told: boolean): Grid {
  const { distances, logits, y, share, best, nearest } = series;
  const cells = WORDS.map((i): Cell[] => [
    { text: number(distances[i], ".2f"), bold: told && i + 1 === nearest },
    { text: number(logits[i], ".2f"), bold: told && i + 1 === best },
    { text: number(y[i], ".2f"), tint: "score", strength: 0.5 * y[i], bold: told && i + 1 === best },
    { text: number(share[i], ".0%") },
  ]);
  const framed = WORDS.map((i): Colour | undefined =>
    !told ? undefined : i + 1 === best ? "score" : i + 1 === nearest ? "ink" : undefined,
  );
  const columns = [t("distance"), "h · e", t("softmax"), t("can win")];
  return grid("numbers", columns, WORDS.map(named), cells, {
    title: t("products and distances from h"),
    colour: "score",
    framed,
  });
}

function verdict({ best, nearest, share }: Series): Block {
  const never = WORDS.find((i) => !share[i]);
  const [winner, closest] = [named(best - 1), named(nearest - 1)];
  if (best !== nearest)
    return note("verdict", t("“{winner}” wins, and the row of “{closest}” is nearer.", { winner, closest }), "warning");
  return never === undefined
    ? note("verdict", t("The nearest row wins here, and each word wins somewhere."), "hint")
    : note("verdict", t("The nearest row wins here. “{word}” wins in no direction.", { word: named(never) }), "hint");
}
