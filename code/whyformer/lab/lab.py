"""A lab: controls, a pure ``compute``, a picture. One declaration serves Jupyter, static pages and slides.

A lab's module has a TypeScript twin beside it with the same name (``scale_lab.py``, ``scale_lab.ts``). The Python side
holds the controls and the words and computes with NumPy; the TypeScript side computes the same series and says what
the picture is. ``docs/architecture.md`` shows how state flows between them.
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import sys
import warnings
from base64 import b64encode
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

import anywidget
import numpy as np
import traitlets
from ipywidgets import Widget

from whyformer.lab import signed
from whyformer.lab.control import Choice, Control, Integer, Listed, Number, Seed, Vector
from whyformer.lab.host import still
from whyformer.lab.step import Step, holds, parsed, told_of
from whyformer.lab.step import told as told_by
from whyformer.lab.words import as_script, t

if TYPE_CHECKING:
    import pandas as pd

BUNDLE = Path(__file__).parent.parent / "bundle"
#: Set in the environment where a book is built: its pages need the HTML of labs.
PAGES = "WHYFORMER_PAGES"

#: What a lab is asked for, beside its controls.
_ASKED = [
    "state", "series", "table", "description", "svg", "html", "size", "title", "presets", "controls", "compute",
    "observe", "unobserve", "unobserve_all", "layout", "close",
]  # fmt: skip

State = dict[str, Any]
Series = dict[str, Any]


@cache
def _front_end(words: str = "") -> tuple[str, str]:
    """The bundle as an ES module (it is an IIFE with a global name, so one line turns it into one) and its style.

    ``words``: the catalogue as a script.
    """
    script = words + (BUNDLE / "labs.js").read_text(encoding="utf-8")
    style = [(BUNDLE / name).read_text(encoding="utf-8") for name in ("type.css", "labs.css")]
    return script + "\nexport default WhyformerLabs.anywidget;\n", "\n".join(style)


#: What each widget carries: it takes the bundle, which is large, from the one model of a notebook that has it.
LOADER = """
async function loaded(model, el) {
  const shared = await model.widget_manager.get_model(model.get("_shared"));
  const key = shared.get("key"), root = el.getRootNode();
  const place = root instanceof ShadowRoot ? root : document.head;
  if (!place.querySelector(`style[data-whyformer="${key}"]`)) {
    const style = place.appendChild(document.createElement("style"));
    style.dataset.whyformer = key;
    style.textContent = shared.get("style");
  }
  const known = (globalThis.whyformer_bundles ??= {});
  known[key] ??= (async () => {
    const address = URL.createObjectURL(new Blob([shared.get("script")], { type: "text/javascript" }));
    return (await import(address)).default;
  })();
  return known[key];
}
export default {
  async render({ model, el }) {
    return (await loaded(model, el)).render({ model, el });
  },
};
"""


class Bundle(Widget):  # type: ignore[misc]
    """The front end of all elements, once for a kernel; a saved notebook has it once."""

    key = traitlets.Unicode().tag(sync=True)
    script = traitlets.Unicode().tag(sync=True)
    style = traitlets.Unicode().tag(sync=True)


_bundle: list[Bundle] = []


def _shared() -> Bundle:
    """The open one of this language; ``Widget.close_all`` may have closed another."""
    script, style = _front_end(as_script())
    if not _bundle or _bundle[0].comm is None or _bundle[0].script != script:
        key = hashlib.sha256((script + style).encode()).hexdigest()[:16]
        _bundle[:] = [Bundle(key=key, script=script, style=style)]
    return _bundle[0]


def embed(data: Mapping[str, Any]) -> str:
    """``data`` as JSON that is safe inside a ``<script>`` element, whatever strings it holds."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")


def with_margin(picture: str, side: int = 12) -> str:
    """A picture that is shown as an image, which cuts what another type lets stick out on the left or right."""
    return re.sub(
        r'viewBox="0 0 (\d+) (\d+)" width="\d+"',
        lambda found: f'viewBox="{-side} 0 {int(found[1]) + 2 * side} {found[2]}" width="{int(found[1]) + 2 * side}"',
        picture,
        count=1,
    )


def as_image(picture: str, words: str) -> str:
    """An SVG as an image inside HTML, with ``words`` for those who do not see it.

    So a notebook shows it that has not been run or trusted, and one that was exported; as SVG JupyterLab keeps it back.
    """
    return f'<img alt="{html.escape(words)}" src="data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}">'


