"""The checks of the chapter: what its sentences say, tried out."""

from __future__ import annotations

import numpy as np

from whyformer import evidence
from whyformer.maths import (
    attention,
    attention_gradients,
    softmax,
    softmax_jacobian,
    softmax_jacobian_max,
    softmax_jacobian_norm,
    softmax_vjp,
)
from whyformer.proof import Numbers, always_close, always_larger, check, clearly_larger, draws, holds, reporter, same

report = reporter(__name__)

#: Numbers of logits at which a statement about any number of them is tried.
COUNTS = (2, 5, 64, 512, 4096)


def entry(logits: np.ndarray) -> float:
    """The largest entry of the Jacobian."""
    return float(softmax_jacobian_max(logits))


def led(lead: float, n: int) -> np.ndarray:
    """Logits of which one leads n - 1 equal ones."""
    return np.r_[lead, np.zeros(n - 1)]


def tied(size: float, lead: float, n: int) -> np.ndarray:
    """Logits of which two are equal, n - 2 others being lower by ``lead``."""
    return np.r_[size, size, np.full(n - 2, size - lead)]


@check
def only_differences_count() -> Numbers:
    """We added 1,000 to all logits of 1,000 random rows, which changed no weight, and doubled them, which did."""
    for rng in draws(5):
        logits = 3 * rng.standard_normal((200, 5))
        always_close(softmax(logits + 1000), softmax(logits), within=1e-12)
        always_larger(abs(softmax(2 * logits) - softmax(logits)).max(1).mean(), 0.1)
    return {}


@check
def a_lone_leader_saturates() -> Numbers:
    """Among 2 to 4,096 logits we let one lead by ln n and 7, 12 or 22 more, and looked at all derivatives."""
    for n in COUNTS:
        largest = [entry(led(np.log(n) + lead, n)) for lead in (7, 12, 22)]
        always_close(largest, 0, within=2e-3)
        always_close(largest[-1], 0, within=1e-9)
        always_larger(largest[:-1], largest[1:])
        always_close(softmax_vjp(led(30, n), np.linspace(-1, 1, n)), 0, within=1e-9)
        always_close(softmax(led(30, n)), led(1, n), within=1e-9)  # nearly one-hot
    return {}


@check
def a_tie_keeps_its_derivative() -> Numbers:
    """Among 3 to 4,097 logits two tied, ahead by ln n and 12 or 22 more; the logits lay near 0, 1,000 or a million."""
    ties = [tied(size, np.log(n) + lead, n + 1) for n in COUNTS for lead in (12, 22) for size in (0.0, 1e3, 1e6)]
    always_close([entry(one) for one in ties], 1 / 4, within=1e-5)
    largest = [entry(6 * rng.standard_normal((4000, 5))[0]) for rng in draws(200)]
    holds(np.max(largest) <= 1 / 4, largest=max(largest))
    return {"two": (ties[0] == ties[0].max()).sum()}


@check
def cross_entropy_restores_the_gradient(lead: float = 40.0) -> Numbers:
    """We made a softmax sure of a wrong class and sent back the gradient of a cross-entropy, and one of length 1."""
    for n in COUNTS:
        logits = led(lead, n)
        y, wrong = softmax(logits), np.eye(n)[1]
        always_close(softmax_vjp(logits, -wrong / y[1]), y - wrong, within=1e-9)
        always_close(softmax_vjp(logits, wrong), 0, within=1e-15)
    return {}


@check
def temperature_scales_gaps() -> Numbers:
    """We divided 1,000 rows of random logits by temperatures from 0.5 to 3 and compared the gaps."""
    logits = np.sort(np.random.default_rng(0).standard_normal((1000, 5)))
    gaps = np.diff(logits)
    for temperature in (1.1, 2, 3):
        always_larger(gaps, np.diff(logits / temperature))
    for temperature in (0.5, 0.9):
        always_larger(np.diff(logits / temperature), gaps)
    return {}


@check
def ratio_of_two_weights() -> Numbers:
    """In 1,000 random rows we compared the ratio of every two weights with e to the power of their gap."""
    logits = 2 * np.random.default_rng(0).standard_normal((1000, 5))
    y = softmax(logits)
    ratios, gaps = y[:, :, None] / y[:, None, :], logits[:, :, None] - logits[:, None, :]
    always_close(ratios / np.exp(gaps), 1, within=1e-9)
    ten = softmax(np.array([10.0, 0.0]))
    return {"2.72": np.exp(1), "22,026": ten[0] / ten[1]}


