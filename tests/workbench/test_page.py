"""The workbench in a page that is opened as a file: it trains, and can be stopped; faults are in test_faults."""

import json
import re
from pathlib import Path

import pytest
from browser import serve
from page_cases import axe_finds_nothing
from webdriver import browse
from whyformer.workbench import EXPERIMENTS, TASKS, train
from whyformer_book.notebooks.convert import with_cells
from whyformer_book.notebooks.labels import Labels
from whyformer_book.notebooks.plain import Plain, Problem
from whyformer_book.pages.workbench import example, html
from workbench_cases import LONG, SHORT, lines, press, table, wait_until_trained, written

TOLD = re.compile(r"(-?[\d.]+) \[(-?[\d.]+), (-?[\d.]+)\]")


def test_it_trains_to_the_end_and_finds_what_python_finds(bench) -> None:
    page = bench(SHORT)
    assert lines(page, "thick") == 0 and [row[1] for row in table(page)] == ["–", "–"]
    press(page, "Train")
    wait_until_trained(page)
    summary = train(SHORT, progress=False).summary()
    for name, right, *_ in table(page):
        found = [float(each) for each in TOLD.fullmatch(right).groups()]
        assert found == pytest.approx(list(summary.loc[name, ["mean", "least", "most"]]), abs=0.006)
    assert lines(page, "thick") == 2 and lines(page, "thin") == 4
    page.get_by_label("second switch").check()
    wait_until_trained(page)
    assert len(table(page)) == 3 and lines(page, "dash-dotted") == 3
    page.get_by_label("second switch").uncheck()
    assert len(table(page)) == 2 and lines(page, "dash-dotted") == 0


def test_it_trains_longer_and_keeps_that(bench) -> None:
    page = bench(SHORT.change(long=24))
    press(page, "worse, but better than guessing")
    page.get_by_label("24 steps each").check()
    assert page.locator(".wf-bench-status").inner_text() == "2 seeds, 24 steps each"
    press(page, "Train")
    wait_until_trained(page)
    assert "After 24 steps" in page.locator(".wf-bench-bet").inner_text()
    summary = train(SHORT.change(steps=24), progress=False).summary()
    for name, right, *_ in table(page):
        assert float(TOLD.fullmatch(right)[1]) == pytest.approx(summary.loc[name, "mean"], abs=0.006)
    found = table(page)
    page.reload()
    assert page.get_by_label("24 steps each").is_checked() and table(page) == found
    page.get_by_label("24 steps each").uncheck()
    wait_until_trained(page)
    assert "After 12 steps" in page.locator(".wf-bench-bet").inner_text()
    press(page, "Reset")
    assert not page.get_by_label("24 steps each").is_checked()


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_on_a_phone_the_curves_come_into_sight(motion: str, bench) -> None:
    page = bench(EXPERIMENTS["divisor"], SHORT, viewport={"width": 390, "height": 700}, reduced_motion=motion)
    seen = """() => ['.wf-bench-train', '[data-panel=accuracy]'].every((one) => {
      const {top, bottom} = document.querySelector(one).getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    })"""
    assert not page.evaluate(seen)
    page.get_by_role("button", name="Train", exact=True).first.click()
    page.wait_for_function(seen)
    if motion != "reduce":
        return  # it may still move
    top = page.evaluate("scrollY")
    page.get_by_role("button", name="Stop").first.click()
    page.get_by_role("button", name="Train", exact=True).first.click()
    page.wait_for_timeout(300)
    assert page.evaluate("scrollY") == top, "what is in sight stays where it is"


def test_a_second_switch_with_another_job_shows_an_example_of_it(bench) -> None:
    page = bench(EXPERIMENTS["positions"], SHORT)
    assert page.locator(".wf-second").count() == 1, "the other has one job"
    second = page.locator("#task-positions .wf-second")
    assert second.is_hidden()
    page.get_by_label("second switch").first.check()
    rows = second.get_by_role("row").all_inner_texts()
    digits = " ".join(str(each) for each in TASKS["copy"].held_out(0, 1).tokens[0, :, 0])
    assert [" ".join(row.split()) for row in rows] == [f"reads {digits}", f"says {digits}"]
    assert TASKS["copy"].says in second.inner_text()
    page.get_by_role("button", name="Reset").first.click()
    assert second.is_hidden()


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["firefox", "webkit"])
def test_it_trains_from_a_file_in_other_browsers(name: str, tmp_path: Path) -> None:
    file = written(tmp_path, SHORT)
    with browse(name) as page:
        page.goto(file.as_uri())
        page.locator(".wf-bench-train").click()
        page.evaluate("""async () => {
          while (document.querySelector(".wf-bench-train").textContent !== "Train again")
            await new Promise((done) => setTimeout(done, 50));
        }""")
        summary = train(SHORT, progress=False).summary()
        for arm, right, *_ in table(page):
            assert float(TOLD.fullmatch(right)[1]) == pytest.approx(summary.loc[arm, "mean"], abs=0.006)


def test_a_bet_is_taken_before_the_first_training_and_judged_after_it(bench) -> None:
    page = bench(SHORT)
    press(page, "as good as with it")
    assert page.locator("[aria-pressed=true]").inner_text() == "as good as with it"
    press(page, "Train")
    wait_until_trained(page)
    assert page.locator(".wf-bench-bet strong").inner_text() in {"Right.", "Not so."}
    assert page.locator("[aria-pressed]:disabled").count() == 3
    press(page, "Reset")
    assert page.locator("[aria-pressed=false]").count() == 3 and lines(page, "thin") == 0


