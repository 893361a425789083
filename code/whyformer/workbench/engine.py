r"""The little model: first weights, forward, backward by hand, and Adam. Double precision throughout.

Token rows times :math:`\sqrt d`, positions, L layers of attention and feed-forward network, a linear layer to the
answers, mean cross-entropy. Layers and their gradients are those of :mod:`whyformer.model`; what is here is how they
are put together, since an arm may lack the residual path, the norm or one matrix. Parameters are arrays by name.
Seeds train side by side: parameters and tokens may have one more axis in front, "..." below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from whyformer.maths import attention_gradients, attention_weights
from whyformer.maths.random import uniform
from whyformer.maths.softmax import Array, Integers
from whyformer.model.backward import feed_forward_backward, layer_norm_backward, linear_backward, multi_head_backward
from whyformer.model.decoder import rotated
from whyformer.model.layers import (
    KEEP,
    Dropout,
    FeedForward,
    Heads,
    LayerNorm,
    Linear,
    MultiHead,
    every_head,
    positions,
)
from whyformer.workbench.experiment import Arm
from whyformer.workbench.tasks import Task

#: each matrix has a stream of random numbers, 16 layer + its place here: arms that share a matrix start it alike
DRAWN = ("q", "k", "v", "o", "up", "down", "table", "position", "out")


def spread(seed: int, stream: int, shape: tuple[int, ...]) -> Array:
    """Nearly normal numbers, mean 0 and variance 1: sums of 12 uniforms, less 6, alike in every language to the bit."""
    count = int(np.prod(shape))
    return (uniform(seed, stream, np.arange(12 * count)).reshape(count, 12).sum(-1) - 6).reshape(shape)


def initial(arm: Arm, task: Task, seed: int) -> dict[str, Array]:
    r"""First weights by name. A matrix (d_in, d_out) has variance 1/d_in, table and positions 1/d_model.

    Then queries and keys of unit variance give scores of variance d_k. Gains are 1 and biases 0. ``arm.start`` scales
    the last matrix of each sub-layer. Names: "0.q" is W_Q of the first layer. One matrix has no "0.k", none has no
    "0.q" either, and without a feed-forward network there are no "0.up", "0.down" and "0.norm2".
    """
    d, wide, hidden = arm.d_model, arm.heads * arm.head_size, arm.hidden
    start = {"plain": 1.0, "small": (2 * arm.layers) ** -0.5, "zero": 0.0}[arm.start]
    made: dict[str, Array] = {}

    def draw(prefix: str, name: str, d_in: int, d_out: int, scale: float = 1.0) -> None:
        stream = 16 * int(prefix[:-1] or 0) + DRAWN.index(name)
        variance = d_out if name in ("table", "position") else d_in
        made[prefix + name] = scale * variance**-0.5 * spread(seed, stream, (d_in, d_out))

    def norm(name: str) -> None:
        made[name + ".gain"], made[name + ".bias"] = np.ones(d), np.zeros(d)

    draw("", "table", task.vocabulary, d)
    if arm.positions == "learned":
        draw("", "position", task.length, d)
    for layer in range(arm.layers):
        at = f"{layer}."
        for name in {"two": "qkv", "one": "qv", "none": "v"}[arm.matrices]:
            draw(at, name, d, wide)
        draw(at, "o", wide, d, start)
        if hidden:
            draw(at, "up", d, hidden)
            made[at + "up.bias"] = np.zeros(hidden)
            draw(at, "down", hidden, d, start)
            made[at + "down.bias"] = np.zeros(d)
        if arm.norm != "none":
            norm(at + "norm1")
            if hidden:
                norm(at + "norm2")
    if arm.norm == "pre":
        norm("end")
    draw("", "out", d, task.replies * task.answers)
    made["out.bias"] = np.zeros(task.replies * task.answers)
    return made


def side_by_side(arm: Arm, task: Task, seeds: Sequence[int]) -> dict[str, Array]:
    """First weights from several seeds, stacked on a first axis."""
    made = [initial(arm, task, seed) for seed in seeds]
    return {name: np.stack([one[name] for one in made]) for name in made[0]}


BASE = 10000.0  #: of the angles of rotary positions


class Turned(MultiHead):
    """Self-attention with rotary positions: in each head queries and keys turn by the angles of their places."""

    __slots__ = ()

    def heads(self, x: Array, memory: Array, mask: ArrayLike | None = None, drop: Dropout = KEEP) -> Heads:
        """As in ``MultiHead``; queries and keys are the turned ones."""
        q, k = (rotated(self.split(of(at)), range(x.shape[-2]), BASE) for of, at in ((self.q, x), (self.k, memory)))
        v, weights = self.split(self.v(memory)), attention_weights(q, k, mask=every_head(mask), divisor=self.divisor)
        return Heads(q, k, v, weights, drop("attention", weights) @ v)

    def backward(self, x: Array, upstream: Array) -> tuple[Array, MultiHead]:
        """Gradients at ``x`` and at the parameters: those at queries and keys are turned back."""
        heads, places = self.heads(x, x), -np.arange(x.shape[-2])
        at_merged, o = linear_backward(self.o, self.merge(heads.output), upstream)
        at = attention_gradients(heads.q, heads.k, heads.v, self.split(at_merged), divisor=self.divisor)
        through_q, q = linear_backward(self.q, x, self.merge(rotated(at.q, places, BASE)))
        through_k, k = linear_backward(self.k, x, self.merge(rotated(at.k, places, BASE)))
        through_v, v = linear_backward(self.v, x, self.merge(at.v))
        return through_q + through_k + through_v, MultiHead(self.n_heads, q, k, v, o, self.divisor)


class Branch(NamedTuple):
    """A sub-layer with its norm, and where its parameters stand: "0." and "norm1"."""

    layer: MultiHead | FeedForward
    norm: LayerNorm | None
    prefix: str
    norm_name: str


class Pass(NamedTuple):
    """What a forward pass leaves: logits (..., batch, asked, answers), and what the backward pass needs."""

    logits: Array
    weights: list[Array]  #: of each layer (..., batch, heads, length, length)
    counts: Array  #: (..., batch, length, vocabulary): how often each token has each row of the table
    steps: list[tuple[Array, Array, Array]]  #: of each branch: its input, what the sub-layer got, the sum
    last: Array  #: what leaves the last layer, (..., batch, length, d_model)
    read: Array  #: what the output reads, (..., batch, asked, d_model)


class Model(NamedTuple):
    """An arm with its parameters; :func:`build` makes it."""

    arm: Arm
    task: Task
    parameters: dict[str, Array]
    branches: list[Branch]
    end: LayerNorm | None

    def forward(self, tokens: Integers) -> Pass:
        """From tokens (..., batch, length, parts)."""
        p, arm = self.parameters, self.arm
        counts = np.eye(self.task.vocabulary)[tokens].sum(-2)
        x = arm.d_model**0.5 * Linear(p["table"])(counts)  # (..., batch, length, d_model)
        if arm.positions == "learned":
            x = x + arm.d_model**0.5 * np.expand_dims(p["position"][..., : tokens.shape[-2], :], -3)
        elif arm.positions == "sinusoids":
            x = x + positions(tokens.shape[-2], arm.d_model)
        weights, steps = [], []
        for layer, norm, *_ in self.branches:
            inner = norm(x) if norm is not None and arm.norm == "pre" else x
            if isinstance(layer, MultiHead):
                heads = layer.heads(inner, inner)
                weights.append(heads.weights)
                y = layer.o(layer.merge(heads.output))
            else:
                y = layer(inner)
            y = x + y if arm.residual else y
            steps.append((x, inner, y))
            x = norm(y) if norm is not None and arm.norm == "post" else y
        read = x[..., self.task.asked, :]
        logits = Linear(p["out"], p["out.bias"])(read if self.end is None else self.end(read))
        logits = logits.reshape(*logits.shape[:-2], -1, self.task.answers)  # a row for each reply
        return Pass(logits, weights, counts, steps, x, read)

    def backward(self, found: Pass, at_logits: Array) -> dict[str, Array]:
        """Gradient at every parameter, by name, given the gradient at the logits."""
        p, arm = self.parameters, self.arm
        d: dict[str, Array] = {}
        read = found.read if self.end is None else self.end(found.read)
        g = at_logits.reshape(*read.shape[:-1], -1)  # replies of a position side by side, as they come out
        g, out = linear_backward(Linear(p["out"], p["out.bias"]), read, g)
        _put(d, "out", out)
        if self.end is not None:
            g, norm_gradient = layer_norm_backward(self.end, found.read, g)
            d["end.gain"], d["end.bias"] = norm_gradient.gain, norm_gradient.bias
        upstream: Array = np.zeros_like(found.last)
        upstream[..., self.task.asked, :] = g
        for branch, (x, inner, y) in zip(reversed(self.branches), reversed(found.steps), strict=True):
            upstream = self._branch_backward(branch, x, inner, y, upstream, d)
        if arm.positions == "learned":
            d["position"] = np.zeros_like(p["position"])  # places beyond the end of these examples learn nothing
            d["position"][..., : upstream.shape[-2], :] = arm.d_model**0.5 * upstream.sum(-3)
        d["table"] = arm.d_model**0.5 * linear_backward(Linear(p["table"]), found.counts, upstream)[1].weight
        return d

    def _branch_backward(
        self, branch: Branch, x: Array, inner: Array, y: Array, g: Array, d: dict[str, Array]
    ) -> Array:
        layer, norm, at, norm_name = branch
        through: Array
        of_norm: LayerNorm | None = None
        if norm is not None and self.arm.norm == "post":
            g, of_norm = layer_norm_backward(norm, y, g)
        if isinstance(layer, MultiHead):
            if isinstance(layer, Turned):
                through, of_heads = layer.backward(inner, g)
            else:
                as_query, as_memory, of_heads = multi_head_backward(layer, inner, inner, g)
                through = as_query + as_memory
            for name in "qkvo" if self.arm.matrices != "none" else "vo":
                _put(d, at + name, getattr(of_heads, name))
            if self.arm.matrices == "one":  # one matrix has two uses, and the gradient of both
                d[at + "q"] += d.pop(at + "k")
        else:
            through, of_feed = feed_forward_backward(layer, inner, g)
            _put(d, at + "up", of_feed.up)
            _put(d, at + "down", of_feed.down)
        if norm is not None and self.arm.norm == "pre":
            through, of_norm = layer_norm_backward(norm, x, through)
        if of_norm is not None:
            d[at + norm_name + ".gain"], d[at + norm_name + ".bias"] = of_norm.gain, of_norm.bias
        return through + g if self.arm.residual else through


def _put(gradients: dict[str, Array], name: str, layer: Linear) -> None:
    gradients[name] = layer.weight
    if layer.bias is not None:
        gradients[name + ".bias"] = layer.bias


def build(arm: Arm, task: Task, p: dict[str, Array]) -> Model:
    """The model of an arm on these parameters, which it shares: where they move, it moves."""

    def norm(name: str) -> LayerNorm | None:
        return LayerNorm(p[name + ".gain"], p[name + ".bias"]) if name + ".gain" in p else None

    as_it_is = Linear(np.broadcast_to(np.eye(arm.d_model), (*p["table"].shape[:-2], arm.d_model, arm.d_model)))
    branches: list[Branch] = []
    for layer in range(arm.layers):
        at = f"{layer}."
        v, o = Linear(p[at + "v"]), Linear(p[at + "o"])
        q = Linear(p[at + "q"]) if arm.matrices != "none" else as_it_is
        k = Linear(p[at + "k"]) if arm.matrices == "two" else q
        kind = Turned if arm.positions == "rotary" else MultiHead
        heads = kind(arm.heads, q, k, v, o, arm.divides_by)
        branches.append(Branch(heads, norm(at + "norm1"), at, "norm1"))
        if arm.hidden:
            feed = FeedForward(Linear(p[at + "up"], p[at + "up.bias"]), Linear(p[at + "down"], p[at + "down.bias"]))
            branches.append(Branch(feed, norm(at + "norm2"), at, "norm2"))
    return Model(arm, task, p, branches, norm("end"))