@check
def jacobian_entry_by_entry() -> Numbers:
    """We differentiated 100 random rows in the imaginary direction, which loses no digits, and compared all entries."""
    step = 1e-30
    for rng in draws(100):
        logits = 2 * rng.standard_normal(5)
        y = softmax(logits)
        moved = np.exp(logits[:, None] + 1j * step * np.eye(5))
        slopes = (moved / moved.sum(0)).imag / step
        always_close(slopes, np.diag(y) - np.outer(y, y), within=1e-12)
        always_close(softmax_jacobian(logits), slopes, within=1e-12)
    return {}


@check
def one_hot_has_no_derivative() -> Numbers:
    """We took the Jacobian at logits of which all but one are minus infinity, for 2 to 512 logits."""
    for n in (2, 5, 64, 512):
        same(softmax_jacobian(np.r_[0.0, np.full(n - 1, -np.inf)]), np.zeros((n, n)))
    return {}


@check
def jacobian_is_a_covariance() -> Numbers:
    """We averaged E Eᵀ over the five one-hot vectors with 100 random rows of weights, and took the mean away."""
    for rng in draws(100):
        y = softmax(2 * rng.standard_normal(5))
        second_moment = sum(weight * np.outer(one_hot, one_hot) for weight, one_hot in zip(y, np.eye(5), strict=True))
        always_close(second_moment - np.outer(y, y), np.diag(y) - np.outer(y, y), within=1e-12)
    return {}


@check
def rows_add_up_to_nothing() -> Numbers:
    """We added up the rows of the Jacobians of 1,000 random rows of logits."""
    sums = softmax_jacobian(3 * np.random.default_rng(0).standard_normal((1000, 5))).sum(-1)
    always_close(sums, 0, within=1e-15)
    return {}


@check
def frobenius_norm_is_the_case_of_noise() -> Numbers:
    """We sent 200,000 random vectors with independent entries of variance 1 back through a Jacobian."""
    logits = 2 * np.random.default_rng(0).standard_normal(5)
    upstream = np.random.default_rng(1).standard_normal((200_000, 5))
    passed = ((upstream @ softmax_jacobian(logits)) ** 2).sum(1).mean()
    always_close(passed / softmax_jacobian_norm(logits) ** 2, 1, within=0.02)
    return {}


@check
def no_entry_above_a_quarter() -> Numbers:
    """We drew 10,000 rows with gaps from small to large and compared diagonal and other entries."""
    for spread in (1, 6, 20):
        y = softmax(spread * np.random.default_rng(spread).standard_normal((10_000, 5)))
        diagonal = y * (1 - y)
        others = (y[:, :, None] * y[:, None, :] * (1 - np.eye(5))).max((1, 2))
        holds((diagonal <= 1 / 4).all() and (others <= diagonal.max(1) + 1e-15).all(), largest=diagonal.max())
    always_close(entry(tied(0, 900, 5)), 1 / 4, within=1e-15)
    return {}


@check
def norm_at_most_a_half() -> Numbers:
    """We drew 2,000 rows of 2 to 64 logits, took spectral norms by singular values and compared them with row sums."""
    for n in (2, 5, 64):
        for rng in draws(200):
            jacobian = softmax_jacobian(rng.uniform(1, 10) * rng.standard_normal(n))
            norm, row = np.linalg.norm(jacobian, 2), abs(jacobian).sum(1).max()
            holds(norm <= row + 1e-12 and row <= 1 / 2 + 1e-12, norm=norm, row=row)
    always_close(np.linalg.norm(softmax_jacobian([0.0, 0.0]), 2), 1 / 2, within=1e-12)
    return {}


@check
def what_is_left_for_the_others(lead: float = 10.0) -> Numbers:
    """We compared every entry with what the leader leaves, in 10,000 random rows and in rows with a known gap."""
    for n in (5, 64):
        y = softmax(8 * np.random.default_rng(n).standard_normal((2000, n)))
        left = np.sort(y)[:, :-1].sum(1)
        holds((((y * (1 - y)).max(1)) <= left + 1e-12).all(), n=n)
    left = softmax(led(lead, 5))[1:].sum()
    holds(left <= 4 * np.exp(-lead), left=left)
    return {"0.00018": left}


