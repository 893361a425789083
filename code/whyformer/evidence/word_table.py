"""The table of word vectors of all-MiniLM-L6-v2, row by row: lengths, directions, and whose product is the largest.

The vocabulary has 30,522 tokens. Those with the numbers 1 to 99 and 104 to 998 are places kept free, which no text
contains; from 1996 on there are words and pieces of words.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from whyformer.maths.softmax import Array, Integers
from whyformer.model.weights import MiniLM

FIRST_WORD, GROUPS, BLOCK = 1996, 6, 512
UNUSED = np.r_[1:100, 104:999]
BEHIND = 1e-6  # by how much a row's product with itself has to be exceeded


def word_groups(vocabulary: int) -> list[Integers]:
    """The numbers of words and pieces in six groups of nearly equal size, in the order of the vocabulary."""
    return np.array_split(np.arange(FIRST_WORD, vocabulary), GROUPS)


def mean_cosine(rows: Array) -> float:
    """Mean over all pairs of different rows (k, d) of the cosine between them."""
    directions = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    k = len(rows)
    return float(((directions.sum(0) ** 2).sum() - k) / (k * (k - 1)))


def lost_rows(table: Array, ids: Integers) -> int:
    """For how many of these rows another row of the table has a larger product with it than it has with itself."""
    lost = 0
    for start in range(0, len(ids), BLOCK):
        some = ids[start : start + BLOCK]
        products = table[some] @ table.T
        lost += int((products.max(1) > products[np.arange(len(some)), some] + BEHIND).sum())
    return lost


def word_table(mini: MiniLM, texts: list[str]) -> dict[str, Any]:
    """By group, the unused tokens first and then words in the order of the vocabulary.

    * ``first``, ``rows``: number of the first token, and how many; ``occur``: how many tokens of the sentences
    * ``length``, ``shortest``, ``longest``: of the rows; ``cosine``: mean over pairs within the group;
      ``with_unused``: mean cosine with the mean row of the unused
    * ``words``, ``lost``: words and pieces in all, and for how many another row has the larger product
    """
    table = np.asarray(mini.bert.tokens, float)
    lengths = np.linalg.norm(table, axis=1)
    towards = table[UNUSED].mean(0)
    towards /= np.linalg.norm(towards)
    tokens = np.concatenate([mini.tokenizer(text).ids[0][1:-1] for text in texts])
    groups = [UNUSED, *word_groups(len(table))]
    return {
        "first": [int(group[0]) for group in groups],
        "rows": [len(group) for group in groups],
        "occur": [int(np.isin(tokens, group).sum()) for group in groups],
        "length": [lengths[group].mean() for group in groups],
        "shortest": [lengths[group].min() for group in groups],
        "longest": [lengths[group].max() for group in groups],
        "cosine": [mean_cosine(table[group]) for group in groups],
        "with_unused": [(table[group] @ towards / lengths[group]).mean() for group in groups],
        "words": len(table) - FIRST_WORD,
        "lost": lost_rows(table, np.arange(FIRST_WORD, len(table))),
    }
