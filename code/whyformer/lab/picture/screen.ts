// The back end that puts a picture on the screen. A move changes attributes of what moved and lays out nothing: panels
// have fixed sizes and contain their layout.

import { html, nothing, type TemplateResult } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { ref } from "lit-html/directives/ref.js";
import { live } from "lit-html/directives/live.js";
import { alike } from "./memo.ts";
import type { Buttons, Change, Controls, Point } from "./picture.ts";
import type { Laid } from "./layout.ts";
import { show_shapes } from "./nodes.ts";
import { tints } from "./png.ts";
import { width_of_laid } from "./svg.ts";
import { t } from "../words.ts";
import {
  FINGER,
  type Area,
  type Handle,
  type Hit,
  type Image,
  type Placed,
  type Shape,
  type Slide,
  type Tip,
} from "./shapes.ts";

/** What the element gives: its controls, the present state, and a way to change it. */
export interface Host {
  controls(block: Controls): TemplateResult;
  /** A native choice without a label beside it. */
  pick(control: string, style: string): TemplateResult;
  handle(control: string, index: number): { value: number; min: number; max: number; step: number; label: string };
  set(change: Change): void;
  vector(name: string): number[];
}

export function on_screen(laid: Laid[], em: number, host: Host): TemplateResult {
  return html`${laid.map((one) => show(one, em, host))}`;
}

function show(one: Laid, em: number, host: Host): unknown {
  switch (one.kind) {
    case "panel": {
      const { panel: placed } = one;
      const made = () => panel(placed, host);
      const { handles, tips, slides, picks = [] } = placed;
      return handles.length + tips.length + slides.length + picks.length ? made() : guard([placed], made); // where a hand may have slid
    }
    case "controls":
      return host.controls(one.block);
    case "buttons":
      return buttons(one.block, host);
    case "column":
      return html`<div class="wf-column">${one.parts.map((part) => show(part, em, host))}</div>`;
    case "row":
      return html`${one.lines.map(
        (line) =>
          html`<div class="wf-row">${line.map(
            (part) => html`<div class="wf-part" style="width:${width_of_laid(part)}px">${show(part, em, host)}</div>`,
          )}</div>`,
      )}`;
  }
}

function buttons({ buttons }: Buttons, host: Host): TemplateResult {
  return html`<div class="wf-presets">${buttons.map(
    ({ text, set, off }) => html`<button type="button" ?disabled=${off} @click=${() => host.set(set)}>${text}</button>`,
  )}</div>`;
}

const part_of = (whole: Placed, { x, y, width, height }: Area) => {
  const share = (a: number, b: number) => `${Math.round((1e6 * a) / b) / 1e4}%`;
  return `left:${share(x, whole.width)};top:${share(y, whole.height)};width:${share(width, whole.width)};height:${share(height, whole.height)}`;
};

function panel(placed: Placed, host: Host): TemplateResult {
  const { name, width, height, words, shapes, hits, handles, tips, slides, picks = [] } = placed;
  return html`<div class="wf-panel" data-panel=${name} style="width:${width}px;aspect-ratio:${width}/${height}"
    @pointermove=${tips.length ? drag(placed, host) : nothing}>
    ${images(shapes).map(
      (image) => html`<canvas class="wf-heat" aria-hidden="true" style=${part_of(placed, image)}
        ${ref((canvas) => paint(canvas as HTMLCanvasElement | undefined, image))}></canvas>`,
    )}
    <svg viewBox="0 0 ${width} ${height}" role=${words ? "img" : nothing} aria-label=${words || nothing} aria-hidden=${words ? nothing : "true"}
      ${ref((svg) => svg && show_shapes(svg, shapes))}></svg>
    ${guard([hits, width, height], () => hits.map((hit) => clickable(placed, hit, host)))}
    ${handles.map((handle) => slider(handle, host))}
    ${tips.map((tip) => grab(placed, tip, host))}
    ${slides.map((each) => slide(placed, each, host))}
    ${picks.map((pick) => host.pick(pick.control, part_of(placed, pick)))}
  </div>`;
}

const images = (shapes: Shape[]): Image[] =>
  shapes.flatMap((shape) => (shape.shape === "image" ? [shape] : shape.shape === "group" ? images(shape.shapes) : []));

interface Painting {
  levels: Uint8Array;
  columns: number;
  data: ImageData;
}

const painted = new WeakMap<HTMLCanvasElement, Painting>();
const known_colours = new Map<string, Uint32Array>();

