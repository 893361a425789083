// What is shown of a training as data: the picture, the rows of the table, and how a bet has ended.

import { line, map, plot, row, slots, texts } from "../lab/picture/make.ts";
import type { Block, Colour, Look, Mark } from "../lab/picture/picture.ts";
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
  return [
    row(curves(bench), { kind: "column", blocks: [row(...bench.arms.flatMap((arm) => maps(bench, arm)))], share: 2 }),
  ];
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
    runs.forEach(({ points }, i) => {
      const known = points.filter(({ end }) => end !== "overflowed");
      const [x, y] = [known.map(({ step }) => step), known.map(({ accuracy }) => accuracy)];
      if (x.length > 1)
        marks.push(
          line(`arm ${arm}, seed ${bench.seeds[i]}`, colour, x, y, { straight: true, look: ["thin", ...look] }),
        );
    });
    const whole = runs.filter(({ end }) => end === "whole");
    if (!whole.length) continue;
    const steps = whole[0].points.map(({ step }) => step);
    const means = steps.map((_, i) => mean(whole.map(({ points }) => points[i].accuracy)));
    marks.push(line(`arm ${arm}, mean`, colour, steps, means, { straight: true, look: ["thick", ...look] }));
  }
  const { steps } = experiment;
  const ticks = [0, 1, 2, 3].map((third) => Math.round((third * steps) / 3));
  const y = { domain: [0, 1.04] as [number, number], ticks: [0, 0.25, 0.5, 0.75, 1], label: t("right answers") };
  return plot("accuracy", undefined, 15, { domain: [0, steps], ticks, label: t("step") }, y, marks, {
    least: 19,
    share: 3,
  });
}

/** What a token is called beside a map: a pair of letter and digit, the letter that is asked for, a digit. */
export function token_names(task: string, seed: number): string[] {
  const letter = (key: number) => String.fromCharCode(65 + key);
  return example(task, seed).tokens.map(([first, second]) =>
    second === undefined ? String(first) : first < 16 ? `${letter(first)} ${second - 16}` : `${letter(first - 26)} ?`,
  );
}

/** One map for each head of an arm: weights of the last layer, first seed, first held-out example. */
function maps(bench: Bench, number: number): Block[] {
  const { arm, task } = bench.experiment.arms[number];
  const names = token_names(task, bench.seeds[0]);
  const n = names.length;
  const last = [...runs_of(bench, number)[0].points].reverse().find(({ map }) => map.length);
  return Array.from({ length: arm.heads }, (_, head) => {
    const values = last?.map.subarray(head * n * n, (head + 1) * n * n) ?? new Float64Array(n * n);
    const title = arm.heads > 1 ? t("{arm}: {n}", { arm: t(arm.name), n: head + 1 }) : t(arm.name);
    const weights: Mark = { mark: "heat", name: "weights", colour: "score", values, columns: n, limit: 1 };
    const [named, least] = arm.heads > 1 ? [undefined, 5] : [names, 8];
    const block = map(`map ${number} ${head}`, title, n, [weights], { least, most: 12, height: 10 });
    return { ...block, x: slots(n, named), y: slots(n, named) };
  });
}

export interface Row {
  arm: number;
  name: string;
  /** Mean [least, most] of those that came to their end. */
  right: string;
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
    const told = [range_of(bench, arm)];
    if (overflowed) told.push(t("{n} of {all} overflowed", { n: overflowed, all: bench.seeds.length }));
    return {
      arm,
      name: t(bench.experiment.arms[arm].arm.name),
      right: told.filter(Boolean).join("; ") || "–",
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
