"""``make book LANGUAGE=zh``: the Chinese book, built beside the English one into ``_build/html/zh``.

It is built as an edition is, from a copy of its sources, ``zh/``. Chapters are files of their own; labs, bets and the
interface speak through the catalogue. Below each heading stands a stamp, a comment that no page shows, with the anchor
of the English section and a digest of its text: ``% en say-it 8c868350``. So both books have the same anchors, and
``make drift`` lists the sections whose English has changed since; ``make stamp`` writes the digests anew when someone
has looked. What is proven in English is not proven again: numbers and checks of a translation must be the English
page's.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils.nodes import make_id

from whyformer_book.pages.claims import CHAPTERS, VERDICTS, claims, errata, headings
from whyformer_book.proof.page import Problem, read
from whyformer_book.teach.edition import CONFIG

TITLES = {"zh": ("zh_CN", "Whyformer：一问一答看懂 Transformer")}
#: Until a native speaker has gone over the pages.
DRAFT = '<small class="wf-draft">草稿，还没有母语者审校；若与英文版不一致，以英文版为准。</small>'
STAMP = re.compile(r"^% en ([\w-]+)(?: ([0-9a-f]{8}))?$", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?:en:([\w-]+)|([\w-]+)\.md)(#[^)\s]+)?\)(?!\{)")
ASKED = re.compile(r"^```\{asked\}(?: (\d+))?\n```\n", re.MULTILINE)
#: A marked sentence, and the space after it, which Chinese does not have.
BETWEEN = re.compile(r"([。！？；，：][”）]?\]\{check=[^}]*\}) +(?=[\[“（\u4e00-\u9fff])")
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
CODE = re.compile(r"^(`{3,}|:{3,})\{code-cell\}.*?^\1$", re.MULTILINE | re.DOTALL)


def folder_of(language: str) -> Path:
    """The sources of a language."""
    return CHAPTERS.parent / language


def sections(text: str) -> dict[str, str]:
    """A page's sections by anchor, each up to the next heading of any level."""
    found, name = {"": ""}, ""
    fence = ""
    for row in text.split("\n"):
        mark = re.match(r"`{3,}|:{3,}", row)
        if mark and not fence:
            fence = mark[0]
        elif mark and row.strip() == fence:
            fence = ""
        title = None if fence or mark else re.match(r"#{1,4} (.+)", row)
        if title:
            name = make_id(title[1])
            found[name] = ""
        found[name] += row + "\n"
    return found


def digest(text: str) -> str:
    """Of a section, whatever its spaces."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:8]


def english(page: str) -> dict[str, str]:
    """The digests of the English page's sections by anchor."""
    text = (CHAPTERS / f"{page}.md").read_text(encoding="utf-8")
    return {anchor: digest(part) for anchor, part in sections(text).items()}


def drift(language: str) -> Iterator[str]:
    """What has changed in English since it was translated, a line for each section."""
    for file in sorted((folder_of(language) / "chapters").glob("*.md")):
        now = english(file.stem)
        for anchor, then in STAMP.findall(file.read_text(encoding="utf-8")):
            if anchor not in now:
                yield f"{file.name}: the English page has no section #{anchor}"
            elif then != now[anchor]:
                yield f"{file.name}: #{anchor} has changed in English"


def stamp(language: str) -> None:
    """Write the present digests into all stamps: after someone has looked at what ``drift`` lists."""
    for file in (folder_of(language) / "chapters").glob("*.md"):
        text = file.read_text(encoding="utf-8")
        for anchor, now in english(file.stem).items():
            text = re.sub(rf"^% en {anchor}(?: \w+)?$", f"% en {anchor} {now}", text, flags=re.MULTILINE)
        file.write_text(text, encoding="utf-8")


