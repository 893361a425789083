/** What comes out in the end of work that is done piece by piece, without a break. */
export function at_once<Value>(pieces: Generator<unknown, Value>): Value {
  for (;;) {
    const { done, value } = pieces.next();
    if (done) return value;
  }
}
