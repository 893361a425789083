// The room of a lab and of its steps: cause and effect stand on one screen (docs/decisions/2026-11-23-labs.md, "Steps and the stage").

import { closer, factor_for, height_of, lay_out, stretched, type Laid } from "../picture/layout.ts";
import type { Block } from "../picture/picture.ts";
import { Kept } from "../picture/memo.ts";
import { grabbed, staged, type Step } from "../step.ts";

const RAIL = 15; // em, beside the picture where that leaves it twice as much
const GAP = 1.4; // em between the two
const NARROW = 34; // em, below which a step shows its first panels alone
// Of a plot's height, and of the width that then is enough to stand beside another; on a narrow screen.
const [FLAT, CLOSER, CLOSEST] = [0.8, 0.7, 0.6];

/** Then type goes with the height of the window, and so does the lab. */
export function is_projected(): boolean {
  return document.documentElement.classList.contains("wf-projector");
}

/** The whole lab, title included, is at most so tall, in CSS pixels. */
function tallest(): number {
  const { innerWidth, innerHeight } = window;
  const most = is_projected() ? (innerHeight * 600) / 720 : innerWidth <= 375 ? 560 : innerWidth <= 480 ? 600 : 640;
  return Math.min(most, Math.max(400, innerHeight - 60));
}

export class Stage {
  #live: HTMLElement;
  #measured?: { width: number; em: number };
  #kept = new Kept();
  /** What has been laid out of pictures that the lab remembers, for which step and room, and what that kept. */
  #laid = new WeakMap<Block[], { key: string; laid: Laid[]; kept: Kept }>();
  /** Whether plots are as tall as there is room: in a step, and in a small lab on a projector. */
  #fits = false;
  #has_rail = true;
  #fitted?: { key: string; factor: number; close: boolean };

  constructor(live: HTMLElement) {
    this.#live = live;
  }

  /** Calls `act` when the lab has another room, or its type has come: words take more lines, or fewer. */
  watch(signal: AbortSignal, act: () => void): void {
    const live = this.#live;
    const room = () => `${live.clientWidth} ${is_projected() ? innerHeight : ""}`;
    const changed = () => {
      this.forget();
      act();
    };
    let now = room();
    const resize = new ResizeObserver(() => {
      if (room() === now) return;
      now = room();
      requestAnimationFrame(changed); // within the call it would be called again
    });
    resize.observe(live);
    signal.addEventListener("abort", () => resize.disconnect());
    const type = getComputedStyle(live).fontFamily;
    const loaded = ({ fontfaces }: FontFaceSetLoadEvent) => {
      if (fontfaces.some(({ family }) => type.includes(family.replaceAll('"', "")))) changed();
    };
    document.fonts.addEventListener("loadingdone", loaded, { signal });
  }

  /** The lab has another size or another type: measure anew. */
  forget(): void {
    this.#measured = this.#fitted = undefined;
    this.#kept = new Kept();
    this.#laid = new WeakMap();
  }

  /** Width of the lab's content and size of its type, in CSS pixels. */
  get room(): { width: number; em: number } {
    if (this.#measured) return this.#measured;
    const style = getComputedStyle(this.#live);
    const inside = this.#live.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    this.#measured = { width: Math.max(240, Math.floor(inside)), em: parseFloat(style.fontSize) };
    return this.#measured;
  }

  /** Whether the controls of a step stand beside its picture, or below it; all may be in the picture. */
  get beside(): boolean {
    const { width, em } = this.room;
    return this.#has_rail && width >= 3 * RAIL * em;
  }

  /** Controls that are moved in the picture that a step shows, and need no field beside it. */
  grabbed: string[] = [];

  /** Whether a step shows its first panels alone. */
  get narrow(): boolean {
    return this.room.width < NARROW * this.room.em;
  }

  /**
   * Shows a picture, or what a step shows of it. The plots of a step are as tall as there is room beside what stands
   * round them: that is measured once for each `key`, which names what else may change its height. Plots that would
   * become flat one below another (large type on a projector, a phone) stand side by side if that leaves them taller.
   */
  show(blocks: Block[], step: Step | undefined, key: string, draw: (laid: Laid[]) => void, small = false): void {
    this.grabbed = step ? grabbed(this.#staged(blocks, step)) : [];
    this.#has_rail = !step?.asks || step.controls.some((name) => !this.grabbed.includes(name));
    this.#fits = step !== undefined || (small && is_projected());
    if (this.#fits) this.#fit(blocks, step, key, draw);
    const { laid, kept } = this.#once(blocks, step);
    this.#kept = kept;
    draw(laid);
  }

  /** What `show` would show of another picture now is laid out already. */
  prepare(blocks: Block[], step: Step | undefined): void {
    if (!this.#fits || this.#fitted) this.#once(blocks, step);
  }

  #fit(blocks: Block[], step: Step | undefined, key: string, draw: (laid: Laid[]) => void): void {
    const { em } = this.room;
    const wide = step ? this.#wide : this.room.width;
    const most = tallest();
    const now = [key, wide, em, most].join();
    if (this.#fitted?.key === now) return;
    const shown = this.#staged(blocks, step);
    const laid = lay_out(shown, wide, em);
    draw(laid);
    const picture = this.#live.querySelector<HTMLElement>(".wf-onstage")?.offsetHeight ?? height_of(laid);
    const round = this.#live.offsetHeight - picture;
    const [apart, close] = [shown, this.#closer(shown)].map((some) => factor_for(some, wide, em, most - round));
    const is_close = apart < FLAT && close >= apart;
    this.#fitted = { key: now, factor: is_close ? close : apart, close: is_close };
  }

  get #wide(): number {
    const { width, em } = this.room;
    return this.beside ? Math.floor(width - (RAIL + GAP) * em) : width;
  }

  #staged(blocks: Block[], step: Step | undefined): Block[] {
    if (!step) return blocks;
    return staged(blocks, this.narrow ? step.shows.slice(0, step.narrow) : step.shows);
  }

  #closer(shown: Block[]): Block[] {
    return this.narrow ? closer(shown, CLOSEST, 1) : closer(shown, CLOSER);
  }

  #once(blocks: Block[], step: Step | undefined): { laid: Laid[]; kept: Kept } {
    const key = this.#fits ? Object.values(this.#fitted!).join(" ") : "whole";
    let known = this.#laid.get(blocks);
    if (known?.key !== key) {
      const kept = new Kept(this.#kept);
      known = { key, laid: this.#fits ? this.#fitting(blocks, step, kept) : this.#whole(blocks, kept), kept };
      this.#laid.set(blocks, known);
    }
    return known;
  }

  #whole(blocks: Block[], kept: Kept): Laid[] {
    return lay_out(blocks, this.room.width, this.room.em, kept);
  }

  #fitting(blocks: Block[], step: Step | undefined, kept: Kept): Laid[] {
    const { factor, close } = this.#fitted!;
    const shown = this.#staged(blocks, step);
    return lay_out(
      stretched(close ? this.#closer(shown) : shown, factor),
      step ? this.#wide : this.room.width,
      this.room.em,
      kept,
    );
  }
}
