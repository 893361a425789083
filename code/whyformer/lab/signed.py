"""What Python's own tools are told of a lab: its signature and help; and which name was meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from inspect import Parameter, Signature, cleandoc
from typing import Any, Literal

from whyformer.lab.control import Control

Controls = Mapping[str, Control[Any]]


def signature(controls: Controls) -> Signature:
    """Of a lab with these controls: keyword arguments, each with its type and default, and ``size``."""
    takes = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=one.default_value, annotation=one.annotation())
        for name, one in controls.items()
    ]
    size = Parameter("size", Parameter.KEYWORD_ONLY, default="full", annotation=Literal["full", "small"])
    return Signature([*takes, size])


def documentation(words: str | None, controls: Controls) -> str:
    """``words`` with what each control is, what it allows and its default, and what a lab can be asked."""
    lines = [cleandoc(words or ""), "", "Controls", "--------"]
    for name, one in controls.items():
        lines += [f"{name} = {one.default_value!r}", f"    {one.help}"]
    lines += [
        "size = 'full'",
        "    'small' shows a few controls and the main picture.",
        "",
        'lab.state, lab.series, lab.table(), lab.svg() and lab.description say what is shown; lab.observe(f, "state")',
        "hears of every change.",
    ]
    return "\n".join(lines)


def meant(name: str, allowed: Sequence[str]) -> str:
    """``did you mean 'd_k'? `` for ``dk``; nothing where no allowed name is near."""
    near = get_close_matches(name.lower(), allowed, n=1)
    return f"did you mean {near[0]!r}? " if near else ""