/** The pixel of each level. */
function colours_of(image: Image): Uint32Array {
  const name = `${image.colour} ${image.negative}`;
  let colours = known_colours.get(name);
  if (!colours) {
    colours = Uint32Array.from(tints(image), ([r, g, b, a]) => (a << 24) | (b << 16) | (g << 8) | r);
    known_colours.set(name, colours);
  }
  return colours;
}

/** One pixel for one cell; the style sheet enlarges it without smoothing. */
function paint(canvas: HTMLCanvasElement | undefined, image: Image): void {
  if (!canvas) return;
  const { levels, columns } = image;
  const before = painted.get(canvas);
  const is_as_large = before?.levels.length === levels.length && before.columns === columns;
  if (is_as_large && alike(before.levels, levels)) return;
  const data = is_as_large ? before.data : new ImageData(columns, levels.length / columns);
  if (!is_as_large) [canvas.width, canvas.height] = [columns, levels.length / columns];
  painted.set(canvas, { levels, columns, data });
  const pixels = new Uint32Array(data.data.buffer);
  const colours = colours_of(image);
  for (let i = 0; i < levels.length; i++) pixels[i] = colours[levels[i]];
  canvas.getContext("2d")!.putImageData(data, 0, 0);
}

function clickable(placed: Placed, hit: Hit, host: Host): TemplateResult {
  const click = () => host.set(hit.set);
  return hit.label === undefined
    ? html`<span class="wf-hit" style=${part_of(placed, hit)} @click=${click}></span>`
    : html`<button type="button" class="wf-hit" style=${part_of(placed, hit)} aria-label=${hit.label}
        tabindex=${hit.tab === false ? -1 : nothing} @keydown=${hit.tab === undefined ? nothing : arrow}
        aria-pressed=${hit.pressed === undefined ? nothing : String(hit.pressed)} @click=${click}></button>`;
}

