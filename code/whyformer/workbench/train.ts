// A stand-in with the interface of the engine: curves that look as if something learned.

import { stream, uniform } from "../maths/random.ts";

export interface Arm {
  name: string;
  matrices: "two" | "one";
  residual: boolean;
  norm: "pre" | "post" | "none";
  start: "plain" | "small" | "zero";
  warm_up: number;
  positions: "none" | "learned" | "sinusoids";
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
  arms: { arm: Arm; task: string }[];
  steps: number;
  batch: number;
  rate: number;
  seeds: number;
  every: number;
  tested: number;
  chance: number;
  seen: string;
}

export interface Measured {
  loss: number;
  accuracy: number;
  largest: number;
  maps: Float64Array[];
}

export class Training {
  step_number = 0;
  #most: number;
  #slow: number;
  #n: number;
  #arm: Arm;

  constructor(experiment: Experiment, arm: Arm, task: string, seed: number) {
    const number = experiment.arms.findIndex((each) => each.arm.name === arm.name);
    const luck = uniform(stream(seed, number), 0);
    this.#arm = arm;
    this.#n = task === "kv" ? 9 : 10;
    this.#most = number === 1 ? 0.5 + 0.4 * luck : 1;
    this.#slow = 40 + 40 * luck + 20 * number;
  }

  step(): boolean {
    const until = performance.now() + 2;
    while (performance.now() < until);
    this.step_number++;
    return true;
  }

  measure(): Measured | undefined {
    const rise = 1 / (1 + Math.exp((this.#slow - this.step_number) / 12));
    const [n, heads] = [this.#n, this.#arm.heads];
    const map = new Float64Array(heads * n * n);
    for (let i = 0; i < map.length; i++) {
      const [row, column] = [Math.floor(i / n) % n, i % n];
      map[i] = (1 - rise) / n + (row + column === n - 1 ? rise : 0);
    }
    const maps = Array.from({ length: this.#arm.layers }, () => map);
    return { loss: 2.3 * (1 - rise), accuracy: 0.1 + (this.#most - 0.1) * rise, largest: 0.3 + 0.5 * rise, maps };
  }
}

export function example(
  task: string,
  seed: number,
): { tokens: number[][]; answers: number[]; asked: [number, number] } {
  const u = (i: number) => uniform(stream(seed, 7), i);
  const digits = Array.from({ length: 10 }, (_, i) => Math.floor(10 * u(i)));
  if (task !== "kv") return { tokens: digits.map((d) => [d]), answers: [...digits].reverse(), asked: [0, 10] };
  const pairs = digits.slice(0, 8).map((d, i) => [(i + d) % 16, 16 + d]);
  return { tokens: [...pairs, [26 + pairs[2][0], 42]], answers: [pairs[2][1] - 16], asked: [8, 9] };
}
