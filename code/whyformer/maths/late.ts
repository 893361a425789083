/** A value that is made when it is first asked for: a page that shows no such lab does not wait for it. */
export function late<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
