"""The scale lab: one query, its keys, and what the divisor does to scores, weights and gradient.

Twin: ``scale_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Lab, Listed, Number, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array, softmax, softmax_jacobian
from whyformer.questions.why_sqrt_dk import many_draws

# Sixteen steps to an octave: 1, 2, ... 32, 34, ... 64, 68, ... 4096.
D_K = [*range(1, 33), *(2**octave * part // 16 for octave in range(5, 12) for part in range(17, 33))]
COMPANION_ROWS = 1000  # the first row of the law's generator used for the other queries of the batch
WALK_ENDS = (512, 4096)  # the walks go on to the first of these that d_k does not exceed
WALK_POINTS = 64
DIVISORS = {"1": "not divided", "sqrt": "÷ √dₖ", "d_k": "÷ dₖ"}
QUANTITIES = {
    "largest_weight": "largest weight",
    "entropy": "entropy of the weights (nats)",
    "largest_entry": "largest entry of the Jacobian",
    "gradient_q": "gradient at one query",
    "gradient_w_q": "gradient of the query matrix, 32 queries",
}


def movable(weights: Array) -> float:
    r"""The trace of the softmax Jacobian, :math:`\sum_j y_j (1 - y_j)`, over its maximum 1 - 1/n at equal weights."""
    return float((1 - weights @ weights) / (1 - 1 / len(weights)))


def compute(*, d_k: int, n_keys: int, divisor: str, rho: float, related: str, quantity: str, seed: int) -> Series:
    r"""One draw of a query and its keys at d_k, and the law over many draws.

    q has independent N(0, 1) components, key j is :math:`\rho_j q + \sqrt{1 - \rho_j^2}\, \varepsilon_j`, where
    :math:`\rho_j` is ``rho`` for every key (``related="all"``) or for the first alone (``"one"``). Components come from
    the counter-based generator at ``seed`` (q: stream 0; noise of key j: stream j), so a larger d_k extends the
    vectors. Scores are divided by 1, by the chosen ``divisor``, and for ``quantity`` by 1, sqrt(d_k) and d_k. The
    gradient at q is a root mean square over what may arrive at the weights (``many_draws.query_gradient``);
    ``gradient_w_q`` is the root mean square of 32 such gradients, the first that of this draw.

    * ``scores_unscaled``, ``scores_scaled`` (n_keys,): as they are, and divided
    * ``center_unscaled``, ``center_scaled``, ``spread_unscaled``, ``spread_scaled``: given q, the mean of the scores
      that all keys share, :math:`\rho\,|q|^2`, and their standard deviation, :math:`\sqrt{1 - \rho^2}\,|q|`, both
      divided likewise; with one related key :math:`\rho` is 0 here
    * ``weights_unscaled``, ``weights_scaled`` (n_keys,), ``jacobian_unscaled``, ``jacobian_scaled`` (n_keys, n_keys):
      of the softmax; ``largest_unscaled``, ``largest_scaled``: the largest weight; ``level``: the second largest
      over the largest, not divided; ``entry_unscaled``,
      ``entry_scaled``: the largest entry of the Jacobian; ``gradient``: its trace, divided by the chosen divisor, over
      its maximum 1 - 1/n_keys
    * ``walk_d_k`` (64,): sizes from 8 to 512, or to 4096 if d_k is larger; ``walks`` (n_keys, 64): the score of each
      key if vectors ended there, divided by the chosen divisor at that size; ``envelope_low``, ``envelope_high``
      (64,): one standard deviation on both sides of the mean of such scores, over all queries, divided likewise
    * ``drawn`` (3,): ``quantity`` in this draw for the divisors 1, sqrt(d_k), d_k; entropy in nats
    * ``law_low``, ``law_mid``, ``law_high``, ``law_mean`` (3, 13): its quantiles 10, 50 and 90 % and its mean over 200
      draws (``gradient_q``: 800; ``gradient_w_q``: 800 overlapping batches of 32), by divisor and d_k = 1, 2, ... 4096
    * ``mid_unscaled``, ``mid_scaled``: the median where d_k is nearest on that scale, for the divisors 1 and sqrt(d_k)
    """
    component = np.arange(d_k)
    q = normal(seed, 0, component)
    noise = normal(seed, 1 + np.arange(n_keys)[:, None], component)
    correlation = many_draws.correlations(rho, related, n_keys)
    length2 = q @ q
    scores = correlation * length2 + np.sqrt(1 - correlation**2) * (noise @ q)
    all_divisors = many_draws.divisors(d_k)
    chosen = all_divisors[list(DIVISORS).index(divisor)]
    shared = rho if related == "all" else 0.0

    drawn = np.empty(3)
    own = many_draws.Rows(np.full((1, 1, 1), length2), (noise @ q / np.sqrt(length2))[None, None])
    for i, by in enumerate(all_divisors):
        if quantity.startswith("gradient"):
            squares = many_draws.query_gradient(own, correlation, d_k, np.full((1, 1, 1), by)) ** 2
            if quantity == "gradient_w_q":
                others = many_draws.rows(seed, COMPANION_ROWS, many_draws.N_QUERIES - 1, [d_k], n_keys)
                more = many_draws.query_gradient(others, correlation, d_k, np.full((1, 1, 1), by)) ** 2
                squares = np.append(squares, more)
            drawn[i] = np.sqrt(squares.mean())
        else:
            drawn[i] = many_draws.measure(quantity, scores / by)

    end = min(each for each in WALK_ENDS if each >= d_k)
    walk_d_k = end // WALK_POINTS * np.arange(1, WALK_POINTS + 1)
    along = np.arange(end)
    long_q = normal(seed, 0, along)
    products = np.cumsum(normal(seed, 1 + np.arange(n_keys)[:, None], along) * long_q, axis=1)[:, walk_d_k - 1]
    lengths2 = np.cumsum(long_q**2)[walk_d_k - 1]
    walks = correlation[:, None] * lengths2 + np.sqrt(1 - correlation[:, None] ** 2) * products
    by_walk = np.array([many_draws.divisors(int(each)) for each in walk_d_k])[:, list(DIVISORS).index(divisor)]
    middle, width = shared * walk_d_k, np.sqrt((1 - shared**2) * walk_d_k)

    weights = [softmax(scores), softmax(scores / chosen)]
    jacobians = [softmax_jacobian(scores), softmax_jacobian(scores / chosen)]
    over_draws = many_draws.law(n_keys, rho, related, quantity)
    nearest = round(float(np.log2(d_k)))
    return {
        "scores_unscaled": scores,
        "scores_scaled": scores / chosen,
        "center_unscaled": shared * length2,
        "center_scaled": shared * length2 / chosen,
        "spread_unscaled": np.sqrt((1 - shared**2) * length2),
        "spread_scaled": np.sqrt((1 - shared**2) * length2) / chosen,
        "weights_unscaled": weights[0],
        "weights_scaled": weights[1],
        "largest_unscaled": weights[0].max(),
        "largest_scaled": weights[1].max(),
        "level": np.sort(weights[0])[-2] / weights[0].max(),
        "jacobian_unscaled": jacobians[0],
        "jacobian_scaled": jacobians[1],
        "gradient": movable(weights[1]),
        "entry_unscaled": jacobians[0].max(),
        "entry_scaled": jacobians[1].max(),
        "walk_d_k": walk_d_k.astype(float),
        "walks": walks / by_walk,
        "envelope_low": (middle - width) / by_walk,
        "envelope_high": (middle + width) / by_walk,
        "drawn": drawn,
        **{f"law_{name}": values.copy() for name, values in over_draws.items()},
        "mid_unscaled": over_draws["mid"][0, nearest],
        "mid_scaled": over_draws["mid"][1, nearest],
    }


#: Powers of two and some between: few enough for a page to compute what each shows ahead.
N_KEYS = (2, 3, 4, 6, 8, 10, 12, 16, 24, 32, 48, 64)


class ScaleLab(Lab):
    """Each key's score as a walk over d_k, the weights at one d_k, and what a gradient is over many draws."""

    title = "Scale lab"
    hint = ""
    sentence = (
        "At dₖ = {d_k} with {n_keys} keys, {divisor}: the largest weight is {largest_scaled:.2f}, and the weights are "
        "movable by {gradient:.0%}. If we do not divide, the largest is {largest_unscaled:.2f}."
    )
    cases = (
        (
            ("divisor == '1'",),
            "At dₖ = {d_k} with {n_keys} keys, {divisor}: the largest weight is {largest_unscaled:.2f}, and the "
            "weights are movable by {gradient:.0%}.",
        ),
    )
    columns = ("scores_unscaled", "scores_scaled", "weights_unscaled", "weights_scaled")
    row = "key"
    compute = staticmethod(compute)

    steps = (
        Step(
            "If we do not divide, the scores of this query have a standard deviation of {spread_unscaled:.1f}, and by "
            "luck one word has {largest_unscaled:.0%} of the weight.",
            asks="Drag the dashed line to 512. Do the words still share the weight?",
            moved=("d_k >= 256",),
            told_at={"d_k": 512},
            cases=(
                (
                    ("largest_unscaled < 0.5",),
                    "If we do not divide, the scores of this query have a standard deviation of {spread_unscaled:.1f}, "
                    "and here no word has half of the weight.",
                ),
                (
                    ("largest_unscaled >= 0.995",),
                    "If we do not divide, the scores of this query have a standard deviation of {spread_unscaled:.1f}, "
                    "and by luck one word has over 99 % of the weight.",
                ),
            ),
            when=("divisor == '1'",),
            shows=("walks", "weights"),
            narrow=2,
            controls=("d_k",),
        ),
        Step(
            "Here no word has half of the weight, although the scores have a standard deviation of "
            "{spread_unscaled:.1f}: by luck two words are nearly level.",
            asks="Find a dₖ at which no word has half of the weight.",
            state={"d_k": 512},
            moved=("largest_unscaled < 0.5",),
            told_at={"d_k": 8},
            cases=(
                (
                    ("largest_unscaled >= 0.5",),
                    "Here one word has more than half of the weight. If a score adds up few products, the scores lie "
                    "close together, and no word gets away from all others.",
                ),
                (
                    ("d_k < 16",),
                    "No word has half: a score adds up only {d_k} {d_k:product|products}, so the scores lie close "
                    "together, and no word gets away from all others.",
                ),
            ),
            when=("divisor == '1'", "level > 0.5"),
            shows=("walks", "weights"),
            narrow=2,
            controls=("d_k",),
        ),
        Step(
            "If we divide by √dₖ, the scores of this query have a standard deviation of {spread_scaled:.2f}: the fan "
            "becomes a narrow tube. The largest weight is {largest_scaled:.0%}.",
            asks="Divide by √dₖ. What becomes of the fan?",
            state={"d_k": 512},
            moved=("divisor == 'sqrt'",),
            told_at={"divisor": "sqrt"},
            cases=(
                (
                    ("divisor == '1'",),
                    "If we do not divide, the scores of this query have a standard deviation of {spread_unscaled:.1f}. "
                    "If we divide by √dₖ, the fan becomes a narrow tube.",
                ),
                (
                    ("divisor == 'd_k'",),
                    "If we divide by dₖ, the tube closes: the scores of this query have a standard deviation of "
                    "{spread_scaled:.2g}.",
                ),
            ),
            when=("divisor == 'sqrt'",),
            shows=("walks", "weights"),
            narrow=2,
            controls=("d_k", "divisor"),
        ),
        Step(
            "If we divide by dₖ, the words get almost equal shares: the largest weight is {largest_scaled:.1%}, and an "
            "equal share is 12.5 %. The head hardly chooses.",
            asks="Now divide by dₖ. Is that even better?",
            state={"d_k": 512, "divisor": "sqrt"},
            moved=("divisor == 'd_k'",),
            told_at={"divisor": "d_k"},
            cases=(
                (
                    ("divisor == 'd_k'", "largest_scaled >= 0.15"),
                    "If we divide by dₖ, the largest weight is {largest_scaled:.0%} at dₖ = {d_k}. At a larger dₖ all "
                    "words come closer to an equal share, 12.5 %.",
                ),
                (
                    ("divisor != 'd_k'",),
                    "At dₖ = {d_k}, {divisor}, the largest weight is {largest_scaled:.0%}. If we divide by dₖ, the "
                    "words get almost equal shares when dₖ is large.",
                ),
            ),
            when=("divisor == 'd_k'", "n_keys == 8", "largest_scaled < 0.15"),
            shows=("walks", "weights"),
            narrow=2,
            controls=("d_k", "divisor"),
        ),
        Step(
            "A typical query gets a gradient of {mid_unscaled:.2g} if we do not divide, and of {mid_scaled:.2g} if we "
            "divide by √dₖ: at this dₖ the division helps it.",
            asks="Drag dₖ to 512. Which arrow becomes longer than the other?",
            state={"d_k": 16, "quantity": "gradient_q"},
            moved=("d_k >= 256",),
            told_at={"d_k": 512},
            cases=(
                (
                    ("mid_unscaled < 0.01",),
                    "A typical query gets a gradient below 0.01 if we do not divide, and of {mid_scaled:.2g} if we "
                    "divide by √dₖ: at this dₖ the division helps it.",
                ),
                (
                    ("mid_unscaled >= mid_scaled",),
                    "A typical query gets a gradient of {mid_unscaled:.2g} if we do not divide, and of "
                    "{mid_scaled:.2g} if we divide by √dₖ. Here the division makes it smaller.",
                ),
            ),
            when=("quantity == 'gradient_q'", "mid_unscaled < mid_scaled"),
            shows=("medians",),
            controls=("d_k", "n_keys"),
        ),
        Step(
            "Over 32 queries the gradient of the query matrix is {mid_unscaled:.2g} if we do not divide, and "
            "{mid_scaled:.2g} if we divide: the few queries whose rows are soft have very large gradients.",
            asks="This is one typical query. Now take the query matrix, over 32 queries. Which arrow is longer?",
            state={"d_k": 512, "quantity": "gradient_q"},
            moved=("quantity == 'gradient_w_q'",),
            told_at={"quantity": "gradient_w_q"},
            cases=(
                (
                    ("quantity != 'gradient_w_q'",),
                    "The query matrix adds up many queries. Take it, over 32 queries: a few of them, whose rows are "
                    "soft, make its gradient larger if we do not divide.",
                ),
                (
                    ("mid_unscaled < 1.5 * mid_scaled",),
                    "Over 32 queries the gradient of the query matrix is {mid_unscaled:.2g} if we do not divide, and "
                    "{mid_scaled:.2g} if we divide. At a larger dₖ they differ more.",
                ),
            ),
            when=("quantity == 'gradient_w_q'", "mid_unscaled >= 1.5 * mid_scaled"),
            shows=("medians",),
            controls=("quantity", "d_k", "n_keys"),
        ),
    )

    d_k: Listed = Listed(default=8, values=D_K, label="dₖ", help="size of the query and of each key")
    n_keys: Listed = Listed(default=8, values=N_KEYS, label="keys", help="how many keys compete for the query")
    divisor: Choice = Choice(default="1", options=DIVISORS, label="divide the scores")
    rho: Number = Number(
        default=0.0,
        min=0.0,
        max=0.9,
        step=0.05,
        label="correlation with q",
        help="of the keys named beside; 0 at initialisation",
    )
    related: Choice = Choice(default="one", options={"one": "one key", "all": "every key"}, label="correlated keys")
    quantity: Choice = Choice(default="largest_entry", options=QUANTITIES, label="over many draws, show")
    seed: Seed = Seed(default=203, label="draw", help="which random query and keys")
