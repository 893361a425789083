// What to say to an answer: twin of the checks in exercise.py, from what they declare.

import { t } from "../words.ts";
import { value_of } from "./number.ts";
import { unveil } from "./veil.ts";

export interface Asked {
  check: "number" | "choice";
  label: string;
  /** What is said whatever the exercise. */
  words: Record<string, string>;
  options?: string[];
  /** Of a number: the spans, each [low, high, says, right]. Of a choice: [says, right] for each option. */
  veiled: string;
}

export type Judgement = [says: string, right: boolean];
type Span = [low: number, high: number, ...Judgement];

const NUMBER = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/;
const COMMA = /^[+-]?[0-9.,]*,[0-9.,]*([eE][+-]?[0-9]+)?$/;
const BLANKS = /^[ \t\r\n\u00a0]+|[ \t\r\n\u00a0]+$/g;

export function judge(asked: Asked, answer: string): Judgement {
  const text = answer.replace(BLANKS, "");
  return asked.check === "number" ? judge_number(asked, text.replaceAll("−", "-")) : judge_choice(asked, text);
}

function judge_number({ words, veiled }: Asked, text: string): Judgement {
  const told = (name: string): Judgement => [t(words[name]), false];
  const number = NUMBER.test(text) ? Number(text) : value_of(text);
  if (number === null) return told(text === "" ? "empty" : COMMA.test(text) ? "comma" : "nonsense");
  if (!Number.isFinite(number)) return told("endless");
  const spans = unveil<Span[]>(veiled);
  const found = spans.find(([low, high]) => low <= number && number <= high);
  return found ? [t(found[2]), found[3]] : told(number < spans[0][0] ? "larger" : "smaller");
}

function judge_choice({ words, options, veiled }: Asked, text: string): Judgement {
  const known = options!.indexOf(text);
  const chosen = known >= 0 ? known : options!.findIndex((_, i) => text === String(i + 1));
  if (chosen < 0) return [t(words[text === "" ? "empty" : "nonsense"]), false];
  const [says, right] = unveil<Judgement[]>(veiled)[chosen];
  return [t(says), right];
}
