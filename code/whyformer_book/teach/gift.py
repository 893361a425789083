"""``make gift``: the bets of all chapters as questions in GIFT, for Moodle and others.

Each has its options, one of them right, and what is said to each. GIFT gives a meaning to ``~ = # { } :``
and to the backslash; in a text each stands behind a backslash.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from pathlib import Path
from typing import Any

from whyformer.lab import Predict
from whyformer.lab.teach.veil import unveil
from whyformer.lab.words import t

from whyformer_book.notebooks.labels import pages

SPECIAL = re.compile(r"[\\~=#{}:]")


def escaped(text: str) -> str:
    """A text in which nothing means anything to GIFT, also its ends of lines."""
    return SPECIAL.sub(r"\\\g<0>", text.strip()).replace("\r", "").replace("\n", "\\n")


def question(declaration: dict[str, Any]) -> str:
    """One question, from what a ``Predict`` declares."""
    told = zip(declaration["options"], unveil(declaration["veiled"]), strict=True)
    options = [f"{'=' if right else '~'}{escaped(t(one))}#{escaped(t(why))}" for one, (why, right) in told]
    name, text = escaped(declaration["predict"]), escaped(t(declaration["question"]))
    return "\n\t".join([f"::{name}::[plain]{text} {{", *options]) + "\n}\n"


def predictions(question: str) -> list[Predict]:
    """The predictions of a chapter's question, in their order; none if it has none."""
    module = f"whyformer.questions.{question}.predictions"
    try:
        members = vars(importlib.import_module(module))
    except ModuleNotFoundError as missing:
        if missing.name not in (module, f"whyformer.questions.{question}"):
            raise
        return []
    made = [one() for one in members.values() if getattr(one, "__module__", "") == module and callable(one)]
    return [one for one in made if isinstance(one, Predict)]


def bets(question: str) -> list[dict[str, Any]]:
    """What the predictions of a chapter's question declare."""
    return [dict(one._declaration) for one in predictions(question)]


def gift(root: Path) -> str:
    """All questions of the book at ``root``, by chapter, in the order of its contents."""
    parts = []
    for name, file in pages(root, root / "_toc.yml").items():
        if found := bets(Path(name).name):
            title = next(line[2:] for line in file.read_text(encoding="utf-8").split("\n") if line.startswith("# "))
            parts += [f"$CATEGORY: Whyformer/{title.replace('/', '-')}\n", *map(question, found)]
    return "\n".join(parts)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Write the questions of all chapters as GIFT.")
    parser.add_argument("file", type=Path, nargs="?", default=Path("_build/whyformer.gift"))
    file: Path = parser.parse_args().file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(gift(Path.cwd()), encoding="utf-8")
    print(f"wrote {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
