// A link to a state: page.html#scale?d_k=512&seed=3. Nothing from it is ever inserted as HTML.

import type { Declaration, State } from "../declaration.ts";
import { defaults, same } from "../declaration.ts";
import { state_at, told_at } from "../step.ts";

export interface Link {
  lab: string;
  /** Counted from 1; without one the lab opens with everything on stage. */
  step?: number;
  asked: Record<string, string>;
  /** Whether the step asks; without it, it has told. */
  asks?: boolean;
}

const LONGEST = 4000;
/** In a link to a step: it asks, and has not told. No control has this name. */
const ASKS = "ask";

/** The link in a URL fragment, or nothing when the fragment is an ordinary anchor. */
export function parse(fragment: string): Link | undefined {
  const text = fragment.replace(/^#/, "").slice(0, LONGEST);
  const end = text.indexOf("?");
  const cut = end < 0 ? text.length : end;
  if (end < 0 && !/:\d{1,2}$/.test(text)) return undefined; // a step may be named alone: #scale:3
  const asked: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text.slice(cut + 1))) asked[name] = value;
  const asks = ASKS in asked;
  delete asked[ASKS];
  const [, lab, step] = /^(.*?)(?::(\d{1,2}))?$/s.exec(safe_decode(text.slice(0, cut)))!;
  return { lab, asked, ...(step ? { step: Number(step) } : {}), ...(asks ? { asks } : {}) };
}

/** The fragment for a state; values at their default, or at those where the step asks or has told, are left out. */
export function fragment(declaration: Declaration, state: State, step?: number, asks = false): string {
  const parameters = new URLSearchParams();
  const start = step ? (asks ? state_at : told_at)(declaration, declaration.steps![step - 1]) : defaults(declaration);
  for (const { name } of declaration.controls) {
    if (!same(state[name], start[name])) parameters.set(name, String(state[name]));
  }
  const all = [...(parameters.size ? [parameters.toString().replaceAll("%2C", ",")] : []), ...(asks ? [ASKS] : [])];
  return `#${short_name(declaration.name)}${step ? `:${step}` : ""}?${all.join("&")}`;
}

/** The address of this page with that state. Who shows a page on a projector does not want it so on others' screens. */
export function address(declaration: Declaration, state: State, step?: number, asks = false): string {
  const query = location.search
    .slice(1)
    .split("&")
    .filter((part) => part && !/^(projector|teach)(=|$)/.test(part))
    .join("&");
  return `${location.href.split(/[?#]/, 1)[0]}${query && "?"}${query}${fragment(declaration, state, step, asks)}`;
}

/** The same for a notebook: a call that makes the lab in that state. */
export function python_call({ python, controls }: Declaration, state: State): string {
  const changed = controls.filter(({ name, default: d }) => !same(state[name], d));
  return `${python}(${changed.map(({ name }) => `${name}=${JSON.stringify(state[name])}`).join(", ")})`;
}

export function short_name(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** A text of an address, as it was written; one that nobody can decode stays as it is. */
export function safe_decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
