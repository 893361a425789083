"""The committed bundle is what the sources give, is small, keeps to itself, and serves as script and as module."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from browser import serve, write_page
from whyformer.lab import declared
from whyformer.lab.lab import BUNDLE, _front_end

CODE = BUNDLE.parent.parent
NEEDS = "Node 18 or newer and the packages of code/package.json are needed: install Node, then run npm ci in code/"


@pytest.fixture(autouse=True, scope="module")
def _declarations():
    """The bundle is built from what Python declares now; the file is not in git."""
    written = declared.typescript()
    if not declared.FILE.is_file() or declared.FILE.read_text(encoding="utf-8") != written:
        declared.FILE.write_text(written, encoding="utf-8")


def node(*command: str, cwd: Path = CODE) -> subprocess.CompletedProcess[str]:
    assert shutil.which(command[0]) and (CODE / "node_modules/esbuild").is_dir(), NEEDS
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_the_committed_bundle_is_a_fresh_build(tmp_path):
    done = node("node", "build.mjs", str(tmp_path))
    assert done.returncode == 0, done.stderr
    built = {file.relative_to(tmp_path) for file in tmp_path.rglob("*.*")}
    committed = {file.relative_to(BUNDLE) for file in BUNDLE.rglob("*.*")}
    assert built == {file for file in committed if file.parts[0] != "katex"}
    assert re.findall("^---- (.*)$", (tmp_path / "LICENSES.txt").read_text(encoding="utf-8"), re.MULTILINE) == [
        "d3-array", "d3-path", "d3-shape", "lit-html", "minisearch"
    ]  # fmt: skip
    for file in built:
        assert (tmp_path / file).read_bytes() == (BUNDLE / file).read_bytes(), f"{file} is stale: run make bundle"


def test_the_bundle_is_small():
    """Script and style together; a notebook loads the type too."""
    sizes = {n: len(gzip.compress((BUNDLE / n).read_bytes(), 9)) for n in ("labs.js", "labs.css", "type.css")}
    assert sizes["labs.js"] + sizes["labs.css"] < 110_000 and sizes["type.css"] < 40_000


def test_the_bundle_names_no_address_and_no_folder_of_a_machine():
    files = [file for file in BUNDLE.rglob("*.*") if file.suffix in (".js", ".css") and "katex" not in file.parts]
    assert {"labs.js", "phone.js", "cards.css", "map.js"} <= {file.name for file in files}
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert "http://" not in text.replace("http://www.w3.org", "") and "https://" not in text and "//#" not in text
        assert str(CODE) not in text and "node_modules" not in text


@pytest.fixture
def empty_page(visit, tmp_path):
    page = tmp_path / "empty.html"
    page.write_text("<!doctype html><html lang=en><title>Empty</title><body></body></html>", encoding="utf-8")
    return visit(page.as_uri())


GLOBALS = "Object.getOwnPropertyNames(window)"


def test_one_global_is_left_and_three_elements(empty_page):
    before = set(empty_page.evaluate(GLOBALS))
    empty_page.add_script_tag(path=BUNDLE / "labs.js")
    # litHtmlVersions is a list of strings in which lit-html notes that it is there.
    assert set(empty_page.evaluate(GLOBALS)) - before == {"WhyformerLabs", "litHtmlVersions"}
    wanted = {"labs", "anywidget", "use_catalogue", "bits"}
    assert wanted <= set(empty_page.evaluate("Object.keys(WhyformerLabs)"))
    elements = ["whyformer-lab", "whyformer-predict", "whyformer-exercise"]
    defined = empty_page.evaluate("(names) => names.map((n) => typeof customElements.get(n))", elements)
    assert defined == ["function"] * 3
    assert empty_page.evaluate("document.body.children.length + document.head.querySelectorAll('style').length") == 0


def test_a_notebook_may_make_labs_while_its_page_still_opens(empty_page):
    made = "window.made = document.readyState + ' ' + typeof document.createElement('whyformer-lab').declare_lab"
    script = (BUNDLE / "labs.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    empty_page.set_content(f"<script>{script}</script><script>{made}</script>")
    assert empty_page.evaluate("window.made") == "loading function"


def test_a_second_evaluation_does_no_harm(visit, labs_site):
    page = visit((labs_site / "index.html").as_uri())
    page.wait_for_function("[...document.querySelectorAll('.wf-spoken')].every((spoken) => spoken.textContent)")
    before = page.evaluate("document.querySelector('main').innerHTML")
    page.evaluate("() => { window.first = customElements.get('whyformer-lab') }")
    page.add_script_tag(path=BUNDLE / "labs.js")
    assert page.evaluate("document.querySelector('main').innerHTML") == before
    assert page.evaluate("window.first === customElements.get('whyformer-lab')")
    page.evaluate("() => document.querySelectorAll('whyformer-lab').forEach((lab) => lab.go(99))")  # all on stage
    for lab in page.locator("whyformer-lab").all():
        slider = lab.locator("input[type=range]")
        if slider.count():
            slider.first.press("Home")
        before = lab.evaluate("(lab) => lab.state")
        if slider.count():
            slider.first.press("End")
        else:
            lab.locator("select").first.select_option(index=1)
        assert lab.evaluate("(lab) => lab.state") != before


def test_a_lab_may_be_made_moved_and_removed_by_a_script(visit, labs_site):
    """Moved, it keeps its state and goes on; removed, it hears nothing more."""
    page = visit((labs_site / "index.html").as_uri())
    gap = "document.querySelector('whyformer-lab[name=\"softmax_saturation/gap\"]')"
    page.evaluate(f"{gap}.set({{a: 3}})")
    page.evaluate(f"document.querySelector('main').append({gap})")
    lab = page.locator("whyformer-lab").last
    assert lab.evaluate("(lab) => [lab.state.a, lab.querySelectorAll('.wf-live').length]") == [3, 1]
    lab.locator("input[type=range]").press("End")
    assert lab.evaluate("(lab) => lab.state.a") == 12
    page.evaluate("""() => {
      window.kept = document.querySelector("main").lastElementChild;
      kept.set({a: 4});
      kept.remove();
      window.heard = new Promise((done) => addEventListener("hashchange", () => setTimeout(done)));
      location.hash = "#gap?a=5";
    }""")
    assert page.evaluate("heard.then(() => kept.state.a)") == 4
    page.evaluate("kept.set({a: 6}); document.querySelector('main').append(kept)")  # drawn again when it is back
    assert lab.evaluate("(lab) => [lab.state.a, lab.innerHTML.includes('NaN')]") == [6, False]
    page.evaluate("document.querySelector('main').append(document.createElement('whyformer-lab'))")
    assert "There is no lab named" in page.locator("whyformer-lab").last.inner_text()


def test_an_element_without_payload_or_with_an_unknown_name_says_so(visit, tmp_path):
    write_page(tmp_path, '<whyformer-lab name="no/<b>lab"></whyformer-lab><whyformer-lab></whyformer-lab>')
    page = visit((tmp_path / "index.html").as_uri())
    shown = page.locator("whyformer-lab [role=alert]").all_inner_texts()
    assert len(shown) == 2 and "no/<b>lab" in shown[0] and page.locator("whyformer-lab b").count() == 0


def test_it_is_an_es_module_with_one_more_line(visit, labs_site, tmp_path):
    script, _ = _front_end()
    (tmp_path / "labs.mjs").write_text(script, encoding="utf-8")
    (tmp_path / "index.html").write_text("<!doctype html><html lang=en><title>Module</title></html>", encoding="utf-8")
    assert script.startswith((BUNDLE / "labs.js").read_text(encoding="utf-8"))
    with serve(tmp_path) as base:
        page = visit(base + "/index.html")
        before = set(page.evaluate(GLOBALS))
        assert page.evaluate("import('./labs.mjs').then((m) => Object.keys(m.default))") == ["render"]
        assert page.evaluate("import('./labs.mjs?again').then((m) => typeof m.default.render)") == "function"
        left = set(page.evaluate(GLOBALS)) - before
        assert left == {"litHtmlVersions"}, "a module leaves no global of ours"
