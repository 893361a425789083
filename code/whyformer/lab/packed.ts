// Measured numbers that Python packed for a page: integers times one scale for each head. Twin of evidence/packing.py.

import { from_base64 } from "./base64.ts";

export interface Packed {
  scale: number[][]; // [layer][head]
  base64: string;
}

const opened = new WeakMap<Packed, Uint8Array>();

/** The `count` numbers of head `at`, counted through all layers; the bytes are decoded once. */
export function unpacked(packed: Packed, kind: "int16" | "int8", count: number, at: number): Float64Array {
  let bytes = opened.get(packed);
  if (!bytes) opened.set(packed, (bytes = from_base64(packed.base64)));
  const view = new DataView(bytes.buffer);
  const scale = packed.scale.flat()[at];
  return Float64Array.from(
    { length: count },
    (_, i) => scale * (kind === "int8" ? view.getInt8(at * count + i) : view.getInt16(2 * (at * count + i), true)),
  );
}
