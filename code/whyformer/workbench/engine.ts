// The little model: forward and backward by hand, in double precision. Twin of engine.py, which says what it computes.
// Token rows are one array (rows, width), rows = examples × length. Each function returns what came out and a function
// that takes the gradient there, adds to the gradients of its parameters and returns the gradient at what went in.

import { add, add_row, add_rows, product, softmax, swapped, turn, turned, type Numbers } from "./kernels.ts";
import type { Parameter, Parameters } from "./parameters.ts";
import type { Batch, Task } from "./tasks.ts";
import type { Arm } from "./train.ts";

type Backward = (g: Numbers) => Numbers;
type Layer = [out: Numbers, backward: Backward];

function linear(x: Numbers, w: Parameter, bias?: Parameter): Layer {
  const { rows, columns } = w;
  const n = x.length / rows;
  const y = product(x, w.value, [n, rows, columns]);
  if (bias) add_row(y, bias.value);
  return [
    y,
    (g) => {
      add(w.gradient, product(x, g, [rows, n, columns], 1, true));
      if (bias) add_rows(bias.gradient, g);
      return product(g, turned(w.value, rows, columns), [n, columns, rows]);
    },
  ];
}

const EPSILON = 1e-5;

function layer_norm(x: Numbers, gain: Parameter, bias: Parameter): Layer {
  const d = gain.columns;
  const [unit, y, sigmas] = [new Float64Array(x.length), new Float64Array(x.length), new Float64Array(x.length / d)];
  for (let r = 0, from = 0; r < sigmas.length; r++, from += d) {
    let mean = 0;
    let square = 0;
    for (let i = 0; i < d; i++) mean += x[from + i];
    mean /= d;
    for (let i = 0; i < d; i++) square += (x[from + i] - mean) * (x[from + i] - mean);
    const sigma = Math.sqrt(square / d + EPSILON);
    sigmas[r] = sigma;
    for (let i = 0; i < d; i++) {
      const at = (x[from + i] - mean) / sigma;
      unit[from + i] = at;
      y[from + i] = at * gain.value[i] + bias.value[i];
    }
  }
  return [
    y,
    (g) => {
      const dx = new Float64Array(x.length);
      for (let r = 0, from = 0; r < sigmas.length; r++, from += d) {
        let mean = 0;
        let along = 0;
        for (let i = 0; i < d; i++) {
          const [slope, at] = [g[from + i], unit[from + i]];
          gain.gradient[i] += slope * at;
          bias.gradient[i] += slope;
          const at_unit = slope * gain.value[i];
          dx[from + i] = at_unit;
          mean += at_unit;
          along += at_unit * at;
        }
        mean /= d;
        along /= d;
        for (let i = from; i < from + d; i++) dx[i] = (dx[i] - mean - unit[i] * along) / sigmas[r];
      }
      return dx;
    },
  ];
}

function feed_forward(x: Numbers, p: Parameters, at: string): Layer {
  const [hidden, to_input] = linear(x, p[`${at}up`], p[`${at}up.bias`]);
  for (let i = 0; i < hidden.length; i++) if (!(hidden[i] > 0)) hidden[i] = 0;
  const [y, to_hidden] = linear(hidden, p[`${at}down`], p[`${at}down.bias`]);
  return [
    y,
    (g) => {
      const slope = to_hidden(g);
      for (let i = 0; i < slope.length; i++) if (hidden[i] === 0) slope[i] = 0;
      return to_input(slope);
    },
  ];
}

/** Attention weights (examples, heads, n, n) beside what a layer returns. */
type Heads = [...Layer, weights: Numbers];

function multi_head(x: Numbers, p: Parameters, at: string, arm: Arm, n: number): Heads {
  const { heads, head_size: size, divides_by } = arm;
  const count = (x.length / arm.d_model / n) * heads;
  const project = (name: string): Layer =>
    arm.matrices === "none" ? [x.slice(), (g) => g] : linear(x, p[`${at}${name}`]);
  const [all_q, from_q] = project("q");
  const [all_k, from_k] = project(arm.matrices === "two" ? "k" : "q");
  const [all_v, from_v] = linear(x, p[`${at}v`]);
  const [q, k, v] = [all_q, all_k, all_v].map((all) => swapped(all, n, heads, size)); // (examples, heads, n, size)
  const turns = arm.positions === "rotary";
  if (turns) for (const each of [q, k]) turn(each, n, size, 1);
  const weights = product(q, turned(k, n, size), [n, size, n], count);
  for (let i = 0; i < weights.length; i++) weights[i] /= divides_by;
  for (let row = 0; row < weights.length; row += n) softmax(weights, row, n);
  const merged = swapped(product(weights, v, [n, n, size], count), heads, n, size);
  const [y, to_merged] = linear(merged, p[`${at}o`]);
  return [
    y,
    (g) => {
      const dm = swapped(to_merged(g), n, heads, size);
      const dv = product(weights, dm, [n, n, size], count, true);
      const at_scores = product(dm, turned(v, n, size), [n, size, n], count); // first at the weights
      for (let row = 0; row < weights.length; row += n) {
        let mean = 0;
        for (let j = row; j < row + n; j++) mean += weights[j] * at_scores[j];
        for (let j = row; j < row + n; j++) at_scores[j] = (weights[j] * (at_scores[j] - mean)) / divides_by;
      }
      const dq = product(at_scores, k, [n, n, size], count);
      const dk = product(at_scores, q, [n, n, size], count, true);
      if (turns) for (const each of [dq, dk]) turn(each, n, size, -1);
      const [dx, of_k, of_v] = [dq, dk, dv].map((d, i) => [from_q, from_k, from_v][i](swapped(d, heads, n, size)));
      add(dx, of_k);
      add(dx, of_v);
      return dx;
    },
    weights,
  ];
}

