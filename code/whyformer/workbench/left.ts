// What a device keeps of an experiment: the runs that came to an end, the seeds, the arms, and the reader's bet. A run that
// was cut off is not kept, and what belongs to an experiment that has changed since is not read.

import { from_base64, to_base64 } from "../lab/base64.ts";
import { is_list_of_numbers } from "../lab/storage.ts";
import { TASKS } from "./tasks.ts";
import type { Experiment } from "./train.ts";
import { BETS, name_of, type Bench, type Run } from "./view.ts";
import type { Report } from "./worker.ts";

interface Packed {
  of: number;
  bet?: number;
  arms: number[];
  seeds: number[];
  runs: PackedRun[];
}

interface PackedRun {
  arm: number;
  seed: number;
  overflowed: boolean;
  /** Shares of right answers, measured step by step; the largest weight at the start. */
  right: number[];
  largest: number;
  /** Of the seed whose weights are shown, each as a byte. */
  map?: string;
}

export interface Left extends Bench {
  bet?: number;
}

/** A number for each way to declare an experiment (FNV-1a). */
function print_of(experiment: Experiment): number {
  let hash = 0x811c9dc5;
  for (const character of JSON.stringify(experiment))
    hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193) >>> 0;
  return hash;
}

/** The steps at which a run is measured. */
function measured({ steps, every }: Experiment): number[] {
  const at = Array.from({ length: Math.ceil(steps / every) }, (_, i) => i * every);
  return [...at, steps];
}

/** `undefined` where nothing has been trained, and no bet made. */
export function pack({ experiment, arms, seeds, runs }: Bench, bet?: number): Packed | undefined {
  const packed = arms.flatMap((arm) =>
    seeds.flatMap((seed, i): PackedRun[] => {
      const { points = [], end } = runs.get(name_of({ arm, seed })) ?? {};
      if (!points.length || (end !== "whole" && end !== "overflowed")) return [];
      const map = to_base64(Uint8Array.from(points.at(-1)!.map, (weight) => Math.round(255 * weight)));
      const right = points.map(({ accuracy }) => accuracy);
      const { largest } = points[0];
      return [{ arm, seed, overflowed: end === "overflowed", right, largest, ...(i ? {} : { map }) }];
    }),
  );
  if (!packed.length && bet === undefined) return undefined;
  return { of: print_of(experiment), bet, arms, seeds, runs: packed };
}

const is_share = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= 1;

/** With the one of these experiments that it is of. `undefined`, or an error, if nobody here wrote that of any. */
export function unpack(experiments: Experiment[], value: unknown): Left | undefined {
  const { of, bet, arms, seeds, runs } = value as Packed;
  const experiment = experiments.find((one) => print_of(one) === of);
  if (!experiment) return undefined;
  const is_bet = bet === undefined || BETS[bet] !== undefined;
  const are_arms = is_list_of_numbers(arms) && (arms.join() === "0,1" || arms.join() === "0,1,2");
  const are_seeds = is_list_of_numbers(seeds) && seeds.length > 0 && seeds.length <= experiment.seeds;
  if (!is_bet || !are_arms || arms.length > experiment.arms.length || !are_seeds) return undefined;
  const found = new Map<string, Run>();
  for (const run of runs) {
    if (!arms.includes(run.arm) || !seeds.includes(run.seed)) continue;
    const points = points_of(experiment, run, run.seed === seeds[0]);
    if (points) found.set(name_of(run), { points, end: run.overflowed ? "overflowed" : "whole" });
  }
  return { experiment, bet, arms, seeds, runs: found };
}

function points_of(experiment: Experiment, run: PackedRun, is_first: boolean): Report[] | undefined {
  const steps = measured(experiment);
  const { right, largest, overflowed } = run;
  const is_long_enough = overflowed ? right.length > 0 && right.length < steps.length : right.length === steps.length;
  if (!is_long_enough || !right.every(is_share) || !is_share(largest)) return undefined;
  const { arm, task } = experiment.arms[run.arm];
  const map = Float64Array.from(from_base64((is_first && run.map) || ""), (byte) => byte / 255);
  if (is_first && map.length !== arm.heads * TASKS[task].length ** 2) return undefined;
  const rest = { arm: run.arm, seed: run.seed, loss: NaN, took: 0, map };
  return right.map((accuracy, i) => ({ ...rest, step: steps[i], accuracy, largest: i ? NaN : largest }));
}
