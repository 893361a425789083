"""The checks of the chapter: what its sentences say, tried out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from whyformer import evidence
from whyformer.maths import softmax
from whyformer.maths.softmax import Array
from whyformer.model import Config, Transformer, count_parameters, initial
from whyformer.model.layers import causal, positions
from whyformer.proof import Numbers, always_close, always_larger, check, clearly_larger, draws, holds, reporter, same
from whyformer.questions.weight_tying.rows_lab import winning_share

report = reporter(__name__)

SMALL = Config(d_model=16, n_heads=2, d_ff=32, n_layers=1, vocabulary=30)
SIZES = (2, 8, 64)


def models(rng: np.random.Generator) -> tuple[Transformer, Transformer]:
    """A small model with one table, and one with three."""
    return initial(SMALL, rng), initial(SMALL._replace(tied=False), rng)


def winner_and_nearest(rows: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For hidden states h (m, d): the row with the largest product, and the nearest."""
    return (h @ rows.T).argmax(1), np.linalg.norm(h[:, None] - rows, axis=2).argmin(1)


def mean_cosine(rows: np.ndarray) -> float:
    """Mean cosine between two of the rows."""
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return float(((unit.sum(0) ** 2).sum() - len(unit)) / (len(unit) * (len(unit) - 1)))


@check
def one_table_at_three_places() -> Numbers:
    """We changed one use after another of the table of a small model, and took its logits apart by hand."""
    for rng in draws(3):
        tied, _ = models(rng)
        source, target, other = rng.integers(0, 30, 7), rng.integers(0, 30, 5), rng.standard_normal(tied.source.shape)
        holds(tied.source is tied.target and tied.target is tied.output)
        for changed in (tied._replace(source=other), tied._replace(target=other), tied._replace(output=other)):
            always_larger(abs(changed(source, target) - tied(source, target)).max(), 0.1)
        memory: Array = 4 * tied.source[source] + positions(7, 16)
        h: Array = 4 * tied.source[target] + positions(5, 16)
        for encoder in tied.encoder:
            memory = encoder(memory)
        for decoder in tied.decoder:
            h = decoder(h, memory, causal(5))
        always_close(h @ tied.source.T, tied(source, target), within=1e-9)
    return {}


@check
def one_vocabulary() -> Numbers:
    """We compared the shapes of the three tables of a small model with those of its hidden states."""
    rng = np.random.default_rng(0)
    tied, untied = models(rng)
    states = untied._replace(output=np.eye(16))(rng.integers(0, 30, 7), rng.integers(0, 30, 5))
    for table in (tied.source, tied.target, tied.output):
        holds(table.shape == (SMALL.vocabulary, states.shape[1]), shape=table.shape)
    return {}


@check
def the_bill() -> Numbers:
    """We counted the parameters of a small model entry by entry, and those of the paper's models by formula."""
    tied, untied = models(np.random.default_rng(0))
    holds(count_parameters(untied) - count_parameters(tied) == 2 * SMALL.vocabulary * SMALL.d_model)
    holds(count_parameters(tied) == SMALL.n_parameters(), counted=count_parameters(tied))
    base, big = Config(), Config(d_model=1024, n_heads=16, d_ff=4096)
    three, three_big = (one._replace(tied=False).n_parameters() for one in (base, big))
    return {
        "three": 3,
        "37,888,000": three - base.n_parameters(),
        "63,045,632": base.n_parameters(),
        "100,933,632": three,
        "38 %": 1 - base.n_parameters() / three,
        "26 %": 1 - big.n_parameters() / three_big,
    }


@check
def largest_product_wins() -> Numbers:
    """We drew 100 rows and 300 hidden states at three sizes and looked which word has the largest probability."""
    for d in SIZES:
        for rng in draws(5, seed=d):
            rows, h = rng.standard_normal((100, d)), rng.standard_normal((300, d))
            winner, nearest = winner_and_nearest(rows, h)
            holds((softmax(h @ rows.T).argmax(1) == winner).all())
            always_larger((winner != nearest).mean(), 0.2)
    return {}


