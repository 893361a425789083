"""The built site: whole without a network, labs loaded where they are, formulas without scripts, no dead button."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from book_cases import ROOT
from whyformer.lab.discover import lab_classes

LOADED = {"src", "srcset", "poster", "data", "background", "xlink:href", "action", "formaction", "ping", "manifest"}
OUTSIDE = re.compile(r"(?:https?|wss?)://[\w-]+(?:\.[\w-]+)+[^\s\"'`)<>]*")
CSS_URL = re.compile(r"url\(\s*[\"']?([^\"')]*)|@import\s+[\"']([^\"']+)")
# Addresses in scripts that are never fetched: a namespace, and what comments and messages point to.
NAMES = (
    "http://www.w3.org/",
    "https://clipboardjs.com/",
    "https://developer.mozilla.org/",
    "https://pydata-sphinx-theme.readthedocs.io/",
)


class Page(HTMLParser):
    """What a browser does with a page: ``loads`` addresses, ``links`` to others, runs ``scripts``."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.open = ""
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        self.tags.append((tag, found))
        self.open = tag
        self.ids |= {found[name] for name in ("id", "name") if name in found}
        self.loads += [found[name] for name in LOADED & set(found)]
        self.styles.append(found.get("style", ""))
        if "href" in found:
            (self.links if tag in {"a", "area"} else self.loads).append(found["href"])

    def handle_endtag(self, tag: str) -> None:
        self.open = ""

    def handle_data(self, data: str) -> None:
        if self.open == "script":
            self.scripts.append(data)
        elif self.open == "style":
            self.styles.append(data)


