/** The last values that were made, by name, at most so many: who goes to and fro waits for nothing twice. */
export class Recent<Value> {
  readonly most: number;
  #made = new Map<string, Value>();

  constructor(most: number) {
    this.most = most;
  }

  /** What is known under this name, or else what `make` makes. */
  get(name: string, make: () => Value): Value {
    const value = this.#made.has(name) ? this.#made.get(name)! : make();
    this.#made.delete(name);
    this.#made.set(name, value); // the latest stands last
    if (this.#made.size > this.most) this.#made.delete(this.#made.keys().next().value!);
    return value;
  }
}

/** What a seed draws, for the last two seeds: the draw that is shown, and the next, which is made while a reader rests. */
export function drawn_by<Draw>(make: (seed: number) => Draw): (seed: number) => Draw {
  const kept = new Recent<Draw>(2);
  return (seed) => kept.get(String(seed), () => make(seed));
}
