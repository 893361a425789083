"""What a browser waits for before it shows a page: one style sheet without rules that no page can use, and no script.

The theme and its extensions bring half a megabyte in a dozen files, and a browser shows nothing before it has them all.
When the pages are written, the sheets that they name become one file: rules stay whose classes and ids occur anywhere
in the pages or in their scripts, as a word. A rule about an element alone always stays.

Scripts of the theme and of Sphinx run in their order once all of the page has come (``page/later.ts``): on a page
with labs they took as long as a lab, before it or in its middle. What they are told stands in the page, ahead of the
sheet: a script behind a sheet, and so all of the page after it, waits for the sheet.

Light or dark is chosen before anything is drawn: the theme does when it is read, and styles all of it again.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import tinycss2
from sphinx.application import Sphinx

from whyformer_book.foreign import AFTER_OTHERS
from whyformer_book.paths import FOLDER, fingerprint
from whyformer_book.site.used_selectors import WORD, Seen

NEEDS = ("site.search", "notebooks.downloads")  # everything else is written
LINK = re.compile(r'<link(?=[^>]*\brel="stylesheet")[^>]*\bhref="([^"]+)"[^>]*/?>\s*')
NAME = re.compile(r"[.#]((?:[\w-]|\\.)+)")
LISTS = re.compile(r":(?:not|is|where|has)\([^()]*(?:\([^()]*\)[^()]*)*\)")
ADDRESS = re.compile(r"url\(\s*(['\"]?)(?!data:|[a-z]+:|#|/)([^'\")]+)\1\s*\)")
SCRIPT = re.compile(r'<script (?P<attributes>[^>]*\bsrc="(?P<address>[^"]*)"[^>]*)>')
DEFER = re.compile(r'\bdefer(?:="defer")?\s*')
LATER = 'type="text/x-later"'
OPTIONS = re.compile(r'\s*<script [^>]*\bsrc="[^"]*documentation_options\.js[^"]*"[^>]*></script>')
OPTION = re.compile(r"\s*<script>(DOCUMENTATION_OPTIONS\.[^<]*)</script>")
#: Light or dark as the reader chose, or as the system has it; the theme sets the same when the page is read.
#: The type is asked for before the sheet that names it is there, or text would be set in another for the first page,
#: and that of formulas if the first section has any: lines would break anew under the reader's eyes.
#: From a file a browser refuses to fetch ahead; there the type may come late, for it comes soon (book.css).
AHEAD = (
    "<script>{const{classList,dataset}=document.documentElement;"
    'dataset.theme=["light","dark"].find(mode=>mode===dataset.mode)??'
    '(matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light");'
    'if(location.protocol==="file:")classList.add("wf-file");'
    'else for(const face of[%s]){const link=document.createElement("link");'
    'Object.assign(link,{rel:"preload",as:"font",type:"font/woff2",crossOrigin:"",'
    'href:"%s_static/whyformer/"+face+".woff2"});document.head.append(link)}}</script>\n'
)
ASKED = re.compile(r"<script>\{const\{classList.*?</script>\n")
TYPE = "type/whyformer-sans-"
FORMULAS = ["katex/fonts/KaTeX_Main-Regular", "katex/fonts/KaTeX_Math-Italic"]
NESTED = {"media", "supports", "layer", "container"}


def _used(selector: str, words: set[str]) -> bool:
    """Whether every class and id that has to be there for the selector occurs as words.

    A browser keeps account of ``:has`` at every move of a lab: only our own stay, which are cheap (``inside``).
    """
    if ":has(" in selector and ".wf-" not in selector:
        return False
    names = NAME.findall(LISTS.sub("", selector))
    return all(set(WORD.findall(name.replace("\\", ""))) <= words for name in names)


def kept(rules: Iterable[Any], words: set[str]) -> Iterator[str]:
    """The rules that a page with these words can use, as text."""
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = [selector for selector in _selectors(rule.prelude) if _used(selector, words)]
            if selectors:
                yield f"{','.join(selectors)}{{{tinycss2.serialize(rule.content).strip()}}}"
        elif rule.type == "at-rule" and rule.content is not None and rule.lower_at_keyword in NESTED:
            inside = "".join(kept(tinycss2.parse_rule_list(rule.content, True, True), words))
            if inside:
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inside}}}"
        elif rule.type == "at-rule":
            yield rule.serialize()


def _selectors(prelude: list[Any]) -> list[str]:
    """The parts between commas, but not those inside of ``:is(a, b)``."""
    found: list[list[Any]] = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            found.append([])
        else:
            found[-1].append(token)
    return [tinycss2.serialize(part).strip() for part in found]


def _moved(css: str, folder: str) -> str:
    """Addresses in a sheet that stood in ``folder`` of the static files, seen from their root."""
    return ADDRESS.sub(lambda m: f"url({posixpath.normpath(posixpath.join(folder, m[2]))})", css)


def _sheet(static: Path, name: str, text: str, words: set[str]) -> str:
    """What is kept of a sheet and of those that it imports."""
    folder = posixpath.dirname(name)
    rules = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
    imports = [rule for rule in rules if rule.type == "at-rule" and rule.lower_at_keyword == "import"]
    inside = [posixpath.normpath(posixpath.join(folder, rule.prelude[1].value)) for rule in imports]
    imported = [_sheet(static, each, (static / each).read_text(encoding="utf-8"), words) for each in inside]
    return "\n".join([*imported, _moved("\n".join(kept((r for r in rules if r not in imports), words)), folder)])


def _faces(page: str) -> list[str]:
    """Those that the first window of a page is set in."""
    faces = [TYPE + "400", TYPE + "600"]
    if "<em>" in page:
        faces.append(TYPE + "400i")
    first = page.split("</section>", 1)[0]
    if 'class="katex"' in first or 'class="wf-formula"' in first:
        faces += FORMULAS
    return faces


def with_options(page: str, static: Path) -> str:
    """Ahead of its first sheet a page says what a script of its own, and more after it, would tell other scripts."""
    if not OPTIONS.search(page):
        return page
    options = (static / "documentation_options.js").read_text(encoding="utf-8")
    told = "".join(OPTION.findall(page))
    page = OPTION.sub("", OPTIONS.sub("", page))
    place = LINK.search(page)
    at = place.start() if place else page.index("</head>")
    return f"{page[:at]}<script>{options.strip()}{told}</script>\n{page[at:]}"


def timed(page: str) -> str:
    """Scripts of the theme and of Sphinx run ``LATER``, ours when the page has been read."""

    def one(script: re.Match[str]) -> str:
        attributes = script["attributes"]
        is_ours = f"/{FOLDER}/" in script["address"]
        if LATER in attributes or (is_ours and re.search(r"\b(?:defer|async)\b", attributes)):
            return script[0]
        return f"<script {'defer' if is_ours else LATER} {DEFER.sub('', attributes)}>"

    return SCRIPT.sub(one, page)


def _merge(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    root, static = Path(app.outdir), Path(app.outdir, "_static")
    others = [one.parent for one in root.glob("*/_static")]  # the book in another language has a sheet of its own
    pages = {
        file: file.read_text(encoding="utf-8")
        for file in sorted(root.rglob("*.html"))
        if not {static, *others} & {*file.parents}
    }
    linked = {file: [found[1] for found in LINK.finditer(text)] for file, text in pages.items()}
    fresh = {file: links for file, links in linked.items() if len(links) > 1}
    if not fresh:
        return
    book, memory = static / "book.css", root.parent / ".sheets.json"
    before = json.loads(memory.read_text()) if book.is_file() and memory.is_file() else {"of": "", "sheets": []}
    # Those of pages that stay, whose links are gone; then in the order of the page that has most
    sheets: dict[str, None] = dict.fromkeys(name for name in before["sheets"] if (static / name).is_file())
    for file, links in sorted(fresh.items(), key=lambda each: -len(each[1])):
        for link in links:
            inside = posixpath.normpath(posixpath.join(file.parent.relative_to(root).as_posix(), link.split("?")[0]))
            sheets[inside.removeprefix("_static/")] = None
    texts = {name: (static / name).read_text(encoding="utf-8") for name in sheets if not name.startswith("book.")}
    names = {word for text in texts.values() for name in NAME.findall(text) for word in WORD.findall(name)}
    scripts = {file: file.read_text(encoding="utf-8") for file in sorted(static.rglob("*.js"))}
    seen = Seen(root.parent / ".words", names)
    words = seen.among(AHEAD).union(*(seen.in_file(file, text) for file, text in {**pages, **scripts}.items()))
    inside_too = [file for file in sorted(static.rglob("*.css")) if file != book]  # those that a sheet imports
    made_of = fingerprint([Path(__file__), *inside_too], [list(texts), sorted(words)])
    if before["of"] != made_of:
        merged = "\n".join(_sheet(static, name, text, words) for name, text in texts.items())
        book.write_text(merged, encoding="utf-8")
        memory.write_text(json.dumps({"of": made_of, "sheets": [*texts]}))
    mark = hashlib.sha256(book.read_bytes()).hexdigest()[:8]
    for file, links in linked.items():
        if file not in fresh and links and links[0].endswith(f"book.css?v={mark}"):
            continue
        text = with_options(ASKED.sub("", pages[file]), static)
        text = timed(text)
        first = LINK.search(text)
        if first and links:
            up = "../" * (len(file.relative_to(root).parts) - 1)
            sheet = f'<link rel="stylesheet" href="{up}_static/book.css?v={mark}" />\n'
            link = AHEAD % (",".join(f'"{face}"' for face in _faces(text)), up) + sheet
            text = LINK.sub("", text[: first.start()]) + link + LINK.sub("", text[first.end() :])
            if text != pages[file]:
                file.write_text(text, encoding="utf-8")
                seen.has_changed(file)
    seen.keep()


def setup(app: Sphinx) -> None:
    """Merge when everything else is written."""
    app.add_js_file(f"{FOLDER}/later.js", loading_method="defer")
    app.connect("build-finished", _merge, priority=AFTER_OTHERS)