def test_it_stops_and_goes_on_and_takes_other_seeds(bench) -> None:
    page = bench(LONG.change(seeds=2))
    press(page, "Train")
    page.wait_for_function("/step [1-9]/.test(document.querySelector('.wf-bench-status').textContent)")
    press(page, "Stop")
    assert page.locator(".wf-bench-status").inner_text() == "Stopped at seed 1 of 2"
    page.evaluate("window.drawn = document.querySelector('[data-panel=accuracy]').innerHTML")
    page.wait_for_timeout(200)
    assert page.evaluate("drawn === document.querySelector('[data-panel=accuracy]').innerHTML"), "it went on"
    press(page, "Train")
    page.wait_for_function("drawn !== document.querySelector('[data-panel=accuracy]').innerHTML")
    press(page, "Reset")
    names = "[...document.querySelectorAll('[data-panel=\"map 0, 0\"] .wf-y-tick')].map((e) => e.textContent).join(' ')"
    before = page.evaluate(names)
    press(page, "Other seeds")
    assert page.evaluate(names) != before, "the example is another"
    example = TASKS["previous"].held_out(2, 1).tokens[0, :, 0]
    assert page.evaluate(names).split() == [str(each) for each in example]
    press(page, "Stop")


def test_of_two_on_a_page_one_trains_at_a_time(bench) -> None:
    page = bench(LONG, LONG)
    acts = page.locator(".wf-bench-train")
    acts.nth(0).click()
    acts.nth(1).click()
    assert acts.all_inner_texts() == ["Train", "Stop"]
    acts.nth(1).click()


def test_the_keyboard_does_all_and_keeps_its_place(bench) -> None:
    page = bench(SHORT)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.locator("[aria-pressed=true]").count() == 1
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    wait_until_trained(page)
    assert page.evaluate("document.activeElement.textContent") == "Train again"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_a_phone_needs_no_sideways_scrolling(scheme: str, visit, tmp_path: Path) -> None:
    written(tmp_path, EXPERIMENTS["divisor"].change(steps=4, every=2, seeds=2, tested=10))
    with serve(tmp_path) as address:  # axe-core reads style sheets by script
        page = visit(f"{address}/index.html", viewport={"width": 360, "height": 740}, color_scheme=scheme)
        axe_finds_nothing(page, scheme)
        page.get_by_label("second switch").check()
        press(page, "Train")
        wait_until_trained(page)
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        axe_finds_nothing(page, scheme)


def test_twenty_digits_fit_a_phone(bench) -> None:
    page = bench(EXPERIMENTS["longer_texts"], viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_with_less_motion_the_picture_moves_when_a_seed_ends(bench) -> None:
    page = bench(LONG.change(seeds=1), reduced_motion="reduce")
    press(page, "Train")
    page.wait_for_timeout(300)
    assert lines(page, "thin") == 0
    press(page, "Stop")


def test_without_a_script_the_page_gives_the_line_of_python(bench) -> None:
    page = bench(SHORT, java_script_enabled=False)
    shown = page.locator("whyformer-workbench").inner_text()
    assert SHORT.question in shown and 'train(EXPERIMENTS["one_matrix"]).plot()' in shown


def test_an_example_shows_what_is_read_and_said() -> None:
    cells = re.findall("<t[dh][^>]*>([^<]*)</t[dh]>", example("previous"))
    reads, says = cells[1:11], cells[12:]
    assert says == ["", *reads[:-1]]
    assert example("longer").count("wf-beyond") == 10 and "wf-beyond" not in example("twenty")
    pairs = re.findall(r"wf-reads[^>]*>([A-P])&nbsp;([\d?])", example("kv"))
    asked = next(key for key, value in pairs if value == "?")
    assert dict(pairs[:-1])[asked] == re.findall('wf-says">(.?)<', example("kv"))[-1]


def test_an_example_of_two_values_shows_both_in_the_order_in_which_they_are_asked() -> None:
    drawn = example("two_values")
    *pairs, asked = re.findall("wf-reads[^>]*>([^<]*)<", drawn)
    values = dict(pair.split("&nbsp;") for pair in pairs)
    assert len(values) == 6 and drawn.count("wf-meant") == 2
    said = re.findall('wf-says">([^<]+)<', drawn)
    assert said == ["&nbsp;".join(values[key] for key in asked.split("&nbsp;")[:2])]
    assert all(f'wf-meant">{key}' in drawn for key in asked.split("&nbsp;")[:2])


def test_a_notebook_has_a_cell_that_trains() -> None:
    from nbformat.v4 import new_markdown_cell
    from pybtex.database import BibliographyData

    plain = Plain("page", Labels(), BibliographyData(), {})
    text = plain.text("Before.\n\n```{workbench} divisor\n```\n\nAfter.")
    cells = with_cells(new_markdown_cell(text))
    assert [cell.cell_type for cell in cells] == ["markdown", "code", "markdown"]
    assert EXPERIMENTS["divisor"].question in cells[0].source and cells[2].source == "After."
    assert cells[1].source.endswith('train(EXPERIMENTS["divisor"]).plot()')
    with pytest.raises(Problem, match="there is no experiment 'x'; there are divisor, "):
        plain.text("```{workbench} x\n```")


def test_what_the_page_is_told_is_the_experiment() -> None:
    told = json.loads(re.search('<script type="application/json">(.*?)</script>', html(SHORT))[1])
    assert [one["arm"]["name"] for one in told["arms"]] == [arm.name for arm, _ in SHORT.arms()]
    assert (told["steps"], told["every"], told["seeds"]) == (12, 4, 2)
