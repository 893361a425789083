"""No two words of a lab's picture touch, and none leaves its panel, at all widths in use."""

from __future__ import annotations

from itertools import combinations

import pytest
from lab_cases import LABS, LIVELY, random_states
from picture_svg import drawn, words_in_panel
from some import some
from whyformer.lab.words import language

WIDTHS = (1040, 660, 354, 324)  # of a lab on a page 1366 wide, in a cell of a notebook, on phones 390 and 360 wide


@pytest.fixture
def in_language(request):
    language(CASES[request.getfixturevalue("case")][1])
    yield
    language()


#: English on a page and on a phone, Chinese on a phone; make test-all tries both at all widths.
CASES = {f"{language} {width}": (width, language) for language in ("en", "zh") for width in WIDTHS}
AT_ONCE = ("en 1040", "en 354", "zh 354")


@pytest.mark.parametrize("case", some(CASES, AT_ONCE))
@pytest.mark.parametrize("name", LABS)
def test_no_words_touch_or_leave_their_panel(name, case, in_language):
    width, _ = CASES[case]
    for state in [{}, LIVELY.get(name, {}), *random_states(LABS[name], 6, width)]:
        for panel, (room, words) in words_in_panel(drawn(LABS[name](**state), width)).items():
            where = f"{panel} at {state}, {width} wide"
            for word, (left, _, right, _) in words:
                assert left >= -0.5 and right <= room + 0.5, f"{word!r} leaves {where}"
            for (one, a), (other, b) in combinations(words, 2):
                apart = min(a[2], b[2]) - max(a[0], b[0]) < 0.5 or min(a[3], b[3]) - max(a[1], b[1]) < 0.5
                assert apart, f"{one!r} and {other!r} touch in {where}"