class _Size(traitlets.Enum[str]):
    """How much of a lab is shown."""

    def __init__(self, *, default: str) -> None:
        super().__init__(["full", "small"], default, help="full, or small: a few controls and the main picture")
        self.tag(sync=True)


# so a type checker knows what a lab takes; at run time ``signed`` says it
@dataclass_transform(kw_only_default=True, field_specifiers=(Choice, Integer, Listed, Number, Seed, Vector, _Size))
class Element(anywidget.AnyWidget):
    """What labs and predictions share: one bundle, a declaration for each, and an HTML form beside the widget view."""

    _declaration = traitlets.Dict().tag(sync=True)

    _shared = traitlets.Unicode().tag(sync=True)

    def __init__(self, **values: Any) -> None:
        # marimo has no models that share: each element has the whole bundle there
        self._esm, self._css = _front_end(as_script()) if "marimo" in sys.modules else (LOADER, "")
        super().__init__(**values)

    def open(self) -> None:
        """Nothing yet: a front end hears of those elements that are shown."""

    @property
    def model_id(self) -> str:
        """By what a front end knows the element; who asks is about to show it."""
        self._shared = _shared().model_id
        super().open()
        return str(super().model_id)

    def html(self) -> str:
        """The element as HTML, for pages and for exports of notebooks."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is not None:
            bundle[0].update(self._shown(), **{"text/plain": repr(self)})
        return bundle

    def _shown(self) -> dict[str, str]:
        """What is shown of the element where no widget is alive, by its type."""
        return {"text/html": self.html()}


class _State(traitlets.TraitType[State, State]):
    """All controls in one trait; setting it sets those that it names, all of them or none."""

    def get(self, obj: Any, cls: Any = None) -> State:
        return {name: copy(getattr(obj, name)) for name in obj.controls()}

    def set(self, obj: Any, value: Any) -> None:
        controls, lab = obj.controls(), type(obj).__name__
        if not isinstance(value, Mapping):
            raise traitlets.TraitError(f"{lab}: state must be a dict of controls; got {value!r}")
        for name in value:
            if name not in controls:
                told = f"{signed.meant(str(name), list(controls))}its controls are {', '.join(controls)}"
                raise traitlets.TraitError(f"{lab} has no control {name!r}; {told}")
        obj._take({name: controls[name].validate(obj, each) for name, each in value.items()})


class Lab(Element):
    """Base class of every lab.

    A subclass declares controls as class attributes and these:

    * ``title``: a heading; ``sentence``: one template over state and numbers in the series, the lab said in words;
    * ``compute``: a pure function, controls as keyword arguments, to a dict of named arrays and numbers; it takes them
      as they are: that they are allowed, the controls have checked;
    * ``cases``: what is said instead where conditions hold (as in a step), the first counts, optional; ``names``: words
      that stand in place of a number of the series that counts them from 0, optional. A word of these in quotes, “it”,
      is shown as a token, and as the one that asks if ``"asks"`` has it;
    * ``columns``: the names of the series that ``table()`` shows, of one with several draws their median; ``row``: what
      one of its rows is; ``places``: the columns that name a row, optional;
    * ``steps``: three to six claims, each at a state of its own, optional; free play comes after them by itself;
    * ``presets``: named states, optional; ``formerly``: names that it had, so that old links still find it;
    * ``data``: a function without arguments to measured data (plain JSON values) that ``compute`` reads and the front
      end is given, optional.

    ``ScaleLab(d_k=512)`` makes a lab in that state. A bad value raises ``TraitError``, an unknown argument
    ``TypeError`` and an unknown attribute ``AttributeError``; all say what is allowed. ``state``, a dict, is a trait
    as each control is: ``lab.observe(heard, "state")`` hears of every change, ``lab.state = {"d_k": 64}`` sets what it
    names.
    """

    slug: ClassVar[str] = ""
    formerly: ClassVar[tuple[str, ...]] = ()
    title: ClassVar[str]
    hint: ClassVar[str] = ""
    sentence: ClassVar[str]
    cases: ClassVar[tuple[tuple[tuple[str, ...], str], ...]] = ()
    names: ClassVar[Mapping[str, Sequence[str]]] = {}
    columns: ClassVar[tuple[str, ...]]
    row: ClassVar[str] = "row"
    places: ClassVar[tuple[str, ...]] = ()
    steps: ClassVar[tuple[Step, ...]] = ()
    presets: ClassVar[Mapping[str, State]] = {}
    data: ClassVar[staticmethod[[], Any] | None] = None
    compute: ClassVar[staticmethod[..., Series]]

    size: _Size = _Size(default="full")
    state = _State(help="the present value of every control, as plain JSON values")

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__signature__ = signed.signature(cls.controls())
        cls.__doc__ = signed.documentation(cls.__doc__, cls.controls())
        package, _, module = cls.__module__.rpartition(".")
        if module.endswith("_lab"):  # the one place where a lab gets its name: question/lab, from where its file lies
            cls.slug = f"{package.rpartition('.')[2]}/{module.removesuffix('_lab')}"

    @classmethod
    def controls(cls) -> dict[str, Control[Any]]:
        """The controls by name, in the order of their declaration."""
        members = (item for parent in reversed(cls.__mro__) for item in vars(parent).items())
        return {name: member for name, member in members if isinstance(member, Control)}

    @classmethod
    def declaration(cls) -> dict[str, Any]:
        """What the front end is told; it repeats none of this."""
        return {
            "name": cls.slug,
            "python": cls.__name__,
            "title": cls.title,
            "hint": cls.hint,
            "sentence": cls.sentence,
            "controls": [control.declaration() for control in cls.controls().values()],
            "presets": [{"label": label, "state": state} for label, state in cls.presets.items()],
            "steps": [step.declaration() for step in cls.steps],
            **(
                {"cases": [{"when": [*map(parsed, when)], "says": says} for when, says in cls.cases]}
                if cls.cases
                else {}
            ),
            **({"names": {name: list(words) for name, words in cls.names.items()}} if cls.names else {}),
            **({} if cls.data is None else {"data": cls.data()}),
        }

    def __init__(self, **values: Any) -> None:
        allowed = [*self.controls(), "size"]
        unknown = [name for name in values if name not in allowed]
        if unknown:
            raise TypeError(
                f"{type(self).__name__}: unknown argument {unknown[0]!r}; "
                f"{signed.meant(unknown[0], allowed)}allowed are {', '.join(allowed)}"
            )
        self._clamped: set[str] = set()
        self._together = False
        super().__init__(_declaration=self.declaration(), **values)

    if not TYPE_CHECKING:  # for a type checker each attribute that is not declared is an error already

        def __setattr__(self, name: str, value: Any) -> None:
            if not name.startswith("_") and not hasattr(type(self), name):
                allowed = [*self.controls(), "size"]
                raise AttributeError(
                    f"{type(self).__name__} has no attribute {name!r}; "
                    f"{signed.meant(name, allowed)}its controls are {', '.join(allowed)}"
                )
            super().__setattr__(name, value)

    def notify_change(self, change: Any) -> None:
        """Tell those who observe a control, and those who observe ``state``."""
        super().notify_change(change)
        if change["type"] == "change" and change["name"] in self.controls() and not self._together:
            now = self.state
            self._tell({**now, change["name"]: change["old"]}, now)

    def _tell(self, before: State, now: State) -> None:
        super().notify_change(traitlets.Bunch(name="state", old=before, new=now, owner=self, type="change"))

    def _take(self, values: State) -> None:
        """Set several controls; those who observe ``state`` hear of it once."""
        before = self.state
        self._together = True
        try:
            for name, value in values.items():
                setattr(self, name, value)
        finally:
            self._together = False
        if self.state != before:
            self._tell(before, self.state)

    def __dir__(self) -> list[str]:
        """Controls and what a lab can be asked; the rest of a widget is there, and not listed."""
        return [*self.controls(), *_ASKED, *(name for name in super().__dir__() if name.startswith("_"))]

    def _clamp(self, name: str, told: str) -> None:
        """Warn that a linked value was not allowed, once for each control."""
        if name not in self._clamped:
            self._clamped.add(name)
            warnings.warn(told, stacklevel=2)

    def __repr__(self) -> str:
        changed = [f"{n}={v!r}" for n, v in self.state.items() if v != self.controls()[n].default_value]
        return f"{type(self).__name__}({', '.join(changed)})"

    @property
    def series(self) -> Series:
        """``compute`` at the present state, in NumPy."""
        return type(self).compute(**self.state)

    @property
    def description(self) -> str:
        """The lab said in one sentence, at the present state."""
        state, series = self.state, self.series
        said = next((says for when, says in self.cases if holds(when, state, series)), self.sentence)
        return self.said(said)

    def said(self, words: str) -> str:
        """A sentence, of the lab or of a step, with its gaps filled at the present state."""
        state = self.state
        for name, control in self.controls().items():
            if isinstance(control, Choice):
                state[name] = t(control.options[state[name]])
        numbers = {name: value for name, value in self.series.items() if np.ndim(value) == 0}
        for name, named in self.names.items():
            if name in numbers:
                numbers[name] = t(named[numbers[name]])
        return t(words, **{**state, **numbers})

    def table(self) -> pd.DataFrame:
        """The main series at the present state, one row for one entry. Counts from 1 as the picture does."""
        import pandas as pd  # a quarter of a second, and only tables need it

        series = self.series

        def shown(values: np.ndarray) -> np.ndarray:
            return np.median(values, axis=0) if np.ndim(values) == 2 else values  # (draws, entries)

        table = pd.DataFrame({name: shown(series[name]) + (name in self.places) for name in self.columns})
        table.index = pd.RangeIndex(1, len(table) + 1, name=self.row)
        return table

    def svg(self, width: int = 700) -> str:
        """The picture of the present state as SVG text, ``width`` pixels wide: the page's own picture, drawn once.

        It stands by itself: type and colours are inside, and it is light or dark as its reader's system is. Raises
        ``ModuleNotFoundError`` where nothing can draw it: ``pip install "whyformer[pictures]"``.
        """
        return self._still(self.description, width, type_inside=True)

    def _still(
        self,
        words: str,
        width: int = 700,
        *,
        type_inside: bool = False,
        shows: Sequence[str] = (),
        told: bool = True,
    ) -> str:
        asked = {"declaration": self.declaration(), "state": self.state, "size": self.size, "told": told}
        if shows:
            asked["shows"] = list(shows)
        picture = still.draw(still.picture(asked), asked, words, width)
        return picture.replace(">", f"><style>{still.style(type_inside=type_inside)}</style>", 1)

    def _first(self) -> Step | None:
        """The step that it opens with: the first if its state is the default."""
        opens = self.steps and repr(self) == f"{type(self).__name__}()"
        return self.steps[0] if opens else None

    def _opening(self, *, told: bool) -> tuple[str, str]:
        """The picture that it opens with, empty where nothing can draw it, and its words: asked, or told and asked."""
        step, lab = self._first(), self
        words = self.description
        if step:
            if told:
                lab = type(self)(**told_of(type(self), step), size=self.size)
                said = told_by(step, lab.state, lab.series)
                words = f"{t(step.asks)} {lab.said(said) if said else lab.description}"
            else:
                words = t(step.asks)
        picture = (
            lab._still(words, shows=step.shows if step and self.size == "full" else (), told=told)
            if still.possible()
            else ""
        )
        return picture, words

    def html(self) -> str:
        """The lab as a custom element, with its still picture inside for the time before and without JavaScript.

        The picture is missing where nothing can draw it, without the extra ``pictures``.
        """
        asks_first = self._first() is not None
        picture, said = self._opening(told=not asks_first)
        payload = embed({"declaration": self.declaration(), "state": self.state, "size": self.size})
        name, words = html.escape(self.slug), html.escape(said)
        if asks_first:
            told, tell = self._opening(told=True)
            words += f"<noscript>{told}{html.escape(tell)}</noscript>"
        formerly = f' formerly="{html.escape(" ".join(self.formerly))}"' if self.formerly else ""
        return (
            f'<whyformer-lab name="{name}"{formerly} size="{self.size}">'
            f'<script type="application/json">{payload}</script>'
            f'<figure class="wf-fallback">{picture}'
            f"<figcaption>{words}</figcaption></figure></whyformer-lab>"
        )

    def _shown(self) -> dict[str, str]:
        if not still.possible():
            return {"text/html": self.html()} if os.environ.get(PAGES) else {}
        still_picture, words = self._opening(told=True)
        picture = with_margin(still_picture)
        if os.environ.get(PAGES):
            return {"text/html": self.html(), "image/svg+xml": picture}  # the picture goes into offered notebooks
        return {"text/html": as_image(picture, words)}
