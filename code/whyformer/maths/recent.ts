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
