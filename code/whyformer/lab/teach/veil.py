"""A curtain over answers: folded so that a glance at the page source gives nothing away. No lock.

Twin: ``veil.ts``.
"""

from __future__ import annotations

import base64
import json
from typing import Any

_KEY = b"predict-first"


def veil(data: Any) -> str:
    """``data``, plain JSON values, as text that says nothing at a glance."""
    return base64.b64encode(_turned(json.dumps(data, separators=(",", ":"), allow_nan=False).encode())).decode()


def unveil(veiled: str) -> Any:
    """What ``veil`` was given."""
    return json.loads(_turned(base64.b64decode(veiled)))


def _turned(text: bytes) -> bytes:
    return bytes(b ^ _KEY[i % len(_KEY)] for i, b in enumerate(text))
