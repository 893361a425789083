"""Projector mode on the book's own pages: the contents open and close, and links out of it do not carry it along."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from browser import press, serve, write_page
from playwright.sync_api import expect

CHAPTER, SCALE = "chapters/softmax_saturation.html", "chapters/why_sqrt_dk.html"


@pytest.fixture(scope="module")
def book(book_html):
    with serve(book_html) as base:
        yield base


@pytest.fixture(scope="module")
def scale_site(lab_html, tmp_path_factory):
    with serve(write_page(tmp_path_factory.mktemp("scale"), lab_html["why_sqrt_dk/scale"]).parent) as base:
        yield base


def screen(width: int) -> dict:
    return {"viewport": {"width": width, "height": 800}}


@pytest.mark.parametrize("width", [390, pytest.param(960, marks=pytest.mark.thorough), 1280])
def test_the_contents_of_the_book_open_and_close(width, visit, book):
    page = visit(f"{book}/{CHAPTER}?projector", **screen(width))
    link = page.get_by_role("link", name="Why several heads?", exact=True).first
    toggle = page.locator(".primary-toggle")
    expect(link).to_be_hidden()
    toggle.click()
    link.scroll_into_view_if_needed()
    expect(link).to_be_in_viewport()
    if width < 992:  # a modal dialog: it ends by Escape
        page.keyboard.press("Escape")
    else:
        toggle.click()
    expect(link).to_be_hidden()
    toggle.click()  # and nothing is left that would swallow a click
    link.click()
    page.wait_for_url("**/multi_head.html")
    assert page.evaluate("document.documentElement.classList.contains('wf-projector')")


@pytest.mark.parametrize("width", [390, pytest.param(960, marks=pytest.mark.thorough), 1280])
def test_the_sections_of_the_page_are_in_its_contents_and_a_choice_is_seen(width, visit, book):
    page = visit(f"{book}/{CHAPTER}?projector", **screen(width))
    link = page.locator(".bd-sidebar-primary").get_by_role("link", name="Exercises", exact=True)
    toggle = page.locator(".primary-toggle")
    expect(link).to_be_hidden()
    toggle.click()
    expect(link).to_be_in_viewport()
    link.click()
    expect(page.locator("#exercises h2")).to_be_in_viewport()
    if width >= 992:
        toggle.click()
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(link).to_be_hidden()
    page.locator("whyformer-predict label").first.click(timeout=3000)


def test_without_projector_the_bars_are_the_theme_s(visit, book):
    page = visit(f"{book}/{CHAPTER}", **screen(1280))
    link = page.get_by_role("link", name="Why several heads?", exact=True).first
    expect(link).to_be_visible()
    page.locator(".primary-toggle").click()
    expect(link).to_be_hidden()


@pytest.mark.parametrize(
    ("query", "kept"),
    [("?projector=on", ""), ("?a=1&projector&b=%2C", "?a=1&b=%2C"), ("?x", "?x")],
)
def test_a_copied_link_leaves_the_projector_behind(query, kept, visit, scale_site):
    page = visit(f"{scale_site}/index.html{query}", permissions=["clipboard-read", "clipboard-write"])
    lab = page.locator("whyformer-lab")
    lab.evaluate("(lab) => lab.set({d_k: 32})")
    press(lab, "Copy link")
    expect(lab.locator(".wf-notes p")).to_contain_text("Copied:")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url == f"{scale_site}/index.html{kept}#scale:1?d_k=32&ask"
    assert link in lab.locator(".wf-notes p").inner_text()


def test_a_link_is_copied_from_a_file_in_projector_mode(visit, book_html):
    page = visit(f"{(book_html / SCALE).as_uri()}?projector")
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('denied')) }")
    lab = page.locator('whyformer-lab[name="why_sqrt_dk/scale"]').first
    press(lab, "Copy link")
    expect(lab.locator(".wf-notes p")).to_have_text(f"Copy this: {(book_html / SCALE).as_uri()}#scale:1?ask")
    assert page.url.endswith(".html#scale:1?ask")


@pytest.mark.parametrize(
    ("scheme", "asked"),
    [
        ("http", "?projector&a=%20#where-next"),
        ("file", "?projector&a=%20#where-next"),
        ("file", "#where-next"),
        ("http", ""),
    ],
)
def test_the_front_door_carries_query_and_fragment(scheme, asked, visit, book, book_html):
    base = book if scheme == "http" else book_html.resolve().as_uri()
    page = visit(f"{base}/index.html{asked}")
    page.wait_for_url("**/chapters/intro.html*")
    address = urlsplit(page.url)
    wanted = urlsplit(asked)
    # The theme writes the query anew, in its own spelling.
    found, query = (parse_qsl(each.query, keep_blank_values=True) for each in (address, wanted))
    assert found == query
    assert address.fragment == wanted.fragment
    page.wait_for_load_state()
    assert page.evaluate("document.documentElement.classList.contains('wf-projector')") == ("projector" in asked)


def test_the_front_door_opens_without_javascript(visit, book_html):
    page = visit((book_html / "index.html").as_uri(), java_script_enabled=False)
    page.wait_for_url("**/chapters/intro.html")
