// One arm of an experiment trained from one seed, step by step. Twin of run.py.

import { cross_entropy, forward } from "./engine.ts";
import type { Numbers } from "./kernels.ts";
import { Adam } from "./parameters.ts";
import { batch, HELD_OUT, TASKS, type Batch, type Task } from "./tasks.ts";

/** One way to build the little model; experiment.py says what each field means. */
export interface Arm {
  name: string;
  matrices: "two" | "one" | "none";
  residual: boolean;
  norm: "pre" | "post" | "none";
  start: "plain" | "small" | "zero";
  warm_up: number;
  positions: "none" | "learned" | "rotary";
  heads: number;
  layers: number;
  d_model: number;
  head_size: number;
  hidden: number;
  divides_by: number;
}

export interface Experiment {
  name: string;
  question: string;
  arms: { arm: Arm; task: string }[]; // with the part, without it, and the second switch
  steps: number;
  long: number; // steps, if a reader wants more
  batch: number;
  rate: number;
  seeds: number;
  every: number; // steps between two measurements
  tested: number; // examples to measure on
  chance: number;
  seen: string;
}

export interface Measured {
  loss: number;
  accuracy: number; // share of right answers to examples that no batch has
  largest: number; // weight of a query that answers, in the last layer, mean over heads
  maps: Numbers[]; // of each layer (heads, n, n), for the first of those examples
}

export class Training {
  step_number = 0; // steps made so far
  private readonly task: Task;
  private readonly lessons: Task; // whose batches train it
  private readonly adam: Adam;
  private readonly held_out: Batch;

  constructor(
    private readonly experiment: Experiment,
    private readonly arm: Arm,
    task: string,
    private readonly seed: number,
  ) {
    this.task = TASKS[task];
    this.lessons = TASKS[this.task.trains_on ?? task];
    this.adam = new Adam(arm, this.task, seed);
    this.held_out = batch(this.task, seed, HELD_OUT, experiment.tested);
  }

  /** One step of Adam; false if numbers overflowed, and nothing more can be learned. */
  step(): boolean {
    const { experiment, arm, adam, lessons, step_number } = this;
    const examples = batch(lessons, this.seed, step_number, experiment.batch);
    adam.clear();
    const pass = forward(arm, lessons, adam.parameters, examples);
    const { loss } = cross_entropy(pass.logits, examples.answers);
    if (!Number.isFinite(loss)) return false;
    pass.backward(pass.logits);
    adam.step(experiment.rate * (arm.warm_up ? Math.min(1, (step_number + 1) / arm.warm_up) : 1));
    this.step_number++;
    return true;
  }

  /** What it can by now; undefined if its numbers overflow. */
  measure(): Measured | undefined {
    const { arm, task, held_out } = this;
    const { logits, weights } = forward(arm, task, this.adam.parameters, held_out);
    const { loss, accuracy } = cross_entropy(logits, held_out.answers);
    if (!Number.isFinite(loss)) return undefined;
    const n = task.length;
    const last = weights[weights.length - 1];
    let [sum, rows] = [0, 0];
    for (let row = 0; row * n < last.length; row++) {
      if (row % n < task.asked[0] || row % n >= task.asked[1]) continue;
      sum += Math.max(...last.subarray(row * n, (row + 1) * n));
      rows++;
    }
    const maps = weights.map((layer) => layer.slice(0, arm.heads * n * n));
    return { loss, accuracy, largest: sum / rows, maps };
  }

  /** Gradients and logits of the next batch, by name: what tests compare. */
  gradients(): { logits: Numbers; gradients: Record<string, Numbers> } {
    const examples = batch(this.lessons, this.seed, this.step_number, this.experiment.batch);
    this.adam.clear();
    const pass = forward(this.arm, this.lessons, this.adam.parameters, examples);
    const logits = pass.logits.slice();
    cross_entropy(pass.logits, examples.answers);
    pass.backward(pass.logits);
    const named = Object.entries(this.adam.parameters).map(([name, p]) => [name, p.gradient.slice()]);
    return { logits, gradients: Object.fromEntries(named) };
  }
}

/** The first example to measure on: the rows of the table for each token, the right answers and where they stand. */
export function example(task: string, seed: number) {
  const { parts, asked, length, replies, keys } = TASKS[task];
  const { tokens, answers } = batch(TASKS[task], seed, HELD_OUT, 1);
  const rows = [...Array(length).keys()].map((t) => [...tokens.slice(t * parts, (t + 1) * parts)]);
  return { tokens: rows, answers: [...answers], asked, replies, keys };
}
