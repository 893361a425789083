// The rows lab. Twin of rows_lab.py: same series, same names, same order; the picture stands here alone.

import type { States } from "../../lab/declared.ts";
import { column, controls, dragged, grid, note, plot, row, texts, xs, ys } from "../../lab/picture/make.ts";
import type { Axis, Block, Cell, Colour, Grid, Look, Mark, Plot, Point } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { softmax } from "../../maths/softmax.ts";

const [N, REACH, ONE_LENGTH, TIE, EDGE] = [4, 3, 1.6, 1e-9, 3.4];
const WORDS = [0, 1, 2, 3];

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

export function compute({ lengths, angles, rows }: State) {
  const size = Float64Array.from(WORDS, (i) => (rows === "one" ? ONE_LENGTH : lengths[i]));
  const points = new Float64Array(2 * (N + 1));
  for (let i = 0; i <= N; i++) {
    const [length, turn] = [i < N ? size[i] : lengths[i], angles[i] * (Math.PI / 180)];
    points[2 * i] = length * Math.cos(turn);
    points[2 * i + 1] = length * Math.sin(turn);
  }
  const [e, h] = [points.slice(0, 2 * N), points.slice(2 * N)];
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
  };
}

// ---- the picture

/** A row each, and the last for h. */
const EACH: Axis = {
  domain: [0.5, N + 1.5],
  ticks: [...WORDS.map((i) => ({ at: i + 1, text: `${i + 1}` })), { at: N + 1, text: "h" }],
};
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

export function view(state: State, series: Series): Block[] {
  return [
    controls("rows"),
    row(
      plane(state, series),
      column(
        {},
        numbers(series),
        verdict(series),
        row(
          dragged("lengths", t("lengths: drag"), EACH, state.lengths, [0, 1, 2, REACH]),
          dragged("angles", t("angles: drag"), EACH, state.angles, [-180, 0, 180]),
        ),
      ),
    ),
  ];
}

/** A row is violet if its word wins, dark if it is only the nearest, grey if neither. */
const colour_of = (i: number, { best, nearest }: Series): Colour =>
  i + 1 === best ? "score" : i + 1 === nearest ? "ink" : "soft";

/** The rows and h as arrows, the region where the winner wins, and that where the nearest row is the nearest. */
function plane({ lengths, angles }: State, series: Series): Plot {
  const { e, h, size, best, nearest, share } = series;
  const tips = [...WORDS.map((i) => point(e, i)), point(h, 0)];
  const beyond = [...size, lengths[N]].map((length, i): Point => {
    const turn = (angles[i] * Math.PI) / 180;
    return [(length + 0.3) * Math.cos(turn), (length + 0.3) * Math.sin(turn)];
  });
  const area = (name: string, colour: Colour, corners: Point[]): Mark[] =>
    size_of(corners) > 1e-3 ? [{ mark: "polygon", name, colour, x: xs(corners), y: ys(corners) }] : [];
  const look_of = (i: number): Look[] => (i < N && !share[i] ? ["thin"] : []); // a word that wins in no direction
  const arrow = (i: number, name: string, colour: Colour): Mark[] => [
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
    texts(`name of ${name}`, colour, [beyond[i][0]], [beyond[i][1]], [name], "on", { look: ["over"] }),
  ];
  const colours = WORDS.map((i) => colour_of(i, series));
  const marks: Mark[] = [
    ...area("wins", "score", region(e, best - 1, false)),
    ...area("is nearest", "soft", region(e, nearest - 1, true)),
    { mark: "circles", name: "lengths", r: [1, 2, 3] },
    texts("1, 2, 3", "soft", DOWN, DOWN, ["1", "2", "3"], "on", { bold: false }),
    {
      mark: "segments",
      name: "distance",
      colour: nearest === best ? "score" : "ink",
      look: ["dashed"],
      x1: [h[0]],
      y1: [h[1]],
      x2: [tips[nearest - 1][0]],
      y2: [tips[nearest - 1][1]],
    },
    ...WORDS.flatMap((i) => arrow(i, `${i + 1}`, colours[i])),
    ...arrow(N, "h", "query"),
    {
      mark: "polar",
      name: "tips",
      lengths: "lengths",
      angles: "angles",
      colours: [...colours, "query"],
      x: xs(tips),
      y: ys(tips),
    },
  ];
  const title = t("violet: word {best} wins; grey: row {nearest} is nearest", { best, nearest });
  const axis: Axis = { domain: [-EDGE, EDGE] };
  return plot("plane", title, 27, axis, axis, marks, { square: true, share: 1.3, most: 27 });
}

function numbers(series: Series): Grid {
  const { distances, logits, y, share, best, nearest } = series;
  const cells = WORDS.map((i): Cell[] => [
    { text: number(distances[i], ".2f"), bold: i + 1 === nearest },
    { text: number(logits[i], ".2f"), bold: i + 1 === best },
    { text: number(y[i], ".2f"), tint: "score", strength: 0.5 * y[i], bold: i + 1 === best },
    { text: number(share[i], ".0%") },
  ]);
  const framed = WORDS.map((i): Colour | undefined =>
    i + 1 === best ? "score" : i + 1 === nearest ? "ink" : undefined,
  );
  const rows = WORDS.map((i) => t("word {i}", { i: i + 1 }));
  const columns = [t("distance"), "h · e", t("softmax"), t("can win")];
  return grid("numbers", columns, rows, cells, { title: t("products and distances from h"), colour: "score", framed });
}

function verdict({ best, nearest, share }: Series): Block {
  const never = WORDS.find((i) => !share[i]);
  if (best !== nearest)
    return note("verdict", t("Word {best} wins, and row {nearest} is nearer.", { best, nearest }), "warning");
  return never === undefined
    ? note("verdict", t("The nearest row wins here, and each word wins somewhere."), "hint")
    : note("verdict", t("The nearest row wins here. Word {i} wins in no direction.", { i: never + 1 }), "hint");
}
