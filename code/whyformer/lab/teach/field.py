"""A form for the answer to an exercise: an element on a page, a widget in a notebook."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

import traitlets

from whyformer.lab.lab import Element, embed
from whyformer.lab.words import t


class Field(Element):
    """What ``check.field()`` makes. ``answer`` is the text that the reader has checked last; the page keeps it nowhere.

    declaration: what the check declares. label: what stands beside the box.
    """

    answer = traitlets.Unicode("").tag(sync=True)

    def __init__(self, declaration: Mapping[str, Any], label: str) -> None:
        super().__init__(_declaration={**declaration, "label": label})

    def __repr__(self) -> str:
        return "A form for an answer. In code: call the check with your answer."

    def html(self) -> str:
        """The form as a custom element; without JavaScript it says what else there is."""
        told = html.escape(t("Your answer can be checked here where JavaScript runs, or with code in the notebook."))
        options = "".join(f"<li>{html.escape(t(text))}</li>" for text in self._declaration.get("options", []))
        return (
            f'<whyformer-exercise><script type="application/json">{embed(self._declaration)}</script>'
            f'<div class="wf-fallback">{options and f"<ol>{options}</ol>"}<p>{told}</p></div></whyformer-exercise>'
        )
