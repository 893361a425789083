// What the states of a lab look like: remembered for those shown last, and made ahead while the reader rests.

import { control_of, type Series, type State } from "../declaration.ts";
import type { Block } from "../picture/picture.ts";
import type { LabModule } from "../registry.ts";
import { number_of_catalogue } from "../words.ts";
import { Recent } from "../../maths/recent.ts";
import type { Payload } from "./payload.ts";

interface Look {
  series: Series;
  blocks: Block[];
}

/** Of how many states it is remembered. */
const REMEMBERED = 32;

/** How long nothing has to change before work ahead begins, and the time between its pieces, in milliseconds. */
const [REST, BREATH] = [400, 10];

export class Looks {
  #lab: LabModule;
  #payload: Payload;
  #known = new Recent<Look>(REMEMBERED);
  #series = new Recent<Series>(REMEMBERED);
  #rest?: number;

  constructor(lab: LabModule, payload: Payload) {
    this.#lab = lab;
    this.#payload = payload;
  }

  /** To and fro over the same states is computed once. */
  of(state: State, told: boolean): Look {
    const { declaration, size } = this.#payload;
    const at = JSON.stringify(state);
    return this.#known.get(`${number_of_catalogue()} ${told} ${at}`, () => {
      const series = this.#series.get(at, () => this.#lab.compute(state, declaration.data)); // asked and told alike
      const given = { data: declaration.data, small: size === "small", told };
      return { series, blocks: this.#lab.view(state, series, given) };
    });
  }

  /** What the button beside a seed changes. */
  drawn_anew(state: State, seed: string): State {
    return { [seed]: ((state[seed] as number) + 1) % (control_of(this.#payload.declaration, seed).max! + 1) };
  }

  /**
   * What the reader may ask for next is made while the page rests, in pieces; any change starts it anew. The picture of
   * the next draw is given to `prepare`.
   */
  work_ahead(state: State, told: boolean, prepare: (blocks: Block[]) => void): void {
    this.rest();
    const pieces = this.#ahead(state, (next) => prepare(this.of(next, told).blocks));
    const next = () => {
      try {
        if (!pieces.next().done) this.#rest = window.setTimeout(next, BREATH);
      } catch {
        // what fails now fails again when it is asked for, and is told then
      }
    };
    this.#rest = window.setTimeout(next, REST);
  }

  rest(): void {
    clearTimeout(this.#rest);
  }

  /** What the lab itself prepares, then the next draw. */
  *#ahead(state: State, draw_next: (state: State) => void): Generator<unknown, void> {
    const { declaration } = this.#payload;
    yield* this.#lab.ahead?.(state, (name) => control_of(declaration, name)) ?? [];
    const draw = declaration.controls.find(({ kind }) => kind === "seed");
    if (draw) draw_next({ ...state, ...this.drawn_anew(state, draw.name) });
  }
}
