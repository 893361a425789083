"""What labels stand for in the whole book, numbered as on its pages, so that notebooks can say it in words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from sphinx_external_toc.parsing import parse_toc_yaml

from whyformer_book import myst

_CITED = re.compile(r"\{cite(?::\w+)?\}`([^`]+)`")


@dataclass(frozen=True)
class Target:
    """``page`` and ``words`` to show; ``number`` for an equation or an exercise, ``anchor`` for a heading."""

    page: str
    words: str
    number: int | None = None
    anchor: str = ""


@dataclass
class Labels:
    """Everything that can be referred to. ``titles`` is by page, ``targets`` by label, ``cited`` are the keys used.

    Equations are counted through the book, exercises by page. ``cards`` are the questions to practise, by page.
    """

    titles: dict[str, str] = field(default_factory=dict)
    targets: dict[str, Target] = field(default_factory=dict)
    cited: set[str] = field(default_factory=set)
    equations: int = 0
    exercises: dict[str, int] = field(default_factory=dict)
    cards: dict[str, list[str]] = field(default_factory=dict)

    def read(self, page: str, text: str) -> None:
        """Take in one page; pages come in the order of the book."""
        waiting: list[str] = []
        heading = False
        for token, _, directive in myst.walk(text):
            if token.type == "myst_target":
                waiting.append(token.content)
            elif token.type == "inline" and heading:
                self.titles.setdefault(page, token.content)
                self._heading(page, token.content, waiting)
            elif token.type == "math_block_label":
                self._equation(page, token.info)
            elif token.type == "amsmath" and not token.meta.get("numbered"):
                self._equation(page, "")
            elif directive:
                self._directive(page, directive)
            if token.type == "inline":
                self.cited.update(key.strip() for keys in _CITED.findall(token.content) for key in keys.split(","))
            if token.type not in {"myst_target", "heading_open"}:
                for label in waiting:
                    self.targets.setdefault(label.lower(), Target(page, ""))
                waiting = []
            heading = token.type == "heading_open"

    def _heading(self, page: str, words: str, labels: list[str]) -> None:
        plain = not re.search(r"[`$*\[]", words)
        target = Target(page, words, anchor=words.replace(" ", "-") if plain else "")
        slug = re.sub(r"[^\w\- ]", "", words.lower()).strip().replace(" ", "-")
        self.targets.setdefault(f"{page}#{slug}", target)
        for label in labels:
            self.targets[label.lower()] = target

    def _equation(self, page: str, label: str) -> None:
        self.equations += 1
        self.targets[label.lower()] = Target(page, f"({self.equations})", self.equations)

    def _directive(self, page: str, directive: myst.Directive) -> None:
        label = directive.options.get("label", "")
        if directive.name == "practice-card":
            self.cards.setdefault(page, []).append(directive.argument)
            self.targets[directive.options.get("name", "").lower()] = Target(page, directive.argument)
        elif directive.name == "math" and label:
            self._equation(page, label)
        elif directive.name == "exercise":
            number = self.exercises[page] = self.exercises.get(page, 0) + 1
            self.targets[label.lower()] = Target(page, f"Exercise {number}", number)
        elif directive.name in {"solution", "solution-start"}:
            exercise = self.targets.get(directive.argument.lower())
            self.targets[label.lower()] = Target(page, f"Solution to {exercise.words if exercise else 'Exercise'}")


def pages(root: Path, toc: Path) -> dict[str, Path]:
    """The pages of the book in order: name, without folder, to file."""
    return {Path(page).name: root / f"{page}.md" for page in parse_toc_yaml(toc)}
