"""The distance lab: three ways to score a distance, fitted to one target on a trained length, and what they say beyond.

Twin: ``distance_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Lab, Listed, Step
from whyformer.lab.lab import Series
from whyformer.maths import softmax
from whyformer.maths.softmax import Array, Booleans

N, CLOCKS, CLIP = 512, 16, 16  # distances 0..511, clocks of a head with d_k = 32, where the table is clipped
LENGTHS = [32, 64, 128, 256]
WISHES = {"fade": "near ones, levelling off", "recent": "near ones, ever less", "window": "the last eight"}
HELD = {"little": "little", "some": "some", "much": "much"}
PENALTIES = {"little": 0.1, "some": 1.0, "much": 10.0}
BEYOND = {"on": "go on turning", "squeezed": "squeezed into the trained length"}
SLOPES: Array = 2.0 ** -np.arange(1, 9)  # ALiBi's, for eight heads
SPEEDS: Array = 10000.0 ** (-np.arange(CLOCKS) / CLOCKS)
DISTANCES: Array = np.arange(N, dtype=float)


def wished(wish: str) -> Array:
    """(512,): the target, a score for each distance."""
    if wish == "fade":
        return 6 * np.expm1(-DISTANCES / 16)
    return -np.log2(1 + DISTANCES) if wish == "recent" else np.where(DISTANCES < 8, 0.0, -6.0)


def hands(distances: Array) -> Array:
    """(n, 32): cosines, then sines, of all clocks at these distances."""
    angles = np.outer(distances, SPEEDS)
    return np.concatenate([np.cos(angles), np.sin(angles)], 1)


def fitted(score: Array, length: int, held: float) -> tuple[Array, float]:
    """Coefficients (32,) of the clocks and a constant: least squares on the trained length, with a penalty."""
    seen, level = hands(DISTANCES[:length]), float(score[:length].mean())
    normal = seen.T @ seen + held * np.eye(2 * CLOCKS)
    return np.linalg.solve(normal, seen.T @ (score[:length] - level)), level


def straight(score: Array, length: int) -> tuple[Array, float]:
    """ALiBi's line (512,) and slope: of the eight slopes the one nearest to the target; its level is free."""
    level = score[:length].mean()
    lines = [level - slope * (DISTANCES - DISTANCES[:length].mean()) for slope in SLOPES]
    misses = [((line - score)[:length] ** 2).sum() for line in lines]
    best = int(np.argmin(misses))
    return lines[best], float(SLOPES[best])


def _rms(values: Array) -> float:
    return float(np.sqrt((values**2).mean()))


def compute(*, wish: str, length: int, held: str, beyond: str) -> Series:
    r"""Scores by distance d = 0..511, fitted to a target on d < ``length``, and used on all.

    The target: ``"fade"`` :math:`6 (e^{-d/16} - 1)`, ``"recent"`` :math:`-\log_2(1 + d)`, ``"window"`` 0 for d < 8,
    else -6. *Table*: a free score for each d < 16 and one for all others (Shaw et al. 2018, one query, clipped),
    equal to the mean of the target there. *Clocks*: :math:`c + \sum_t a_t \cos \omega_t d + b_t \sin \omega_t d` with
    :math:`\omega_t = 10000^{-t/16}`, t = 0..15: what one query and one key can say with rotary positions (Su et al.
    2021), and sinusoids when W_Q and W_K keep clocks apart; least squares with a penalty of 0.1, 1 or 10 (``held``)
    times the sum of :math:`a_t^2 + b_t^2`. With ``beyond="squeezed"`` distances are multiplied by (length - 1) / 511
    (Chen et al. 2023). *ALiBi*: -slope d, the best of eight slopes (Press et al. 2022).

    * ``distances``, ``wish``, ``table``, ``clocks``, ``alibi`` (512,)
    * ``turns``, ``turns_all`` (16,): how often each clock has gone round within the trained length, and by distance
      511; ``unturned``: clocks that have not gone round once within
    * ``miss_within_*``, ``miss_beyond_*``, of table, clocks and alibi: root mean square distance to the target;
      ``weight_*``, of these and the target: percent of the weight of word 512 that lies on distances not trained
    * ``leaves``: how far scores of the clocks beyond lie outside of the range that they have within, unsqueezed;
      ``slope``: of ALiBi
    """
    score = wished(wish)
    table = np.where(DISTANCES < CLIP, score, score[CLIP:length].mean())
    coefficients, level = fitted(score, length, PENALTIES[held])
    plain = hands(DISTANCES) @ coefficients + level
    factor = (length - 1) / (N - 1) if beyond == "squeezed" else 1.0
    clocks = hands(factor * DISTANCES) @ coefficients + level
    alibi, slope = straight(score, length)
    curves = {"table": table, "clocks": clocks, "alibi": alibi}
    turns = SPEEDS * (length - 1) / (2 * np.pi)
    far: Booleans = length <= DISTANCES
    seen = plain[:length]
    return {
        "distances": DISTANCES.copy(),
        "wish": score,
        **curves,
        "turns": turns,
        "turns_all": SPEEDS * factor * (N - 1) / (2 * np.pi),
        "unturned": float((turns < 1).sum()),
        **{f"miss_within_{name}": _rms((curve - score)[~far]) for name, curve in curves.items()},
        **{f"miss_beyond_{name}": _rms((curve - score)[far]) for name, curve in curves.items()},
        **{
            f"weight_{name}": 100 * float(softmax(curve)[far].sum())
            for name, curve in {"wish": score, **curves}.items()
        },
        "leaves": float(max(0.0, clocks[far].max() - seen.max(), seen.min() - clocks[far].min())),
        "slope": slope,
    }


