"""The two-questions lab: one matrix for queries and keys, or two; scores, weights, and the walk they define.

Twin: ``two_questions_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Integer, Lab, Listed, Number, Over, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array, softmax

D_MODEL = 8
TEXTS = {
    "boy": ("I", "am", "a", "boy", "."),
    "dogs": ("dogs", "chase", "cats", "at", "night"),
    "gave": ("she", "gave", "him", "old", "books"),
}
# Streams of the generator: column c of W_Q is stream c, of the other matrix NEW + c; a word is WORD + its number.
NEW, TURN, STRETCH, WORD = 10, 20, 21, 100
VOCABULARY = [word for words in TEXTS.values() for word in words]


def matrices(mix: float, d_k: int, seed: int) -> tuple[Array, Array]:
    """W_Q, and W_K = ((1 - mix) W_Q + mix W_new) / sqrt((1 - mix)^2 + mix^2), both (8, d_k) with variance 1/8.

    More columns extend the matrices and leave the first ones as they are.
    """
    rows, columns = np.arange(D_MODEL)[:, None], np.arange(d_k)
    w_q, w_new = normal(seed, columns, rows) / D_MODEL**0.5, normal(seed, NEW + columns, rows) / D_MODEL**0.5
    return w_q, ((1 - mix) * w_q + mix * w_new) / ((1 - mix) ** 2 + mix**2) ** 0.5


def rewritten(w_q: Array, w_k: Array, form: str, seed: int) -> tuple[Array, Array]:
    """Other matrices with the same product W_Q W_K^T: W_Q R and W_K R^-T, or the product itself and the identity.

    R = H D, a reflection times a positive diagonal matrix, so R^-T = H D^-1.
    """
    d_k = w_q.shape[1]
    if form == "identity":
        return w_q @ w_k.T, np.eye(D_MODEL)
    if form == "turned":
        v, stretch = normal(seed, TURN, np.arange(d_k)), np.exp(0.5 * normal(seed, STRETCH, np.arange(d_k)))
        reflection = np.eye(d_k) - 2 * np.outer(v, v) / (v @ v)
        return w_q @ (reflection * stretch), w_k @ (reflection / stretch)
    return w_q, w_k


def embeddings(text: str, seed: int) -> Array:
    """(n, 8): standard normal, one vector for each word."""
    streams = np.array([WORD + VOCABULARY.index(word) for word in TEXTS[text]])
    return normal(seed, streams[:, None], np.arange(D_MODEL))


def stationary(chain: Array) -> Array:
    """Where a long walk with these transition weights (n, n; rows sum to 1, all positive) stands, from any start.

    By the elimination of Grassmann, Taksar and Heyman (1985), which never subtracts.
    """
    p = chain.copy()
    for last in range(len(p) - 1, 0, -1):
        p[:last, last] /= p[last, :last].sum()
        p[:last, :last] += np.outer(p[:last, last], p[last, :last])
    out = np.ones(len(p))
    for i in range(1, len(p)):
        out[i] = out[:i] @ p[:i, i]
    return out / out.sum()


def symmetric_share(matrix: Array) -> float:
    """Squared norm of (M + M^T) / 2 over that of M: 1 for a symmetric matrix, 0 for an antisymmetric one."""
    return (((matrix + matrix.T) / 2) ** 2).sum() / (matrix**2).sum()


def compute(*, text: str, mix: float, first: int, second: int, d_k: int, form: str, seed: int) -> Series:
    r"""Scores :math:`x_i W_Q W_K^\top x_j^\top / \sqrt{d_k}` of five words, and what a softmax over each row makes.

    ``text`` chooses the words, vectors of d_model = 8 standard normals; ``mix`` goes from W_K = W_Q (0) to an
    independent W_K (1); ``form`` writes the same product W_Q W_K^T with other matrices; ``first`` and ``second`` are
    words A and B, counted from 1; ``d_k`` is the number of columns, ``seed`` the draw. A walk goes from word i to word
    j with probability :math:`A_{ij}`, the weight.

    * ``scores``, ``weights`` (5, 5); ``score_there``, ``weight_there``: of A for B; ``score_back``, ``weight_back``: of
      B for A; ``smallest_self``: the smallest score of a word with itself
    * ``uneven``: the larger of the pair's weights over the smaller; ``weight_sum``: both together
    * ``sums`` (5, 5): :math:`A_{ij} + A_{ji}`; ``largest_sum``: the largest of two different words, which is at most 1
      with one matrix
    * ``walk`` (5,): the share :math:`\pi_i` of its time that a long walk stands on word i; ``steps`` (5, 5):
      :math:`\pi_i A_{ij}`; ``row_share`` (5,): the row sums of exp(scores) over their sum, equal to ``walk`` when
      scores are symmetric; ``unbalanced_percent``: half the sum of :math:`|\pi_i A_{ij} - \pi_j A_{ji}|`
    * ``query_matrix``, ``key_matrix`` (8, d_k), or (8, 8) for the form ``identity``; ``product`` (8, 8): W_Q W_K^T
    * ``symmetric_percent``, ``product_symmetric_percent``: share of the squared norm of the scores, of the product,
      that is symmetric
    """
    w_q, w_k = rewritten(*matrices(mix, d_k, seed), form, seed)
    x = embeddings(text, seed)
    product = w_q @ w_k.T
    scores = (x @ w_q) @ (x @ w_k).T / d_k**0.5
    weights = softmax(scores)
    row_sums = np.exp(scores).sum(1)
    walk = stationary(weights)
    steps = walk[:, None] * weights
    a, b = first - 1, second - 1
    sums = weights + weights.T
    both = weights[a, b], weights[b, a]
    return {
        "scores": scores,
        "weights": weights,
        "sums": sums,
        "steps": steps,
        "row_share": row_sums / row_sums.sum(),
        "walk": walk,
        "query_matrix": w_q,
        "key_matrix": w_k,
        "product": product,
        "score_there": scores[a, b],
        "score_back": scores[b, a],
        "weight_there": weights[a, b],
        "weight_back": weights[b, a],
        "weight_sum": sums[a, b],
        "uneven": max(both) / min(both),
        "largest_sum": sums[~np.eye(len(sums), dtype=bool)].max(),
        "smallest_self": scores.diagonal().min(),
        "symmetric_percent": 100 * symmetric_share(scores),
        "product_symmetric_percent": 100 * symmetric_share(product),
        "unbalanced_percent": 50 * np.abs(steps - steps.T).sum(),
    }


class TwoQuestionsLab(Lab):
    """One matrix for queries and keys makes scores symmetric, and not weights; two matrices need no symmetry."""

    title = "Two-questions lab"
    hint = ""
    sentence = (
        "Word {first} to word {second}: score {score_there:.2f}, weight {weight_there:.2f}. Back: score "
        "{score_back:.2f}, weight {weight_back:.2f}. The two weights together: {weight_sum:.2f}."
    )
    columns = ("row_share", "walk")
    row = "word"
    compute = staticmethod(compute)

    steps = (
        Step(
            "One matrix: both scores of a pair are equal, here {score_there:.2f}. The weights are {weight_there:.2f} "
            "there and {weight_back:.2f} back. In at least 50 % of all draws one is more than 1.5 times the other.",
            shows=("weights", "scores"),
            controls=("seed",),
            when=("symmetric_percent > 99.9999", "uneven > 1.5"),
            over=Over(seeds=100, near=({"d_k": 8}, {"d_k": 2}, {"text": "dogs"}), share=0.5),
        ),
        Step(
            "One matrix, and no two words look mostly at each other: weight there and weight back add up to at most 1. "
            "The largest sum of these five words is {largest_sum:.2f}.",
            shows=("sums", "weights"),
            controls=("text", "seed"),
            when=("mix == 0", "largest_sum < 1"),
            over=Over(seeds=100, near=tuple({"text": text, "d_k": d_k} for text in TEXTS for d_k in (1, 2, 4, 8))),
        ),
        Step(
            "Break the limit, in a draw chosen for it: slide towards two matrices until this pair's two weights add up "
            "to more than 1.",
            shows=("arrows",),
            controls=("mix",),
            goal=("weight_sum > 1",),
            solution={"mix": 1.0},
            learned="With two matrices two words can look mostly at each other, which one matrix forbids.",
        ),
        Step(
            "Now walk, from word to word, each step with its weight as probability. With one matrix each way is taken "
            "as often as the way back: the table is symmetric again.",
            shows=("steps", "standing"),
            controls=("seed",),
            when=("mix == 0", "unbalanced_percent < 1e-6"),
            over=Over(seeds=40, near=({"d_k": 8}, {"text": "dogs"}, {"text": "gave", "d_k": 1})),
        ),
        Step(
            "With two matrices the walk goes round in circles: {unbalanced_percent:.0f} % of its steps are not matched "
            "by a step back, and more than 5 % in at least 90 % of all draws.",
            state={"mix": 1.0},
            shows=("steps", "standing"),
            controls=("mix", "seed"),
            when=("unbalanced_percent > 5",),
            over=Over(seeds=100, near=({"d_k": 8}, {"text": "dogs"}, {"text": "gave"}), share=0.9),
        ),
    )

    text: Choice = Choice(
        default="boy", options={name: " ".join(words) for name, words in TEXTS.items()}, label="words"
    )
    mix: Number = Number(
        default=0.0,
        min=0.0,
        max=1.0,
        step=0.05,
        label="from one matrix to two",
        help="0: W_K = W_Q; 1: independent of W_Q",
    )
    first: Integer = Integer(
        default=3, min=1, max=5, label="word A", help="its place in the sentence; or click on a cell"
    )
    second: Integer = Integer(
        default=4, min=1, max=5, label="word B", help="its place in the sentence; or click on a cell"
    )
    d_k: Listed = Listed(default=4, values=[1, 2, 4, 8], label="dₖ", help="d_model is 8")
    form: Choice = Choice(
        default="drawn",
        options={"drawn": "W_Q and W_K", "turned": "W_Q R and W_K R⁻ᵀ", "identity": "W_Q W_Kᵀ and identity"},
        label="the same scores from",
    )
    seed: Seed = Seed(default=739, label="draw", help="which random words and matrices")
