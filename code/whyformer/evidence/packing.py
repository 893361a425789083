"""Arrays of measured numbers as short text for a page: integers times one scale for each head, base64."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from whyformer.maths.softmax import Array


def packed(values: Array, kind: str) -> dict[str, Any]:
    """Rows (layer, head, numbers), or any two leading axes, no row all zero, as integers of ``kind``: "<i2" or "i1"."""
    scale = np.abs(values).max(-1) / np.iinfo(kind).max * (1 + 1e-3)  # a little more: rounding must not overflow
    scale = np.array([[float(f"{s:.4g}") for s in row] for row in scale])
    integers = np.rint(values / scale[..., None]).astype(kind)
    return {"scale": scale.tolist(), "base64": base64.b64encode(integers.tobytes()).decode()}


def unpacked(found: dict[str, Any], kind: str) -> Array:
    """The inverse, to within half a scale: (n_layers, n_heads, numbers)."""
    scale = np.asarray(found["scale"], float)
    integers = np.frombuffer(base64.b64decode(found["base64"]), kind)
    return integers.reshape(*scale.shape, -1) * scale[..., None]
