"""``make new SLUG=why_bias LAB=offset``: the files of a new question, as a draft that builds and says what is empty.

The draft has a chapter with its headings, and beside it a bet, checks and a lab in both languages. It stands
in the book under *Drafts*. ``proof/completeness.py`` says when it is a chapter.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from string import Template

TEMPLATES = Path(__file__).parent / "draft"
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
#: Each file of a draft, with the template that it is made from.
FILES = {
    "chapters/{slug}.md": "chapter.md",
    "code/whyformer/questions/{slug}/__init__.py": "init.py",
    "code/whyformer/questions/{slug}/page.toml": "page.toml",
    "code/whyformer/questions/{slug}/checks.py": "checks.py",
    "code/whyformer/questions/{slug}/predictions.py": "predictions.py",
    "code/whyformer/questions/{slug}/{lab}_lab.py": "lab.py",
    "code/whyformer/questions/{slug}/{lab}_lab.ts": "lab.ts",
}
CAPTION, APPENDIX = "  - caption: Drafts\n    chapters:\n", "  - caption: Interview practice\n"


def listed(toc: str, slug: str) -> str:
    """The contents with the chapter under *Drafts*, ahead of *Interview practice*."""
    if CAPTION not in toc:
        at = toc.index(APPENDIX) if APPENDIX in toc else len(toc)
        toc = f"{toc[:at]}{CAPTION}{toc[at:]}"
    return toc.replace(CAPTION, f"{CAPTION}      - file: chapters/{slug}\n")


def draft(root: Path, slug: str, lab: str) -> list[Path]:
    """Write the files of a question. ``ValueError`` for a name that cannot be one, or for a question that is there."""
    for what, name in (("SLUG", slug), ("LAB", lab)):
        if not NAME.fullmatch(name):
            raise ValueError(f"{what} is a name in small letters such as why_bias; got {name!r}")
    places = {root / place.format(slug=slug, lab=lab): template for place, template in FILES.items()}
    if there := [place for place in places if place.exists()]:
        raise ValueError(f"nothing was written: {there[0].relative_to(root)} is there already")
    words = slug.replace("_", " ").capitalize()
    title = lab.replace("_", " ").capitalize()
    gaps = {"slug": slug, "lab": lab, "title": f"{words}?", "Title": title, "Lab": lab.title().replace("_", "")}
    for place, template in places.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        text = (TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")
        place.write_text(Template(text).substitute(gaps), encoding="utf-8")
    toc = root / "_toc.yml"
    toc.write_text(listed(toc.read_text(encoding="utf-8"), slug), encoding="utf-8")
    return [*places, toc]


def main(slug: str, lab: str) -> None:
    """Write a draft here, and say what was written and what comes next."""
    root = Path.cwd()
    try:
        written = draft(root, slug, lab)
    except ValueError as wrong:
        sys.exit(str(wrong))
    print("\n".join(["Written:", *(f"  {place.relative_to(root)}" for place in written)]))
    print(f"What is still empty: make chapter NAME={slug}. To see it: make book.")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m whyformer_book.new SLUG LAB")
    main(*sys.argv[1:])
