"""Checks for the exercises of the chapter."""

import numpy as np

from whyformer.lab.teach.exercise import Check, CheckRange

_cosine = np.cos(np.radians(60))
check_length = Check(
    1 / _cosine,
    {
        "That is the cosine. The own product is 1, the other is the length times the cosine.": _cosine,
        "At length 1 the own product, 1, is still twice the other.": 1.0,
        "You took the sine. A dot product has the cosine.": 1 / np.sin(np.radians(60)),
        "You squared: the length of token 2 enters the product once.": 1 / _cosine**2,
    },
)

check_self_weight = Check(
    1 / (1 + 99 * np.exp(-8)),
    {
        "You counted one other token. There are 99.": 1 / (1 + np.exp(-8)),
        "Nearly 1 it would be without the division. The lead is 64/8.": 1.0,
        "You counted 100 others; the token itself is one of the 100.": 1 / (1 + 100 * np.exp(-8)),
    },
    rtol=1e-5,
)

check_most = Check(
    3,
    {
        "Not all four: what can the longest one find that is larger than its own square?": 4,
        "Only one pair is not the most. Try one long token in the middle of three short ones.": 1,
        "One more is possible: the preset “all look at one”.": 2,
    },
)

check_d = CheckRange(
    7.5,
    11.0,
    hint="That is the d for x·x. Choose W_Q = W_K and read the dashed curve.",
    hinted=(3.0, 6.5),
)
