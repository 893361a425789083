"""Random numbers that are a function of where they stand: component ``counter`` of vector ``stream`` for a ``seed``.

A generator with a hidden state gives other numbers as soon as one more is asked for. Here nothing is hidden: raising
d_k from 64 to 65 adds one component to every vector and leaves the first 64 as they were, in Python and in the
browser. Integers agree bit for bit; floats agree to rounding.

How, modulo 2^32: ``offset = mix(mix(seed + 0x9E3779B9) ^ stream)``, ``stride = mix(offset + 0x9E3779B9) | 1``, and the
number is ``mix(offset + counter * stride)``. The hash ``mix`` is the two-round multiply-xorshift "lowbias32" found by
Chris Wellons (2018, "Prospecting for Hash Functions"). Fit for pictures and experiments of up to some 10^8 numbers;
not for secrets.

Twin: ``random.ts``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whyformer.maths.softmax import Array

Words = NDArray[np.uint32]

_GOLDEN = np.uint32(0x9E3779B9)  # 2^32 / golden ratio: keeps seed 0 away from the fixed point of the hash, 0


def _words(values: ArrayLike, name: str) -> Words:
    array = np.asarray(values)
    if array.dtype == np.uint32:
        return array
    if array.dtype.kind not in "iu" or (array.size and (array.min() < 0 or array.max() > 0xFFFFFFFF)):
        raise ValueError(f"{name} must be integers from 0 to 4294967295; got {values!r}")
    return array.astype(np.uint32)


def mix(x: ArrayLike) -> Words:
    """Hash 32-bit words, a bijection in which each input bit flips each output bit about half of the time.

    x: integers from 0 to 2^32 - 1, any shape; anything else raises ``ValueError``. Returns uint32, the same shape.
    """
    word = _words(x, "x")
    with np.errstate(over="ignore"):  # arithmetic modulo 2^32 is meant
        word = (word ^ (word >> np.uint32(16))) * np.uint32(0x7FEB352D)
        word = (word ^ (word >> np.uint32(15))) * np.uint32(0x846CA68B)
        return word ^ (word >> np.uint32(16))


def bits(seed: ArrayLike, stream: ArrayLike, counter: ArrayLike) -> Words:
    """32 random bits for each (seed, stream, counter); the three broadcast against each other.

    All from 0 to 2^32 - 1; anything else raises ``ValueError``. Returns uint32.
    """
    with np.errstate(over="ignore"):
        offset = mix(mix(_words(seed, "seed") + _GOLDEN) ^ _words(stream, "stream"))
        stride = mix(offset + _GOLDEN) | np.uint32(1)
        return mix(offset + _words(counter, "counter") * stride)


def uniform(seed: ArrayLike, stream: ArrayLike, counter: ArrayLike) -> Array:
    """Uniform on the open interval (0, 1): the midpoints (bits + 1/2) / 2^32. Arguments as in :func:`bits`."""
    return (bits(seed, stream, counter) + 0.5) / 2.0**32


def normal(seed: ArrayLike, stream: ArrayLike, counter: ArrayLike) -> Array:
    r"""Standard normal by Box and Muller (1958).

    Counters 2i and 2i + 1 share the uniforms :math:`u_{2i}, u_{2i+1}` and are
    :math:`\sqrt{-2 \ln u_{2i}}` times the cosine and the sine of :math:`2 \pi u_{2i+1}`. Arguments as in :func:`bits`.
    """
    counter = _words(counter, "counter")
    even = counter & np.uint32(0xFFFFFFFE)
    radius = np.sqrt(-2 * np.log(uniform(seed, stream, even)))
    angle = 2 * np.pi * uniform(seed, stream, even | np.uint32(1))
    return radius * np.where(counter == even, np.cos(angle), np.sin(angle))
