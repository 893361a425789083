"""Predict before the reveal: a question whose lab stays covered until the reader has committed or skipped."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import traitlets

from whyformer.lab.lab import Element, Lab, embed
from whyformer.lab.words import t

_KEY = b"predict-first"


@dataclass(frozen=True)
class Option:
    """One answer: its text, what to say to whoever chose it, and whether it is right."""

    text: str
    feedback: str
    right: bool = False


def _veil(options: Sequence[Option]) -> str:
    """Feedback and key, folded so that a glance at the page source gives nothing away. A curtain, not a lock."""
    plain = json.dumps([[option.feedback, option.right] for option in options]).encode()
    return base64.b64encode(bytes(b ^ _KEY[i % len(_KEY)] for i, b in enumerate(plain))).decode()


class Predict(Element):
    """A question with two to six options, exactly one of them right; covers the labs in ``covers`` until answered.

    ``answer`` is the index of the chosen option, -1 while there is none, -2 when skipped. In a page the answer stays
    in the reader's own browser (``localStorage``) and is sent nowhere.
    """

    answer = traitlets.Int(-1).tag(sync=True)

    @traitlets.validate("answer")
    def _known_answer(self, proposal: Any) -> int:
        options, answer = len(self._declaration["options"]), int(proposal["value"])
        if not -2 <= answer < options:
            raise traitlets.TraitError(
                f"Predict: answer must be an option from 0 to {options - 1}, -1 (none yet) or -2 (skipped); "
                f"got {answer!r}"
            )
        return answer

    def __init__(self, name: str, question: str, options: Sequence[Option], covers: Sequence[type[Lab]] = ()) -> None:
        options = list(options)
        if not 2 <= len(options) <= 6 or sum(option.right for option in options) != 1:
            raise ValueError(f"Predict {name!r} needs 2 to 6 options, exactly one of them right; got {len(options)}")
        if not name.replace("_", "").replace("/", "").isalnum():
            raise ValueError(f"Predict needs a name of letters, digits, _ and /; got {name!r}")
        super().__init__(
            _declaration={
                "predict": name,
                "question": question,
                "options": [option.text for option in options],
                "veiled": _veil(options),
                "covers": [lab.slug for lab in covers],
            }
        )

    def __repr__(self) -> str:
        return f"Predict({self._declaration['predict']!r})"

    def html(self) -> str:
        """The question as a custom element; without JavaScript it is a question to think about, and covers nothing."""
        d: dict[str, Any] = self._declaration
        items = "".join(f"<li>{html.escape(t(text))}</li>" for text in d["options"])
        return (
            f'<whyformer-predict name="{html.escape(d["predict"])}"><script type="application/json">{embed(d)}</script>'
            f'<div class="wf-fallback"><p>{html.escape(t(d["question"]))}</p><ol>{items}</ol></div></whyformer-predict>'
        )
