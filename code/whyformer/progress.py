"""A bar that says how far a long job is: a widget in a notebook, one line in a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Any

PATIENCE = 2.0  # seconds: a job that is done by then shows no bar
PAUSE = 0.1  # seconds between two changes of what is shown


def in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this, and not a terminal."""
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return False
    return hasattr(get_ipython(), "kernel")


class Bar:
    """How far a job of ``total`` steps is; with ``shown=False`` it never shows anything. For ``with``."""

    def __init__(self, total: int, shown: bool = True) -> None:
        self.total, self.done, self.words = total, 0, "the beginning"
        self.began = self.last = time.monotonic()
        self.kind = "" if not shown else "notebook" if in_notebook() else "terminal" if sys.stdout.isatty() else ""
        self.widget: Any = None
        self.written = False

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self.widget is not None:
            self.widget.close()
        elif self.written:
            print("\r" + " " * 78 + "\r", end="", flush=True)

    def step(self, words: str, steps: int = 1) -> None:
        """So many steps more are done, and ``words`` say at what the job is."""
        self.done, self.words = self.done + steps, words
        now = time.monotonic()
        if not self.kind or now - self.began < PATIENCE or now - self.last < PAUSE:
            return
        self.last = now
        left = (now - self.began) / self.done * (self.total - self.done)
        told = f"{words}, {left:.0f} s left"
        if self.kind == "notebook":
            self._widget(told)
        else:
            self.written = True
            filled = round(24 * self.done / self.total)
            print(f"\r{'█' * filled}{'·' * (24 - filled)} {told:<53.53}", end="", flush=True)

    def _widget(self, told: str) -> None:
        if self.widget is None:
            import ipywidgets
            from IPython.display import display

            bar = ipywidgets.IntProgress(min=0, max=self.total)
            self.widget = ipywidgets.HBox([bar, ipywidgets.Label()])
            display(self.widget)  # type: ignore[no-untyped-call]
        bar, label = self.widget.children
        bar.value, label.value = self.done, told