def problems(language: str, page: str) -> list[Problem]:
    """Checks and numbers of a translation that its English page does not have, and headings without a stamp."""
    text = (folder_of(language) / f"chapters/{page}.md").read_text(encoding="utf-8")
    original, translated = read((CHAPTERS / f"{page}.md").read_text(encoding="utf-8")), read(text)

    def names(of: str) -> set[str]:
        return {name for found in re.findall(r"\{check=\"?([\w ]+)", of) for name in found.split()}

    found = [Problem(1, f"the English page names no check {one!r}") for one in names(text) - names(original.text)]
    known = set(NUMBER.findall(CODE.sub("", original.text)))
    for row, line in enumerate(CODE.sub(lambda m: "\n" * m[0].count("\n"), text).split("\n"), 1):
        if not line.startswith(("%", ":", "```")):
            prose = re.sub(r"\]\([^)]*\)|<[^>]*>|\{check=[^}]*\}", "", line)
            found += [
                Problem(row, f"the number {number} does not stand on the English page")
                for number in NUMBER.findall(prose)
                if number not in known
            ]
    for row, (line, after) in enumerate(zip(translated.rows, [*translated.rows[1:], ""], strict=True), 1):
        if re.match(r"#{1,4} \S", line) and not STAMP.match(after) and not _in_code(text, row):
            found.append(Problem(row, "below a heading stands a stamp, % en and the anchor of the English section"))
    return sorted([*found, *(_in_claims(language) if page == "asked" else ())])


def _in_claims(language: str) -> Iterator[Problem]:
    """Numbers of a reason that its English one does not have, and claims without a reason."""
    given = told(language)
    for name, claim in claims().items():
        its = given["claims"].get(name, {})
        said = " ".join(part.format_map(given["shared"]) for part in its.values())
        known = NUMBER.findall(f"{claim.en} {claim.condition} {claim.reason}")
        if claim.verdict and set(its) != {"reason", *(["if"] if claim.condition else [])}:
            yield Problem(1, f"asked.toml, {name}: it needs a reason, and the condition if the verdict has one")
        for number in NUMBER.findall(said):
            if number not in known:
                yield Problem(1, f"asked.toml, {name}: the number {number} is not in the English reason")


def told(language: str) -> dict[str, dict[str, Any]]:
    """Reasons and conditions of the claims, and the sentences that they share."""
    return tomllib.loads((folder_of(language) / "chapters/asked.toml").read_text(encoding="utf-8"))


def _in_code(text: str, row: int) -> bool:
    return any(text.count("\n", 0, m.start()) < row <= text.count("\n", 0, m.end()) for m in CODE.finditer(text))


def _links(text: str, language: str) -> str:
    """Links to sections as HTML, since MyST knows them by their Chinese headings; others lead to the English page."""

    def one(found: re.Match[str]) -> str:
        words, in_english, page = found[1], found[2], found[3]
        anchor = f"#{make_id(found[4])}" if found[4] else ""
        target = folder_of(language) / "chapters" / f"{page}.md"
        if in_english or not target.is_file():
            page = in_english or page
            return f'<a href="../../chapters/{page}.html{anchor}" hreflang="en">{words or headings(page)[""]}</a>'
        if not anchor:
            return found[0]
        if anchor[1:] not in {name for name, _ in STAMP.findall(target.read_text(encoding="utf-8"))}:
            return f'<a href="../../chapters/{page}.html{anchor}" hreflang="en">{words}</a>'
        return f'<a href="{page}.html{anchor}">{words}</a>'

    return LINK.sub(one, text)


def _rows(document: str, language: str) -> str:
    """The claims of one of the five documents, with verdicts and reasons in the language."""
    given, lines = told(language), []
    for name, claim in claims().items():
        if not document or not name.startswith(document):
            continue
        its = given["claims"].get(name, {})
        reason, condition = (its.get(key, "").format_map(given["shared"]) for key in ("reason", "if"))
        verdict = (
            f"**{VERDICTS[claim.verdict]}**{f'，若{condition}' if condition else ''}。{reason}" if claim.verdict else ""
        )
        where = "、".join(_place(*place.partition("#")[::2], language) for place in claim.where)
        lines.append(f'<span id="asked-{name}"></span>**{name}** {claim.zh}\n\n: {verdict} 见 {where}\n')
    return "\n".join(lines)


