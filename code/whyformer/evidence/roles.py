"""The running sentence of the book in three trained heads, with their query and key matrices and without. Pure.

Head by head: the scores of its queries and keys, and those that the vectors which enter its layer would have with each
other, used as they are.
"""

from __future__ import annotations

from typing import Any

from whyformer.evidence.trained import activations, in_double
from whyformer.maths import scores
from whyformer.model.weights import MiniLM

SENTENCE = "The cat sat because it was tired."
HEADS = {"who": (4, 2), "how": (3, 2), "before": (1, 3)}  #: layer and head, counted from 1


def measured(mini: MiniLM) -> dict[str, Any]:
    """For each head its scores (n, n), divided by sqrt(d_k), and those of the layer's input, divided by sqrt(d)."""
    mini = mini._replace(bert=in_double(mini.bert))
    ((hidden, layers),) = activations(mini, [SENTENCE])
    heads = {}
    for name, (layer, head) in HEADS.items():
        x, by_head = hidden[layer - 1], layers[layer - 1]
        heads[name] = {"with": scores(by_head.q[head - 1], by_head.k[head - 1]), "without": scores(x, x)}
    return {"sentence": SENTENCE, "tokens": mini.tokenizer(SENTENCE).words[0], "heads": heads}
