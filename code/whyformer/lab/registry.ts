// The labs in the bundle, by name. build.mjs finds every *_lab.ts and registers it; there is no list to keep.

import type { TemplateResult } from "lit-html";
import type { Series, State } from "./declaration.ts";
import type { Frame } from "./frame.ts";

export interface LabModule {
  /** `data` is what Python measured and sends along, the same object at every call; labs without it ignore it. */
  compute(state: State, data?: any): Series;
  view(state: State, series: Series, frame: Frame): TemplateResult;
}

export const labs = new Map<string, LabModule>();
