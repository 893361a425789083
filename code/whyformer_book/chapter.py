"""All that is wrong with a page, as the build says it; ``make chapter NAME=why_sqrt_dk`` says it in seconds.

``python -m whyformer_book.chapter chapters/why_sqrt_dk.md``. Both read a page once (``proof.page``).
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from whyformer_book.language import translated
from whyformer_book.pages import cards
from whyformer_book.proof.cited import uncited
from whyformer_book.proof.completeness import empty
from whyformer_book.proof.marks import marks, outside, problems
from whyformer_book.proof.page import Problem, read
from whyformer_book.proof.question import Question, question_of
from whyformer_book.proof.sources import unread
from whyformer_book.questions import is_chapter, is_draft
from whyformer_book.teach import lesson

logger = logging.getLogger(__name__)


def all_problems(text: str, question: Question | None, folder: Path, memory: Path | None = None) -> list[Problem]:
    """All that is wrong with a page, apart from what it lacks. ``folder`` has ``sources.toml``.

    question: None for a page without one; then it may print no number that would need a check.
    memory: the folder in which results of checks are kept; without it they are run.
    """
    page = read(text)
    found = [*uncited(text), *unread(text, folder, question is not None), *cards.problems(page), *lesson.problems(page)]
    if question is None:
        return sorted([*found, *outside(text)])
    results = question.recalled(memory) if memory else question.results()
    return sorted([*found, *problems(text, results, question.answers if "{solution}" not in text else ())])


def _look(app: Sphinx, document: nodes.document) -> None:
    docname = app.env.docname
    file, name = Path(app.env.doc2path(docname)), Path(docname).name
    text = file.read_text(encoding="utf-8")
    language = app.config.whyformer_language
    if language:
        found = [*translated.problems(language, name), *cards.problems(read(text))]
    else:
        found = all_problems(text, question_of(docname), app.srcdir / "chapters", Path(app.outdir).parent)
    for line, what in found:
        logger.warning(what, location=(docname, line), type="whyformer", subtype="mark")
    is_whole = is_chapter(name) and not language and app.config.whyformer_edition != "student"
    for line, what in empty(text, name) if is_whole else ():
        if is_draft(name):
            logger.info("draft %s:%s: %s", docname, line, what)
        else:
            logger.warning(what, location=(docname, line), type="whyformer", subtype="empty")


def setup(app: Sphinx) -> None:
    """Looked at when a page has been read."""
    app.connect("doctree-read", _look)


def main(file: Path) -> int:
    """Print what is wrong with a chapter; the number of problems."""
    start = time.perf_counter()
    question, text, memory = question_of(file.stem), file.read_text(encoding="utf-8"), Path("_build")
    found = all_problems(text, question, file.parent, memory)
    for line, what in found:
        print(f"{file}:{line}: {what}")
    lacking = [*empty(text, file.stem)] if is_chapter(file.stem) else []
    for line, what in lacking:
        print(f"{file}:{line}: {'still empty: ' * is_draft(file.stem)}{what}")
    if not is_draft(file.stem):
        found += lacking
    checks, count = question.recalled(memory) if question else {}, len(marks(text))
    print(f"{len(checks)} checks, {count} marks, {len(found)} problems ({time.perf_counter() - start:.1f} s)")
    return len(found)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m whyformer_book.chapter CHAPTER.md")
    sys.exit(min(main(Path(sys.argv[1])), 1))
