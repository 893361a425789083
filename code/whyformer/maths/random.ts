// Random numbers that are a function of where they stand. Twin of random.py, which explains why and how.

const GOLDEN = 0x9e3779b9;

export function mix(x: number): number {
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/** Offset and odd stride of one stream; `at(key, counter)` then costs one hash. */
export interface Stream {
  offset: number;
  stride: number;
}

export function stream(seed: number, index: number): Stream {
  const offset = mix(mix((seed + GOLDEN) >>> 0) ^ index);
  return { offset, stride: mix((offset + GOLDEN) >>> 0) | 1 };
}

export function at(key: Stream, counter: number): number {
  return mix((key.offset + Math.imul(counter, key.stride)) >>> 0);
}

export function bits(seed: number, index: number, counter: number): number {
  return at(stream(seed, index), counter);
}

export function uniform(key: Stream, counter: number): number {
  return (at(key, counter) + 0.5) / 2 ** 32;
}

/** The first `count` standard normals of a stream, by Box and Muller. */
export function normals(key: Stream, count: number): Float64Array<ArrayBuffer> {
  const out = new Float64Array(count);
  for (let i = 0; i < count; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(uniform(key, i)));
    const angle = 2 * Math.PI * uniform(key, i + 1);
    out[i] = radius * Math.cos(angle);
    if (i + 1 < count) out[i + 1] = radius * Math.sin(angle);
  }
  return out;
}
