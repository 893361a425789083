// First weights by name, their gradients, and Adam. Twin of `initial` in engine.py and of adam.py.

import { stream, uniform } from "../maths/random.ts";
import type { Numbers } from "./kernels.ts";
import type { Task } from "./tasks.ts";
import type { Arm } from "./train.ts";

const DRAWN = ["q", "k", "v", "o", "up", "down", "table", "position", "out"];

/** A matrix (rows, columns) or a vector (one row), and the gradient at it: both are parts of one long vector. */
export interface Parameter {
  value: Numbers;
  gradient: Numbers;
  rows: number;
  columns: number;
}

export type Parameters = Record<string, Parameter>;

/** Nearly normal numbers: sums of 12 uniforms, less 6. */
function spread(seed: number, index: number, out: Numbers, scale: number): void {
  const key = stream(seed, index);
  for (let i = 0; i < out.length; i++) {
    let sum = -6;
    for (let j = 0; j < 12; j++) sum += uniform(key, 12 * i + j);
    out[i] = scale * sum;
  }
}

/** Rows and columns of each parameter of an arm. */
function shapes(arm: Arm, task: Task): Map<string, [number, number]> {
  const [d, wide, hidden] = [arm.d_model, arm.heads * arm.head_size, arm.hidden];
  const found = new Map<string, [number, number]>([["table", [task.vocabulary, d]]]);
  const norm = (name: string) => found.set(`${name}.gain`, [1, d]).set(`${name}.bias`, [1, d]);
  if (arm.positions === "learned") found.set("position", [task.length, d]);
  for (let layer = 0; layer < arm.layers; layer++) {
    for (const name of { two: "qkv", one: "qv", none: "v" }[arm.matrices]) found.set(`${layer}.${name}`, [d, wide]);
    found.set(`${layer}.o`, [wide, d]);
    if (arm.norm !== "none") norm(`${layer}.norm1`);
    if (!hidden) continue;
    found.set(`${layer}.up`, [d, hidden]).set(`${layer}.up.bias`, [1, hidden]);
    found.set(`${layer}.down`, [hidden, d]).set(`${layer}.down.bias`, [1, d]);
    if (arm.norm !== "none") norm(`${layer}.norm2`);
  }
  if (arm.norm === "pre") norm("end");
  const logits = task.replies * task.answers;
  return found.set("out", [d, logits]).set("out.bias", [1, logits]);
}

export class Adam {
  readonly parameters: Parameters = {};
  private readonly value: Numbers;
  private readonly gradient: Numbers;
  private readonly mean: Numbers;
  private readonly square: Numbers;
  private readonly powers = [1, 1]; // of 0.9 and 0.999

  constructor(arm: Arm, task: Task, seed: number) {
    const all = [...shapes(arm, task)];
    const size = all.reduce((sum, [, [rows, columns]]) => sum + rows * columns, 0);
    const vector = () => new Float64Array(size);
    [this.value, this.gradient, this.mean, this.square] = [vector(), vector(), vector(), vector()];
    let at = 0;
    for (const [name, [rows, columns]] of all) {
      const part = (of: Numbers) => of.subarray(at, at + rows * columns);
      const value = part(this.value);
      this.parameters[name] = { value, gradient: part(this.gradient), rows, columns };
      at += rows * columns;
      const last = name.split(".").at(-1) as string;
      if (last === "gain") value.fill(1);
      if (!DRAWN.includes(last)) continue;
      const layer = name.includes(".") ? parseInt(name) : 0;
      const variance = last === "table" || last === "position" ? columns : rows;
      const ends_branch = last === "o" || last === "down";
      const start = { plain: 1, small: 1 / Math.sqrt(2 * arm.layers), zero: 0 }[arm.start];
      const scale = (ends_branch ? start : 1) / Math.sqrt(variance);
      spread(seed, 16 * layer + DRAWN.indexOf(last), value, scale);
    }
  }

  clear(): void {
    this.gradient.fill(0);
  }

  step(rate: number): void {
    const { value, gradient, mean, square, powers } = this;
    powers[0] *= 0.9;
    powers[1] *= 0.999;
    const [size, root] = [rate / (1 - powers[0]), 1 / (1 - powers[1])];
    for (let i = 0; i < value.length; i++) {
      const g = gradient[i];
      mean[i] += (1 - 0.9) * (g - mean[i]);
      square[i] += (1 - 0.999) * (g * g - square[i]);
      value[i] -= (size * mean[i]) / (Math.sqrt(square[i] * root) + 1e-8);
    }
  }
}
