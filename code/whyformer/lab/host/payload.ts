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

/**
 * It stands inside of the element, or in a script of its own if it is long (book/labs.py); undefined if there is none.
 * Throws if that script has not been loaded.
 */
export function payload_inside(element: HTMLElement): Payload | undefined {
  const script = element.querySelector<HTMLElement>(':scope > script[type="application/json"]');
  if (!script) return undefined;
  const { told } = script.dataset;
  if (!told) return JSON.parse(script.textContent!) as Payload;
  const payload = self.WhyformerTold?.[told];
  if (!payload) throw new Error(`${told}.js has not been loaded`);
  return payload;
}
