// The labs in the bundle, by name. build.mjs finds every *_lab.ts and registers it; there is no list to keep.

import type { Control, Series, State } from "./declaration.ts";
import type { Block, Change, Given, Seen } from "./picture/picture.ts";

export interface LabModule {
  /** `data` is what Python measured and sends along, the same object at every call; labs without it ignore it. */
  compute(state: State, data?: any): Series;
  /** What may be asked for next, piece by piece, while the reader rests; `control` is what a control declares. */
  ahead?(state: State, control: (name: string) => Control): Iterable<unknown>;
  asking?: Asking;
  /** The picture, as data. */
  view(state: State, series: Series, given: Given): Block[];
}

/** A lab that asks before it tells: what its `declaration.asks` and one button lead through. */
export interface Asking {
  /** In the state that the lab opens with something is asked; a link to another state tells. */
  begin(state: State, opens: boolean): Seen;
  /** The reader has moved; once a hand rests it is `settled`, and something may be told. */
  moved(seen: Seen, state: State, settled: boolean): Seen;
  button(seen: Seen, state: State): Button;
}

/** The one button: what it says and sets; `draw` names a control that it draws anew, `asks` the stage that it opens. */
export interface Button {
  text: string;
  set: Change;
  draw?: string;
  asks?: number;
}

export const labs = new Map<string, LabModule>();
