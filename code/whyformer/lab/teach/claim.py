"""``claim("... {ratio:.0f} times {pair:larger} ...", ratio=ratio, pair=(a, b))``: a check writes its sentence.

The template has gaps. A gap with a format (``{ratio:.0f}``, ``{share:.0%}``, ``{d_k}``) prints a computed value. A gap
with a word (``{pair:larger}``, ``{share:most}``, ``{n:two}``) prints the word if it is true of the value, and raises if
it is not: what a word means stands in ``whyformer.proof.words``. Every other argument is a condition under which the
rest of the sentence holds. The build compares what was written with what the page says, word by word, and refuses a
number, a number word or a comparison outside a gap (``whyformer.book.claims``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from string import Formatter
from typing import Any

import numpy as np

from whyformer.lab.words import t
from whyformer.proof.words import WORDS


@dataclass(frozen=True)
class Written:
    """A sentence that holds: its text, what was computed for each gap, and the names of its conditions."""

    sentence: str
    values: tuple[tuple[str, str, str], ...]  # name, computed, printed
    conditions: tuple[str, ...]

    def lines(self) -> Iterator[tuple[str, str]]:
        """What was computed, and what it is printed as, for a reader."""
        for name, computed, printed in self.values:
            yield name, computed if computed == printed else f"{computed} → {printed}"
        yield from ((name, t("holds")) for name in self.conditions)

    def bundle(self) -> dict[str, str]:
        """The same as text and as HTML, for a page and a notebook."""
        rows = [(name.replace("_", " "), value) for name, value in self.lines()]
        html = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in rows)
        plain = "".join(f"\n    {name}: {value}" for name, value in rows)
        return {
            "text/plain": f"✓ {self.sentence}{plain}",
            "text/html": f'<div class="wf-claim"><p>{escape(self.sentence)}</p><dl>{html}</dl></div>',
        }


def gaps(template: str) -> list[tuple[str, str]]:
    """The gaps of a template, each with its name and what stands behind the colon."""
    return [(name, spec or "") for _, name, spec, _ in Formatter().parse(template) if name is not None]


def outside(template: str) -> str:
    """The words of a template outside its gaps, which are marked by a sign that is no word."""
    parts = Formatter().parse(template)
    return "".join(words + ("\N{LOZENGE}" if name is not None else "") for words, name, _, _ in parts)


def _computed(value: Any, printed: str = "") -> str:
    """A value for a reader: four digits or as many as are printed, since the last bits differ between processors."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple) and len(value) == 2:
        return t("{this} against {that}", this=_computed(value[0]), that=_computed(value[1]))
    numbers = np.asarray(value)
    if numbers.ndim == 0:
        digits = max(4, len(re.sub(r"\D", "", printed).lstrip("0")))
        return f"{numbers.item():.{digits}g}" if numbers.dtype.kind == "f" else str(numbers.item())
    if numbers.size > 12:
        return t("{count} numbers from {low} to {high}", count=numbers.size, low=f"{numbers.min():.4g}",
                 high=f"{numbers.max():.4g}")  # fmt: skip
    return ", ".join(f"{number:.4g}" for number in numbers.ravel())


def write(template: str, parts: dict[str, Any]) -> Written:
    """The sentence, filled; ``AssertionError`` if part of it does not hold, ``ValueError`` if it is no claim."""
    named = gaps(template)
    if missing := [name for name, _ in named if name not in parts]:
        raise ValueError(f"claim: the sentence has a gap {{{missing[0]}}}, but no value of that name is given")
    conditions = [name for name in parts if name not in dict(named)]
    if not parts:
        raise ValueError("claim: a sentence without a value or a condition proves nothing")
    for name in conditions:
        held = np.asarray(parts[name])
        if held.dtype != bool:
            raise ValueError(f"claim: {name} is no gap of the sentence, so it has to be True or False; got {held!r}")
        if not held.size or not held.all():
            raise AssertionError(f"the condition {name!r} does not hold, so the sentence does not: {template}")
    values, filled = [], template
    for name, spec in named:
        value = parts[name]
        if meaning := WORDS.get(spec.lower()):
            try:
                true = meaning(value)
            except ValueError as error:
                raise ValueError(f"claim: the word {spec!r} of the gap {{{name}}} {error}") from None
            if not true:
                raise AssertionError(
                    f"{spec!r} is not true of {name} = {_computed(value)}, in the sentence: {template}"
                )
            printed = spec
        else:
            printed = format(value, spec)
        gap = f"{{{name}:{spec}}}" if spec else f"{{{name}}}"
        filled = filled.replace(gap, printed.replace("{", "{{").replace("}", "}}"), 1)
        if (row := (name, _computed(value, printed), printed)) not in values:
            values.append(row)
    return Written(filled.replace("{{", "{").replace("}}", "}"), tuple(values), tuple(conditions))


def claim(template: str, /, **parts: Any) -> None:
    """Write a sentence from what was computed, and show it; the build looks for it on the page, word by word.

    template: the sentence as it is printed, with gaps ``{name:format}`` and ``{name:word}`` (``WORDS``), formulas in
    plain letters ("√d_k", "W_Q"). parts: a value for each gap; whatever is no gap is a condition, True or False (or
    an array of these), and is named for what it says. Raises ``AssertionError`` if a word is not true of its value or
    a condition does not hold, ``ValueError`` if a value is missing or there is nothing to hold.
    """
    from IPython.display import display  # takes half a second, which only a notebook needs

    display(write(template, parts).bundle(), raw=True)  # type: ignore[no-untyped-call]
