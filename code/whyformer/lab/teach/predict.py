"""Predict before the reveal: a question whose lab stays covered until the reader has committed or skipped."""

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
    """One answer: its text, what to say to whoever chose it, and whether it is right."""

    text: str
    feedback: str
    right: bool = False


class Predict(Element):
    """A question with two to six options, exactly one of them right.

    Until it is answered it covers the labs in ``covers``, and in a chapter the short answer below it. Whoever commits
    finds the lab at the state in question, ``then``: ``{"lab": "why_sqrt_dk/scale", "step": 5}``, or ``"state"`` with
    the controls that differ from the defaults, or from those of the step; ``"lab"`` may be left out if one is covered.

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

    def __init__(
        self,
        name: str,
        question: str,
        options: Sequence[Option],
        covers: Sequence[type[Lab]] = (),
        then: Mapping[str, Any] | None = None,
    ) -> None:
        options = list(options)
        if not 2 <= len(options) <= 6 or sum(option.right for option in options) != 1:
            raise ValueError(f"Predict {name!r} needs 2 to 6 options, exactly one of them right; got {len(options)}")
        if not name.replace("_", "").replace("/", "").isalnum():
            raise ValueError(f"Predict needs a name of letters, digits, _ and /; got {name!r}")
        declaration: dict[str, Any] = {
            "predict": name,
            "question": question,
            "options": [option.text for option in options],
            "veiled": veil([[option.feedback, option.right] for option in options]),
            "covers": [lab.slug for lab in covers],
        }
        if then is not None:
            try:
                declaration["then"] = _destination(then, {lab.slug: lab for lab in covers})
            except ValueError as error:
                raise ValueError(f"Predict {name!r}: {error}") from None
        super().__init__(_declaration=declaration)

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


def _destination(then: Mapping[str, Any], covers: Mapping[str, type[Lab]]) -> dict[str, Any]:
    """``then`` with its values checked; ``ValueError`` that says what is allowed."""
    unknown = [key for key in then if key not in ("lab", "step", "state")]
    if unknown:
        raise ValueError(f"then may have lab, step and state; got {unknown[0]!r}")
    name = then.get("lab", next(iter(covers)) if len(covers) == 1 else None)
    if name not in covers:
        raise ValueError(f"then leads to a lab that it covers ({', '.join(covers) or 'it covers none'}); got {name!r}")
    lab, step, state = covers[name], then.get("step"), then.get("state")
    if step is None and state is None:
        raise ValueError("then needs a step or a state")
    if step is not None and (type(step) is not int or not 1 <= step <= len(lab.steps)):
        allowed = f"the steps 1 to {len(lab.steps)}" if lab.steps else "no steps"
        raise ValueError(f"lab {name} has {allowed}; then asks for step {step!r}")
    controls, checked = lab.controls(), {}
    for key, value in (state or {}).items():
        if key not in controls:
            raise ValueError(f"lab {name} has no control {key!r}; it has {', '.join(controls)}")
        try:
            checked[key] = controls[key].coerce(value)
        except (ValueError, TypeError):
            raise ValueError(f"lab {name}: {key} must be {controls[key].allowed()}; got {value!r}") from None
    return {"lab": name, **({"step": step} if step else {}), "state": checked}
