// The labs in the bundle, by name. build.mjs finds every *_lab.ts and registers it; there is no list to keep.

import type { Control, Series, State } from "./declaration.ts";
import type { Block, Given } from "./picture/picture.ts";

export interface LabModule {
  /** `data` is what Python measured and sends along, the same object at every call; labs without it ignore it. */
  compute(state: State, data?: any): Series;
  /** What may be asked for next, piece by piece, while the reader rests; `control` is what a control declares. */
  ahead?(state: State, control: (name: string) => Control): Iterable<unknown>;
  /** The picture, as data. */
  view(state: State, series: Series, given: Given): Block[];
}

export const labs = new Map<string, LabModule>();
