"""The question of a page: its checks, their code, and what they found."""

from __future__ import annotations

import importlib
import inspect
import pickle
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from whyformer.proof import Check, Result
from whyformer.proof.check import checks_in

from whyformer_book.paths import PACKAGE, QUESTIONS, state

#: Modules of checks, and whether a page may leave their checks without a mark: those of answers, without solutions.
MODULES = ("checks", "answers")
TO_TOOLS = re.compile(r"  # (?:type: ignore|noqa|fmt).*")


@dataclass
class Question:
    """The checks of a question, and what they found."""

    name: str
    folder: Path
    _results: dict[str, Result] = field(default_factory=dict)

    @cached_property
    def checks(self) -> dict[str, Check]:
        """All checks of the question by name."""
        there = [one for one in MODULES if (self.folder / f"{one}.py").is_file()]
        modules = [importlib.import_module(f"whyformer.questions.{self.name}.{one}") for one in there]
        return {name: check for module in modules for name, check in checks_in(module).items()}

    @cached_property
    def answers(self) -> set[str]:
        """The names of the checks of answers, which have no marks where there are no solutions."""
        return {name for name, check in self.checks.items() if check.__wrapped__.__module__.endswith(".answers")}

    @cached_property
    def sources(self) -> dict[str, str]:
        """The code of each check, without comments that speak to tools."""
        code = {name: inspect.getsource(check.__wrapped__).rstrip() for name, check in self.checks.items()}
        return {name: TO_TOOLS.sub("", lines) for name, lines in code.items()}

    def results(self) -> dict[str, Result]:
        """What the checks have found, each run once."""
        for name, one in self.checks.items():
            if name not in self._results:
                self._results[name] = one()
        return self._results

    def recalled(self, folder: Path) -> dict[str, Result]:
        """What the checks have found, from a file in ``folder`` unless the package or a library has changed since."""
        file = folder / ".checks" / f"{self.name}.pickle"
        if file.is_file() and (kept := pickle.loads(file.read_bytes()))[0] == state():
            self._results = kept[1]
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(pickle.dumps((state(), self.results())))
        return self._results

    def files(self) -> list[Path]:
        """What a page depends on beside its own text."""
        shared = [file for part in ("maths", "model", "evidence", "proof") for file in (PACKAGE / part).rglob("*")]
        return [file for file in [*self.folder.iterdir(), *shared] if file.suffix in {".py", ".json"}]


def question_of(page: str) -> Question | None:
    """The question of a page with a ``checks.py``; None for a page without one."""
    folder = QUESTIONS / Path(page).name
    return Question(folder.name, folder) if (folder / f"{MODULES[0]}.py").is_file() else None
