"""A number as readers write one: 0.125, 1/8, sqrt(3.75), ln(64), 2^-3. A small grammar, read without ``eval``.

    sum     = product (("+" | "-") product)*
    product = signed (("*" | "/") signed)*
    signed  = ["+" | "-"] power
    power   = atom ["^" signed]
    atom    = number | name "(" sum ")" | "√" atom | "(" sum ")"        name = sqrt, ln, exp

Twin: ``number.ts``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

#: Digits with a point and a power of ten. The same on both sides: nothing that only Python's ``float`` would take.
DIGITS = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_TOKEN = re.compile(rf"[ \t]*({DIGITS}|sqrt|ln|exp|[-+*/^()√])[ \t]*")
_SIGNS = str.maketrans("\N{MINUS SIGN}×·÷", "-**/")
#: A longer text is no answer, so that nothing nests without end.
LONGEST = 60
_NAMED: dict[str, Callable[[float], float]] = {"sqrt": math.sqrt, "ln": math.log, "exp": math.exp}


def _finite(value: float) -> float:
    """The value; ``OverflowError`` where Python gives an infinity and says nothing."""
    if not math.isfinite(value):
        raise OverflowError
    return value


class _Reader:
    """Reads tokens from the first to the last; ``ValueError`` where they are no number."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def take(self, wanted: str) -> str:
        """The next token if it is one of those wanted, else nothing."""
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in wanted.split() else ""

    def need(self, wanted: str) -> None:
        if not self.take(wanted):
            raise ValueError

    def sum(self) -> float:
        value = self.product()
        while sign := self.take("+ -"):
            value = _finite(value + self.product() * (1 if sign == "+" else -1))
        return value

    def product(self) -> float:
        value = self.signed()
        while sign := self.take("* /"):
            other = self.signed()
            value = _finite(value * other if sign == "*" else value / other)
        return value

    def signed(self) -> float:
        return -self.power() if self.take("+ -") == "-" else self.power()

    def power(self) -> float:
        value = self.atom()
        return math.pow(value, self.signed()) if self.take("^") else value

    def atom(self) -> float:
        if self.take("√"):
            return math.sqrt(self.atom())
        name = self.take("sqrt ln exp")
        if self.take("("):
            value = self.sum()
            self.need(")")
            return _NAMED[name](value) if name else value
        if name or not self.tokens:
            raise ValueError
        return _finite(float(self.tokens.pop(0)))


def value_of(text: str) -> float | None:
    """The number that a text stands for; nothing if it is none, or if a step of it has no finite value."""
    text, tokens, at = text.translate(_SIGNS), [], 0
    if not 0 < len(text) <= LONGEST:
        return None
    while at < len(text):
        token = _TOKEN.match(text, at)
        if not token:
            return None
        tokens.append(token[1])
        at = token.end()
    reader = _Reader(tokens)
    try:
        value = reader.sum()
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    return None if reader.tokens else value
