// A lesson as the page declares it (whyformer_book/teach/lesson.py), and where its moments look.

import type { WhyformerLab } from "../lab/host/element.ts";

export type Target =
  | { kind: "prediction"; name: string }
  | { kind: "lab"; name: string; question: string; address: string }
  | { kind: "lines"; lines: number[] }
  | { kind: "part"; id: string };

export interface Moment {
  minutes: number;
  /** What the class does, in one line. */
  do: string;
  look: Target | null;
  /** The question, by its name, that the class talks about here, and that is settled here. */
  talk: string;
  settle: string;
  /** For the teacher: what the class will say and why that is tempting, and what to ask next. */
  expect: string;
  ask: string;
}

export interface Lesson {
  minutes: number;
  /** Minutes before the first moment, in which phones come in. */
  joining: number;
  objectives: string[];
  moments: Moment[];
}

/** The lesson that this page declares, if it does. */
export function lesson_of_page(): Lesson | undefined {
  const script = document.querySelector('.wf-lesson > script[type="application/json"]');
  return script ? (JSON.parse(script.textContent!) as Lesson) : undefined;
}

/** What a moment shows: elements of the page, or none. */
export function shown_by(target: Target | null): Element[] {
  if (!target) return [];
  if (target.kind === "lines") return lines_of(target).flat();
  const one = target.kind === "part" ? document.getElementById(target.id) : element_named(target);
  if (!one) return [];
  // An exercise is judged in a form of its own, right below it.
  const form = one.matches(".exercise") ? one.nextElementSibling : null;
  return form?.querySelector("whyformer-exercise") ? [one, form] : [one];
}

/** The lines of a derivation that a moment shows, each with its formulas; none where it shows something else. */
export function lines_of(target: Target | null): Element[][] {
  return target?.kind === "lines" ? target.lines.map(line_and_formulas) : [];
}

/** The first prediction or large lab of that name; any prediction if it has none. */
export function element_named({ kind, name }: { kind: string; name: string }): HTMLElement | null {
  const tag = kind === "lab" ? 'whyformer-lab:not([size="small"])' : "whyformer-predict";
  return document.querySelector(`.bd-article ${tag}${name ? `[name="${CSS.escape(name)}"]` : ""}`);
}

const IS_LINE = /^(?:Line|Step) (\d+)\b/;

/** The number of the line that a block of the derivation begins, if it begins one. */
function number_of(block: Element): number | undefined {
  const strong = block.querySelector("strong:first-child");
  const found =
    strong && block.textContent.trimStart().startsWith(strong.textContent) && IS_LINE.exec(strong.textContent);
  return found ? Number(found[1]) : undefined;
}

const FORMULA = ".math, .wf-proven:has(> .math)";

/** A line of the derivation: from the block that begins with its number to its last formula; code and tables go. */
function line_and_formulas(line: number): Element[] {
  const inside = ":is(section#derivation, #prove-it)";
  const blocks = [...document.querySelectorAll(`${inside} > *, ${inside} :is(section, .wf-fold, .wf-noted) > *`)];
  const at = blocks.findIndex((block) => number_of(block) === line);
  if (at < 0) return [];
  const shown = [blocks[at]];
  for (const next of blocks.slice(at + 1)) {
    if (number_of(next) !== undefined || next.matches("section, h2, h3")) break;
    if (next.matches(`p, ul, ol, ${FORMULA}`) || next.matches(".wf-proven:has(> p)")) shown.push(next);
  }
  while (shown.length > 1 && !shown.at(-1)!.matches(FORMULA)) shown.pop();
  return shown;
}

/** Bring the lab of a moment to its step and state, opened: who teaches has decided when it is shown. It asks first. */
export function prepare(target: Target | null): void {
  if (target?.kind !== "lab") return;
  const lab = element_named(target) as WhyformerLab | null;
  const [, step, query] = /^#[^:?]*(?::(\d+))?\??(.*)$/s.exec(target.address)!;
  lab?.follow({
    lab: target.name.slice(target.name.lastIndexOf("/") + 1),
    asked: Object.fromEntries(new URLSearchParams(query)),
    asks: true,
    ...(step ? { step: Number(step) } : {}),
  });
}

/** A lab whose steps ask before they tell. */
type Asking = WhyformerLab & { tell?: () => void; told?: string };

/** What lets the lab of a moment tell what it has asked, as long as it has not: its link says so. */
export function tells(target: Target | null): (() => void) | undefined {
  const lab = target?.kind === "lab" ? (element_named(target) as Asking | null) : null;
  return lab?.tell && /[?&]ask\b/.test(lab.fragment) ? () => lab.tell!() : undefined;
}

/** What the lab of a moment tells of what it asks, for who teaches. */
export function told_by(target: Target | null): string {
  const lab = target?.kind === "lab" ? (element_named(target) as Asking | null) : null;
  return lab?.told ?? "";
}

/** The minute at which each moment begins, and at the end that at which the last one ends. */
export function clock({ moments, joining }: Lesson): number[] {
  return moments.reduce((starts, { minutes }) => [...starts, starts.at(-1)! + minutes], [joining]);
}
