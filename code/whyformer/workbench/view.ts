// What is shown of a training as data: the picture, the rows of the table, and how a bet has ended.

import { column, heat, line, note, plot, row, slots, texts, xs, ys } from "../lab/picture/make.ts";
import type { Block, Colour, Look, Mark, Point } from "../lab/picture/picture.ts";
import { t } from "../lab/words.ts";
import { example, type Experiment } from "./train.ts";
import type { Job, Report } from "./worker.ts";

/** One arm from one seed: what was measured so far, and how it ended; "lost" if a worker died twice. */
export interface Run {
  points: Report[];
  end?: "whole" | "overflowed" | "lost";
}

export interface Bench {
  experiment: Experiment;
  /** Numbers of the arms that are shown. */
  arms: number[];
  seeds: number[];
  runs: Map<string, Run>;
}

/** The line says the condition, as everywhere in the book: with the part solid, without it dashed; twin of picture.py. */
const LINES: { colour: Colour; look: Look[] }[] = [
  { colour: "ink", look: [] },
  { colour: "ink", look: ["dashed"] },
  { colour: "soft", look: ["dash-dotted"] },
];

export const name_of = ({ arm, seed }: Job): string => `${arm} ${seed}`;

const runs_of = ({ seeds, runs }: Bench, arm: number): Run[] =>
  seeds.map((seed) => runs.get(name_of({ arm, seed })) ?? { points: [] });

