"""The traffic lab: which rows of the word tables get a gradient from one batch, as input and as output, tied and not.

Twin: ``traffic_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Lab, Listed, Number, Over, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths import softmax
from whyformer.maths.random import normal, uniform
from whyformer.maths.softmax import Array, Integers

V, D = 64, 16
TOKENS = [32, 64, 128, 256, 512]
TIED = {"untied": "two tables", "tied": "one, tied"}
LEAST = 1e-12  # a gradient below this is none


def batch(tokens: int, exponent: float, seed: int) -> Integers:
    """``tokens`` + 1 words in a row, from 0: word of rank r with probability in proportion to r^-exponent (Zipf)."""
    weight = np.arange(1, V + 1, dtype=float) ** -exponent
    bounds = np.cumsum(weight) / np.cumsum(weight)[-1]
    places = uniform(seed, 2, np.arange(tokens + 1))
    return (places[:, None] > bounds).sum(1)


def tables(tied: str, seed: int) -> tuple[Array, Array]:
    """Input and output table (64, 16), normal with variance 1/16; one and the same if tied."""
    output, separate = (normal(seed, stream, np.arange(V * D)).reshape(V, D) / np.sqrt(D) for stream in (0, 1))
    return (output if tied == "tied" else separate), output


def compute(*, tied: str, tokens: int, exponent: float, seed: int) -> Series:
    r"""The gradient of the mean cross-entropy over one batch, row by row of the tables, at the start of training.

    64 words, d_model = 16; ``tokens`` pairs of a word and the next, in draw ``seed``, drawn with a probability in
    proportion to rank to the power -``exponent``. A word w that is read gives
    :math:`h = \sqrt{d_{model}}\, B e_w`, where B shifts the components round by one: it stands for the layers, which
    turn a word's vector into something else. Logits are :math:`h \cdot e'_v` with the rows of the output table. Tables
    as in the first code: normal, variance 1/d_model.

    * ``reads``, ``answers`` (64,): how often each word, by rank, is read, and is the right answer
    * ``from_input``, ``from_output`` (64,): length of the gradient at the word's row from where the table is read, and
      from where it makes logits; ``both`` (64,): of their sum, the gradient of the one row if ``tied``
    * ``rows_in``, ``rows_out``, ``rows_both``: rows with a gradient; ``absent``: words neither read nor an answer
    * ``small``: mean of ``from_output`` over absent words, 0 if there are none; ``large``: over right answers
    * ``output_longer``: rows whose gradient as output is longer than that as input; ``read_output_longer``: of those
      that are read
    * ``numbers``: in the tables
    """
    read, output = tables(tied, seed)
    words = batch(tokens, exponent, seed)
    pairs = np.zeros((V, V))
    np.add.at(pairs, (words[:-1], words[1:]), 1)
    reads, answers = pairs.sum(1), pairs.sum(0)
    states = np.sqrt(D) * np.roll(read, 1, axis=1)
    at_logits = (reads[:, None] * softmax(states @ output.T) - pairs) / tokens
    as_output = at_logits.T @ states
    as_input = np.sqrt(D) * np.roll(at_logits @ output, -1, axis=1)
    from_input, from_output, both = (np.sqrt((g**2).sum(1)) for g in (as_input, as_output, as_input + as_output))
    absent = (reads == 0) & (answers == 0)
    longer = from_output > from_input
    return {
        "reads": reads,
        "answers": answers,
        "from_input": from_input,
        "from_output": from_output,
        "both": both,
        "rows_in": float((from_input > LEAST).sum()),
        "rows_out": float((from_output > LEAST).sum()),
        "rows_both": float((both > LEAST).sum()),
        "absent": float(absent.sum()),
        "small": from_output[absent].mean() if absent.any() else 0.0,
        "large": from_output[answers > 0].mean(),
        "output_longer": float(longer.sum()),
        "read_output_longer": float((longer & (reads > 0)).sum()),
        "numbers": float((1 if tied == "tied" else 2) * V * D),
    }


class TrafficLab(Lab):
    """One batch of words by Zipf: rows of the input table that are read get a gradient, of the output table all."""

    title = "Traffic lab"
    hint = ""
    sentence = (
        "{rows_in:.0f} of 64 rows get a gradient as input, {rows_out:.0f} as output. {absent:.0f} "
        "{absent:word does|words do} not occur. As output, rows of right answers get {large:.3f} on average."
    )
    columns = ("reads", "answers", "from_input", "from_output", "both")
    row = "rank"
    compute = staticmethod(compute)

    steps = (
        Step(
            "{tokens} tokens are read, and {rows_in:.0f} of 64 rows of the input table get a gradient. Of the output "
            "table all {rows_out:.0f} do: each logit of each position counts.",
            shows=("input", "output"),
            narrow=2,
            controls=("tokens", "seed"),
            when=("rows_in < 32", "rows_out == 64"),
            over=Over(near=({"exponent": 0.9}, {"tied": "tied"})),
        ),
        Step(
            "{absent:.0f} words do not occur. Their rows of the output table are only pushed away, and little: "
            "{small:.3f} on average. Rows of right answers get {large:.3f}.",
            shows=("output",),
            controls=("tokens", "seed"),
            when=("absent > 30", "small > 0.01", "large > 2.5 * small"),
            over=Over(near=({"exponent": 0.9}, {"tied": "tied"})),
        ),
        Step(
            "Let every row of the input table get a gradient.",
            shows=("input", "output"),
            controls=("tokens", "exponent"),
            goal=("rows_in == 64",),
            solution={"tokens": 512, "exponent": 0.0},
            learned="A row of the input table gets a gradient only when its word is read.",
        ),
        Step(
            "Tied, there is one table, and both gradients are added. All {rows_both:.0f} rows move, so also the input "
            "vectors of {absent:.0f} words that nobody has read.",
            state={"tied": "tied"},
            shows=("both", "input"),
            narrow=2,
            controls=("tied", "seed"),
            when=("rows_both == 64", "absent > 30", "rows_in < 32"),
            over=Over(near=({"exponent": 0.9},)),
        ),
        Step(
            "The two parts of the tied table's gradient: in {output_longer:.0f} of 64 rows that from the output is the "
            "longer one. Among the {rows_in:.0f} rows that are read, in {read_output_longer:.0f}.",
            state={"tied": "tied"},
            shows=("output", "input"),
            narrow=2,
            controls=("tokens", "seed"),
            when=("output_longer > 40", "read_output_longer < rows_in"),
            over=Over(near=({"exponent": 0.9},)),
        ),
    )

    tied: Choice = Choice(default="untied", options=TIED, label="tables")
    tokens: Listed = Listed(default=32, values=TOKENS, label="tokens in the batch")
    exponent: Number = Number(
        default=1.0, min=0.0, max=1.0, step=0.1, label="Zipf's exponent", help="0: all words equally frequent"
    )
    seed: Seed = Seed(default=3, label="draw")
