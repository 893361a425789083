"""The picture on the screen is the one that is read back and kept still, and a move touches only what it changes."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from lab_cases import LABS, LIVELY, drags, random_states
from picture_svg import SVG, asked_of, panels_of
from some import some
from twins import differences_on
from whyformer.lab.host import still

SHOWN = """([name, state]) => {
  const lab = document.querySelector(`whyformer-lab[name="${name}"]`);
  lab.go(99);
  lab.set(state);
  const live = lab.querySelector(".wf-live");
  const style = getComputedStyle(live);
  const inside = live.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const kept = (element) => ({
    tag: element.tagName,
    attributes: Object.fromEntries([...element.attributes].map((a) => [a.name, a.value])),
    text: element.tagName === "text" ? element.textContent : "",
    inside: element.tagName === "text" ? [] : [...element.children].map(kept),
  });
  const panels = [...live.querySelectorAll(".wf-panel")];
  return {
    width: Math.floor(inside), em: parseFloat(style.fontSize),
    panels: panels.map((panel) => [panel.dataset.panel, [...panel.querySelector("svg").children].map(kept)]),
    maps: panels.map((panel) => panel.querySelectorAll("canvas").length),
  };
}"""


def kept(element):
    tag = element.tag.removeprefix(SVG)
    inside = [] if tag == "text" else [kept(child) for child in element if child.tag != f"{SVG}image"]
    return {
        "tag": tag,
        "attributes": dict(element.attrib),
        "text": "".join(element.itertext()) if tag == "text" else "",
        "inside": inside,
    }


@pytest.mark.parametrize("name", some(LABS))
def test_screen_and_text_have_the_same_shapes(name, visit, lab_pages):
    page = visit(lab_pages[name])
    for state in ({}, LIVELY.get(name, {}), *drags(LABS[name], 1, 29), *random_states(LABS[name], 2, 23)):
        lab = LABS[name](**state)
        seen = page.evaluate(SHOWN, [name, lab.state])
        asked = asked_of(lab)
        root = ElementTree.fromstring(still.draw(still.picture(asked), asked, "", seen["width"], seen["em"]))
        panels = panels_of(root)
        assert [
            [panel, [kept(child) for child in panels[panel] if child.tag != f"{SVG}image"]] for panel in panels
        ] == seen["panels"]
        assert sum(seen["maps"]) == sum(1 for _ in root.iter(f"{SVG}image"))


@pytest.mark.parametrize("name", some(LABS))
def test_a_state_that_is_there_already_changes_nothing(name, visit, lab_pages):
    page = visit(lab_pages[name])
    changes = page.evaluate(
        """async ([name, state]) => {
          const lab = document.querySelector(`whyformer-lab[name="${name}"]`);
          lab.set(state);
          let count = 0;
          const watch = new MutationObserver((all) => (count += all.length));
          const all = {subtree: true, childList: true, attributes: true, characterData: true};
          watch.observe(lab.querySelector(".wf-live"), all);
          lab.set(state);
          await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
          return count;
        }""",
        [name, LABS[name](**LIVELY.get(name, {})).state],
    )
    assert changes == 0


MAPS = (
    """(name) => [...document.querySelectorAll(`whyformer-lab[name="${name}"] canvas`)].map((map) => map.toDataURL())"""
)


@pytest.mark.parametrize("name", some(LABS))
def test_a_state_is_the_same_when_one_comes_back_to_it(name, visit, lab_pages):
    page = visit(lab_pages[name])
    states = [LABS[name](**state).state for state in (*drags(LABS[name], 1, 31), *random_states(LABS[name], 2, 37))]
    way = [*states, *reversed(states)]
    seen = [(page.evaluate(SHOWN, [name, state]), page.evaluate(MAPS, name)) for state in way]
    assert seen == seen[::-1]
    assert not differences_on(page, LABS[name], states)


def test_to_and_fro_over_the_same_states_computes_each_once(visit, lab_pages):
    name = "why_sqrt_dk/scale"
    counts = visit(lab_pages[name]).evaluate(
        """(name) => {
          const {labs} = WhyformerLabs, lab = labs.get(name);
          let count = 0;
          labs.set(name, {...lab, compute: (...given) => (count++, lab.compute(...given))});
          const first = document.querySelector(`whyformer-lab[name="${name}"]`);
          const other = first.cloneNode(true);
          other.querySelector(".wf-live").remove();
          first.replaceWith(other);
          const counts = [];
          for (const d_k of [64, 128, 64, 128, 256, 64]) {
            other.set({d_k});
            counts.push(count);
          }
          const {seed} = other.state;
          for (let i = 1; i <= 40; i++) other.set({seed: seed + i}); // more than are remembered
          other.set({seed});
          return [counts.map((at) => at - counts[0]), count - counts.at(-1)];
        }""",
        name,
    )
    assert counts == [[0, 1, 1, 1, 2, 2], 41]