@check
def flat_rows_have_small_entries() -> Numbers:
    """We took the Jacobian of 2, 10 and 512 equal logits and multiplied it with vectors that add up to 0."""
    for n in (2, 10, 512):
        jacobian = softmax_jacobian(np.zeros(n))
        always_close(np.linalg.norm(jacobian), np.sqrt(n - 1) / n, within=1e-12)
        upstream = np.where(np.arange(n) % 2, 1.0, -1.0)
        always_close(jacobian @ upstream, upstream / n, within=1e-15)
    return {"0.044": softmax_jacobian_norm(np.zeros(512))}


@check
def most_passes_between_the_ends(n_keys: int = 16) -> Numbers:
    """We let one of 5 to 512 logits lead by 0 to 14 and looked where the norm of the Jacobian is largest."""
    gaps = np.linspace(0, 14, 2801)
    for n in (5, n_keys, 64, 512):
        norms = np.array([softmax_jacobian_norm(led(gap, n)) for gap in gaps])
        holds(0 < norms.argmax() < len(gaps) - 1, n=n)
        always_larger(norms.max(), norms[[0, -1]], by=1e-3)
    norms = np.array([softmax_jacobian_norm(led(gap, n_keys)) for gap in gaps])
    best = gaps[norms.argmax()]
    return {"2.5": best, "0.44": softmax(led(best, n_keys))[0]}


@check
def what_a_one_hot_row_loses() -> Numbers:
    """We ran attention and its backward pass on a query that looks at one of three keys, 200 times."""
    for rng in draws(200):
        q, k = np.array([[30.0]]), np.array([[30.0], [0.0], [-30.0]])
        v, arriving = rng.standard_normal((3, 2)), rng.standard_normal((1, 2))
        back = attention_gradients(q, k, v, arriving, divisor=1)
        holds((back.q == 0).all() and (back.k == 0).all(), q=back.q)
        same(back.v, np.r_[arriving, np.zeros((2, 2))])
        x, W_Q = np.array([[30.0, 1.0]]), np.array([[1.0], [0.0]])  # the query is x W_Q, and x goes round it too
        nudged = [
            ((x + move + attention((x + move) @ W_Q, k, v, divisor=1)) * arriving).sum()
            for move in (1e-6 * np.eye(2)[:, None])
        ]
        still = ((x + attention(x @ W_Q, k, v, divisor=1)) * arriving).sum()
        always_close((np.array(nudged) - still) / 1e-6, arriving[0], within=1e-6)
    return {}


@check
def a_wrong_choice_and_its_cross_entropy() -> Numbers:
    """We made a softmax choose the wrong one of two classes, by 20, with and without a cross-entropy on top."""
    logits, target = np.array([0.0, 20.0]), np.eye(2)[0]
    y = softmax(logits)
    always_close(softmax_jacobian(logits), 0, within=1e-8)
    always_close(softmax_vjp(logits, -target / y), y - target, within=1e-12)
    always_close(np.linalg.norm(y - target), np.sqrt(2), within=1e-8)
    return {}


def trained() -> tuple[np.ndarray, np.ndarray, float]:
    """Of the trained model: norms of the Jacobian and largest weights (layer, head); the mean number of tokens."""
    scores = evidence.read("trained")["scores"]
    rows = scores["1/sqrt(d_k)"]
    return np.array(rows["jacobian_norm"]), np.array(rows["largest_weight"]), scores["n_rows"] / 200


@check
def trained_heads_are_not_frozen(floor: float = 0.13) -> Numbers:
    """We measured the norm of the Jacobian in all 72 heads of the trained model, over 200 sentences."""
    norms, largest, tokens = trained()
    alive = norms > floor
    clearly_larger(largest[alive].mean(), 2 / tokens)
    lengths = [len(sentence.split()) for sentence in evidence.sentences()]
    return {
        **{"200": len(lengths), "4": min(lengths), "13": max(lengths)},
        **{"71": alive.sum(), "72": alive.size, "0.54": largest[alive].mean()},
        "0.27": np.sqrt(tokens - 1) / tokens,
    }


@check
def one_trained_head_is_frozen() -> Numbers:
    """We looked for the smallest norm among the 72 heads."""
    norms = trained()[0]
    layer, head = np.unravel_index(norms.argmin(), norms.shape)
    holds(bool(layer == 0 and head == 2), layer=layer, head=head)
    return {"0.0003": norms.min()}


