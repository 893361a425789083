"""Links in the text move a lab: what moved is marked and told; far away the reader is taken there and can come back."""

from __future__ import annotations

import pytest
from browser import serve, write_page
from playwright.sync_api import Locator, Page, expect
from whyformer.questions.softmax_saturation import GapLab
from whyformer.questions.why_sqrt_dk import ScaleLab

CALM = "() => new Promise((done) => { let last; const look = () => { if (scrollY === last) return done(scrollY); \
last = scrollY; setTimeout(look, 120); }; look(); })"
FAR = '<p style="height: 2400px">Far away.</p>'
WINDOW = {"width": 1366, "height": 768}
BACK = "Back to where you were"


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    links = {
        "far": "#scale?d_k=96&n_keys=3", "step": "#scale:3?seed=9", "again": "#scale?d_k=96&n_keys=3",
        "gap": "#gap?a=3", "odd": "#scale?nothing=1", "nowhere": "#nolab?d_k=8", "elsewhere": "other.html#scale?d_k=8",
        "plainly": "#plain",
    }  # fmt: skip
    text = " ".join(f'<a href="{address}">{words}</a>' for words, address in links.items())
    near = '<a href="#scale?d_k=8">near</a> <a href="#scale:2?">nearly</a>'
    body = f"{FAR}<p>{text}</p>{FAR}<p>{near}</p>{ScaleLab().html()}{FAR}{GapLab().html()}"
    folder = write_page(tmp_path_factory.mktemp("journeys"), body).parent
    write_page(folder, ScaleLab().html(), name="other.html")
    with serve(folder) as address:
        yield address


@pytest.fixture
def page(visit, base) -> Page:
    return visit(f"{base}/index.html", viewport=WINDOW)


def lab(page: Page, name: str = "scale") -> Locator:
    return page.locator(f'whyformer-lab[name$="/{name}"]')


def link(page: Page, words: str) -> Locator:
    return page.get_by_role("link", name=words, exact=True)


def stand(page: Page, words: str = "far", top: int = 300) -> int:
    """With a link ``top`` pixels below the edge of the window; gives where the page stands."""
    link(page, words).evaluate("(a, top) => scrollTo(0, a.getBoundingClientRect().top + scrollY - top)", top)
    return page.evaluate("scrollY")


def marked(page: Page, name: str = "scale") -> list[str]:
    """The names of the controls that are marked."""
    fields = lab(page, name).locator(".wf-moved")
    return fields.evaluate_all("(all) => all.map((e) => e.querySelector('[name]')?.name ?? e.textContent.trim())")


def top_of(place: Locator) -> float:
    return place.evaluate("(e) => e.getBoundingClientRect().top")


def test_what_changed_is_marked_for_a_moment_and_told(page):
    page.clock.install()
    stand(page, "near", 10)
    link(page, "near").click()
    assert lab(page).evaluate("(lab) => [lab.state.d_k, lab.step]") == [8, 7]
    assert marked(page) == ["d_k", "d_k"], "what did not change is marked, or what changed is not"
    page.clock.run_for(1000)
    expect(lab(page).locator(".wf-spoken")).to_contain_text("Now dₖ = 8. At dₖ = 8 with 8 keys")
    page.clock.run_for(2000)
    assert marked(page) == []
    link(page, "near").click()  # it stands there already: what the link speaks of is shown again
    assert marked(page) == ["d_k", "d_k"]


def test_a_control_off_stage_is_marked_where_it_is_found(page):
    stand(page, "step")
    link(page, "step").click()
    assert lab(page).evaluate("(lab) => [lab.step, lab.state.seed]") == [3, 9]
    page.wait_for_function("document.querySelector('.wf-moved')")
    assert sorted(marked(page)) == ["More", "d_k", "divisor"]


def test_a_lab_in_sight_moves_where_it_is(page):
    before = stand(page, "near", 10)
    link(page, "near").press("Enter")
    assert page.evaluate(CALM) == before, "the page jumped"
    assert page.get_by_role("button", name=BACK).count() == 0
    expect(link(page, "near")).to_be_focused()
    assert page.url.endswith("#scale?d_k=8")


