// The plane lab. Twin of plane_lab.py: same series, same names, same order; the picture stands here alone.

import type { States } from "../../lab/declared.ts";
import {
  column,
  controls,
  dots,
  dragged,
  grid,
  line,
  note,
  now,
  plot,
  row,
  texts,
  xs,
  ys,
} from "../../lab/picture/make.ts";
import type { Axis, Block, Cell, Colour, Grid, Mark, Plot, Point, Segments } from "../../lab/picture/picture.ts";
import { number, t } from "../../lab/words.ts";
import { softmax } from "../../maths/softmax.ts";
import { total } from "../../maths/sums.ts";

const [N, REACH, MOST_ROUNDS, TIE] = [4, 3, 20, 1e-9];
const TOKENS = [0, 1, 2, 3];

export type State = States["no_projections/plane"];

export type Series = ReturnType<typeof compute>;

/** The N x N dot products of N points in the plane, row after row. */
function products(x: Float64Array): Float64Array {
  return Float64Array.from({ length: N * N }, (_, at) => {
    const [i, j] = [Math.floor(at / N), at % N];
    return x[2 * i] * x[2 * j] + x[2 * i + 1] * x[2 * j + 1];
  });
}

function all_weights(scores: Float64Array, divisor: number): Float64Array {
  const out = new Float64Array(N * N);
  for (const i of TOKENS) out.set(softmax(scores.subarray(i * N, (i + 1) * N).map((s) => s / divisor)), i * N);
  return out;
}

function attended(x: Float64Array, divisor: number): Float64Array<ArrayBuffer> {
  const weights = all_weights(products(x), divisor);
  const out = new Float64Array(2 * N);
  for (const i of TOKENS)
    for (const j of TOKENS) {
      out[2 * i] += weights[i * N + j] * x[2 * j];
      out[2 * i + 1] += weights[i * N + j] * x[2 * j + 1];
    }
  return out;
}

function largest_distance(x: Float64Array): number {
  let most = 0;
  for (const i of TOKENS)
    for (const j of TOKENS)
      most = Math.max(most, Math.sqrt((x[2 * i] - x[2 * j]) ** 2 + (x[2 * i + 1] - x[2 * j + 1]) ** 2));
  return most;
}

export function compute({ lengths, angles, divisor, rounds }: State) {
  const x = new Float64Array(2 * N);
  for (const i of TOKENS) {
    const turn = angles[i] * (Math.PI / 180);
    x[2 * i] = lengths[i] * Math.cos(turn);
    x[2 * i + 1] = lengths[i] * Math.sin(turn);
  }
  const steps = [x];
  for (let round = 0; round < MOST_ROUNDS; round++) steps.push(attended(steps[round], divisor));
  const scores = products(x);
  const weights = all_weights(scores, divisor);
  const [own, best, own_weight] = [new Float64Array(N), new Float64Array(N), new Float64Array(N)];
  for (const i of TOKENS) {
    const row = scores.subarray(i * N, (i + 1) * N);
    const least = Math.max(...row) - TIE;
    own[i] = row[i] >= least ? 1 : 0;
    best[i] = own[i] ? i : row.findIndex((score) => score >= least);
    own_weight[i] = weights[i * N + i];
  }
  const path = new Float64Array((MOST_ROUNDS + 1) * 2 * N);
  steps.forEach((step, round) => path.set(step, round * 2 * N));
  const apart = Float64Array.from(steps, largest_distance);
  const factor = -Math.expm1((-2 * Math.max(...lengths) ** 2) / divisor);
  const bounds = apart.map((_, round) => apart[0] * factor ** round);
  return {
    x,
    scores,
    weights,
    own,
    best,
    own_weight,
    path,
    now: steps[rounds].slice(),
    apart,
    bounds,
    after: rounds,
    n_own: total(own),
    first_own: scores[0],
    first_largest: Math.max(...scores.subarray(0, N)),
    first_at: 1 + best[0],
    apart_now: apart[rounds],
    apart_start: apart[0],
    bound: bounds[rounds],
  };
}

// ---- the picture

const points_of = (x: Float64Array): Point[] => TOKENS.map((i) => [x[2 * i], x[2 * i + 1]]);
const NAMES = TOKENS.map((i) => `${i + 1}`);
const EACH: Axis = { domain: [0.5, N + 0.5], ticks: TOKENS.map((i) => i + 1) };
const DOWN = [-0.72, -1.44, -2.16]; // where the circles are, down to the left

/** The corners of the convex hull, in order (Andrew's monotone chain, to and fro). */
function hull(points: Point[]): Point[] {
  const bend = (chain: Point[], p: Point): Point[] => {
    const [a, b] = chain.slice(-2);
    const left = !b || (b[0] - a[0]) * (p[1] - a[1]) > (b[1] - a[1]) * (p[0] - a[0]);
    return left ? [...chain, p] : bend(chain.slice(0, -1), p);
  };
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return [...sorted.reduce(bend, []).slice(0, -1), ...sorted.reduceRight(bend, []).slice(0, -1)];
}

export function view(state: State, series: Series): Block[] {
  return [
    controls("rounds", "divisor"),
    row(
      plane(state, series),
      column(
        {},
        weight_grid(series),
        verdict(series),
        distances(state, series),
        row(
          dragged("lengths", t("lengths: drag"), EACH, state.lengths, [0, 1, 2, REACH]),
          dragged("angles", t("angles: drag"), EACH, state.angles, [-180, 0, 180]),
        ),
      ),
    ),
  ];
}

