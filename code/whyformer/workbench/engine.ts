// The little model: forward and backward by hand, in double precision. Twin of engine.py, which says what it computes.
// Token rows are one array (rows, width), rows = examples × length. Each function returns what came out and a function
// that takes the gradient there, adds to the gradients of its parameters and returns the gradient at what went in.

import { add, blend, dot, softmax, times, turned, type Numbers } from "./kernels.ts";
import type { Parameter, Parameters } from "./parameters.ts";
import type { Batch, Task } from "./tasks.ts";
import type { Arm } from "./train.ts";

type Backward = (g: Numbers) => Numbers;
type Layer = [out: Numbers, backward: Backward];

function linear(x: Numbers, w: Parameter, bias?: Parameter): Layer {
  const n = x.length / w.rows;
  const y = times(x, w.value, n, w.rows, w.columns, new Float64Array(n * w.columns));
  if (bias) for (let i = 0; i < y.length; i += w.columns) blend(y, i, bias.value, 0, w.columns, 1);
  return [
    y,
    (g) => {
      times(x, g, w.rows, n, w.columns, w.gradient, true);
      if (bias) for (let i = 0; i < g.length; i += w.columns) blend(bias.gradient, 0, g, i, w.columns, 1);
      const back = turned(w.value, w.rows, w.columns);
      return times(g, back, n, w.columns, w.rows, new Float64Array(x.length));
    },
  ];
}

const EPSILON = 1e-5;

function layerNorm(x: Numbers, gain: Parameter, bias: Parameter): Layer {
  const d = gain.columns;
  const [unit, y, sigmas] = [new Float64Array(x.length), new Float64Array(x.length), new Float64Array(x.length / d)];
  for (let r = 0; r < sigmas.length; r++) {
    let mean = 0;
    let square = 0;
    for (let i = r * d; i < (r + 1) * d; i++) mean += x[i] / d;
    for (let i = r * d; i < (r + 1) * d; i++) square += (x[i] - mean) * (x[i] - mean);
    sigmas[r] = Math.sqrt(square / d + EPSILON);
    for (let i = 0; i < d; i++) {
      unit[r * d + i] = (x[r * d + i] - mean) / sigmas[r];
      y[r * d + i] = unit[r * d + i] * gain.value[i] + bias.value[i];
    }
  }
  return [
    y,
    (g) => {
      const dx = new Float64Array(x.length);
      for (let r = 0; r < sigmas.length; r++) {
        let mean = 0;
        let along = 0;
        for (let i = 0; i < d; i++) {
          const at = r * d + i;
          gain.gradient[i] += g[at] * unit[at];
          bias.gradient[i] += g[at];
          dx[at] = g[at] * gain.value[i];
          mean += dx[at] / d;
          along += (dx[at] * unit[at]) / d;
        }
        for (let at = r * d; at < (r + 1) * d; at++) dx[at] = (dx[at] - mean - unit[at] * along) / sigmas[r];
      }
      return dx;
    },
  ];
}

function feedForward(x: Numbers, p: Parameters, at: string): Layer {
  const [hidden, toInput] = linear(x, p[`${at}up`], p[`${at}up.bias`]);
  const [y, toHidden] = linear(
    hidden.map((h) => (h > 0 ? h : 0)),
    p[`${at}down`],
    p[`${at}down.bias`],
  );
  return [y, (g) => toInput(toHidden(g).map((slope, i) => (hidden[i] > 0 ? slope : 0)))];
}

/** Attention weights (examples, heads, n, n) beside what a layer returns. */
type Heads = [...Layer, weights: Numbers];