class DistanceLab(Lab):
    """A table, clocks and ALiBi's line are fitted up to a trained length: what do they say of larger distances?"""

    title = "Distance lab"
    hint = ""
    sentence = (
        "Fitted up to distance {length}: the clocks miss the target by {miss_within_clocks:.2f} within and by "
        "{miss_beyond_clocks:.2f} beyond, the table by {miss_within_table:.2f} and {miss_beyond_table:.2f}, ALiBi by "
        "{miss_within_alibi:.2f} and {miss_beyond_alibi:.2f}."
    )
    columns = ("distances", "wish", "table", "clocks", "alibi")
    compute = staticmethod(compute)
    steps = (
        Step(
            "Up to distance {length} the clocks miss the target by {miss_within_clocks:.2f}, root mean square; beyond "
            "it they miss it by {miss_beyond_clocks:.1f}. They have an answer everywhere, but were fitted only up to "
            "the line.",
            asks="A table, sixteen clocks and ALiBi's line were fitted to a target score for each distance up to the "
            "dashed line. How do they go on beyond it? Drag the line.",
            shows=("scores",),
            controls=("length", "wish"),
            told_at={"length": 64},
            when=("miss_beyond_clocks > 2 * miss_within_clocks", "beyond == 'on'"),
        ),
        Step(
            "They have not: within {length} distances {unturned:.0f} of 16 clocks have not completed one turn. Beyond, "
            "their hands point where the fit has never been.",
            asks="Each dot is a clock, and its height says how often it turns up to the dashed line. Drag the line to "
            "256. Have all clocks completed a turn?",
            state={"length": 32},
            shows=("scores", "turns"),
            narrow=2,
            controls=("length",),
            moved=("length == 256",),
            told_at={"length": 256},
            when=("unturned >= 9", "beyond == 'on'"),
        ),
        Step(
            "They come back, because no hand goes farther than in the fit. The price is nearby: up to distance "
            "{length} the clocks now miss the target by {miss_within_clocks:.1f}.",
            asks="Beyond the line the scores of the clocks leave the range that they have up to it. Squeeze all "
            "distances into the trained length. Do the scores come back?",
            shows=("scores", "turns"),
            controls=("beyond", "length"),
            moved=("beyond == 'squeezed'",),
            told_at={"beyond": "squeezed"},
            cases=(
                (
                    ("beyond == 'on'",),
                    "If the clocks go on turning, their scores leave that range by up to {leaves:.1f}. Squeeze the "
                    "distances, and they come back.",
                ),
            ),
            when=("leaves < 0.3", "miss_within_clocks > 0.6"),
        ),
        Step(
            "From distance 16 on the clipped table has one score; beyond {length} it misses this target by "
            "{miss_beyond_table:.1f}. ALiBi's line goes on falling and leaves {weight_alibi:.1f} % of the weight "
            "there, where the target leaves {weight_wish:.0f} %.",
            asks="What do the table and ALiBi's line say beyond the dashed line? Drag it to 64, and compare the last "
            "two columns with the target.",
            shows=("scores", "misses"),
            narrow=2,
            controls=("length",),
            moved=("length <= 64",),
            told_at={"length": 64},
            when=("miss_beyond_table < 0.9 * miss_beyond_clocks", "slope > 0.001"),
        ),
    )

    wish: Choice = Choice(default="fade", options=WISHES, label="target: most weight on")
    length: Listed = Listed(default=128, values=LENGTHS, label="trained length")
    beyond: Choice = Choice(default="on", options=BEYOND, label="the clocks")
    held: Choice = Choice(
        default="little", options=HELD, label="long queries are held down", help="the penalty on the fitted hands"
    )
