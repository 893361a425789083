// How the value of a control is written.

import type { Control } from "../declaration.ts";
import { number, t } from "../words.ts";

/** A value with as many digits as its step has, and its unit. */
export function show(control: Control, value: number): string {
  const digits = control.kind === "number" ? (String(control.step).split(".")[1]?.length ?? 0) : 0;
  const text = number(value, `${value < 10_000 ? "" : ","}.${digits}f`);
  return control.unit ? `${text} ${t(control.unit)}` : text;
}