@check
def two_vocabularies() -> Numbers:
    """We counted the numbers of tables for vocabularies of 20 and 30 tokens, apart and joined."""
    rng = np.random.default_rng(0)
    one, other = (initial(SMALL._replace(vocabulary=v, tied=False), rng) for v in (20, 30))
    separate = one.source.size + other.target.size + other.output.size
    joined = initial(SMALL._replace(vocabulary=50), rng).source.size
    holds(separate == (20 + 2 * 30) * 16 and separate - joined == 30 * 16, separate=separate, joined=joined)
    return {}


@check
def product_and_distance() -> Numbers:
    """We compared winners and nearest rows at three sizes, with rows of one length and of their own."""
    for d in SIZES:
        for rng in draws(5, seed=d):
            rows, h = rng.standard_normal((100, d)), rng.standard_normal((300, d))
            square = ((h[:, None] - rows) ** 2).sum(2)
            always_close(((h**2).sum(1, keepdims=True) + (rows**2).sum(1) - square) / 2, h @ rows.T, within=1e-9)
            winner, nearest = winner_and_nearest(rows / np.linalg.norm(rows, axis=1, keepdims=True), h)
            holds((winner == nearest).all())
            winner, nearest = winner_and_nearest(rows, h)
            size = (rows**2).sum(1)
            differ = winner != nearest
            holds(differ.any() and (size[winner] > size[nearest])[differ].all())
    return {}


@check
def length_of_h() -> Numbers:
    """We made 300 hidden states ten times shorter and longer and looked at winners and at their probabilities."""
    for rng in draws(5):
        rows, h = rng.standard_normal((100, 8)), rng.standard_normal((300, 8))
        y = [softmax(length * h @ rows.T) for length in (0.1, 1, 10)]
        holds((y[0].argmax(1) == y[1].argmax(1)).all() and (y[1].argmax(1) == y[2].argmax(1)).all())
        always_larger(y[1].max(1), y[0].max(1))
        holds((y[2].max(1) >= y[1].max(1)).all())
    return {}


def is_average(row: np.ndarray, others: np.ndarray) -> bool:
    """Whether a row in the plane is an average of three of the others."""
    corners = np.array(list(combinations(others, 3)))
    equations = np.concatenate([corners.swapaxes(1, 2), np.ones((len(corners), 1, 3))], 1)
    return bool((np.linalg.solve(equations, np.append(row, 1)[:, None]) >= 0).all(1).any())


@check
def rows_inside_the_hull() -> Numbers:
    """We put averages of other rows in among 100 rows at three sizes, and tried 2,000 hidden states and itself."""
    for d in SIZES:
        for rng in draws(3, seed=d):
            rows, h = rng.standard_normal((100, d)), 10 * rng.standard_normal((2000, d))
            mixed = rng.dirichlet(np.ones(100), 20) @ rows
            for states in (h, mixed):
                always_larger((states @ rows.T).max(1, keepdims=True) - states @ mixed.T, 0)
            always_larger((mixed @ mixed.T).diagonal() + 1000, (mixed @ rows.T).max(1))  # with a bias of 1000
    for rng in draws(30):
        flat = rng.standard_normal((6, 2))
        inside = [is_average(row, np.delete(flat, k, 0)) for k, row in enumerate(flat)]
        holds(inside == list(winning_share(flat) == 0))
    return {}