@pytest.mark.parametrize("by", ["button", "key", "browser"])
def test_a_lab_out_of_sight_is_gone_to_and_left_again(by, page):
    page.evaluate("window.same = true")
    before = stand(page)
    link(page, "far").press("Enter")
    back = lab(page).get_by_role("button", name=BACK)
    expect(back).to_be_focused()
    page.evaluate(CALM)
    assert lab(page).evaluate("(lab) => [lab.state.d_k, lab.state.n_keys]") == [96, 3]
    assert 0 <= top_of(lab(page)) < 120 and page.url.endswith("#scale?d_k=96&n_keys=3")
    {"button": back.click, "key": lambda: page.keyboard.press("Enter"), "browser": page.go_back}[by]()
    expect(link(page, "far")).to_be_focused()
    assert page.evaluate(CALM) == pytest.approx(before, abs=1)
    assert top_of(link(page, "far")) == pytest.approx(300, abs=1)
    assert page.get_by_role("button", name=BACK).count() == 0 and not page.url.endswith("n_keys=3")
    assert lab(page).evaluate("(lab) => lab.state.d_k") == 96, "the way back is the reader's, not the lab's"
    assert page.evaluate("window.same"), "the page was loaded again"


def test_the_same_link_works_twice_and_leads_back_each_time(page):
    for _ in range(2):
        before = stand(page)
        lab(page).evaluate("(lab) => lab.set({d_k: 4})")
        link(page, "again").click()
        assert lab(page).evaluate("(lab) => lab.state.d_k") == 96
        page.evaluate(CALM)
        lab(page).get_by_role("button", name=BACK).click()
        expect(link(page, "again")).to_be_focused()
        assert page.evaluate(CALM) == pytest.approx(before, abs=1)


def test_the_way_back_outlives_a_move_and_a_copied_address(page):
    before = stand(page)
    link(page, "far").click()
    page.evaluate(CALM)
    lab(page).evaluate("(lab) => { lab.set({d_k: 16}); history.replaceState(null, '', '#scale?d_k=16'); }")
    lab(page).get_by_role("button", name=BACK).click()
    expect(link(page, "far")).to_be_focused()
    assert page.evaluate(CALM) == pytest.approx(before, abs=1)


def test_only_the_lab_that_was_gone_to_offers_the_way_back(page):
    for words, name in (("far", "scale"), ("gap", "gap")):
        stand(page, words)
        link(page, words).click()
        expect(lab(page, name).get_by_role("button", name=BACK)).to_be_focused()
        assert page.get_by_role("button", name=BACK).count() == 1
        page.evaluate(CALM)
    page.go_back()
    page.evaluate(CALM)
    page.go_back()
    expect(link(page, "far")).to_be_focused()
    page.go_forward()
    page.wait_for_function("location.hash === '#scale?d_k=96&n_keys=3'")
    assert lab(page).evaluate("(lab) => lab.state.n_keys") == 3


def test_other_links_stay_what_they_are(page, base):
    stand(page)
    link(page, "odd").click()
    expect(lab(page).get_by_text("which this lab does not have")).to_be_visible()
    link(page, "nowhere").click()
    expect(page.get_by_text("which is not on this page")).to_be_attached()
    link(page, "plainly").click()
    page.wait_for_url("**/index.html#plain")
    with page.context.expect_page() as opened:
        link(page, "far").click(modifiers=["Control"])
    opened.value.close()
    link(page, "elsewhere").click()
    page.wait_for_url("**/other.html#scale?d_k=8")
    assert lab(page).evaluate("(lab) => lab.state.d_k") == 8


def test_what_moved_is_marked_when_the_reader_arrives_and_not_on_the_way(page):
    stand(page)
    link(page, "far").click()
    assert marked(page) == [] and lab(page).evaluate("(lab) => lab.state.d_k") == 96
    page.wait_for_function("document.querySelector('.wf-moved')")
    assert top_of(lab(page)) < 120 and marked(page) == ["d_k", "n_keys", "d_k"]


def test_those_who_want_no_motion_are_there_at_once_and_see_a_still_mark(page):
    page.emulate_media(reduced_motion="reduce")
    stand(page)
    link(page, "far").click()
    assert 0 <= top_of(lab(page)) < 120
    look = (
        lab(page)
        .locator(".wf-moved")
        .first.evaluate(
            "(e) => { const s = getComputedStyle(e); return [s.animationName, s.outlineStyle, s.outlineWidth]; }"
        )
    )
    assert look == ["none", "solid", "3px"]


@pytest.mark.parametrize("viewport", [{"width": 360, "height": 640}, {"width": 390, "height": 844}, WINDOW])
def test_the_way_back_leaves_the_stage_on_one_screen(viewport, visit, base):
    page = visit(f"{base}/index.html", viewport=viewport)
    stand(page, "step")
    link(page, "step").click()
    page.evaluate(CALM)
    live, back = lab(page).locator(".wf-live").bounding_box(), page.get_by_role("button", name=BACK).bounding_box()
    assert live["height"] < (561 if viewport["width"] == 360 else 641)  # less than a pixel more
    assert live["x"] <= back["x"] and back["x"] + back["width"] <= live["x"] + live["width"] <= viewport["width"]
