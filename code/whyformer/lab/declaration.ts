// What Python declares of a lab, and how a value from outside becomes an allowed one. The front end repeats no range.

import { holds, type Condition } from "./conditions.ts";
import type { Step } from "./step.ts";
import { t } from "./words.ts";

export type Value = number | string | number[];
export type State = Record<string, Value>;
export type Series = Record<string, number | Float64Array>;

export interface Control {
  name: string;
  kind: "number" | "integer" | "seed" | "listed" | "choice" | "vector";
  default: Value;
  label: string;
  unit: string;
  help: string;
  /** Of a seed: what the button says. */
  again?: string;
  min?: number;
  max?: number;
  step?: number;
  values?: number[];
  options?: { value: string; label: string }[];
  min_length?: number;
  max_length?: number;
}

export interface Declaration {
  name: string;
  python: string;
  title: string;
  hint: string;
  sentence: string;
  /** What is said instead where conditions hold; the first counts. */
  cases?: { when: Condition[]; says: string }[];
  /** Words in place of a number that counts from 0. */
  names?: Record<string, string[]>;
  controls: Control[];
  presets: { label: string; state: State }[];
  steps?: Step[];
  data?: unknown;
}

/** An allowed value, and a note for the reader if it is not the one that was asked for. */
export function admit(control: Control, asked: unknown): { value: Value; note?: string } {
  const name = t(control.label);
  if (control.kind === "choice") {
    const options = control.options!;
    if (options.some((option) => option.value === asked)) return { value: asked as string };
    const allowed = options.map((option) => option.value).join(", ");
    return {
      value: control.default,
      note: t("{name} can be one of: {allowed}. The default is shown.", { name, allowed }),
    };
  }
  if (control.kind === "vector") return admit_vector(control, asked, name);
  const number = as_number(asked);
  if (Number.isNaN(number)) {
    return { value: control.default, note: t("{name} has to be a number. The default is shown.", { name }) };
  }
  const value = nearest(control, number);
  if (value === number) return { value };
  const [min, max] = limits(control);
  const shown = { name, min, max, value };
  return number < min || number > max
    ? { value, note: t("{name} goes from {min} to {max}; {value} is shown.", shown) }
    : { value, note: t("{name} moves in steps; {value}, the nearest, is shown.", shown) };
}

function admit_vector(control: Control, asked: unknown, name: string): { value: Value; note?: string } {
  const parts = typeof asked === "string" ? asked.slice(0, 1000).split(",") : Array.isArray(asked) ? asked : [];
  const numbers = parts.map(as_number);
  const { min, max, min_length, max_length } = control;
  if (numbers.length < min_length! || numbers.length > max_length! || numbers.some(Number.isNaN)) {
    const gaps = { name, min_length, max_length };
    return {
      value: control.default,
      note: t("{name} has to be {min_length} to {max_length} numbers. The default is shown.", gaps),
    };
  }
  const value = numbers.map((number) => clamp(number, min!, max!));
  const note = value.some((v, i) => v !== numbers[i])
    ? t("{name} go from {min} to {max}; values outside are shown at the end.", { name, min, max })
    : undefined;
  return { value, note };
}

function as_number(asked: unknown): number {
  if (typeof asked === "number") return asked;
  return typeof asked === "string" && asked.trim() !== "" && asked.length < 40 ? Number(asked) : NaN;
}

export function limits(control: Control): [number, number] {
  return control.values ? [control.values[0], control.values.at(-1)!] : [control.min!, control.max!];
}

export function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

function nearest(control: Control, number: number): number {
  const inside = clamp(number, ...limits(control));
  if (control.values) {
    return control.values.reduce((best, v) => (Math.abs(v - inside) < Math.abs(best - inside) ? v : best));
  }
  return control.kind === "number" ? inside : Math.round(inside);
}

/** The control of this name, which the lab has. */
export function control_of(declaration: Declaration, name: string): Control {
  return declaration.controls.find((control) => control.name === name)!;
}

export function defaults(declaration: Declaration): State {
  return Object.fromEntries(declaration.controls.map((control) => [control.name, control.default]));
}

/** State with the words of its choices in place of their values, and the single numbers of the series. */
export function describe(declaration: Declaration, state: State, series: Series, asked?: string): string {
  const found = declaration.cases?.find(({ when }) => holds(when, state, series));
  const words = asked ?? found?.says ?? declaration.sentence;
  const gaps: Record<string, unknown> = { ...state };
  for (const { name, options } of declaration.controls) {
    const label = options?.find((option) => option.value === state[name])?.label;
    if (label !== undefined) gaps[name] = t(label);
  }
  for (const [name, value] of Object.entries(series))
    if (typeof value === "number") {
      const named = declaration.names?.[name]?.[value];
      gaps[name] = named === undefined ? value : t(named);
    }
  return t(words, gaps);
}

export function same(a: Value, b: Value): boolean {
  return Array.isArray(a) && Array.isArray(b) ? a.length === b.length && a.every((v, i) => v === b[i]) : a === b;
}