function multiHead(x: Numbers, p: Parameters, at: string, arm: Arm, n: number): Heads {
  const { heads, head_size: size, divides_by } = arm;
  const wide = heads * size;
  const examples = x.length / arm.d_model / n;
  const asItIs: Layer = [x, (g) => g];
  const [q, fromQ] = arm.matrices === "none" ? asItIs : linear(x, p[`${at}q`]);
  const [k, fromK] = arm.matrices === "none" ? asItIs : linear(x, p[`${at}${arm.matrices === "two" ? "k" : "q"}`]);
  const [v, fromV] = linear(x, p[`${at}v`]);
  const weights = new Float64Array(examples * heads * n * n);
  const merged = new Float64Array(q.length);
  /** Calls for each query of each head: where its row of weights begins, its own part, and the first key's. */
  function each(visit: (row: number, query: number, key: number) => void) {
    for (let e = 0, row = 0; e < examples; e++)
      for (let h = 0; h < heads; h++)
        for (let i = 0; i < n; i++, row += n) visit(row, (e * n + i) * wide + h * size, e * n * wide + h * size);
  }
  each((row, query, key) => {
    for (let j = 0; j < n; j++) weights[row + j] = dot(q, query, k, key + j * wide, size) / divides_by;
    softmax(weights, row, n);
    for (let j = 0; j < n; j++) blend(merged, query, v, key + j * wide, size, weights[row + j]);
  });
  const [y, toMerged] = linear(merged, p[`${at}o`]);
  return [
    y,
    (g) => {
      const dm = toMerged(g);
      const [dq, dk, dv] = [q, k, v].map((a) => new Float64Array(a.length));
      const slope = new Float64Array(n);
      each((row, query, key) => {
        for (let j = 0, at = key; j < n; j++, at += wide) {
          slope[j] = dot(dm, query, v, at, size);
          blend(dv, at, dm, query, size, weights[row + j]);
        }
        const mean = dot(weights, row, slope, 0, n);
        for (let j = 0, at = key; j < n; j++, at += wide) {
          const atScore = (weights[row + j] * (slope[j] - mean)) / divides_by;
          blend(dq, query, k, at, size, atScore);
          blend(dk, at, q, query, size, atScore);
        }
      });
      const dx = fromQ(dq);
      add(dx, fromK(dk));
      add(dx, fromV(dv));
      return dx;
    },
    weights,
  ];
}

export interface Pass {
  logits: Numbers; // (examples, asked × replies, answers)
  weights: Numbers[]; // of each layer (examples, heads, n, n)
  backward(atLogits: Numbers): void; // adds to the gradients of all parameters
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
    for (let t = 0; t < rows; t++) for (let i = 0; i < d; i++) x[t * d + i] += scale * table.value[row(t) * d + i];
  const back: Backward[] = [];
  const weights: Numbers[] = [];
  const norm = (name: string, at: Numbers): Layer => layerNorm(at, p[`${name}.gain`], p[`${name}.bias`]);

  for (let layer = 0; layer < arm.layers; layer++)
    for (const branch of arm.hidden ? [1, 2] : [1]) {
      const at = `${layer}.`;
      const name = `${at}norm${branch}`;
      const [inner, before] = arm.norm === "pre" ? norm(name, x) : [x];
      const [y, within, seen] = branch === 1 ? multiHead(inner, p, at, arm, n) : feedForward(inner, p, at);
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
  const [last, toRead] = arm.norm === "pre" ? norm("end", read) : [read];
  const [logits, toLast] = linear(last, p.out, p["out.bias"]);
  return {
    logits,
    weights,
    backward(atLogits) {
      const atRead = toRead ? toRead(toLast(atLogits)) : toLast(atLogits);
      let g: Numbers = new Float64Array(rows * d);
      for (let r = 0; r * d < atRead.length; r++) g.set(atRead.subarray(r * d, (r + 1) * d), place(r) * d);
      for (const step of back.reverse()) g = step(g);
      for (const [table, row] of tables)
        for (let t = 0; t < rows; t++) blend(table.gradient, row(t) * d, g, t * d, d, scale);
    },
  };
}

/** Mean cross-entropy, the share of right answers, and the gradient at the logits, which are overwritten by it. */
export function crossEntropy(logits: Numbers, answers: Int32Array): { loss: number; accuracy: number } {
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