@check
def the_first_token_of_a_decoder() -> Numbers:
    """We read 30 texts of our own, and their starts again with the value of another text's first token."""
    found = evidence.read("decoder_first")
    weight, other = found["attention"], found["changed"]["value_of_another_from_13"]
    always_larger(0.05, [abs(other["least"]), abs(other["largest"])])
    return {
        "58 %": weight["weight_from_13"]["median"],
        "30": found["read"]["whole"]["texts"],
        "22": found["read"]["whole"]["shortest"],
        "170": found["read"]["whole"]["longest"],
        "0.23": weight["value_length"]["median"],
        "0.002": other["mean"],
    }


@check
def what_the_first_token_is_worth() -> Numbers:
    """We read the starts of 30 texts with another value at one token, or no weight on it, in all layers."""
    found = evidence.read("decoder_first")
    cost = {name: each["mean"] for name, each in found["changed"].items()}
    clearly_larger(cost["value_zero"], cost["value_zero_sixth"])
    return {
        "22": found["read"]["start"]["shortest"],
        "24": found["read"]["start"]["longest"],
        "1.6": cost["value_zero"],
        "0.23": cost["value_zero_sixth"],
        "0.41": cost["forbidden"],
        "0.22": cost["forbidden_sixth"],
        "1.4": cost["forbidden_not_renormalised"],
    }


@check
def three_large_logits(size: float = 1000.0) -> Numbers:
    """We put three logits of 1,000 into the softmax, and three of a million."""
    for large in (size, 1e6):
        always_close(softmax(np.full(3, large)), 1 / 3, within=1e-12)
    y = softmax([100.0, 200.0, 200.0])
    always_close(y, [0, 1 / 2, 1 / 2], within=1e-12)
    always_close(softmax_jacobian([100.0, 200.0, 200.0])[1:, 1:], [[1 / 4, -1 / 4], [-1 / 4, 1 / 4]], within=1e-12)
    return {}


@check
def zeros_do_not_count() -> Numbers:
    """We let two of ten logits tie 40 ahead and counted entries near zero; then one led, and no entry was zero."""
    entries = abs(softmax_jacobian(tied(40, 40, 10)))
    clearly_larger(np.linalg.norm(entries), softmax_jacobian_norm(np.zeros(10)))
    led_by = [softmax_jacobian(led(lead, 10)) for lead in (5.0, 10.0, 20.0)]
    holds(all((one != 0).all() and np.linalg.norm(one) < 0.1 for one in led_by))
    return {
        "96": (entries < 1e-12).sum(),
        "100": entries.size,
        "16 %": np.linalg.norm(entries) / np.sqrt(10),
        "9 %": softmax_jacobian_norm(np.zeros(10)) / np.sqrt(10),
    }


def normed(rows: np.ndarray) -> np.ndarray:
    """LayerNorm without gain."""
    return (rows - rows.mean(1, keepdims=True)) / rows.std(1, keepdims=True)


@check
def softmax_does_not_standardise() -> Numbers:
    """We shifted and doubled 1,000 random rows and compared softmax with LayerNorm without gain."""
    x = np.random.default_rng(0).standard_normal((1000, 5))
    y = softmax(x)
    always_larger(y, 0)
    always_close(y.sum(1), 1, within=1e-12)
    always_close(softmax(x + 7), y, within=1e-12)
    always_larger(abs(softmax(2 * x) - y).max(1), 1e-3)
    always_close(normed(2 * x + 7), normed(x), within=1e-9)
    return {}


@check
def smaller_is_not_better(n_keys: int = 64) -> Numbers:
    """We sent noise back through 8,000 rows of 2, 3 and 64 normal logits, at nine spreads from 0.01 to 8."""
    spreads = np.array([0.01, 1, 2, 2.5, 3, 3.5, 4, 5, 8])

    def at_spreads(n: int) -> np.ndarray:
        rows = np.random.default_rng(2).standard_normal((8000, n))
        return np.sqrt([(softmax_jacobian_norm(spread * rows) ** 2).mean() for spread in spreads])

    for few in (2, 3):
        passed = at_spreads(few)
        always_larger(passed[:-1] / passed[1:], 1.01)
    passed = at_spreads(n_keys)
    best = passed.argmax()
    always_larger(passed[best] / np.delete(passed, best), 1.002)
    return {
        "3.5": spreads[best],
        "0.01": spreads[0],
        "2.6": passed[best] / passed[0],
        "less": (passed[0], passed[best]),
    }
