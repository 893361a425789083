"""One head, two heads; and numbers that can be read: no sentence or picture says "1 heads" or "1048576 parameters"."""

from __future__ import annotations

import re

import pytest
from lab_cases import LABS, defaults
from whyformer.lab import Choice, Integer, Listed, Seed
from whyformer.lab.words import t

#: "1 heads", but not "1 of 7 places", "1 is left", "0.1 tokens".
SLIP = re.compile(
    r"(?<![\d.,·−/])1 (?!is\b|was\b|has\b|gives\b|less\b|of\b)[a-z]+s\b|(?<![\d.,·−/])1 of \d+ \w+ (give|have)\b"
)
WIDE = re.compile(r"(?<![\d.,])\d{6,}")
FORMATS = [
    ("{a:.1f} {a:head|heads}", [1, 2, 0, 0.5, -1]),
    ("{a:has its|have their} own", [1, 3]),
    ("{a:,d}", [0, 999, 1000, 63045632, -1234]),
    ("{a:,.0f}", [999.4, 1000, 1048576, -99999.5, 1e12]),
    ("{a:,.2f}", [0.125, 1234.567, -1234567.891, 999.995]),
    ("{a:,.4g}", [0, 0.012345, 63.0456, 999.96, 1234.5, 11959.47, 99999, 1e15, -123456, 0.00001]),
]


def states(kind, some: int) -> list[dict]:
    """Every value of every whole number and list, each with the rest at the default and at its smallest.

    Of a long range the first ``some``, where plurals are, and the last two, where long numbers are.
    """
    whole = {n: c for n, c in kind.controls().items() if isinstance(c, (Integer, Listed)) and not isinstance(c, Seed)}
    small = {n: c.min if isinstance(c, Integer) else c.values[0] for n, c in whole.items()}
    found = []
    for start in (defaults(kind), defaults(kind) | small):
        found.append(start)
        for name, control in kind.controls().items():
            if isinstance(control, Seed):
                values = range(20)  # counts of what is drawn
            elif isinstance(control, Integer):
                values = range(control.min, control.max + 1)
            elif isinstance(control, Listed):
                values = control.values
            elif isinstance(control, Choice):
                values = control.options
            else:
                continue
            if len(values) > some and not isinstance(control, Choice):
                values = [*values[: some - 2], *values[-2:]]
            found += [start | {name: value} for value in values]
    return found


TEXTS = """async (lab, states) => {
  const found = new Set();
  for (const state of states) {
    lab.set(state);
    const walk = document.createTreeWalker(lab.querySelector(".wf-live"), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) if (/\\d/.test(walk.currentNode.data)) found.add(walk.currentNode.data.trim());
    found.add(lab.description);
  }
  return [...found];
}"""


@pytest.mark.parametrize("some", [6, pytest.param(10**6, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", LABS)
def test_one_thing_is_one_thing_and_long_numbers_are_grouped(name, some, visit, lab_pages):
    page = visit(lab_pages[name])
    texts = page.locator("whyformer-lab").evaluate(TEXTS, states(LABS[name], some))
    assert len(texts) > 5
    wrong = [text for text in texts if SLIP.search(text) or WIDE.search(text)]
    assert not wrong, wrong[:5]


#: The gap lab with a series of one number, put on the page once more; what it says of that number in other words.
SAY = """([words, values]) => {
  const lab = document.querySelector('whyformer-lab[name="softmax_saturation/gap"]');
  const {compute} = WhyformerLabs.labs.get(lab.getAttribute("name"));
  const said = (state) => ({...compute(state), a: values[state.a]});
  WhyformerLabs.labs.set(lab.getAttribute("name"), {compute: said, view: () => []});
  const copy = document.createElement("whyformer-lab"), payload = lab.querySelector("script").cloneNode(true);
  copy.setAttribute("name", lab.getAttribute("name"));
  copy.append(payload);
  document.querySelector("main").append(copy);
  const sentence = JSON.parse(payload.textContent).declaration.sentence;
  WhyformerLabs.use_catalogue((english) => english === sentence ? words : english);
  return values.map((_, a) => { copy.set({a}); return copy.description; });
}"""


@pytest.mark.parametrize(("text", "values"), FORMATS, ids=[text for text, _ in FORMATS])
def test_both_languages_write_them_alike(text, values, visit, lab_pages):
    page = visit(lab_pages["softmax_saturation/gap"])
    assert page.evaluate(SAY, [text, values]) == [t(text, a=value) for value in values]


@pytest.mark.parametrize(
    ("text", "value", "said"),
    [
        ("{a} {a:head|heads}", 1, "1 head"),
        ("{a} {a:head|heads}", 2, "2 heads"),
        ("{a:.0f} of 4 {a:gives its|give their}", 1.0, "1 of 4 gives its"),
        ("{a:,d}", 63045632, "63,045,632"),
        ("{a:,.4g}", 11959.47, "11,960"),
        ("{a:,.4g}", -123456.0, "−123,500"),
        ("{a:,.4g}", 63.0456, "63.05"),
        ("{a:,.4g}", 999.96, "1,000"),
        ("{a:,.0f}", 999.5, "1,000"),
    ],
)
def test_what_is_said_in_python(text, value, said):
    assert t(text, a=value) == said
