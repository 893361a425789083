"""Links to parts of chapters that were written anew still find a place."""

from pathlib import Path

import pytest

COMMON = "the-question predict short-answer lab derivation try-it in-a-trained-model exercises sources"
ONCE = {
    "advantages": "answers-that-are-wrong take-the-causes-away-one-at-a-time what-an-lstm-changes",
    "dot_vs_additive": "the-comparison-of-2017 does-one-learn-better who-used-what-and-why-it-changed",
    "dropout_sites": (
        "answers-that-are-wrong before-it-is-added sample-it which-site-shakes-the-output-most "
        "the-rates-in-released-code a-trap-in-pytorch"
    ),
    "embedding_scale": (
        "answers-that-are-wrong a-factor-or-a-rate do-drowned-words-learn how-others-strike-the-balance"
    ),
    "framework": (
        "answers-that-are-wrong before-the-sum-or-after-it a-test-that-every-implementation-needs "
        "training-is-one-pass-writing-is-many bert-and-gpt-from-the-same-parts"
    ),
    "head_size": (
        "answers-that-are-wrong is-the-least-squares-fit-the-best-there-is what-the-ablation-of-2017-says "
        "six-lines-seven-minutes"
    ),
    "layer_norm": (
        "answers-that-are-wrong why-normalise-at-all a-norm-that-sees-the-future statistics-that-fluctuate "
        "post-norm-and-pre-norm-with-attention-and-without"
    ),
    "multi_head": "answers-that-are-wrong let-it-learn where-one-head-is-enough-after-all",
    "no_projections": "answers-that-are-wrong add-the-matrices-one-at-a-time repeat-the-attention",
    "qk_weights": (
        "answers-that-are-wrong what-one-matrix-forbids what-two-matrices-add which-generalises-better "
        "one-matrix-or-two-over-many-draws ex-qk-walk"
    ),
    "relative_positions": (
        "answers-that-are-wrong can-the-matrices-learn-it how-much-disorder-does-a-score-by-distance-survive "
        "what-was-reported"
    ),
    "softmax_saturation": "what-does-not-vanish answers-that-are-wrong",
    "weight_tying": "answers-that-are-wrong what-was-measured-and-what-others-do",
    "why_sqrt_dk": (
        "answers-that-are-wrong from-terms-to-the-variance-dk from-the-spread-to-the-weights "
        "four-gradients-and-which-one-you-mean a-whole-layer-at-initialisation so-what-is-the-disease "
        "why-not-divide-by-dk what-the-number-of-keys-does what-training-does-to-it "
        "the-experiment-with-ten-numbers-repeated the-honest-sweep "
        "multiplying-by-d-is-not-the-same-as-not-dividing a-hundred-million-products-for-one-histogram"
    ),
}


@pytest.mark.parametrize("chapter", ONCE)
def test_every_anchor_that_a_chapter_had_is_there(chapter: str, book_html: Path) -> None:
    page = (book_html / f"chapters/{chapter}.html").read_text(encoding="utf-8")
    names = f"{COMMON} {ONCE[chapter]}".split()
    assert [name for name in names if f'id="{name}"' not in page] == []
    assert [name for name in names if page.count(f'id="{name}"') > 1] == []
