// Native form elements for the declared controls. One listener on the form (element.ts) hears them all.

import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { limits, type Control, type Value } from "../declaration.ts";
import { show } from "./shown.ts";
import { t } from "../words.ts";

/** With `bare` a seed is its button alone. */
export function control_field(control: Control, value: Value, id: string, bare = false): TemplateResult {
  if (control.kind === "choice") return control.options!.length > 4 ? menu(control, value, id) : radios(control, value);
  if (control.kind === "seed") return seed(control, value as number, id, bare);
  return slider(control, value as number, id);
}

function slider(control: Control, value: number, id: string): TemplateResult {
  const { name, values } = control;
  const shown = show(control, value);
  const [min, max] = values ? [0, values.length - 1] : limits(control);
  return html`<div class="wf-field wf-slider">
    <label for=${id}>${t(control.label)}</label><output for=${id}>${shown}</output>
    <input id=${id} type="range" name=${name} min=${min} max=${max} step=${values ? 1 : control.step!}
      .value=${live(String(values ? values.indexOf(value) : value))} aria-valuetext=${shown}
      title=${control.help ? t(control.help) : nothing} />
  </div>`;
}

function seed(control: Control, value: number, id: string, bare: boolean): TemplateResult {
  const again = html`<button type="button" data-draw=${control.name}>${control.again ? t(control.again) : t("draw again")}</button>`;
  if (bare) return html`<div class="wf-field wf-seed">${again}</div>`;
  return html`<div class="wf-field wf-seed">
    <label for=${id}>${t(control.label)}</label>
    <input id=${id} type="number" name=${control.name} min=${control.min!} max=${control.max!} step="1"
      .value=${live(String(value))} title=${control.help ? t(control.help) : nothing} />
    ${again}
  </div>`;
}

function radios(control: Control, value: Value): TemplateResult {
  return html`<fieldset class="wf-field wf-radios" title=${control.help ? t(control.help) : nothing}>
    <legend>${t(control.label)}</legend>
    <div>${control.options!.map(
      (option) => html`<label><input type="radio" name=${control.name} value=${option.value}
        .checked=${live(option.value === value)} /><span>${t(option.label)}</span></label>`,
    )}</div>
  </fieldset>`;
}

const options_of = (control: Control, value: Value) =>
  control.options!.map(
    (option) => html`<option value=${option.value} ?selected=${option.value === value}>${t(option.label)}</option>`,
  );

function menu(control: Control, value: Value, id: string): TemplateResult {
  return html`<div class="wf-field wf-menu">
    <label for=${id}>${t(control.label)}</label>
    <select id=${id} name=${control.name} .value=${live(String(value))}>${options_of(control, value)}</select>
  </div>`;
}

/** A choice that stands in a picture, where its value is seen. */
export function choice(control: Control, value: string, style: string): TemplateResult {
  return html`<select class="wf-select" name=${control.name} aria-label=${t(control.label)} style=${style}
    .value=${live(value)}>${options_of(control, value)}</select>`;
}

/** What the reader set in a form element, as a value for its control. */
export function read(control: Control, input: HTMLInputElement | HTMLSelectElement, present: Value): unknown {
  if (control.kind === "choice") return input.value;
  if (control.kind === "vector") {
    return (present as number[]).map((v, i) => (i === Number(input.dataset.index) ? Number(input.value) : v));
  }
  return control.values ? control.values[Number(input.value)] : input.value;
}
