// What a picture on the screen is moved by: the fields of its controls, and the handles in it.

import { html, nothing } from "lit-html";
import { choice, control_field } from "../control/controls.ts";
import { control_of } from "../declaration.ts";
import type { Change } from "../picture/picture.ts";
import type { Host } from "../picture/screen.ts";
import { t } from "../words.ts";
import type { Session } from "./session.ts";

/** They read the session when they are asked. `id` is the element's; with `bare` a seed is its button alone. */
export function hands(session: Session, id: string, bare: boolean, set: (change: Change) => void): Host {
  const { declaration } = session;
  const field = (name: string) =>
    control_field(control_of(declaration, name), session.state[name], `${id}-${name}-0`, bare);
  return {
    controls: ({ names, text }) =>
      html`<div class="wf-controls">${names.map(field)}${text ? html`<p class="wf-gloss">${text}</p>` : nothing}</div>`,
    pick: (name, style) => choice(control_of(declaration, name), session.state[name] as string, style),
    handle: (name, i) => {
      const { min, max, step, label } = control_of(declaration, name);
      const value = (session.state[name] as number[])[i];
      const words = t("{label}, number {i}", { label: t(label), i: i + 1 });
      return { value, min: min!, max: max!, step: step!, label: words };
    },
    vector: (name) => session.state[name] as number[],
    set,
  };
}
