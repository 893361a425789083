// What the page tells a lab: its declaration, the state it opens in, its size.

import type { Declaration, State } from "../declaration.ts";

export interface Payload {
  declaration: Declaration;
  state: State;
  size: "full" | "small";
}

declare global {
  interface Window {
    WhyformerTold?: Record<string, Payload>;
  }
}

const coming = new Map<string, Promise<unknown>>();

const script_of = (element: HTMLElement) =>
  element.querySelector<HTMLElement>(':scope > script[type="application/json"]');

/** If what the page tells is long it is a script of its own (whyformer_book/pages/labs.py): settled when that is here, or cannot be. */
export function payload_coming(element: HTMLElement): Promise<unknown> | undefined {
  const { told, from } = script_of(element)?.dataset ?? {};
  if (!told || !from || self.WhyformerTold?.[told]) return undefined;
  if (!coming.has(told)) coming.set(told, load(from));
  return coming.get(told);
}

function load(address: string): Promise<unknown> {
  const script = document.createElement("script");
  script.src = address;
  const settled = new Promise((resolve) => (script.onload = script.onerror = resolve));
  document.head.append(script);
  return settled;
}

/** Undefined if the page tells nothing. Throws if the script that it is in could not be loaded. */
export function payload_inside(element: HTMLElement): Payload | undefined {
  const script = script_of(element);
  if (!script) return undefined;
  const { told } = script.dataset;
  if (!told) return JSON.parse(script.textContent!) as Payload;
  const payload = self.WhyformerTold?.[told];
  if (!payload) throw new Error(`${told}.js has not been loaded`);
  return payload;
}
