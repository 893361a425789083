// What was made of equal data a move ago is given again: nothing is laid out, drawn or compared that did not change.

export class Kept {
  #made: Map<string, { of: unknown; made: unknown }>;

  /** As much as another has kept: what is made with this one leaves that as it is. */
  constructor(other?: Kept) {
    this.#made = new Map(other ? other.#made : []);
  }

  /** What `make` makes of `of`, or made of its like when it was last asked under this name. */
  get<T>(name: string, of: unknown, make: () => T): T {
    const known = this.#made.get(name);
    if (known && alike(known.of, of)) return known.made as T;
    const made = make();
    this.#made.set(name, { of, made });
    return made;
  }
}

/** Nothing is kept, and nothing drawn: only the size is asked for. */
export const SIZES = { get: <T>(_name: string, _of: unknown, make: () => T): T => make() };
export type Sizes = typeof SIZES;

/** Whether plain data are equal, number for number and word for word. */
export function alike(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
  if (is_list(a)) return is_list(b) && a.length === b.length && all_alike(a, b);
  const [names, others] = [Object.keys(a), Object.keys(b)];
  const [of_a, of_b] = [a, b] as Record<string, unknown>[];
  return !is_list(b) && names.length === others.length && names.every((name) => alike(of_a[name], of_b[name]));
}

const is_list = (value: object): value is ArrayLike<unknown> => Array.isArray(value) || ArrayBuffer.isView(value);

function all_alike(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i] && !alike(a[i], b[i])) return false;
  return true;
}