export interface Pass {
  logits: Numbers; // (examples, asked × replies, answers)
  weights: Numbers[]; // of each layer (examples, heads, n, n)
  backward(at_logits: Numbers): void; // adds to the gradients of all parameters
}

export function forward(arm: Arm, task: Task, p: Parameters, { tokens }: Batch): Pass {
  const { d_model: d } = arm;
  const { length: n, parts } = task;
  const [from, to] = task.asked;
  const rows = tokens.length / parts;
  const scale = Math.sqrt(d);
  let x: Numbers = new Float64Array(rows * d);
  const tables: [Parameter, (token: number) => number][] = [];
  for (let part = 0; part < parts; part++) tables.push([p.table, (t) => tokens[t * parts + part]]);
  if (p.position) tables.push([p.position, (t) => t % n]);
  for (const [table, row] of tables)
    for (let t = 0, to = 0; t < rows; t++)
      for (let i = 0, from = row(t) * d; i < d; i++, to++) x[to] += scale * table.value[from + i];
  const back: Backward[] = [];
  const weights: Numbers[] = [];
  const norm = (name: string, at: Numbers): Layer => layer_norm(at, p[`${name}.gain`], p[`${name}.bias`]);

  for (let layer = 0; layer < arm.layers; layer++)
    for (const branch of arm.hidden ? [1, 2] : [1]) {
      const at = `${layer}.`;
      const name = `${at}norm${branch}`;
      const [inner, before] = arm.norm === "pre" ? norm(name, x) : [x];
      const [y, within, seen] = branch === 1 ? multi_head(inner, p, at, arm, n) : feed_forward(inner, p, at);
      if (seen) weights.push(seen);
      if (arm.residual) add(y, x);
      const [out, after] = arm.norm === "post" ? norm(name, y) : [y];
      back.push((g) => {
        const sum = after ? after(g) : g;
        const through = before ? before(within(sum)) : within(sum);
        if (arm.residual) add(through, sum);
        return through;
      });
      x = out;
    }

  const asked = to - from;
  const read = new Float64Array((rows / n) * asked * d);
  const place = (r: number) => Math.floor(r / asked) * n + from + (r % asked);
  for (let r = 0; r * d < read.length; r++) read.set(x.subarray(place(r) * d, (place(r) + 1) * d), r * d);
  const [last, to_read] = arm.norm === "pre" ? norm("end", read) : [read];
  const [logits, to_last] = linear(last, p.out, p["out.bias"]);
  return {
    logits,
    weights,
    backward(at_logits) {
      const at_read = to_read ? to_read(to_last(at_logits)) : to_last(at_logits);
      let g: Numbers = new Float64Array(rows * d);
      for (let r = 0; r * d < at_read.length; r++) g.set(at_read.subarray(r * d, (r + 1) * d), place(r) * d);
      for (const step of back.reverse()) g = step(g);
      for (const [table, row] of tables)
        for (let t = 0, from = 0; t < rows; t++)
          for (let i = 0, to = row(t) * d; i < d; i++, from++) table.gradient[to + i] += scale * g[from];
    },
  };
}

/** Mean cross-entropy, the share of right answers, and the gradient at the logits, which are overwritten by it. */
export function cross_entropy(logits: Numbers, answers: Int32Array): { loss: number; accuracy: number } {
  const size = logits.length / answers.length;
  let [loss, right] = [0, 0];
  for (let r = 0; r < answers.length; r++) {
    const at = r * size + answers[r];
    let is_right = true; // of equal logits the first answers
    for (let j = r * size; j < (r + 1) * size; j++)
      if (logits[j] > logits[at] || (logits[j] === logits[at] && j < at)) is_right = false;
    right += is_right ? 1 : 0;
    const logit = logits[at];
    loss += (softmax(logits, r * size, size) - logit) / answers.length;
    logits[at] -= 1;
    for (let j = r * size; j < (r + 1) * size; j++) logits[j] /= answers.length;
  }
  return { loss, accuracy: right / answers.length };
}
