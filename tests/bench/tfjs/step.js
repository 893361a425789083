// An arm of the workbench with pre-norm, two matrices and a residual path, written with TensorFlow.js: for the bench
// alone, which sets it beside our own engine. The same first weights and the same batches; single precision, as it has
// no other. One step draws a batch, goes forward and backward and takes a step of its own Adam, as ours does.

import * as tf from "@tensorflow/tfjs-core";
import "@tensorflow/tfjs-core/dist/public/chained_ops/register_all_chained_ops";
import "@tensorflow/tfjs-core/dist/register_all_gradients";
import { setWasmPaths } from "@tensorflow/tfjs-backend-wasm";
import simd from "@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm";
import { Adam } from "../../../code/whyformer/workbench/parameters.ts";
import { batch, HELD_OUT, TASKS } from "../../../code/whyformer/workbench/tasks.ts";
import { Training } from "../../../code/whyformer/workbench/train.ts";

export { Training };

const EPSILON = 1e-5;

/** WebAssembly with SIMD, and no threads: a page opened as a file has none, and ours has one worker for each model. */
export async function prepare() {
  const address = URL.createObjectURL(new Blob([simd], { type: "application/wasm" }));
  const files = ["-simd", "", "-threaded-simd"].map((kind) => [`tfjs-backend-wasm${kind}.wasm`, address]);
  setWasmPaths(Object.fromEntries(files)); // it wants to know of all three, and takes one
  tf.enableProdMode(); // without checks for NaN and the like
  await tf.setBackend("wasm");
  const [has_simd, has_threads] = ["SIMD", "MULTITHREAD"].map((what) => tf.env().getBool(`WASM_HAS_${what}_SUPPORT`));
  if (tf.getBackend() !== "wasm" || !has_simd || has_threads) throw new Error("not WebAssembly with SIMD alone");
}

/** A batch as tensors: how often each token has each row of the table, and a 1 at each right answer. */
function tensors(task, { tokens, answers }) {
  const rows = tokens.length / task.parts;
  const counts = new Float32Array(rows * task.vocabulary);
  tokens.forEach((token, i) => counts[Math.floor(i / task.parts) * task.vocabulary + token]++);
  const right = new Float32Array(answers.length * task.answers);
  answers.forEach((answer, i) => (right[i * task.answers + answer] = 1));
  return [tf.tensor2d(counts, [rows, task.vocabulary]), tf.tensor2d(right, [answers.length, task.answers])];
}

const turned = (m) => m.transpose([...Array(m.rank - 2).keys(), m.rank - 1, m.rank - 2]);

/**
 * a b, or a stack of such. TensorFlow.js reads a matrix across in a slow loop, and its own gradient does; turned
 * before, all products take its fast one. Wide models gain most by it; the bench takes what is faster.
 */
const turning = tf.customGrad((a, b, save) => {
  save([a, b]);
  return { value: a.matMul(b), gradFunc: (g, [a, b]) => [g.matMul(turned(b)), turned(a).matMul(g)] };
});

export class Theirs {
  constructor(experiment, place, seed, turns) {
    const { arm, task } = experiment.arms[place];
    if (arm.norm !== "pre" || arm.matrices !== "two" || !arm.residual || arm.warm_up) throw new Error("not this arm");
    [this.experiment, this.arm, this.task, this.seed, this.at] = [experiment, arm, TASKS[task], seed, 0];
    const drawn = Object.entries(new Adam(arm, this.task, seed).parameters);
    const shape = (name, p) => (/(gain|bias)$/.test(name) ? [p.columns] : [p.rows, p.columns]);
    const made = ([name, p]) => [name, tf.variable(tf.tensor(Float32Array.from(p.value), shape(name, p)))];
    this.p = Object.fromEntries(drawn.map(made));
    this.turns = turns;
    this.adam = tf.train.adam(experiment.rate, 0.9, 0.999, 1e-8);
  }

  linear(x, name, activation = "linear") {
    const [a, b, bias] = [x, this.p[name], this.p[`${name}.bias`]];
    if (!this.turns) return bias ? tf.fused.matMul({ a, b, bias, activation }) : a.matMul(b);
    const y = bias ? turning(a, b).add(bias) : turning(a, b);
    return activation === "relu" ? y.relu() : y;
  }

  norm(x, name) {
    const centred = x.sub(x.mean(-1, true));
    const unit = centred.mul(centred.square().mean(-1, true).add(EPSILON).rsqrt());
    return unit.mul(this.p[`${name}.gain`]).add(this.p[`${name}.bias`]);
  }

  attend(x, layer) {
    const { heads, head_size, divides_by } = this.arm;
    const n = this.task.length;
    const project = (name) => {
      const y = this.linear(x, `${layer}.${name}`);
      if (heads === 1) return y.reshape([-1, n, head_size]);
      return y.reshape([-1, n, heads, head_size]).transpose([0, 2, 1, 3]);
    };
    const [q, k, v] = [..."qkv"].map(project);
    const weights = (this.turns ? turning(q, turned(k)) : q.matMul(k, false, true)).mul(1 / divides_by).softmax();
    const y = this.turns ? turning(weights, v) : weights.matMul(v);
    const merged = heads === 1 ? y : y.transpose([0, 2, 1, 3]);
    return this.linear(merged.reshape([-1, heads * head_size]), `${layer}.o`);
  }

  /** Mean cross-entropy. */
  loss(counts, right) {
    const { arm, task, p } = this;
    const { d_model: d, layers, positions } = arm;
    const [from, to] = task.asked;
    let x = this.linear(counts, "table");
    if (positions === "learned") x = x.reshape([-1, task.length, d]).add(p.position).reshape([-1, d]);
    x = x.mul(Math.sqrt(d));
    for (let layer = 0; layer < layers; layer++) {
      x = x.add(this.attend(this.norm(x, `${layer}.norm1`), layer));
      const hidden = this.linear(this.norm(x, `${layer}.norm2`), `${layer}.up`, "relu");
      x = x.add(this.linear(hidden, `${layer}.down`));
    }
    const all = to - from === task.length;
    const read = all
      ? x
      : x
          .reshape([-1, task.length, d])
          .slice([0, from, 0], [-1, to - from, d])
          .reshape([-1, d]);
    const logits = this.linear(this.norm(read, "end"), "out");
    return tf.losses.softmaxCrossEntropy(right, logits);
  }

  step() {
    const { experiment, task, seed } = this;
    tf.tidy(() => {
      const [counts, right] = tensors(task, batch(task, seed, this.at++, experiment.batch));
      this.adam.minimize(() => this.loss(counts, right), false, Object.values(this.p));
    });
  }

  /** On the held-out examples, as `measure` of Training has it. */
  held_out() {
    const examples = batch(this.task, this.seed, HELD_OUT, this.experiment.tested);
    return tf.tidy(() => this.loss(...tensors(this.task, examples)).dataSync()[0]);
  }
}
