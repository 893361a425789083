// What is shown of a training as data: the picture, the rows of the table, and how a bet has ended.

import { column, grid, heat, line, note, plot, row, slots, texts } from "../lab/picture/make.ts";
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
export const LINES: { colour: Colour; look: Look[] }[] = [
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

export function view(bench: Bench): Block[] {
  const words = t("Weights of the last layer for one example: row by row, where each token looks.");
  const beside = [row(...bench.arms.map((arm) => heads(bench, arm))), note("maps", words, "hint")];
  return [row(curves(bench), column({ share: 2 }, ...beside))];
}

function curves(bench: Bench): Block {
  const { experiment, arms } = bench;
  const marks: Mark[] = [
    { mark: "rule", name: "chance", y: experiment.chance, colour: "soft", look: ["solid", "dotted"] },
    texts("chance in words", "soft", ["right"], [experiment.chance], [t("chance")], "above", { bold: false }),
  ];
  for (const arm of arms) {
    const { colour, look } = LINES[arm];
    const runs = runs_of(bench, arm);
    const curve = (name: string, points: Report[], y: number[], width: Look) =>
      marks.push(
        line(
          name,
          colour,
          points.map(({ step }) => step),
          y,
          { straight: true, look: [width, ...look] },
        ),
      );
    runs.forEach(({ points }, i) =>
      curve(
        `${arm} from ${i}`,
        points,
        points.map(({ accuracy }) => accuracy),
        "thin",
      ),
    );
    const whole = runs.filter(({ end }) => end === "whole");
    if (!whole.length) continue;
    const means = whole[0].points.map((_, i) => mean(whole.map(({ points }) => points[i].accuracy)));
    curve(`${arm} mean`, whole[0].points, means, "thick");
  }
  const { steps } = experiment;
  const ticks = [0, 1, 2, 3].map((third) => Math.round((third * steps) / 3));
  const x = { domain: [0, steps] as Point, ticks, label: t("step") };
  const y = { domain: [0, 1.04] as Point, ticks: [0, 0.25, 0.5, 0.75, 1], label: t("right answers") };
  return plot("accuracy", undefined, 15, x, y, marks, { least: 19, share: 3 });
}

/** What a token is called beside a map: a pair of letter and digit, the letter that is asked for, a digit. */
export function token_names(task: string, seed: number): string[] {
  const letter = (key: number) => String.fromCharCode(65 + key);
  return example(task, seed).tokens.map(([first, second]) =>
    second === undefined ? String(first) : first < 16 ? `${letter(first)} ${second - 16}` : `${letter(first - 26)} ?`,
  );
}

/** A map of each head of an arm: weights of the last layer, first seed, first held-out example. */
function heads(bench: Bench, number: number): Block {
  const { arm, task } = bench.experiment.arms[number];
  const names = token_names(task, bench.seeds[0]);
  const n = names.length;
  const values = runs_of(bench, number)[0].points.at(-1)?.map ?? new Float64Array(arm.heads * n * n);
  const [name, title, room] = [`map ${number}`, t(arm.name), { least: 8, most: 13 }];
  if (arm.heads > 1) {
    const cells = [Array.from({ length: arm.heads }, () => ({ text: "", empty: true }))];
    return grid(name, [], [], cells, { title, maps: { values, size: n, colour: "score" }, ...room });
  }
  return plot(name, title, 11, slots(n, names), slots(n, names), [heat("weights", "score", values, n)], {
    square: true,
    ...room,
  });
}

export interface Row {
  arm: number;
  name: string;
  /** Mean [least, most] of those that came to their end; and how many did not. */
  right: string[];
  /** The step at which half of the seeds have 90 % right. */
  to_90: string;
  /** Mean over the seeds, before the first step. */
  largest: string;
}

export function rows(bench: Bench): Row[] {
  return bench.arms.map((arm) => {
    const runs = runs_of(bench, arm);
    const ended = runs.filter(({ end }) => end);
    const overflowed = ended.filter(({ end }) => end === "overflowed").length;
    const starts = runs.flatMap(({ points }) => points.slice(0, 1)).map(({ largest }) => largest);
    const step = median(ended.map(({ points }) => points.find(({ accuracy }) => accuracy >= 0.9)?.step ?? Infinity));
    const told = [range_of(bench, arm) || "–"];
    if (overflowed) told.push(t("{n} of {all} overflowed", { n: overflowed, all: bench.seeds.length }));
    return {
      arm,
      name: t(bench.experiment.arms[arm].arm.name),
      right: told,
      to_90: !ended.length ? "–" : step === Infinity ? t("never") : t("{step}", { step }),
      largest: starts.length ? t("{largest:.2f}", { largest: mean(starts) }) : "–",
    };
  });
}

const results = (bench: Bench, arm: number): number[] =>
  runs_of(bench, arm)
    .filter(({ end }) => end === "whole")
    .map(({ points }) => points.at(-1)!.accuracy);

/** "0.79 [0.68, 0.93]", or nothing while no seed has ended. */
export function range_of(bench: Bench, arm: number): string {
  const found = results(bench, arm);
  const gaps = { mean: mean(found), least: Math.min(...found), most: Math.max(...found) };
  return found.length ? t("{mean:.2f} [{least:.2f}, {most:.2f}]", gaps) : "";
}

export const BETS = ["as good as with it", "worse, but better than guessing", "no better than guessing"];

const CLOSE = 0.05; // of all answers: nearer than that counts as equal

/** Which bet the arm without the part has won; none as long as a seed is missing. */
export function outcome(bench: Bench): number | undefined {
  if ([0, 1].some((arm) => runs_of(bench, arm).some(({ end }) => !end))) return undefined;
  const [part, without] = [0, 1].map((arm) => mean(results(bench, arm)));
  if (Number.isNaN(part)) return undefined;
  if (without >= part - CLOSE) return 0;
  return without > bench.experiment.chance + CLOSE ? 1 : 2; // an arm that overflowed in all seeds answers nothing
}
