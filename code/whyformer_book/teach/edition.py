"""``make book EDITION=student``: the book without solutions and lessons; ``EDITION=instructor``: all solutions open.

The page that has the plans of all lessons is not in the students' edition, nor is a paragraph that sends there.

An edition is built from a copy of the sources in which the solutions have been taken out, or marked as open. So
whatever reads a source (pages, notebooks, the archive, the index of the search) cannot know more than the copy does.
What an exercise's form or check needs to judge an answer stays in the package, veiled and not secret.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from whyformer_book import myst
from whyformer_book.notebooks.labels import pages

SOLUTIONS = {"solution", "solution-start"}
SETTINGS = ("_config.yml", "_toc.yml", "references.bib", "chapters/sources.toml")
CONFIG = "  config:\n"  # of Sphinx, in ``_config.yml``; the edition is said below it
FOLDED, OPEN = ":class: dropdown", ":class: dropdown open"


def solutions(text: str) -> Iterator[range]:
    """The lines of each solution on a page.

    Raises ``ValueError`` for a solution inside another block, which would stay in the students' edition, and for one
    written with ``solution-start``, whose end is another block.
    """
    blocks = [token for token in myst.parse(text) if token.map is not None and token.level == 0]
    seen = 0
    for block in blocks:
        directive = myst.as_directive(block)
        if directive is None or directive.name not in SOLUTIONS:
            continue
        if directive.name != "solution":
            raise ValueError(f"line {directive.line + 1}: write a solution as one block, ```{{solution}}")
        seen += 1
        start, stop = block.map or (0, 0)
        yield range(start, stop)
    found = [directive for _, _, directive in myst.walk(text) if directive and directive.name in SOLUTIONS]
    if len(found) != seen:
        raise ValueError("a solution stands inside another block: only those at the top of a page are taken out")


def lessons(text: str) -> Iterator[range]:
    """The lines of what is for teachers alone."""
    for token, line, directive in myst.walk(text):
        if directive and directive.name in {"lesson", "lesson-plans"}:
            start, stop = token.map or (0, 0)
            yield range(line, line + stop - start)


def for_students(text: str) -> str:
    """A page without solutions and lessons. Lines keep their numbers, so that warnings name the right."""
    lines = text.split("\n")
    for gone in (*solutions(text), *lessons(text)):
        lines[gone.start : gone.stop] = [""] * len(gone)
    return "\n".join(lines)


def for_instructors(text: str) -> str:
    """A page whose solutions are open, and its lesson with notes. Raises ``ValueError`` for a solution not folded."""
    text = re.sub(r"^```\{lesson\} .*$", r"\g<0>\n:open:", text, flags=re.MULTILINE)
    lines = text.split("\n")
    for solution in solutions(text):
        folded = [i for i in solution if lines[i].strip() == FOLDED]
        if not folded:
            raise ValueError(f"line {solution.start + 1}: a solution has to say `{FOLDED}`")
        lines[folded[0]] = OPEN
    return "\n".join(lines)


def is_for_teachers(text: str) -> bool:
    """Whether a page has the plans of lessons, and so nothing for students."""
    return any(directive and directive.name == "lesson-plans" for _, _, directive in myst.walk(text))


def without_links(text: str, gone: list[str]) -> str:
    """A page without the paragraphs that send a reader to pages which are gone; a link elsewhere fails the build."""
    lines = text.split("\n")
    for token in myst.parse(text):
        start, stop = token.map or (0, 0)
        if token.type == "paragraph_open" and any(f"]({name}.md" in "\n".join(lines[start:stop]) for name in gone):
            lines[start:stop] = [""] * (stop - start)
    return "\n".join(lines)


EDITIONS: dict[str, Callable[[str], str]] = {"student": for_students, "instructor": for_instructors}


def copy(root: Path, folder: Path, edition: str) -> None:
    """The sources of the book at ``root``, as ``edition`` wants them, in ``folder``.

    A page that has not changed is not written anew, so that only changed ones are built again. Raises ``ValueError``
    for an unknown edition, and with file and line for a page that cannot be made into it.
    """
    if edition not in EDITIONS:
        raise ValueError(f"there is no edition {edition!r}: choose one of {', '.join(EDITIONS)}")
    wanted = {Path(name): (root / name).read_text(encoding="utf-8") for name in SETTINGS if (root / name).is_file()}
    wanted[Path("_config.yml")] = wanted[Path("_config.yml")].replace(
        CONFIG, f"{CONFIG}    whyformer_edition: {edition}\n", 1
    )
    texts = {
        file.relative_to(root): file.read_text(encoding="utf-8") for file in pages(root, root / "_toc.yml").values()
    }
    gone = [file.stem for file, text in texts.items() if edition == "student" and is_for_teachers(text)]
    toc = re.compile(rf"^ *- file: .*\b({'|'.join(gone) or '(?!)'})\n", re.MULTILINE)
    wanted[Path("_toc.yml")] = toc.sub("", wanted[Path("_toc.yml")])
    for file, text in texts.items():
        try:
            if file.stem not in gone:
                wanted[file] = without_links(EDITIONS[edition](text), gone)
        except ValueError as wrong:
            raise ValueError(f"{file}: {wrong}") from None
    for name, text in wanted.items():
        place = folder / name
        if not place.is_file() or place.read_text(encoding="utf-8") != text:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
    for old in [file for file in folder.rglob("*.md") if "_build" not in file.relative_to(folder).parts]:
        if old.relative_to(folder) not in wanted:
            for made in [old, *(folder / "_build").rglob(f"{old.stem}.*")]:  # Sphinx leaves what it once made
                made.unlink()


def build(edition: str, root: Path, options: list[str]) -> Path:
    """Build an edition; the folder of its pages. Raises ``CalledProcessError`` when the build fails."""
    folder = root / "_build" / edition
    copy(root, folder, edition)
    command = Path(sys.executable).with_name("jupyter-book")
    subprocess.run([command, "build", str(folder), *options], check=True)
    return folder / "_build/html"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"usage: python -m whyformer_book.teach.edition {'|'.join(EDITIONS)} [options of jupyter-book build]")
    try:
        build(sys.argv[1], Path.cwd(), sys.argv[2:])
    except (ValueError, subprocess.CalledProcessError) as wrong:
        sys.exit(str(wrong))
