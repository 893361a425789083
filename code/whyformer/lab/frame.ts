// What a view is given beside state and series: room, type size, and the shared controls to place.

import type { TemplateResult } from "lit-html";

export interface Frame {
  /** Width of the lab's content in CSS pixels. */
  width: number;
  /** Type size in CSS pixels; margins are measured in it, so that a projector's type finds room. */
  em: number;
  /** A small lab shows a few controls and the main picture. */
  small: boolean;
  /** What Python measured for this lab, if anything. */
  data: any;
  /** The named controls, in that order, as one group. */
  controls(...names: string[]): TemplateResult;
  /** Invisible native sliders, one for each entry of a vector control, over the bars that show it. */
  handles(name: string, left: (i: number) => number, width: number, top: number, height: number): TemplateResult;
  /** Change the state from a button of the view. */
  set(change: Record<string, unknown>): void;
}
