"""The distance lab: three ways to score a distance, fitted to one wish on a trained length, and what they say beyond.

Twin: ``distance_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Lab, Listed, Over, Step
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
    """(512,): the score that is wished for each distance."""
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
    """ALiBi's line (512,) and slope: of the eight slopes the one nearest to the wish; its level is free."""
    level = score[:length].mean()
    lines = [level - slope * (DISTANCES - DISTANCES[:length].mean()) for slope in SLOPES]
    misses = [((line - score)[:length] ** 2).sum() for line in lines]
    best = int(np.argmin(misses))
    return lines[best], float(SLOPES[best])


def _rms(values: Array) -> float:
    return float(np.sqrt((values**2).mean()))


def compute(*, wish: str, length: int, held: str, beyond: str) -> Series:
    r"""Scores by distance d = 0..511, fitted to a wish on d < ``length``, and used on all.

    The wish: ``"fade"`` :math:`6 (e^{-d/16} - 1)`, ``"recent"`` :math:`-\log_2(1 + d)`, ``"window"`` 0 for d < 8, else
    -6. *Table*: a free score for each d < 16 and one for all others (Shaw et al. 2018, one query, clipped), equal to
    the mean of the wish there. *Clocks*: :math:`c + \sum_t a_t \cos \omega_t d + b_t \sin \omega_t d` with
    :math:`\omega_t = 10000^{-t/16}`, t = 0..15: what one query and one key can say with rotary positions (Su et al.
    2021), and sinusoids when W_Q and W_K keep clocks apart; least squares with a penalty of 0.1, 1 or 10 (``held``)
    times the sum of :math:`a_t^2 + b_t^2`. With ``beyond="squeezed"`` distances are multiplied by (length - 1) / 511
    (Chen et al. 2023). *ALiBi*: -slope d, the best of eight slopes (Press et al. 2022).

    * ``distances``, ``wish``, ``table``, ``clocks``, ``alibi`` (512,)
    * ``turns``, ``turns_all`` (16,): how often each clock has gone round within the trained length, and by distance
      511; ``unturned``: clocks that have not gone round once within
    * ``miss_within_*``, ``miss_beyond_*``, of table, clocks and alibi: root mean square distance to the wish;
      ``weight_*``, of these and the wish: percent of the weight of word 512 that lies on distances not trained
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


ALL = tuple({"length": length, "held": held} for length in LENGTHS for held in HELD)


class DistanceLab(Lab):
    """A table, clocks and ALiBi's line learn a wish on the trained length: what do they say of larger distances?"""

    title = "Distance lab"
    sentence = (
        "Trained to distance {length}: the clocks miss the wish by {miss_within_clocks:.2f} within and by "
        "{miss_beyond_clocks:.2f} beyond, the table by {miss_within_table:.2f} and {miss_beyond_table:.2f}, ALiBi by "
        "{miss_within_alibi:.2f} and {miss_beyond_alibi:.2f}."
    )
    columns = ("distances", "wish", "table", "clocks", "alibi")
    compute = staticmethod(compute)
    steps = (
        Step(
            "Up to distance {length} the clocks miss the wish by {miss_within_clocks:.2f}, root mean square. Further "
            "away they miss it by {miss_beyond_clocks:.1f}.",
            shows=("scores",),
            controls=("length", "wish"),
            when=("miss_beyond_clocks > 2 * miss_within_clocks", "beyond == 'on'"),
            over=Over(near=(*ALL, *(state | {"wish": "recent"} for state in ALL))),
        ),
        Step(
            "{unturned:.0f} of 16 clocks have not gone round once in {length} distances. Further away their hands "
            "point where no training has seen them.",
            shows=("turns", "scores"),
            controls=("length",),
            when=("unturned >= 9", "beyond == 'on'"),
            over=Over(near=tuple({"length": length} for length in LENGTHS)),
        ),
        Step(
            "Bring all scores of the clocks back into the range that they have up to distance {length}.",
            shows=("scores", "turns"),
            controls=("beyond", "length"),
            goal=("leaves < 0.3", "length == 128", "wish == 'fade'", "held == 'little'"),
            solution={"beyond": "squeezed"},
            learned="Squeezed distances stay within the trained length, and scores in the range that they have there.",
        ),
        Step(
            "Squeezed, no hand goes further than in training. The price is nearby: up to distance {length} the clocks "
            "now miss the wish by {miss_within_clocks:.1f}.",
            state={"beyond": "squeezed"},
            shows=("scores", "turns"),
            controls=("beyond", "length"),
            when=("leaves < 0.3", "miss_within_clocks > 0.9"),
            over=Over(near=({"length": 64}, {"length": 128}, {"wish": "recent"})),
        ),
        Step(
            "From distance 16 on the clipped table has one score: beyond {length} it misses this wish by "
            "{miss_beyond_table:.1f}. ALiBi's line goes on falling and leaves {weight_alibi:.0f} % of the weight "
            "there.",
            shows=("scores", "misses"),
            narrow=2,
            controls=("length",),
            when=("miss_beyond_table < 0.9 * miss_beyond_clocks", "slope > 0.001"),
            over=Over(near=ALL),
        ),
    )

    wish: Choice = Choice(default="fade", options=WISHES, label="wished: most weight on")
    length: Listed = Listed(default=128, values=LENGTHS, label="trained length")
    beyond: Choice = Choice(default="on", options=BEYOND, label="the clocks")
    held: Choice = Choice(
        default="little", options=HELD, label="long queries are held down", help="the penalty on the fitted hands"
    )