@check
def two_gradients() -> Numbers:
    """We compared both formulas with differences of a small loss, and looked which of twelve rows get something."""
    rng = np.random.default_rng(0)
    size, d, n, step = 12, 4, 9, 1e-6
    e, body, hot = rng.standard_normal((size, d)) / 2, rng.standard_normal((d, d)), np.eye(size)
    read, answer = rng.integers(0, 8, (2, n))  # tokens 8 to 11 do not occur

    def loss(as_input: np.ndarray, as_output: np.ndarray) -> float:
        y = softmax(2 * as_input[read] @ body @ as_output.T)
        return float(-np.log(y[np.arange(n), answer]).mean())

    states = 2 * e[read] @ body
    at_logits = (softmax(states @ e.T) - hot[answer]) / n
    from_output, from_input = at_logits.T @ states, 2 * hot[read].T @ (at_logits @ e @ body.T)
    for uses, formula in (((0, 1), from_output), ((1, 0), from_input), ((1, 1), from_input + from_output)):
        for w in range(size):
            for t in range(d):
                nudge = np.zeros((size, d))
                nudge[w, t] = step
                ends = [loss(e + sign * uses[0] * nudge, e + sign * uses[1] * nudge) for sign in (1, -1)]
                always_close((ends[0] - ends[1]) / (2 * step), formula[w, t], within=1e-7)
    is_read = np.isin(np.arange(size), read)
    holds((from_input.any(1) == is_read).all() and from_output.any(1).all() and not is_read.all())
    return {}


class Toy(NamedTuple):
    """The smallest model, as in the chapter: words by Zipf's law, and a fixed shift in place of layers."""

    tied: bool
    seed: int
    used: int = 48  # words that come up; 16 others never do
    words: int = 64
    d: int = 16
    n: int = 64

    def tables(self) -> list[np.ndarray]:
        """At the start: input and output, or one."""
        output, separate = np.random.default_rng(self.seed).standard_normal((2, self.words, self.d)) / np.sqrt(self.d)
        return [output] if self.tied else [separate, output]

    def batches(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """What is read (n,) and what is right (n,), batch after batch, the same for both kinds."""
        rng = np.random.default_rng(1000 + self.seed)
        chances = 1 / np.arange(1, self.used + 1)
        chances /= chances.sum()
        follows = rng.permutation(self.used)
        while True:
            read = rng.choice(self.used, self.n, p=chances)
            yield (
                read,
                np.where(rng.random(self.n) < 0.7, follows[read], rng.choice(self.used, self.n, p=chances)),
            )

    def gradients(self, made: list[np.ndarray], read: np.ndarray, answer: np.ndarray) -> list[np.ndarray]:
        """Of the mean cross-entropy, at each table."""
        h = np.sqrt(self.d) * np.roll(made[0][read], 1, axis=1)
        y = softmax(h @ made[-1].T)
        y[np.arange(self.n), answer] -= 1
        as_input, as_output = np.zeros((self.words, self.d)), y.T @ h / self.n
        np.add.at(as_input, read, np.sqrt(self.d) * np.roll(y @ made[-1] / self.n, -1, axis=1))
        return [as_input + as_output] if self.tied else [as_input, as_output]


def trained(tied: bool, seed: int, steps: int, rate: float) -> list[np.ndarray]:
    """The tables of the toy after some steps of Adam, as in the chapter: input and output, or one."""
    toy = Toy(tied, seed)
    made = toy.tables()
    means, squares = ([np.zeros_like(table) for table in made] for _ in range(2))
    for step, (read, answer) in zip(range(1, steps + 1), toy.batches(), strict=False):
        for table, gradient, mean, square in zip(made, toy.gradients(made, read, answer), means, squares, strict=True):
            mean += 0.1 * (gradient - mean)
            square += 0.02 * (gradient**2 - square)
            table -= rate * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.98**step)) + 1e-9)
    return made


@check
def unread_rows_turn_one_way(steps: int = 120, rate: float = 0.01) -> Numbers:
    """We trained five seeds, tied and not, and took the mean cosine of the 16 rows whose words never come up."""
    turned = []
    for seed in range(5):
        first, last = trained(False, seed, 0, rate), trained(False, seed, steps, rate)
        same(first[0][48:], last[0][48:])
        one = trained(True, seed, steps, rate)[0]
        turned += [mean_cosine(last[1][48:]), mean_cosine(one[48:])]
        always_larger(0.2, abs(mean_cosine(first[1][48:])))
        always_larger(0.1, [mean_cosine(last[1][:48]), mean_cosine(one[:48])])
    always_larger(turned, 0.8)
    return {"above 0.8": (np.array(turned), np.full(10, 0.8)), "48": 48, "0.1": 0.1}


