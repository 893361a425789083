// A link to a state: page.html#scale?d_k=512&seed=3. Nothing from it is ever inserted as HTML.

import type { Declaration, State } from "../declaration.ts";
import { same } from "../declaration.ts";

export interface Link {
  lab: string;
  asked: Record<string, string>;
}

const LONGEST = 4000;

/** The link in a URL fragment, or nothing when the fragment is an ordinary anchor. */
export function parse(fragment: string): Link | undefined {
  const text = fragment.replace(/^#/, "").slice(0, LONGEST);
  const cut = text.indexOf("?");
  if (cut < 0) return undefined;
  const asked: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text.slice(cut + 1))) asked[name] = value;
  return { lab: safe_decode(text.slice(0, cut)), asked };
}

/** The fragment for a state; values at their default are left out. */
export function fragment(declaration: Declaration, state: State): string {
  const parameters = new URLSearchParams();
  for (const { name, default: byDefault } of declaration.controls) {
    if (!same(state[name], byDefault)) parameters.set(name, String(state[name]));
  }
  return `#${short_name(declaration.name)}?${parameters.toString().replaceAll("%2C", ",")}`;
}

/** The address of this page with that state. Who shows a page on a projector does not want it so on others' screens. */
export function address(declaration: Declaration, state: State): string {
  const query = location.search
    .slice(1)
    .split("&")
    .filter((part) => part && !/^projector(=|$)/.test(part))
    .join("&");
  return `${location.href.split(/[?#]/, 1)[0]}${query && "?"}${query}${fragment(declaration, state)}`;
}

export function short_name(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

function safe_decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
