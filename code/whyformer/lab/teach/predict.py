"""Predict before the reveal: a bet on what a lab will show. It is an offer; the lab below it is open."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import traitlets

from whyformer.lab.lab import Element, Lab, embed
from whyformer.lab.teach.veil import veil
from whyformer.lab.words import t


@dataclass(frozen=True)
class Option:
    """One answer: its text, what to say to whoever chose it, and whether it is right.

    Browsers remember an answer by its ``number``: its place, from 0, unless it has moved since readers chose it.
    """

    text: str
    feedback: str
    right: bool = False
    number: int | None = None


class Predict(Element):
    """A question with two to six options, exactly one of them right.

    After a bet the ``lab`` that it was about says so, and shows a ``step``, from 1, with the controls in ``state`` that
    differ there; its *Next* then leads to step 1. In a chapter the short answer stays folded until the reader has
    answered, or opens it.

    ``answer`` is the index of the chosen option, -1 while there is none, -2 when skipped, -3 when a class without a
    majority was shown what is right. In a page the answer stays in the reader's own browser (``localStorage``) and is
    sent nowhere.
    """

    answer = traitlets.Int(-1).tag(sync=True)

    @traitlets.validate("answer")
    def _known_answer(self, proposal: Any) -> int:
        options, answer = len(self._declaration["options"]), int(proposal["value"])
        if not -3 <= answer < options:
            raise traitlets.TraitError(
                f"Predict: answer must be an option from 0 to {options - 1}, -1 (none yet), -2 (skipped) "
                f"or -3 (shown); got {answer!r}"
            )
        return answer

    def __init__(
        self,
        name: str,
        question: str,
        options: Sequence[Option],
        lab: type[Lab] | None = None,
        step: int = 1,
        state: Mapping[str, Any] | None = None,
    ) -> None:
        options = list(options)
        if not 2 <= len(options) <= 6 or sum(option.right for option in options) != 1:
            raise ValueError(f"Predict {name!r} needs 2 to 6 options, exactly one of them right; got {len(options)}")
        if not name.replace("_", "").replace("/", "").isalnum():
            raise ValueError(f"Predict needs a name of letters, digits, _ and /; got {name!r}")
        places = list(range(len(options)))
        numbers = [place if option.number is None else option.number for place, option in enumerate(options)]
        if sorted(numbers) != places:
            raise ValueError(f"Predict {name!r}: the numbers of its options must be {places}, each once; got {numbers}")
        declaration: dict[str, Any] = {
            "predict": name,
            "question": question,
            "options": [option.text for option in options],
            "veiled": veil([[option.feedback, option.right] for option in options]),
        }
        if numbers != places:
            declaration["numbers"] = numbers
        if lab is not None:
            try:
                declaration["then"] = _destination(lab, step, state or {})
            except ValueError as error:
                raise ValueError(f"Predict {name!r}: {error}") from None
        super().__init__(_declaration=declaration)

    def __repr__(self) -> str:
        return f"Predict({self._declaration['predict']!r})"

    def html(self) -> str:
        """The question as a custom element; without JavaScript it is a question to think about."""
        d: dict[str, Any] = self._declaration
        items = "".join(f"<li>{html.escape(t(text))}</li>" for text in d["options"])
        return (
            f'<whyformer-predict name="{html.escape(d["predict"])}"><script type="application/json">{embed(d)}</script>'
            f'<div class="wf-fallback"><p>{html.escape(t(d["question"]))}</p><ol>{items}</ol></div></whyformer-predict>'
        )


def _destination(lab: type[Lab], step: int, state: Mapping[str, Any]) -> dict[str, Any]:
    """Where the lab stands after a bet, with its values checked; ``ValueError`` that says what is allowed."""
    if type(step) is not int or not 1 <= step <= len(lab.steps):
        allowed = f"the steps 1 to {len(lab.steps)}" if lab.steps else "no steps"
        raise ValueError(f"lab {lab.slug} has {allowed}; got step {step!r}")
    controls, checked = lab.controls(), {}
    for key, value in state.items():
        if key not in controls:
            raise ValueError(f"lab {lab.slug} has no control {key!r}; it has {', '.join(controls)}")
        try:
            checked[key] = controls[key].coerce(value)
        except (ValueError, TypeError):
            raise ValueError(f"lab {lab.slug}: {key} must be {controls[key].allowed()}; got {value!r}") from None
    return {"lab": lab.slug, "step": step, "state": checked}