@check
def tied_without_layers() -> Numbers:
    """We compared the logits of all pairs of ten words both ways, without layers and with a random matrix between."""
    for rng in draws(20):
        e, between = rng.standard_normal((10, 4)), rng.standard_normal((4, 4))
        same(e @ e.T, (e @ e.T).T)
        always_larger(abs(e @ between @ e.T - (e @ between @ e.T).T).max(), 0.1)
    return {}


@check
def the_table_of_an_encoder() -> Numbers:
    """We measured all rows of the word table of the trained model, in six groups of words and those kept free."""
    found = evidence.read("word_table")
    length, cosine = np.array(found["length"]), np.array(found["cosine"])
    always_larger(length[1:-1], length[2:])
    clearly_larger(length[1:].min(), length[0])
    return {
        "0.43": min(found["shortest"]),
        "1.69": max(found["longest"]),
        "1.26": length[1],
        "0.91": length[-1],
        "994": found["rows"][0],
        "0.82": cosine[0],
        "0.07": cosine[1:].max(),
    }


@check
def rows_as_hidden_states() -> Numbers:
    """We took every word's row as the hidden state and looked which word has the largest product."""
    found = evidence.read("word_table")
    return {"17": found["lost"], "28,526": found["words"]}


@check
def the_table_of_a_decoder() -> Numbers:
    """We read the starts of 30 texts of our own with other tables, and fed every eighth row back as a hidden state."""
    found = evidence.read("decoder_table")
    length = found["rows"]["length"]
    always_close(found["input"]["equal_lengths"]["mean"], 0, within=0.02)
    return {
        "1.8": length["least"],
        "7.5": length["largest"],
        "2.4": found["output"]["equal_lengths"]["mean"],
        "30": found["read"]["start"]["texts"],
        "85 %": found["fed_back"]["share"],
    }


@check
def share_of_the_table() -> Numbers:
    """We took the table's share at seven widths, with the paper's other sizes in proportion and one vocabulary."""
    widths = [128 * 2**i for i in range(7)]
    sizes = [Config(d_model=d, n_heads=8, d_ff=4 * d) for d in widths]
    shares = [one.vocabulary * one.d_model / one.n_parameters() for one in sizes]
    clearly_larger(shares[:-1], shares[1:])
    return {}


@check
def the_table_of_a_large_model(layers: int = 40, width: int = 8192, d_ff: int = 22_528) -> Numbers:
    """We counted Command R: 40 layers of four square matrices and three of the feed-forward network, and one table."""
    table = 256_000 * width
    rest = layers * (4 * width**2 + 3 * width * d_ff)
    holds(round((table + rest) / 1e9) == 35, counted=table + rest)
    return {"256,000": 256_000, "8,192": width, "6 %": table / (table + rest)}


@check
def first_step_of_adam(rate: float = 0.01) -> Numbers:
    """We took one step of Adam on five tied tables of the toy, and the plain gradient in 20 of its batches."""
    moved = np.array([abs(trained(True, seed, 1, rate)[0] - trained(True, seed, 0, rate)[0]) for seed in range(5)])
    for rows in (moved, moved[:, 48:]):
        always_larger((abs(rows - rate) < 0.01 * rate).mean(), 0.95)
    for seed in range(20):
        toy = Toy(False, seed)
        read, answer = next(toy.batches())
        length = np.linalg.norm(toy.gradients(toy.tables(), read, answer)[1], axis=1)
        clearly_larger(length[np.unique(answer)].mean(), 2 * length[toy.used :].mean())
    return {}


@check
def the_logits_cost_the_same() -> Numbers:
    """We compared the sizes of the output tables and of the models, tied and not."""
    tied, untied = models(np.random.default_rng(0))
    holds(tied.output.size == untied.output.size == SMALL.vocabulary * SMALL.d_model)
    holds(count_parameters(tied) < count_parameters(untied))
    return {}