const WAYS: Record<string, [x: number, y: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** An arrow key chooses the nearest cell that way. */
function arrow(event: KeyboardEvent): void {
  const way = WAYS[event.key];
  if (!way) return;
  event.preventDefault();
  const here = event.currentTarget as HTMLElement;
  const from = here.getBoundingClientRect();
  const apart = (cell: Element): [number, number] => {
    const to = cell.getBoundingClientRect();
    const [x, y] = [to.left + to.width / 2 - from.left - from.width / 2, to.top - from.top];
    const [on, aside] = [x * way[0] + y * way[1], Math.abs(x * way[1]) + Math.abs(y * way[0])];
    return [on, on + 4 * aside];
  };
  const cells = [...here.parentElement!.querySelectorAll<HTMLElement>("button.wf-hit")];
  const next = cells.filter((cell) => apart(cell)[0] > 1).sort((a, b) => apart(a)[1] - apart(b)[1])[0];
  next?.focus({ preventScroll: true });
  next?.click();
}

/** A native slider that lies, and is turned upright by the style sheet. */
function slider({ control, index, x, y, width, height }: Handle, host: Host): TemplateResult {
  const { value, min, max, step, label } = host.handle(control, index);
  return html`<input type="range" class="wf-handle" name=${control} data-index=${index} min=${min} max=${max} step=${step}
    .value=${live(String(value))} aria-label=${label} aria-orientation="vertical"
    style="left:${x}px;top:${y + height}px;width:${height}px;height:${width}px" />`;
}

/**
 * An area that is a slider. A hand drags it to the nearest stop; a finger that scrolls changes nothing. The native
 * slider is for the keyboard and for a screen reader: it is seen when it has the focus.
 */
function slide(
  placed: Placed,
  { control, stops, now, native, label, said, ...area }: Slide,
  host: Host,
): TemplateResult {
  const to = (event: MouseEvent) => {
    const corner = (event.currentTarget as HTMLElement).parentElement!.getBoundingClientRect();
    const at = ((event.clientX - corner.left) / corner.width) * placed.width;
    const nearest = stops.reduce((best, stop) => (Math.abs(stop.at - at) < Math.abs(best.at - at) ? stop : best));
    if (nearest.value !== now) host.set({ [control]: nearest.value });
  };
  const down = (event: PointerEvent) => {
    const plane = event.currentTarget as HTMLElement;
    plane.setPointerCapture(event.pointerId);
    (plane.nextElementSibling as HTMLElement).focus({ preventScroll: true });
    if (event.pointerType !== "touch") to(event);
    if (event.pointerType === "mouse") event.preventDefault(); // the slider keeps the focus
  };
  const move = (event: PointerEvent) => {
    if ((event.currentTarget as Element).hasPointerCapture(event.pointerId)) to(event);
  };
  return html`<span class="wf-drag" style=${part_of(placed, area)} @pointerdown=${down} @pointermove=${move} @click=${to}></span>
    <input type="range" class="wf-axis" name=${control} min=${native.min} max=${native.max} step=${native.step}
      .value=${live(String(native.value))} aria-label=${label} aria-valuetext=${said} style=${part_of(placed, native)} />`;
}

/** The tip that a panel's pointer holds. A panel stays when it is drawn anew, so it is the panel that has the pointer. */
const held = new WeakMap<Element, number>();

/** An entry of a vector as a hand or a key put it, in steps and within its limits. */
function entry(host: Host, name: string, index: number, value: number): Change {
  const { min, max, step } = host.handle(name, index);
  const allowed = Number(Math.min(max, Math.max(min, Math.round(value / step) * step)).toFixed(6));
  return { [name]: host.vector(name).map((old, i) => (i === index ? allowed : old)) };
}

const place_of = (event: PointerEvent, panel: Element, { width }: Placed): Point => {
  const corner = panel.getBoundingClientRect();
  const zoom = corner.width / width;
  return [(event.clientX - corner.left) / zoom, (event.clientY - corner.top) / zoom];
};

const drag = (placed: Placed, host: Host) => (event: PointerEvent) => {
  const panel = event.currentTarget as Element;
  const tip = panel.hasPointerCapture(event.pointerId) ? placed.tips[held.get(panel) ?? -1] : undefined;
  if (!tip) return;
  const [x, y] = place_of(event, panel, placed);
  const [right, up] = [(x - tip.centre[0]) / tip.unit, (tip.centre[1] - y) / tip.unit];
  const turn = (Math.atan2(up, right) * 180) / Math.PI;
  host.set({
    ...entry(host, tip.lengths, tip.index, Math.hypot(right, up)),
    ...entry(host, tip.angles, tip.index, turn),
  });
};

const TURNS: Record<string, number> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
const [BY_DEGREES, BY_LENGTH] = [5, 0.1];

/**
 * The tip of an arrow. A finger finds it within 22 pixels, and the nearest tip goes with it. Two native sliders lie under
 * it: the first has the keyboard, where arrows turn and with Shift lengthen; the second is for a screen reader.
 */
function grab(placed: Placed, tip: Tip, host: Host): TemplateResult {
  const { index, name, lengths, angles } = tip;
  const area = { x: tip.x - FINGER, y: tip.y - FINGER, width: 2 * FINGER, height: 2 * FINGER };
  const down = (event: PointerEvent) => {
    event.preventDefault();
    const target = event.currentTarget as HTMLElement;
    const panel = target.closest(".wf-panel")!;
    const [x, y] = place_of(event, panel, placed);
    const far = placed.tips.map((one) => Math.hypot(one.x - x, one.y - y));
    const nearest = far.indexOf(Math.min(...far));
    held.set(panel, nearest);
    panel.setPointerCapture(event.pointerId);
    panel.querySelectorAll<HTMLElement>(".wf-turn")[2 * nearest].focus({ preventScroll: true });
  };
  const key = (event: KeyboardEvent) => {
    const way = TURNS[event.key];
    if (!way || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const turn = host.vector(angles)[index] + way * BY_DEGREES;
    host.set(
      event.shiftKey
        ? entry(host, lengths, index, host.vector(lengths)[index] + way * BY_LENGTH)
        : entry(host, angles, index, turn > 180 ? turn - 360 : turn < -180 ? turn + 360 : turn),
    );
  };
  const native = (control: string, label: string, said: string, tab: number) => {
    const { value, min, max, step } = host.handle(control, index);
    return html`<input type="range" class="wf-turn" name=${control} data-index=${index} min=${min} max=${max} step=${step}
      .value=${live(String(value))} aria-label=${label} aria-valuetext=${said} tabindex=${tab}
      style=${part_of(placed, area)} @keydown=${key} />`;
  };
  const [turn, length] = [host.vector(angles)[index], host.vector(lengths)[index]];
  return html`<span class="wf-grab" style=${part_of(placed, area)} @pointerdown=${down}></span>
    ${native(angles, t("{name}: direction; with Shift length", { name }), t("{turn:.0f} degrees, {length:.2f} long", { turn, length }), 0)}
    ${native(lengths, t("{name}: length", { name }), t("{length:.2f} long", { length }), -1)}`;
}