@cache
def read(file: Path) -> Page:
    return Page(file.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def pages(book_html: Path) -> dict[str, Page]:
    found = {str(file.relative_to(book_html)): read(file) for file in sorted(book_html.rglob("*.html"))}
    chapters = {f"chapters/{file.stem}.html" for file in (ROOT / "chapters").glob("*.md")}
    assert chapters <= set(found)
    return {name: page for name, page in found.items() if not name.startswith(("_static", "zh/"))}


def local(book: Path, page: str, address: str) -> Path:
    """The file that a relative address on a page stands for."""
    return (book / page).parent / unquote(urlsplit(address).path)


def css_addresses(text: str) -> list[str]:
    return [first or second for first, second in CSS_URL.findall(text)]


def contacts(script: str) -> list[str]:
    """Outside addresses in a script that are not known to be mere names."""
    return [address for address in OUTSIDE.findall(script) if not address.startswith(NAMES)]


def test_no_outside_host_is_contacted(book_html: Path, pages: dict[str, Page]) -> None:
    scripts, sheets, outside = set(), set(), []
    for name, page in pages.items():
        for address in [*page.loads, *(a for style in page.styles for a in css_addresses(style))]:
            if re.match(r"[a-z]+:|//", address) and not address.startswith("data:"):
                outside.append((name, address))
            elif address.split("?")[0].endswith(".js"):
                scripts.add(local(book_html, name, address))
            elif address.split("?")[0].endswith(".css"):
                sheets.add(local(book_html, name, address))
        outside += [(name, address) for script in page.scripts for address in contacts(script)]
        assert not any(tag == "base" or "crossorigin" in found for tag, found in page.tags), name
        assert not any(found.get("type") == "module" for tag, found in page.tags if tag == "script"), name
    assert scripts and sheets
    outside += [(file.name, a) for file in scripts for a in contacts(file.read_text(encoding="utf-8"))]
    for sheet in sheets:
        addresses = css_addresses(sheet.read_text(encoding="utf-8"))
        outside += [(sheet.name, a) for a in addresses if re.match(r"(?!data:)[a-z]+:|//", a)]
    assert outside == []


def test_every_local_address_leads_somewhere(book_html: Path, pages: dict[str, Page]) -> None:
    """Scripts, styles, pictures, pages, downloads, and the anchors on pages (a state of a lab is no anchor)."""
    broken = []
    for name, page in pages.items():
        for address in [*page.loads, *page.links]:
            if re.match(r"[a-z]+:|//", address):
                continue
            path, fragment = urldefrag(address)
            file = local(book_html, name, path) if urlsplit(path).path else book_html / name
            if not file.is_file():
                broken.append((name, address))
            elif fragment and "?" not in fragment and file.suffix == ".html":
                if unquote(fragment) not in read(file.resolve()).ids:
                    broken.append((name, address))
    assert broken == []


def test_labs_are_loaded_once_and_only_where_they_are(pages: dict[str, Page]) -> None:
    with_labs = 0
    for name, page in pages.items():
        has_lab = any(tag.startswith("whyformer-") for tag, _ in page.tags)
        scripts = [found for tag, found in page.tags if tag == "script" and "labs.js" in found.get("src", "")]
        assert len(scripts) == int(has_lab), name
        assert all("defer" in found and re.search(r"\?v=\w+$", found["src"]) for found in scripts), name
        with_labs += has_lab
    assert with_labs >= 2


def test_the_book_shows_every_lab(pages: dict[str, Page]) -> None:
    shown = {found["name"] for page in pages.values() for tag, found in page.tags if tag == "whyformer-lab"}
    assert shown == set(lab_classes())


def test_no_page_carries_the_bundle_or_the_state_of_widgets(book_html: Path, pages: dict[str, Page]) -> None:
    bundle = (ROOT / "code/whyformer/bundle/labs.js").read_text(encoding="utf-8")
    some = bundle[len(bundle) // 2 :][:200]
    for name in pages:
        text = (book_html / name).read_text(encoding="utf-8")
        assert "application/vnd.jupyter.widget" not in text, name
        assert some not in text and some[:60].replace('"', '\\"') not in text, name


def test_formulas_are_rendered_and_no_script_is_needed(book_html: Path, pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        text = (book_html / name).read_text(encoding="utf-8")
        source = ROOT / name.replace(".html", ".md")
        has_math = 'class="katex"' in text
        assert not any(re.search("mathjax", part, re.IGNORECASE) for part in page.loads + page.scripts), name
        assert has_math or not source.is_file() or "$" not in source.read_text(encoding="utf-8"), name
        assert ("<math " in text) == has_math, name
        assert len(re.findall('class="math notranslate', text)) == text.count('class="katex"'), name
        assert "wf-math-error" not in text, name


def test_icons_are_all_drawn(pages: dict[str, Page]) -> None:
    drawn = set(re.findall(r"\.fa-([\w-]+) {", (ROOT / "code/whyformer_book/site/static/icons.css").read_text()))
    sizes = {"solid", "lg", "fw", "brands", "regular"}
    classes = " ".join(found.get("class", "") for page in pages.values() for _, found in page.tags)
    used = set(re.findall(r"\bfa-([\w-]+)", classes)) - sizes
    assert used and used <= drawn
    assert not any("fontawesome" in address for page in pages.values() for address in page.loads)


def test_every_chapter_offers_its_notebook_and_no_dead_button(book_html: Path, pages: dict[str, Page]) -> None:
    for file in (ROOT / "chapters").glob("*.md"):
        links = pages[f"chapters/{file.stem}.html"].links
        assert f"../notebooks/{file.stem}.ipynb" in links and "../whyformer-notebooks.zip" in links
        assert not any(re.search("binder|colab|hub/user-redirect", link) for link in links)
        assert "" not in links
        assert "Launch" not in (book_html / f"chapters/{file.stem}.html").read_text(encoding="utf-8").split("<main")[0]


def test_make_alone_lists_the_commands() -> None:
    listed = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for target in ("book", "check", "test", "test-all", "lab", "bench", "shots", "bundle", "lock", "clean"):
        assert re.search(rf"^ +make {target} +\S", listed, re.MULTILINE), target
