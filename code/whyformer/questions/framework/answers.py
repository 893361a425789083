"""Checks of the answers to exercises."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

import numpy as np

from whyformer.model import Config, initial
from whyformer.proof import Numbers, check, holds, same
from whyformer.questions.framework.checks import SOURCE, TARGET, flops
from whyformer.questions.framework.exercises import check_crossing, check_layer, check_mask, check_passes, check_scores


@check
def a_layer_of_bert(d: int = 768, f: int = 3072) -> Numbers:
    """We added up the matrices, the biases and the norms, and gave the sum to the exercise."""
    layer = 4 * (d * d + d) + 2 * d * f + f + d + 4 * d
    holds(check_layer.judge(layer).right)
    return {"7,087,872": layer, "85,054,464": 12 * layer}


@check
def weights_of_a_cross_attention() -> Numbers:
    """We ran a cross-attention of 8 heads on 5 and 7 tokens and counted its weights."""
    model = initial(Config(d_model=32, n_heads=8, d_ff=8, n_layers=1, vocabulary=20), np.random.default_rng(0))
    weights = model.decoder[0].cross.heads(model.embed(model.target, TARGET), model.encode(SOURCE)).weights
    holds(check_scores.judge(weights.size).right)
    return {"280": weights.size}


@check
def the_crossing(d_ff: int = 2048) -> Numbers:
    """We counted operations at that length: those that grow with the square, and the feed-forward network."""
    same(flops(2 * d_ff, "self_attention") / 2 - flops(d_ff, "self_attention"), flops(d_ff, "feed_forward"))
    holds(check_crossing.judge(d_ff).right)
    return {}


@check
def passes_for_a_sentence(words: int = 20) -> Numbers:
    """We gave the number of tokens with the end mark to the exercise."""
    holds(check_passes.judge(words + 1).right)
    return {"21": words + 1}


@check
def the_mended_mask() -> Numbers:
    """We gave both solutions, and the mask with the slip, to the check of the exercise."""
    with redirect_stdout(StringIO()):
        holds(check_mask(lambda n: np.tri(n, dtype=bool)))
        holds(check_mask(lambda n: np.arange(n)[None, :] <= np.arange(n)[:, None]))
        holds(not check_mask(lambda n: np.arange(n)[None, :] <= np.arange(n)[:, None] + 1))
    return {}
