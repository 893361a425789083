"""Checks for the exercises of the chapter."""

import numpy as np

from whyformer.lab.teach.exercise import Check, CheckFunction

_d, _f = 768, 3072
check_layer = Check(
    4 * (_d * _d + _d) + (2 * _d * _f + _f + _d) + 2 * 2 * _d,
    {
        "You left out the biases of the four attention matrices or the two LayerNorms: each is 4 times 768.": (
            4 * _d * _d + 2 * _d * _f + _f + _d + 4 * _d
        ),
        "Those are the matrices. Biases and LayerNorms are missing.": 4 * _d * _d + 2 * _d * _f,
        "You multiplied by the heads. The 12 heads share the 768 columns.": 12 * 4 * _d * _d + 2 * _d * _f,
    },
)

check_scores = Check(
    8 * 5 * 7,
    {
        "That is one head.": 5 * 7,
        "That is the self-attention of the decoder: 5 queries, 5 keys.": 8 * 5 * 5,
        "That is the self-attention of the encoder: 7 queries, 7 keys.": 8 * 7 * 7,
        "Source and target are not joined to one sequence in this model.": 8 * 12 * 12,
    },
)

check_crossing = Check(
    2048,
    {
        "That is d_model. Set 4 n² d equal to 4 n d d_ff.": 512,
        "You counted a multiplication and an addition on one side only, or QKᵀ without the weighted sum.": 4096,
        "You counted the projections with the scores. The question asks for the two products with n² only.": 1024,
    },
)

check_passes = Check(
    21,
    {
        "Training needs one pass. In decoding the next input is the last output.": 1,
        "Count the end mark: it has to be produced too.": 20,
        "The encoder runs once, and not for each word.": 42,
    },
)


check_mask = CheckFunction(
    lambda n: np.tri(n, dtype=bool),
    {
        "It is wrong for one position, which sees itself, and that is all there is.": (1,),
        "It is wrong for 2 positions: the first must not see the second, and the second sees both.": (2,),
        "It is wrong for 5 positions: row t has True in columns 0 to t.": (5,),
    },
)
