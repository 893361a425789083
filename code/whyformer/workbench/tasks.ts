// The jobs that a little model learns. Twin of tasks.py, which says more; the same examples to the last bit.

import { stream, uniform } from "../maths/random.ts";

export interface Batch {
  tokens: Int32Array; // (examples, length, parts): rows of the table that are added for each token
  answers: Int32Array; // (examples, asked × replies)
}

export interface Task {
  vocabulary: number;
  length: number;
  parts: number;
  asked: [from: number, to: number]; // positions that answer
  answers: number; // how many answers there are to choose from
  draws: number; // random numbers an example takes
  replies: number; // answers that each of these positions gives, from one vector
  keys: number; // how many there are, where tokens are pairs of a key and a value; 0 elsewhere
  trains_on?: string; // the task whose batches train it, if not its own
  make(u: number[]): { tokens: number[]; answers: number[] };
}

const [LENGTH, LONG, SYMBOLS] = [10, 20, 10];
const [PAIRS, KEYS, VALUES] = [8, 16, 10];
const [FEW_PAIRS, FEW_KEYS] = [6, 8];
const DATA = 2 ** 20; // first stream of the data
export const HELD_OUT = -1; // the step whose examples no batch has

function digits(from: number, answers: (row: number[]) => number[], length = LENGTH): Task {
  const asked: [number, number] = [from, length];
  const sizes = { vocabulary: SYMBOLS, length, parts: 1, asked, answers: SYMBOLS, replies: 1, keys: 0 };
  const make = (u: number[]) => {
    const tokens = u.map((x) => Math.floor(x * SYMBOLS));
    return { tokens, answers: answers(tokens) };
  };
  return { ...sizes, draws: length, make };
}

/** `count` pairs of a key and a value: two rows of the table for each. */
function pairs(u: number[], count: number, keys: number): number[] {
  const order = [...Array(keys).keys()].sort((a, b) => u[a] - u[b] || a - b);
  return order.slice(0, count).flatMap((key, i) => [key, keys + Math.floor(u[keys + i] * VALUES)]);
}

function kv(u: number[]): { tokens: number[]; answers: number[] } {
  const tokens = pairs(u, PAIRS, KEYS);
  const which = Math.floor(u[KEYS + PAIRS] * PAIRS);
  const answers = [tokens[2 * which + 1] - KEYS];
  tokens.push(KEYS + VALUES + tokens[2 * which], 2 * KEYS + VALUES);
  return { tokens, answers };
}

function two_values(u: number[]): { tokens: number[]; answers: number[] } {
  const tokens = pairs(u, FEW_PAIRS, FEW_KEYS);
  const [one, other] = u.slice(FEW_KEYS + FEW_PAIRS);
  const first = Math.floor(one * FEW_PAIRS);
  const which = [first, (first + 1 + Math.floor(other * (FEW_PAIRS - 1))) % FEW_PAIRS];
  const answers = which.map((pair) => tokens[2 * pair + 1] - FEW_KEYS);
  tokens.push(...which.map((pair, i) => FEW_KEYS + VALUES + i * FEW_KEYS + tokens[2 * pair]));
  return { tokens, answers };
}

const previous = (row: number[]) => row.slice(0, -1);

export const TASKS: Record<string, Task> = {
  kv: {
    vocabulary: 2 * KEYS + VALUES + 1,
    length: PAIRS + 1,
    parts: 2,
    asked: [PAIRS, PAIRS + 1],
    answers: VALUES,
    draws: KEYS + PAIRS + 1,
    replies: 1,
    keys: KEYS,
    make: kv,
  },
  reverse: digits(0, (row) => [...row].reverse()),
  previous: digits(1, previous),
  copy: digits(0, (row) => row),
  two_values: {
    vocabulary: 3 * FEW_KEYS + VALUES,
    length: FEW_PAIRS + 1,
    parts: 2,
    asked: [FEW_PAIRS, FEW_PAIRS + 1],
    answers: VALUES,
    draws: FEW_KEYS + FEW_PAIRS + 2,
    replies: 2,
    keys: FEW_KEYS,
    make: two_values,
  },
  longer: { ...digits(1, previous, LONG), trains_on: "previous" },
  twenty: digits(1, previous, LONG),
};

/** Batch number `step` of `size` examples; `HELD_OUT` for those to measure on. */
export function batch(task: Task, seed: number, step: number, size: number): Batch {
  const key = stream(seed, DATA + step);
  const tokens = new Int32Array(size * task.length * task.parts);
  const answers = new Int32Array(size * (task.asked[1] - task.asked[0]) * task.replies);
  const u = new Array<number>(task.draws);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < task.draws; j++) u[j] = uniform(key, i * task.draws + j);
    const one = task.make(u);
    tokens.set(one.tokens, i * task.length * task.parts);
    answers.set(one.answers, (i * answers.length) / size);
  }
  return { tokens, answers };
}
