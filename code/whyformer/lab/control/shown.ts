// How the value of a control is written.

import type { Control, Value } from "../declaration.ts";
import { number, t } from "../words.ts";

/** A value with as many digits as its step has, and its unit. */
export function show(control: Control, value: number): string {
  const digits = control.kind === "number" ? (String(control.step).split(".")[1]?.length ?? 0) : 0;
  const text = number(value, `${value < 10_000 ? "" : ","}.${digits}f`);
  return control.unit ? t("{number} {unit}", { number: text, unit: t(control.unit) }) : text;
}

/** "dₖ = 64": a control and its value, in words. */
export function said_of(control: Control, value: Value): string {
  const option = control.options?.find((each) => each.value === value);
  const shown = option ? t(option.label) : typeof value === "number" ? show(control, value) : value;
  const gap = Array.isArray(shown) ? shown.map((each) => number(each, "")).join(", ") : shown;
  return t("{name} = {value}", { name: t(control.label), value: gap });
}
