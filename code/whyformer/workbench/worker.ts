// What a worker does: it trains one arm from one seed, and tells what it measures. build.mjs makes a script of it alone,
// which pool.ts carries inside of it, since a page opened as a file may start a worker from nothing else.

import { Training, type Experiment } from "./train.ts";

/** One arm, by its number in the experiment, from one seed. */
export interface Job {
  arm: number;
  seed: number;
}

export interface Report extends Job {
  step: number;
  accuracy: number;
  loss: number;
  largest: number;
  /** Weights of the last layer, head after head, on the first held-out example. */
  map: Float64Array;
  /** Milliseconds since the report before. */
  took: number;
  /** After the last report of a job: it was trained to its end, or its numbers overflowed. */
  end?: "whole" | "overflowed";
}

self.onmessage = ({ data }: MessageEvent<{ experiment: Experiment; job: Job }>) => {
  const { experiment, job } = data;
  const { arm, task } = experiment.arms[job.arm];
  const { steps, every } = experiment;
  const training = new Training(experiment, arm, task, job.seed);
  const nothing = { accuracy: NaN, loss: NaN, largest: NaN, map: new Float64Array(0) };
  const tell = (report: Omit<Report, "arm" | "seed">) => self.postMessage({ ...job, ...report });
  let alive = true;
  for (let step = 0, before = performance.now(); step <= steps; step++) {
    if (step % every === 0 || step === steps || !alive) {
      const found = alive ? training.measure() : undefined;
      const now = performance.now();
      if (!found) return tell({ ...nothing, step, took: now - before, end: "overflowed" });
      const { accuracy, loss, largest, maps } = found;
      const end = step === steps ? "whole" : undefined;
      tell({ accuracy, loss, largest, map: maps.at(-1)!, step, took: now - before, end });
      before = now;
    }
    if (step < steps) alive = training.step();
  }
};