/** The largest distance between two tokens, round after round, and what is proved of it. */
function distances({ rounds }: State, { apart, bounds, apart_now, bound }: Series): Plot {
  const each = Array.from(apart.keys());
  const title = t("largest distance after {rounds} of 20 rounds: {apart_now:.3f}, proved at most {bound:.3f}", {
    rounds,
    apart_now,
    bound,
  });
  const marks = [
    line("proved at most", "soft", each, bounds, { look: ["dashed"], straight: true }),
    line("largest distance", "value", each, apart, { straight: true }),
    now("now", "value", rounds, apart_now),
  ];
  const x: Axis = { domain: [0, MOST_ROUNDS], ticks: [0, 5, 10, 15, MOST_ROUNDS], label: t("rounds") };
  const y: Axis = { domain: [0, 2 * REACH], ticks: [0, 2, 4, 6] };
  return plot("apart", title, 9, x, y, marks, { colour: "value", least: 14 });
}

/** The tokens as arrows, and where they have gone in the rounds so far. */
function plane({ lengths, angles, rounds }: State, { x, now, path, own, best }: Series): Plot {
  const [tokens, there] = [points_of(x), points_of(now)];
  const moved = rounds > 0;
  const beyond = TOKENS.map((i): Point => {
    const [far, turn] = [lengths[i] + 0.3, (angles[i] * Math.PI) / 180];
    return [far * Math.cos(turn), far * Math.sin(turn)];
  });
  const area = (name: string, colour: Colour, points: Point[]): Mark => {
    const corners = hull(points);
    return { mark: "polygon", name, colour, x: xs(corners), y: ys(corners) };
  };
  const trail = (i: number) => {
    const [x, y] = [0, 1].map((c) => path.filter((_, at) => at % (2 * N) === 2 * i + c).slice(0, rounds + 1));
    return line(`path of ${i + 1}`, "value", x, y, { look: ["thin"], straight: true });
  };
  const lines = (name: string, colour: Colour, from: Point[], to: Point[], more: Partial<Segments>): Mark => {
    return { mark: "segments", name, colour, x1: xs(from), y1: ys(from), x2: xs(to), y2: ys(to), ...more };
  };
  const arrows = (kind: string, colour: Colour, which: number[]): Mark[] => {
    const [from, to] = [which.map((): Point => [0, 0]), which.map((i) => tokens[i])];
    const [places, names] = [which.map((i) => beyond[i]), which.map((i) => NAMES[i])];
    return [
      lines(`${kind}: arrows`, colour, from, to, { tips: true }),
      texts(`${kind}: names`, colour, xs(places), ys(places), names, "on", { look: ["over"] }),
    ];
  };
  const colours = Array.from(own, (itself): Colour => (itself ? "soft" : "score"));
  const [at_self, past] = [1, 0].map((which) => TOKENS.filter((i) => own[i] === which));
  const [from, to] = [past.map((i) => tokens[i]), past.map((i) => tokens[best[i]])];
  const marks: Mark[] = [
    { mark: "circles", name: "lengths", r: [1, 2, 3] },
    texts("1, 2, 3", "soft", DOWN, DOWN, ["1", "2", "3"], "on", { bold: false }),
    area("hull at first", "soft", tokens),
    ...(moved ? [area("hull now", "value", there), ...TOKENS.map(trail)] : []),
    ...arrows("own", "soft", at_self),
    lines("looks at", "score", from, to, { look: ["thin"] }),
    ...arrows("past", "score", past),
    ...(moved ? [dots("now", "value", xs(there), ys(there), { look: ["now"], size: 0.4 })] : []),
    { mark: "polar", name: "tips", lengths: "lengths", angles: "angles", colours, x: xs(tokens), y: ys(tokens) },
  ];
  const title = moved
    ? t("arrows: tokens, drag the tips; green dots: after {rounds} of 20 rounds", { rounds })
    : t("arrows: tokens, drag the tips; thin: what a token looks at instead of itself");
  const axis: Axis = { domain: [-3.4, 3.4] };
  return plot("plane", title, 27, axis, axis, marks, { square: true, share: 1.2, most: 27 });
}

function weight_grid({ weights, own, best }: Series): Grid {
  const cell = (i: number, j: number): Cell => {
    const weight = weights[i * N + j];
    return { text: number(weight, ".2f"), tint: "score", strength: 0.5 * weight, bold: j === best[i] };
  };
  const rows = NAMES.map((name) => `${t("token")} ${name}`);
  const cells = TOKENS.map((i) => TOKENS.map((j) => cell(i, j)));
  const framed = Array.from(own, (own) => (own ? undefined : ("score" as const)));
  return grid("weights", NAMES, rows, cells, { title: t("Weights: row looks at column"), colour: "score", framed });
}

function verdict({ own, best, scores }: Series): Block {
  const i = own.indexOf(0);
  if (i < 0) return note("verdict", t("Every token gives itself its largest weight."), "hint");
  const j = best[i];
  const gaps = { i: i + 1, j: j + 1, with_self: scores[i * N + i], other: scores[i * N + j] };
  return note(
    "verdict",
    t("Framed rows look past themselves. Token {i}: {with_self:.2f} with itself, {other:.2f} with token {j}.", gaps),
    "warning",
  );
}
