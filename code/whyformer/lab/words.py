"""Words are data: every sentence that a lab shows is looked up by its English text.

A catalogue ``languages/<language>.json`` leads from English to another language; a missing entry shows the English.
``WHYFORMER_LANGUAGE`` in the environment, or ``whyformer.language("zh")``, chooses it. Sentences are
whole templates with named gaps, ``t("largest weight {weight:.2f}", weight=0.98)``, and are never glued from pieces,
since word order differs from language to language. A gap may carry a format: ``.2f`` (fixed), ``.2e`` (scientific),
``.3g`` (significant digits); a comma before it groups the digits by thousands, and then no power of ten is used:
``,.3g`` gives 12,000. ``.0%`` shows a share in percent: 87 %. A gap with a bar chooses between two words, one thing or
not: ``{n} {n:head|heads}``. Numbers get a true minus sign, and powers of ten are written out: 6.7·10⁻¹¹.

Twin: ``words.ts``.
"""

from __future__ import annotations

import json
import math
import os
import re
import string
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Context, Decimal
from pathlib import Path
from typing import Any

#: The catalogues.
LANGUAGES = Path(__file__).parents[1] / "languages"

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

_catalogue: Mapping[str, str] = {}


def use_catalogue(catalogue: Mapping[str, str]) -> None:
    """Show the words of ``catalogue`` (English text to translation) from now on; an empty one means English."""
    global _catalogue
    _catalogue = catalogue


def language(name: str = "en") -> None:
    """Let labs, bets and messages that are made from now on speak this language: "en", or one that has a catalogue.

    Raises ``ValueError`` for a language that the package does not have.
    """
    if name == "en":
        return use_catalogue({})
    known = sorted(file.stem for file in LANGUAGES.glob("*.json"))
    if name not in known:
        raise ValueError(f"there is no language {name!r}: choose one of {', '.join(['en', *known])}")
    use_catalogue(json.loads((LANGUAGES / f"{name}.json").read_text(encoding="utf-8")))


def as_script() -> str:
    """The catalogue as JavaScript, which the front end looks for when it begins; empty for English."""
    if not _catalogue:
        return ""
    words = json.dumps(dict(_catalogue), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f"globalThis.WhyformerWords={words};\n"


def _half_up(value: float, format_spec: str) -> float:
    """``value`` rounded as the format will, a tie away from zero: JavaScript's rule, where Python takes the even."""
    match = re.fullmatch(r",?\.(\d+)([feg])", format_spec)
    if not match or not math.isfinite(value):
        return value
    digits, exact = int(match[1]), Decimal(float(value))
    if match[2] == "f":
        return float(exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP, Context(prec=400)))
    return float(Context(prec=digits + (match[2] == "e"), rounding=ROUND_HALF_UP).create_decimal(exact))


class _Numbers(string.Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, str):
            return format(value, format_spec)
        if "|" in format_spec:
            one, other = format_spec.split("|")
            return one if value == 1 else other
        if format_spec.endswith("%"):
            return self.format_field(100 * value, format_spec[:-1] + "f") + t("\N{NO-BREAK SPACE}%")
        rounded = _half_up(value, format_spec)
        if format_spec.startswith(",") and format_spec.endswith("g") and abs(rounded) >= 1000:
            format_spec = ",.0f"  # digits beyond those that count are noughts
        text = format(rounded, format_spec)
        mantissa, e, exponent = text.replace("-", "−", 1 if text.startswith("-") else 0).partition("e")
        if not e:
            return mantissa
        return f"{mantissa}·10{str(int(exponent)).translate(_SUPERSCRIPT)}"


_formatter = _Numbers()


def t(text: str, /, **gaps: object) -> str:
    """``text`` in the language of the catalogue, with its gaps filled."""
    text = _catalogue.get(text, text)
    return _formatter.format(text, **gaps) if gaps else text


def gaps_of(text: str) -> set[str]:
    """The names of the gaps in a template, for checks."""
    return set(re.findall(r"\{(\w+)", text))


language(os.environ.get("WHYFORMER_LANGUAGE") or "en")
