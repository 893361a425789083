"""The layers lab: what attention, recurrence, convolution and a window cost, and how far one layer carries.

Twin: ``layers_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Lab, Listed, Over, Step
from whyformer.lab.lab import Series

LENGTHS = [2**i for i in range(4, 17)]
WIDTHS = [64, 128, 256, 512, 1024, 2048, 4096]
KERNELS = [2, 3, 5, 7, 9]
WINDOWS = [16, 64, 256, 1024]
COUNTS = {
    "table": "table 1",
    "simple": "attention, RNN",
    "lstm": "attention, LSTM",
    "layer": "whole layer, LSTM",
}
#: Multiplications of a token with the matrices of its layer, in units of d^2: of attention (with ``"layer"`` the
#: feed-forward network too, 2 x 4), and of the recurrent cell.
MATRICES = {"table": (0, 1), "simple": (4, 2), "lstm": (4, 8), "layer": (12, 8)}


def stacked(distance: int, reach: int) -> int:
    """How many layers carry over a distance, when each carries ``reach`` places: the quotient, rounded up."""
    return -(-distance // reach)


def dilated(n: int, kernel: int) -> int:
    """How many layers of a dilated convolution see n places: the first power of the kernel that is n or more."""
    layers, seen = 0, 1
    while seen < n:
        layers, seen = layers + 1, seen * kernel
    return layers


def compute(*, n: int, d: int, kernel: int, window: int, count: str) -> Series:
    r"""The table of Vaswani et al. 2017 (table 1), with numbers in place of orders, and what generating costs.

    Multiplications in one layer of width d for n tokens: attention :math:`n^2 d`, recurrence
    :math:`n d^2`, convolution :math:`k n d^2` with ``kernel`` = k, attention in a ``window`` of r places
    :math:`r n d`, where r is n at most. If ``count`` is ``"simple"`` or ``"lstm"``, all matrices count: attention
    and window have :math:`4 n d^2` for four projections and twice the products with n or r, for scores and for sums
    of values; a simple cell has :math:`2 n d^2`, an LSTM :math:`8 n d^2`. If it is ``"layer"``, both also
    have the :math:`8 n d^2` of a feed-forward network of width 4d, against the same LSTM. A hop leads from one token
    to another that one layer, or one step of the recurrence, joins to it; all layers look back, k places and r places
    include the own.

    * ``lengths`` (13,): 16, 32, ... 65536 tokens
    * ``work`` (4, 13): multiplications of attention, recurrence, convolution, window; ``relative`` (4, 13): over those
      of recurrence
    * ``waits`` (4, 13): steps of which each needs the one before
    * ``hops`` (5, 13): from the first token to the last, for attention, recurrence, a stack of dilated convolutions,
      a stack of plain ones, a stack of windows
    * ``kept`` (4, 13): numbers that one layer keeps while it generates, keys and values or states
    * ``ratio``: work of attention over that of recurrence; ``crossing``: n at which the two are equal, 0 for nowhere
    * ``waits_recurrence``, ``waits_attention``, ``hops_attention``, ``hops_recurrence``, ``hops_dilated``,
      ``hops_plain``, ``hops_window``, ``kept_attention``, ``kept_recurrence``: at the chosen n
    """
    own, cell = MATRICES[count]
    both = 1 if count == "table" else 2  # scores alone, or scores and sums of values
    memory = 2 if cell == 8 else 1  # an LSTM has a cell beside its state
    lengths = np.array(LENGTHS, float)
    seen = np.minimum(window, lengths)
    work = np.stack(
        [
            own * lengths * d**2 + both * lengths**2 * d,
            cell * lengths * d**2,
            kernel * lengths * d**2,
            own * lengths * d**2 + both * seen * lengths * d,
        ]
    )
    hops = np.array(
        [
            [1] * len(LENGTHS),
            [m - 1 for m in LENGTHS],
            [dilated(m, kernel) for m in LENGTHS],
            [stacked(m - 1, kernel - 1) for m in LENGTHS],
            [stacked(m - 1, min(window, m) - 1) for m in LENGTHS],
        ],
        float,
    )
    at = LENGTHS.index(n)
    kept = np.stack(np.broadcast_arrays(2 * lengths * d, memory * d, (kernel - 1) * d, 2 * seen * d))
    waits = np.stack(np.broadcast_arrays(1, lengths, 1, 1))
    return {
        "lengths": lengths,
        "work": work,
        "relative": work / work[1],
        "waits": waits,
        "hops": hops,
        "kept": kept,
        "ratio": work[0, at] / work[1, at],
        "crossing": max(0.0, (cell - own) * d / both),
        "waits_attention": waits[0, at],
        "waits_recurrence": waits[1, at],
        "hops_attention": hops[0, at],
        "hops_recurrence": hops[1, at],
        "hops_dilated": hops[2, at],
        "hops_plain": hops[3, at],
        "hops_window": hops[4, at],
        "kept_attention": kept[0, at],
        "kept_recurrence": kept[1, at],
    }


class LayersLab(Lab):
    """Work, waiting and hops of four kinds of layer over the length of the text, and what they keep."""

    title = "Layers lab"
    hint = ""
    sentence = (
        "n = {n}, d = {d}. Multiplications of attention over those of recurrence: {ratio:.3g}. Hops: "
        "{hops_attention:.0f} against {hops_recurrence:.0f}. Numbers kept: {kept_attention:,.0f} against "
        "{kept_recurrence:,.0f}."
    )
    columns = ("lengths", "work", "waits", "hops", "kept")
    row = "length"
    compute = staticmethod(compute)

    steps = (
        Step(
            "Attention multiplies {ratio:.0f} times as much as recurrence here. But no step waits, and any two tokens "
            "are one hop apart.",
            shows=("work", "waits", "hops"),
            narrow=3,
            controls=("n",),
            when=(
                "ratio == 8",
                "waits_attention == 1",
                "hops_attention == 1",
                "waits_recurrence == n",
                "hops_recurrence == 4095",
            ),
        ),
        Step(
            "Keep d = 512, and find a text for which attention multiplies less in this table.",
            shows=("work", "waits", "hops"),
            controls=("n", "d"),
            goal=("ratio < 0.999", "d == 512", "count == 'table'"),
            solution={"n": 256},
            learned="The paper's table counts n²d against nd²: attention multiplies less if n is below d.",
        ),
        Step(
            "With its projections counted, attention multiplies less than an LSTM below n = 2d, here {crossing:.0f}.",
            state={"n": 512, "count": "lstm"},
            shows=("work",),
            controls=("n", "d"),
            when=("crossing == 2 * d", "ratio < 1"),
            over=Over(near=({"d": 1024}, {"d": 2048}, {"d": 4096}, {"n": 64}, {"n": 16, "d": 64})),
        ),
        Step(
            "With the feed-forward network, a Transformer layer multiplies {ratio:.3g} times as much: more at every "
            "length.",
            state={"n": 512, "count": "layer"},
            shows=("work",),
            controls=("n", "d"),
            when=("crossing == 0", "ratio > 1.5"),
            over=Over(near=tuple({"n": n, "d": d} for n in (16, 1024, 65536) for d in (64, 4096))),
        ),
        Step(
            "From the first token to the last it takes {hops_dilated:.0f} layers of dilated convolution, or "
            "{hops_window:.0f} with windows of {window}.",
            shows=("hops",),
            controls=("n", "kernel", "window"),
            when=("hops_dilated < hops_window", "hops_window < hops_plain", "hops_plain < hops_recurrence"),
            over=Over(near=({"n": 1024}, {"n": 65536}, {"kernel": 5}, {"window": 16})),
        ),
        Step(
            "While it generates, attention keeps {kept_attention:,.0f} numbers, more with each token. Recurrence keeps "
            "{kept_recurrence:.0f}.",
            shows=("kept",),
            controls=("n", "d", "window"),
            when=("kept_attention > 1000 * kept_recurrence", "kept_recurrence == d"),
            over=Over(near=({"n": 1024}, {"n": 65536, "d": 64}, {"d": 4096})),
        ),
    )

    n: Listed = Listed(default=4096, values=LENGTHS, label="tokens n")
    d: Listed = Listed(default=512, values=WIDTHS, label="width d", help="length of a token's vector")
    kernel: Listed = Listed(default=3, values=KERNELS, label="kernel k", help="places that a convolution sees")
    window: Listed = Listed(default=64, values=WINDOWS, label="window r", help="places that restricted attention sees")
    count: Choice = Choice(default="table", options=COUNTS, label="count")