const mean = (values: number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** The curves, and beside them a map of each head, or below them where the first arm has more than two; on a slide there is
    room for low curves alone. */
export function view(bench: Bench, maps: boolean): Block[] {
  if (!maps) return [curves(bench, 7)];
  const words = note(
    "maps",
    t("Weights of the last layer for one example: row by row, where each token looks."),
    "hint",
  );
  const many = bench.experiment.arms[0].arm.heads > 2;
  if (!many)
    return [
      row(curves(bench, 15), column({ share: 2 }, row(...bench.arms.flatMap((arm) => heads(bench, arm))), words)),
    ];
  const named = bench.arms.flatMap((arm) => [
    note(`arm ${arm}`, t(bench.experiment.arms[arm].arm.name), "title"),
    row(...heads(bench, arm, true)),
  ]);
  return [curves(bench, 15), ...named, words];
}

const place = ({ step, accuracy }: Report): Point => [step, accuracy];

function curves(bench: Bench, height: number): Block {
  const { experiment, arms } = bench;
  const marks: Mark[] = [
    { mark: "rule", name: "chance", y: experiment.chance, colour: "soft", look: ["solid", "dotted"] },
    texts("chance in words", "soft", ["right"], [experiment.chance], [t("chance")], "above", { bold: false }),
  ];
  for (const arm of arms) {
    const { colour, look } = LINES[arm];
    const runs = runs_of(bench, arm);
    const curve = (name: string, points: Point[], width: Look) =>
      marks.push(line(name, colour, xs(points), ys(points), { straight: true, look: [width, ...look] }));
    runs.forEach(({ points }, i) => curve(`arm ${arm}, ${i}`, points.map(place), "thin"));
    const whole = runs.filter(({ end }) => end === "whole");
    if (!whole.length) continue;
    const at = (i: number): Point => [whole[0].points[i].step, mean(whole.map(({ points }) => points[i].accuracy))];
    curve(`arm ${arm}, mean`, [...whole[0].points.keys()].map(at), "thick");
  }
  const { steps } = experiment;
  const ticks = [0, 1, 2, 3].map((third) => Math.round((third * steps) / 3));
  const x = { domain: [0, steps] as Point, ticks, label: t("step") };
  const y = { domain: [0, 1.04] as Point, ticks: [0, 0.25, 0.5, 0.75, 1], label: t("right answers") };
  return plot("accuracy", undefined, height, x, y, marks, { least: 19, share: 3 });
}

/** What a token is called beside a map: a pair of letter and digit, the letters that are asked for, a digit. */
export function token_names(task: string, seed: number): string[] {
  const { tokens, replies, keys } = example(task, seed);
  const letter = (key: number) => String.fromCharCode(65 + key);
  const asked = (row: number) => letter((row - 10) % keys); // keys that are asked for stand after keys and ten values
  return tokens.map((rows, place) => {
    if (!keys) return String(rows[0]);
    if (place < tokens.length - 1) return `${letter(rows[0])} ${rows[1] - keys}`;
    return `${rows.slice(0, replies).map(asked).join(" ")} ?`;
  });
}

/** A map of each head of an arm: weights of the last layer, first seed, first held-out example. Small ones have no names
    beside them, and stand under the name of the arm. */
function heads(bench: Bench, number: number, small = false): Block[] {
  const { arm, task } = bench.experiment.arms[number];
  const names = token_names(task, bench.seeds[0]);
  const n = names.length;
  const values = runs_of(bench, number)[0].points.at(-1)?.map ?? new Float64Array(arm.heads * n * n);
  const axis = slots(n, small ? undefined : names);
  return Array.from({ length: arm.heads }, (_, head) => {
    const title = head || small ? t("head {number}", { number: head + 1 }) : t(arm.name);
    const weights = heat("weights", "score", values.slice(head * n * n, (head + 1) * n * n), n);
    const width = small ? { least: 4.6, most: 8 } : { least: 8, most: 9.5 };
    return plot(`map ${number}, ${head}`, title, 11, axis, axis, [weights], { square: true, ...width });
  });
}

/** A row of the table for each arm that is shown; ranges and steps over the seeds that came to an end. */
export function rows(bench: Bench) {
  return bench.arms.map((arm) => {
    const runs = runs_of(bench, arm);
    const ended = runs.filter(({ end }) => end && end !== "lost");
    const n = ended.filter(({ end }) => end === "overflowed").length;
    const starts = runs.flatMap(({ points }) => points.slice(0, 1)).map(({ largest }) => largest);
    const step = median(ended.map(({ points }) => points.find(({ accuracy }) => accuracy >= 0.9)?.step ?? Infinity));
    return {
      name: t(bench.experiment.arms[arm].arm.name),
      line: ["curve", "thick", LINES[arm].colour, ...LINES[arm].look].map((look) => `wf-${look}`).join(" "),
      right: range_of(bench, arm) || "–",
      overflowed: n ? t("{n} of {all} overflowed", { n, all: bench.seeds.length }) : "",
      to_90: !ended.length ? "–" : step === Infinity ? t("never") : t("{step}", { step }),
      largest: starts.length ? t("{largest:.2f}", { largest: mean(starts) }) : "–",
    };
  });
}

const results = (bench: Bench, arm: number): number[] =>
  runs_of(bench, arm).flatMap(({ points, end }) => (end === "whole" ? points.at(-1)!.accuracy : []));

/** "0.79 [0.68, 0.93]", or nothing while no seed has ended. */
export function range_of(bench: Bench, arm: number): string {
  const found = results(bench, arm);
  const gaps = { mean: mean(found), least: Math.min(...found), most: Math.max(...found) };
  return found.length ? t("{mean:.2f} [{least:.2f}, {most:.2f}]", gaps) : "";
}

export const BETS = [
  () => t("as good as with it"),
  () => t("worse, but better than guessing"),
  () => t("no better than guessing"),
];

const CLOSE = 0.05; // of all answers: nearer than that counts as equal

/** Which bet the arm without the part has won; none as long as a seed is missing. */
export function outcome(bench: Bench): number | undefined {
  if ([0, 1].some((arm) => runs_of(bench, arm).some(({ end }) => !end))) return undefined;
  const [part, without] = [0, 1].map((arm) => mean(results(bench, arm)));
  if (Number.isNaN(part)) return undefined;
  if (without >= part - CLOSE) return 0;
  return without > bench.experiment.chance + CLOSE ? 1 : 2; // an arm that overflowed in all seeds answers nothing
}
