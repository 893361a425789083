"""The layers lab: what attention, recurrence, convolution and a window cost, and how far one layer carries.

Twin: ``layers_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Lab, Listed, Step
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
        "At n = {n} and d = {d} the ratio of multiplications, attention to recurrence, is {ratio:.3g}. Attention takes "
        "{hops_attention:.0f} {hops_attention:hop|hops} against {hops_recurrence:.0f}, and it keeps "
        "{kept_attention:,.0f} numbers against {kept_recurrence:,.0f}."
    )
    columns = ("lengths", "work", "waits", "hops", "kept")
    row = "length"
    compute = staticmethod(compute)

    steps = (
        Step(
            "Attention multiplies {ratio:.0f} times as much as recurrence here. But no step waits, and any two tokens "
            "are one hop apart.",
            asks="At 64 tokens attention multiplies an eighth of what recurrence does. Drag n to 4096. How do the "
            "three counts change?",
            moved=("n >= 2048",),
            told_at={"n": 4096},
            cases=(
                (
                    ("ratio <= 1",),
                    "Attention takes {ratio:.3g} of the multiplications of recurrence here. No step waits, and any two "
                    "tokens are one hop apart.",
                ),
            ),
            when=(
                "ratio > 1",
                "waits_attention == 1",
                "hops_attention == 1",
                "waits_recurrence == n",
                "hops_recurrence >= 15",
            ),
            shows=("work", "waits", "hops"),
            narrow=3,
            controls=("n",),
        ),
        Step(
            "The paper's table counts n²d against nd². At d = {d} attention multiplies less if n is below {d}: here "
            "{ratio:.3g} times as much.",
            asks="Keep d = 512, and find a text for which attention multiplies less in this table.",
            state={"n": 4096},
            moved=("ratio < 0.999", "d == 512"),
            told_at={"n": 256},
            cases=(
                (
                    ("ratio >= 0.999",),
                    "The paper's table counts n²d against nd². At d = {d} attention multiplies less only if n is below "
                    "{d}, and here n is {n}.",
                ),
            ),
            when=("count == 'table'", "ratio < 1", "crossing == d"),
            shows=("work", "waits", "hops"),
            controls=("n", "d"),
        ),
        Step(
            "With its projections counted, attention multiplies {ratio:.3g} times as much as an LSTM: it multiplies "
            "less if n is below 2d, here {crossing:.0f}.",
            asks="Now all matrices of attention count, against an LSTM. At which n do the two lines meet?",
            state={"n": 64, "count": "lstm"},
            moved=("n >= 1024",),
            told_at={"n": 1024},
            when=("crossing == 2 * d", "count == 'lstm'"),
            shows=("work",),
            controls=("n", "d"),
        ),
        Step(
            "If the feed-forward network counts too, a Transformer layer multiplies {ratio:.3g} times as much as an "
            "LSTM of the same width: more at every length.",
            asks="Count the whole layer, with its feed-forward network. Is there a length at which it multiplies less?",
            state={"n": 64, "count": "lstm"},
            moved=("count == 'layer'",),
            told_at={"count": "layer"},
            cases=(
                (
                    ("count != 'layer'",),
                    "Without the feed-forward network attention multiplies {ratio:.3g} times as much as the recurrent "
                    "layer here. Choose the whole layer.",
                ),
            ),
            when=("crossing == 0", "ratio > 1.5", "count == 'layer'"),
            shows=("work",),
            controls=("count", "n"),
        ),
        Step(
            "From the first token to the last it takes {hops_dilated:.0f} layers of dilated convolution, or "
            "{hops_window:.0f} with windows of {window}. A recurrence takes {hops_recurrence:,.0f} steps.",
            asks="The text has 64 tokens. Drag n to 65,536. Which of these ways from the first token to the last stays "
            "short?",
            moved=("n >= 32768",),
            told_at={"n": 65536},
            when=("hops_dilated <= hops_plain", "hops_plain <= hops_recurrence", "hops_window >= 1"),
            shows=("hops",),
            controls=("n", "kernel", "window"),
        ),
        Step(
            "While it generates, attention keeps {kept_attention:,.0f} numbers, more with each token. Recurrence keeps "
            "{kept_recurrence:.0f} at every length.",
            asks="What has to be kept while a text is generated? Drag n to 65,536.",
            moved=("n >= 32768",),
            told_at={"n": 65536},
            when=("kept_attention > 30 * kept_recurrence", "kept_recurrence == d"),
            shows=("kept",),
            controls=("n", "d", "window"),
        ),
    )

    n: Listed = Listed(default=64, values=LENGTHS, label="tokens n")
    d: Listed = Listed(default=512, values=WIDTHS, label="width d", help="length of a token's vector")
    kernel: Listed = Listed(default=3, values=KERNELS, label="kernel k", help="places that a convolution sees")
    window: Listed = Listed(default=64, values=WINDOWS, label="window r", help="places that restricted attention sees")
    count: Choice = Choice(default="table", options=COUNTS, label="count")
