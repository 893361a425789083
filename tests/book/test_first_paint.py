"""One style sheet: what is kept of the rules, and what a page waits for."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import tinycss2
from whyformer_book.site.first_paint import LATER, LINK, _merge, _moved, kept, timed, with_options
from whyformer_book.site.used_selectors import Seen

WORDS = {"used", "id", "sm:flex", "sm", "flex", "w-1", "a", "deep"}


def rules(css: str) -> str:
    return "".join(kept(tinycss2.parse_stylesheet(css, True, True), WORDS))


@pytest.mark.parametrize(
    ("css", "left"),
    [
        (".used{a:b}", ".used{a:b}"),
        (".gone{a:b}", ""),
        ("#id .gone,p,.used>a{a:b}", "p,.used>a{a:b}"),
        ("p:not(.gone){a:b}", "p:not(.gone){a:b}"),
        ("p:not(:is(.gone,.too)) .used{a:b}", "p:not(:is(.gone,.too)) .used{a:b}"),
        (":is(.used,.gone) p{a:b}", ":is(.used,.gone) p{a:b}"),
        (r".sm\:flex,.w-1{a:b}", r".sm\:flex,.w-1{a:b}"),
        ("@media print{.gone{a:b}.used{c:d}}", "@media print{.used{c:d}}"),
        ("@media print{.gone{a:b}}", ""),
        ("@supports (a:b){@media print{.deep{c:d}}}", "@supports (a:b){@media print{.deep{c:d}}}"),
        ("@font-face{font-family:x}", "@font-face{font-family:x}"),
        ("@keyframes gone{from{a:b}}", "@keyframes gone{from{a:b}}"),
        ("[data-x=',']{a:b}", "[data-x=',']{a:b}"),
    ],
)
def test_rules_that_a_page_can_use_stay(css, left):
    assert rules(css).replace('"', "'") == left


def test_addresses_are_those_of_the_folder():
    css = "a{b:url(fonts/x.woff2)}c{d:url('../e.png')}f{g:url(\"data:image/png,h\")}i{j:url(#k)}"
    moved = _moved(css, "whyformer/katex")
    assert moved == (
        'a{b:url(whyformer/katex/fonts/x.woff2)}c{d:url(whyformer/e.png)}f{g:url("data:image/png,h")}i{j:url(#k)}'
    )


def test_links_are_found():
    page = '<link rel="icon" href="i" /><link rel="stylesheet" type="text/css" href="a.css?v=1" />\n<script src="b.js">'
    assert LINK.findall(page) == ["a.css?v=1"]


OURS = (
    '<script defer src="_static/whyformer/a.js">',
    '<script async src="../_static/whyformer/a.js">',
    "<script>",
    '<script type="application/json">',
)


@pytest.mark.parametrize(
    ("script", "on_a_page"),
    [
        ('<script src="a.js">', f'<script {LATER} src="a.js">'),
        ('<script defer="defer" src="a.js">', f'<script {LATER} src="a.js">'),
        ('<script id="x" src="a.js">', f'<script {LATER} id="x" src="a.js">'),
        ('<script src="_static/whyformer/a.js">', OURS[0]),
        *[(ours, ours) for ours in OURS],
    ],
)
def test_scripts_of_others_come_when_the_page_is_there(script, on_a_page):
    once = timed(script)
    assert once == on_a_page == timed(once)


def test_options_stand_in_the_page_ahead_of_its_sheet(tmp_path: Path) -> None:
    (tmp_path / "documentation_options.js").write_text("const DOCUMENTATION_OPTIONS = {};\n")
    sheet, told = '<link rel="stylesheet" href="a.css"/>', "DOCUMENTATION_OPTIONS.pagename = 'x';"
    page = f'<head>{sheet}<script src="../documentation_options.js?v=1"></script>\n<script>{told}</script><p>a</p>'
    once = with_options(page, tmp_path)
    assert once == f"<head><script>const DOCUMENTATION_OPTIONS = {{}};{told}</script>\n{sheet}<p>a</p>"
    assert with_options(once, tmp_path) == once


def test_the_sheet_is_merged_anew_when_a_sheet_one_that_it_imports_or_a_page_has_changed(tmp_path: Path) -> None:
    root = tmp_path / "html"
    static = root / "_static"
    static.mkdir(parents=True)
    files = {
        "_static/one.css": '@import "inside.css";\n.used{a:b}.later{c:d}',
        "_static/inside.css": ".used{e:f}",
        "_static/two.css": ".used{g:h}",
        "page.html": "".join(f'<link rel="stylesheet" href="_static/{name}.css"/>' for name in ("one", "two")) + "used",
    }
    app = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=root)

    def merged(**changed: str) -> tuple[str, int]:
        """What the sheet says after a build, and when it was written."""
        for name, text in files.items():
            (root / name).write_text(changed.get(name.split("/")[-1].split(".")[0], text))
        _merge(app, None)
        return (static / "book.css").read_text(), (static / "book.css").stat().st_mtime_ns

    first, then = merged()
    assert [word in first for word in ("a:b", "c:d", "e:f", "g:h")] == [True, False, True, True]
    assert merged() == (first, then)
    assert "e:i" in merged(inside=".used{e:i}")[0]
    assert "g:i" in merged(two=".used{g:i}")[0]
    assert "c:d" in merged(page=files["page.html"] + " later")[0]


def test_a_page_that_is_merged_already_stays_as_it_is(tmp_path: Path) -> None:
    root = tmp_path / "html"
    (root / "_static").mkdir(parents=True)
    (root / "_static/one.css").write_text(".used{a:b}")
    link, script = '<link rel="stylesheet" href="_static/one.css"/>', '<script src="a.js"></script>'
    (root / "old.html").write_text(2 * link + script + "used <em>")
    app = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=root)
    _merge(app, None)
    once = (root / "old.html").read_text()
    assert once.count("whyformer-sans") == 3 and once.count("wf-file") == once.count(LATER) == 1
    (root / "new.html").write_text(2 * link + "used")
    _merge(app, None)
    assert (root / "old.html").read_text() == once
    assert (root / "new.html").read_text().count("whyformer-sans") == 2


def test_a_page_that_stays_keeps_the_sheet_that_it_alone_has(tmp_path: Path) -> None:
    root = tmp_path / "html"
    (root / "_static").mkdir(parents=True)
    sheets = {name: f'<link rel="stylesheet" href="_static/{name}.css"/>' for name in ("all", "more", "own")}
    for name in sheets:
        (root / f"_static/{name}.css").write_text(f".{name}{{a:b}}")
    (root / "one.html").write_text("".join(sheets.values()) + "all more own")
    app = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=root)
    _merge(app, None)
    (root / "two.html").write_text(sheets["all"] + sheets["more"] + "all more")
    _merge(app, None)
    assert ".own{a:b}" in (root / "_static/book.css").read_text()


@pytest.mark.parametrize("name", ["chapters/intro.html", "chapters/why_sqrt_dk.html", "search.html"])
def test_a_page_waits_for_one_sheet_and_no_script(name, book_html):
    page = (book_html / name).read_text(encoding="utf-8")
    sheets = LINK.findall(page)
    assert len(sheets) == 1 and re.search(r"_static/book\.css\?v=\w{8}$", sheets[0])
    scripts = re.findall(r"<script[^>]*\bsrc=[^>]*>", page)
    assert scripts and all(re.search(rf"\b(defer|async)\b|{LATER}", tag) for tag in scripts)
    before, after = page.split(sheets[0])
    assert "const DOCUMENTATION_OPTIONS" in before and "<script>" not in after.split("</head>")[0]


def test_sheets_that_are_imported_are_inside_and_so_is_what_the_inline_script_names(book_html):
    sheet = (book_html / "_static/book.css").read_text(encoding="utf-8")
    assert "html.wf-file{" in sheet
    assert "@import" not in sheet and len(sheet) < 250_000
    for address in re.findall(r"url\((?!['\"]?data:|['\"]?#)['\"]?([^'\")]+)", sheet):
        assert (book_html / "_static" / address.split("?")[0].split("#")[0]).is_file(), address


def test_names_in_a_file_that_stays_as_it_is_are_remembered_and_all_else_is_looked_for(tmp_path: Path) -> None:
    memory, page, other = tmp_path / ".words", tmp_path / "a.html", tmp_path / "b.html"
    page.write_text("one two")
    other.write_text("two")
    names = {"one", "two", "four"}
    first = Seen(memory, names)
    assert [first.in_file(page, "one two"), first.in_file(other, "two")] == [{"one", "two"}, {"two"}]
    other.write_text("two, and a sheet")
    first.has_changed(other)
    first.keep()
    second = Seen(memory, names)
    assert [second.in_file(page, "not looked at"), second.in_file(other, "nor this")] == [{"one", "two"}, {"two"}]
    page.write_text("four words now")
    assert second.in_file(page, "four words now") == {"four"}
    assert Seen(memory, {"words"}).in_file(other, "words") == {"words"}
