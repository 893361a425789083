"""How the gradients of fresh post-norm stacks with attention compare, first layer and last, by the width of the stream.

32 layers, 16 tokens, heads of at most 64 numbers, d_ff = 4 d; entries have variance 1 over the rows of their matrix.
"""

from __future__ import annotations

from typing import Any

from whyformer.questions.layer_norm import stacks

WIDTHS, LAYERS, TOKENS, STACKS = (16, 64, 256, 512), 32, 16, 12


def ratio(d: int, seed: int) -> float:
    """The length of the gradient at the first W_2 over that at the last, in one stack."""
    drawn = stacks.drawn(LAYERS, True, stacks=1, d=d, n=TOKENS, n_heads=max(2, d // 64), seed=seed)
    gradient = stacks.gradients("post", drawn)[0]
    return float(gradient[0] / gradient[-1])


def measured(widths: tuple[int, ...] = WIDTHS, count: int = STACKS) -> dict[str, Any]:
    """``first_over_last``: by width the ratio in each stack, in order of its size."""
    return {
        "widths": list(widths),
        "layers": LAYERS,
        "tokens": TOKENS,
        "first_over_last": [sorted(ratio(d, seed) for seed in range(count)) for d in widths],
    }
