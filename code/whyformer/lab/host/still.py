"""The picture of a lab without a page: the front end's own ``view``, run in V8 (mini-racer), written as SVG."""

from __future__ import annotations

import atexit
import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from whyformer.lab.words import as_script

BUNDLE = Path(__file__).parents[2] / "bundle"

Asked = dict[str, Any]


@cache
def possible() -> bool:
    """Whether there is a V8 to draw pictures with: the extra ``pictures``."""
    return find_spec("py_mini_racer") is not None


def _engine() -> Any:
    """The V8 that speaks the present language."""
    return _started(as_script())


@cache
def _started(words: str) -> Any:
    """One V8 for all pictures of a language, started when the first is asked for."""
    if not possible():
        raise ModuleNotFoundError(
            'A picture without a page is drawn by mini-racer, which is not installed: pip install "whyformer[pictures]"'
        )
    from py_mini_racer import MiniRacer  # takes a tenth of a second, and only pictures need it

    engine = MiniRacer()
    atexit.register(engine.close)  # its threads would keep the interpreter from ending
    engine.eval(words + (BUNDLE / "still.js").read_text(encoding="utf-8"))
    return engine


@cache
def style(*, type_inside: bool) -> str:
    """The style sheet of a picture by itself: colours for light and dark, marks, and its type if asked for."""
    names = ("type.css", "picture.css") if type_inside else ("picture.css",)
    return "".join((BUNDLE / name).read_text(encoding="utf-8") for name in names)


def _call(function: str, *values: Any) -> str:
    arguments = ", ".join(json.dumps(value, allow_nan=False) for value in values)
    return str(_engine().eval(f"WhyformerStill.{function}({arguments})"))


def computed(declaration: Asked, states: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the front end computes at each state: its ``series``, and the sentence in ``words``.

    A number that is not finite comes as its name: "NaN", "Infinity", "-Infinity".
    """
    found: list[dict[str, Any]] = json.loads(_call("computed", json.dumps(declaration), json.dumps(states)))
    return found


def picture(asked: Asked) -> list[Any]:
    """What ``view`` returns: blocks with panels and marks. ``asked`` is what a page is told of a lab.

    With ``series`` in it, these are drawn in place of what ``compute`` gives.
    """
    blocks: list[Any] = json.loads(_call("picture", json.dumps(asked)))
    return blocks


def draw(blocks: list[Any], asked: Asked, words: str, width: int = 700, em: float = 14.4) -> str:
    """Blocks as one SVG, ``width`` pixels wide, in type of ``em`` pixels; ``words`` say the picture."""
    return _call("draw", json.dumps(blocks), json.dumps(asked), width, em, words)
