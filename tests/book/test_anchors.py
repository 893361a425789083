"""Links to parts of chapters that were written anew still find a place."""

from pathlib import Path

import pytest

COMMON = "the-question predict short-answer lab derivation try-it in-a-trained-model exercises sources"
ONCE = {
    "layer_norm": (
        "answers-that-are-wrong why-normalise-at-all a-norm-that-sees-the-future statistics-that-fluctuate "
        "post-norm-and-pre-norm-with-attention-and-without"
    ),
    "relative_positions": (
        "answers-that-are-wrong can-the-matrices-learn-it "
        "how-much-disorder-does-a-score-by-distance-survive what-was-reported"
    ),
    "softmax_saturation": "what-does-not-vanish answers-that-are-wrong",
    "why_sqrt_dk": (
        "answers-that-are-wrong from-terms-to-the-variance-dk from-the-spread-to-the-weights "
        "four-gradients-and-which-one-you-mean "
        "a-whole-layer-at-initialisation so-what-is-the-disease why-not-divide-by-dk what-the-number-of-keys-does "
        "what-training-does-to-it the-experiment-with-ten-numbers-repeated the-honest-sweep "
        "multiplying-by-d-is-not-the-same-as-not-dividing a-hundred-million-products-for-one-histogram"
    ),
}


@pytest.mark.parametrize("chapter", ONCE)
def test_every_anchor_that_a_chapter_had_is_there(chapter: str, book_html: Path) -> None:
    page = (book_html / f"chapters/{chapter}.html").read_text(encoding="utf-8")
    names = f"{COMMON} {ONCE[chapter]}".split()
    assert [name for name in names if f'id="{name}"' not in page] == []
    assert [name for name in names if page.count(f'id="{name}"') > 1] == []