def _place(page: str, anchor: str, language: str) -> str:
    """Where the book shows a claim: in its own language if the section is there."""
    file = folder_of(language) / f"chapters/{page}.md"
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    if here := re.search(rf"^#+ (.+)\n% en {re.escape(anchor) or '(?!)'}(?: |$)", text, re.MULTILINE):
        title = re.search(r"^# (.+)", text, re.MULTILINE)
        return f"[{title[1] if title else page} › {here[1]}]({page}.md#{anchor})"
    if page == "errata":
        return f"[勘误第{errata()[anchor]}条](en:errata#{anchor})（英文）"
    known = headings(page)
    words = f"{known['']} › {known[anchor]}" if anchor else known[""]
    return f"[{words}](en:{page}#{anchor})（英文）"


def page(text: str, language: str) -> str:
    """A page of ``zh/`` as Sphinx is given it; at its end it says that it is a draft."""
    if "草稿" not in text:
        text = f"{text.rstrip()}\n\n{DRAFT}\n"
    text = ASKED.sub(lambda found: _rows(found[1] or "", language), text)
    return _links(BETWEEN.sub(r"\1", text), language)


def copy(root: Path, language: str) -> Path:
    """The sources of the book in ``language``; the folder in which they are built."""
    folder, source = root / "_build" / language, folder_of(language)
    code, title = TITLES[language]
    config = (root / "_config.yml").read_text(encoding="utf-8")
    config = re.sub(r"^title: .*", f'title: "{title}"', config, count=1, flags=re.MULTILINE)
    config = config.replace('"Text: CC BY 4.0. Code: BSD-3-Clause."', '"文字：CC BY 4.0。代码：BSD-3-Clause。"')
    config = config.replace(CONFIG, f"{CONFIG}    language: {code}\n    whyformer_language: {language}\n", 1)
    wanted = {"_config.yml": config, "_toc.yml": (source / "_toc.yml").read_text(encoding="utf-8")}
    wanted |= {name: (root / name).read_text(encoding="utf-8") for name in ("references.bib", "chapters/sources.toml")}
    for file in sorted((source / "chapters").glob("*.md")):
        wanted[f"chapters/{file.name}"] = page(file.read_text(encoding="utf-8"), language)
    for name, text in wanted.items():
        place = folder / name
        if not place.is_file() or place.read_text(encoding="utf-8") != text:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
    for place in (root / "_build/.checks", folder / "_build"):
        place.mkdir(parents=True, exist_ok=True)
    if not (kept := folder / "_build/.checks").exists():
        kept.symlink_to(root / "_build/.checks")  # what one build has found the other need not
    return folder


def build(language: str, root: Path, options: list[str]) -> Path:
    """Build the book in ``language``; its folder. Raises ``CalledProcessError`` when the build fails."""
    folder = copy(root, language)
    command = Path(sys.executable).with_name("jupyter-book")
    environment = os.environ | {"WHYFORMER_LANGUAGE": language}
    subprocess.run([command, "build", str(folder), *options], check=True, env=environment)
    return folder / "_build/html"


def publish(language: str, root: Path, built: Path) -> None:
    """Put it beside the English book, whose pages lead there when they are built next."""
    target = root / "_build/html" / language
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(built, target)


if __name__ == "__main__":
    what, language, *options = [*sys.argv[1:], "", ""][: max(2, len(sys.argv) - 1)]
    if what not in {"build", "drift", "stamp"} or language not in TITLES:
        sys.exit(
            f"usage: python -m {__spec__.name} build|drift|stamp {'|'.join(TITLES)} [options of jupyter-book build]"
        )
    try:
        if what == "build":
            publish(language, Path.cwd(), build(language, Path.cwd(), options))
        elif what == "stamp":
            stamp(language)
        print("\n".join(drift(language)))
    except subprocess.CalledProcessError as wrong:
        sys.exit(str(wrong))
