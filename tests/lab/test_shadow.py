"""A lab in a shadow root, where marimo puts widgets: colours and measures of its style reach it there."""

from __future__ import annotations

from whyformer.lab.lab import _front_end
from whyformer.questions.softmax_saturation import GapLab

IN_SHADOW = """([css, html]) => {
  const host = document.createElement("div");
  document.body.append(host);
  const root = host.attachShadow({mode: "open"});
  const style = document.createElement("style");
  style.textContent = css;
  const place = document.createElement("div");
  place.innerHTML = html;
  root.append(style, place);
  const shown = getComputedStyle(place.firstElementChild);
  return ["--wf-score", "--wf-query-text", "--wf-face", "--wf-stroke"].map((name) => shown.getPropertyValue(name));
}"""


def test_colours_and_measures_reach_a_lab_in_a_shadow_root(visit):
    lab = GapLab()
    assert all(visit("about:blank").evaluate(IN_SHADOW, [_front_end()[1], lab.html()]))
