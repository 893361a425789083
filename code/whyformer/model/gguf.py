"""Reading a GGUF file: settings, and tensors whose entries were rounded to four or eight bits in groups of 32.

The format is documented in the repository ``ggml-org/ggml``, docs/gguf.md; the groups in ``ggml-common.h`` there. The
package ``gguf`` reads all of them, six times slower, and is what the tests compare with.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from whyformer.maths.softmax import Array

GROUP = 32  #: so many entries share a scale
_NUMBERS = dict(enumerate("BbHhIif?", start=0)) | {10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9


class File(NamedTuple):
    """What a file holds."""

    settings: dict[str, Any]  #: by name, such as ``llama.block_count``
    tensors: dict[str, Array]  #: by name, as float32


def plain(raw: bytes | memoryview, count: int) -> Array:
    """F32: the numbers themselves."""
    return np.frombuffer(raw, np.float32, count).copy()


def eight_bits(raw: bytes | memoryview, count: int) -> Array:
    r"""Q8_0: for each group a scale d (16 bits) and 32 numbers :math:`q` from -128 to 127; entries :math:`d q`."""
    groups = np.frombuffer(raw, [("d", "<f2"), ("q", "i1", GROUP)], count // GROUP)
    return (groups["d"][:, None].astype(np.float32) * groups["q"]).ravel()


def four_bits(raw: bytes | memoryview, count: int) -> Array:
    r"""Q4_1: for each group a scale d and a least value m (16 bits each) and 32 numbers :math:`q` from 0 to 15.

    Entries :math:`d q + m`. Entry i of a group is the low half of byte i, entry 16 + i its high half.
    """
    groups = np.frombuffer(raw, [("d", "<f2"), ("m", "<f2"), ("q", "u1", GROUP // 2)], count // GROUP)
    q = np.concatenate([groups["q"] & 15, groups["q"] >> 4], axis=1)
    return (groups["d"][:, None].astype(np.float32) * q + groups["m"][:, None].astype(np.float32)).ravel()


# By number of its kind: the bytes of a group, the entries in it, how it is decoded.
KINDS: dict[int, tuple[int, int, Callable[[bytes | memoryview, int], Array]]] = {
    0: (4, 1, plain),
    3: (20, GROUP, four_bits),
    8: (34, GROUP, eight_bits),
}


class _Reader:
    def __init__(self, data: mmap.mmap) -> None:
        self.data, self.at = data, 0

    def number(self, kind: str) -> Any:
        (value,) = struct.unpack_from(f"<{kind}", self.data, self.at)
        self.at += struct.calcsize(f"<{kind}")
        return value

    def text(self) -> str:
        length = self.number("Q")
        self.at += length
        return self.data[self.at - length : self.at].decode("utf-8")

    def value(self, kind: int) -> Any:
        if kind == _TEXT:
            return self.text()
        if kind == _LIST:
            inner, count = self.number("I"), self.number("Q")
            return [self.value(inner) for _ in range(count)]
        return self.number(_NUMBERS[kind])


def read(path: Path) -> File:
    """All of a file. Raises ``ValueError`` for what is no GGUF of version 3, and for entries of another kind."""
    with open(path, "rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data[:4] != b"GGUF":
            raise ValueError(f"{path} is no GGUF file: it begins with {data[:4]!r}")
        reader = _Reader(data)
        reader.at = 4
        version, n_tensors, n_settings = reader.number("I"), reader.number("Q"), reader.number("Q")
        if version != 3:
            raise ValueError(f"{path}: version 3 of GGUF is read; got {version}")
        settings = {reader.text(): reader.value(reader.number("I")) for _ in range(n_settings)}
        described = []
        for _ in range(n_tensors):
            name, n_axes = reader.text(), reader.number("I")
            shape = tuple(reader.number("Q") for _ in range(n_axes))[::-1]  # the file names the last axis first
            described.append((name, shape, reader.number("I"), reader.number("Q")))
        step = settings.get("general.alignment", 32)
        begin = -(-reader.at // step) * step
        tensors = {}
        for name, shape, kind, offset in described:
            if kind not in KINDS:
                raise ValueError(f"{path}: {name} has entries of kind {kind}; known are {', '.join(map(str, KINDS))}")
            size, entries, decode = KINDS[kind]
            count = int(np.prod(shape))
            raw = data[begin + offset : begin + offset + count // entries * size]
            tensors[name] = decode(raw, count).reshape(shape)
    return File(settings, tensors)
