"""Words are data: every sentence that a lab shows is looked up by its English text.

A translation registers a catalogue from English to its own language; a missing entry shows the English. Sentences are
whole templates with named gaps, ``t("largest weight {weight:.2f}", weight=0.98)``, and are never glued from pieces,
since word order differs from language to language. A gap may carry a format: ``.2f`` (fixed), ``.2e`` (scientific),
``.3g`` (significant digits), ``d`` (whole number).

Twin: ``words.ts``.
"""

from __future__ import annotations

from collections.abc import Mapping

_catalogue: Mapping[str, str] = {}


def use_catalogue(catalogue: Mapping[str, str]) -> None:
    """Show the words of ``catalogue`` (English text to translation) from now on; an empty one means English."""
    global _catalogue
    _catalogue = catalogue


def t(text: str, **gaps: object) -> str:
    """``text`` in the language of the catalogue, with its gaps filled."""
    text = _catalogue.get(text, text)
    return text.format(**gaps) if gaps else text
