"""The assembly lab: the diagram of a Transformer, with what each block costs at the chosen sizes.

Twin: ``assembly_lab.ts``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from whyformer.lab import Choice, Integer, Lab, Listed, Step
from whyformer.lab.lab import Series
from whyformer.questions.framework.blocks import BLOCKS

KINDS = {"both": "encoder and decoder (2017)", "encoder": "encoder only (BERT)", "decoder": "decoder only (GPT)"}


def instances(kind: str, n_layers: int) -> dict[str, int]:
    """How often each block stands in a model; the embedding's table and its reading count once."""
    encoders, decoders = (n_layers if kind in (k, "both") else 0 for k in ("encoder", "decoder"))
    crossed = n_layers if kind == "both" else 0
    return {
        "embedding": 1,
        "positions": 2 if kind == "both" else 1,
        "self_attention": encoders,
        "masked_attention": decoders,
        "cross_attention": crossed,
        "add_norm": 2 * encoders + 2 * decoders + crossed,
        "feed_forward": encoders + decoders,
        "output": 1,
    }


def compute(
    *, kind: str, block: str, d_model: int, n_heads: int, d_ff: int, n_layers: int, vocabulary: int, n_tokens: int
) -> Series:
    r"""Parameters and floating-point operations by block, in the order of ``BLOCKS``.

    Attention: :math:`4 d\,w` parameters with :math:`w = h\,d_k`, without biases; feed-forward: :math:`2 d f + f + d`;
    LayerNorm: :math:`2d`; the embedding :math:`V d`, one table for all its uses. Operations: 2 for each multiplication
    in a matrix product, nothing else counted, for source and target of n tokens each: attention
    :math:`8 n d w + 4 n^2 w`, feed-forward :math:`4 n d f`, output :math:`2 n d V`. Here d is ``d_model``, h
    ``n_heads``, f ``d_ff``, V ``vocabulary``, n ``n_tokens``; ``kind`` says which stacks there are, of ``n_layers``
    each; ``block`` is looked at.

    * ``instances``, ``parameters``, ``flops`` (8,): how often each block stands in the model, and what all of these
      have and do together; ``parameters_share``, ``flops_share`` (8,): of the whole, 0 to 1
    * ``d_k``: d // h; ``width``: w; ``left_over``: what of d is left when it is not a multiple of h
    * ``chosen``: the block's place, from 0; ``times``: how often it stands there; ``one_parameters``, ``one_flops``: of
      one
    * ``millions``: of parameters; ``gigaflops``: 1e9 operations; ``parameters_percent``, ``flops_percent``: the block's
    * ``attention_parameters``, ``attention_flops``: of all attention blocks together, in percent; ``feed_parameters``,
      ``feed_flops``: of the feed-forward networks
    """
    d_k = d_model // n_heads
    width = n_heads * d_k
    attention = 4 * d_model * width
    products = 8 * n_tokens * d_model * width + 4 * n_tokens**2 * width
    parameters_of = {
        "embedding": vocabulary * d_model,
        "self_attention": attention,
        "masked_attention": attention,
        "cross_attention": attention,
        "add_norm": 2 * d_model,
        "feed_forward": 2 * d_model * d_ff + d_ff + d_model,
    }
    flops_of = {
        "self_attention": products,
        "masked_attention": products,
        "cross_attention": products,
        "feed_forward": 4 * n_tokens * d_model * d_ff,
        "output": 2 * n_tokens * d_model * vocabulary,
    }
    count = instances(kind, n_layers)
    parameters = np.array([count[name] * parameters_of.get(name, 0) for name in BLOCKS], float)
    flops = np.array([count[name] * flops_of.get(name, 0) for name in BLOCKS], float)
    here = list(BLOCKS).index(block)
    attentions = [name.endswith("attention") for name in BLOCKS]
    feed = list(BLOCKS).index("feed_forward")
    return {
        "instances": np.array([count[name] for name in BLOCKS], float),
        "parameters": parameters,
        "flops": flops,
        "parameters_share": parameters / parameters.sum(),
        "flops_share": flops / flops.sum(),
        "d_k": float(d_k),
        "width": float(width),
        "left_over": float(d_model - width),
        "chosen": float(here),
        "times": float(count[block]),
        "one_parameters": float(parameters_of.get(block, 0)),
        "one_flops": float(flops_of.get(block, 0)),
        "millions": parameters.sum() / 1e6,
        "gigaflops": flops.sum() / 1e9,
        "parameters_percent": 100 * parameters[here] / parameters.sum(),
        "flops_percent": 100 * flops[here] / flops.sum(),
        "attention_parameters": 100 * parameters[attentions].sum() / parameters.sum(),
        "attention_flops": 100 * flops[attentions].sum() / flops.sum(),
        "feed_parameters": 100 * parameters[feed] / parameters.sum(),
        "feed_flops": 100 * flops[feed] / flops.sum(),
    }


def data() -> dict[str, Any]:
    """What is said about each block."""
    return {
        name: {**block._asdict(), "shapes": [list(pair) for pair in block.shapes]} for name, block in BLOCKS.items()
    }


class AssemblyLab(Lab):
    """The diagram of a Transformer: each block's question, formula, shapes, parameters and operations."""

    title = "Assembly lab"
    hint = ""
    sentence = (
        "With {n_layers} {n_layers:layer|layers}, {kind}: {millions:,.4g} million parameters and {gigaflops:,.4g} "
        "billion operations for {n_tokens:,d} {n_tokens:token|tokens}; "
        "of these, {parameters_percent:.1f} % and {flops_percent:.1f} % are in {block}."
    )
    columns = ("instances", "parameters", "flops", "parameters_share", "flops_share")
    row = "block"
    presets = {
        "Transformer base": {
            "kind": "both", "d_model": 512, "n_heads": 8, "d_ff": 2048, "n_layers": 6, "vocabulary": 40960,
        },
        "Transformer big": {
            "kind": "both", "d_model": 1024, "n_heads": 16, "d_ff": 4096, "n_layers": 6, "vocabulary": 40960,
        },
        "BERT base": {
            "kind": "encoder", "d_model": 768, "n_heads": 12, "d_ff": 3072, "n_layers": 12, "vocabulary": 30522,
        },
        "GPT-2 small": {
            "kind": "decoder", "d_model": 768, "n_heads": 12, "d_ff": 3072, "n_layers": 12, "vocabulary": 50257,
        },
    }  # fmt: skip
    compute = staticmethod(compute)
    data = staticmethod(data)

    steps = (
        Step(
            "The feed-forward networks hold the most: {feed_parameters:.0f} %, and all attention together holds "
            "{attention_parameters:.0f} %. One network has twice the parameters of one attention.",
            asks="Which kind of block holds the most parameters? Choose it.",
            moved=("block != 'add_norm'",),
            told_at={"block": "feed_forward"},
            when=("kind == 'both'", "feed_parameters > attention_parameters", "feed_parameters > 35"),
            shows=("parameters",),
            controls=("block",),
        ),
        Step(
            "They do not: one stack has half the layers, and its table is as large as before. The embedding holds "
            "{parameters_percent:.0f} %, the feed-forward networks {feed_parameters:.0f} %.",
            asks="Leave one stack out, as BERT and GPT do. Do the feed-forward networks still hold the most?",
            state={"block": "embedding"},
            moved=("kind != 'both'",),
            told_at={"kind": "encoder"},
            cases=(
                (
                    ("feed_parameters > parameters_percent",),
                    "With both stacks the feed-forward networks hold {feed_parameters:.0f} % and the embedding "
                    "{parameters_percent:.0f} %. With one stack it is the other way round.",
                ),
            ),
            when=("parameters_percent > feed_parameters",),
            shows=("parameters",),
            controls=("kind",),
        ),
        Step(
            "At {n_tokens:,d} tokens attention does {attention_flops:.0f} % of the work, and the feed-forward networks "
            "do {feed_flops:.0f} %: the work of the scores grows with the square of the length, and all other work "
            "in proportion to the length.",
            asks="At 64 tokens the feed-forward networks do the most work. Raise the length to 4,096 or more. What "
            "does the most work there?",
            moved=("n_tokens >= 4096",),
            told_at={"n_tokens": 16384},
            cases=(
                (
                    ("attention_flops <= feed_flops",),
                    "At {n_tokens:,d} {n_tokens:token|tokens} the feed-forward networks do {feed_flops:.0f} % of the "
                    "work, and attention does {attention_flops:.0f} %. At a greater length attention does more.",
                ),
            ),
            when=("attention_flops > feed_flops",),
            shows=("operations",),
            controls=("n_tokens",),
        ),
        Step(
            "At {n_tokens:,d} tokens attention does more work: it does {attention_flops:.0f} % of all work, and the "
            "feed-forward networks do {feed_flops:.0f} %.",
            asks="Find the shortest length on the slider at which attention does more work than the feed-forward "
            "networks.",
            moved=("attention_flops > feed_flops", "attention_flops < 1.2 * feed_flops"),
            told_at={"n_tokens": 512},
            cases=(
                (
                    ("attention_flops <= feed_flops",),
                    "At {n_tokens:,d} {n_tokens:token|tokens} the feed-forward networks do more work: they do "
                    "{feed_flops:.0f} % of all work, and attention does {attention_flops:.0f} %.",
                ),
            ),
            when=("attention_flops > feed_flops",),
            shows=("operations",),
            controls=("n_tokens",),
        ),
    )

    kind: Choice = Choice(default="both", options=KINDS, label="model")
    block: Choice = Choice(
        default="add_norm", options={name: block.name for name, block in BLOCKS.items()}, label="block"
    )
    d_model: Listed = Listed(
        default=512, values=[32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048], label="d_model"
    )
    n_heads: Listed = Listed(default=8, values=[1, 2, 4, 6, 8, 12, 16, 32], label="heads h")
    d_ff: Listed = Listed(
        default=2048, values=[64, 128, 256, 512, 768, 1024, 1536, 2048, 3072, 4096, 8192], label="d_ff"
    )
    n_layers: Integer = Integer(default=6, min=1, max=48, label="layers N", help="in each stack")
    vocabulary: Listed = Listed(
        default=40_960,
        values=[1000, 2000, 5000, 10_000, 20_000, 30_522, 37_000, 40_960, 50_257, 100_000, 250_000],
        label="vocabulary V",
    )
    n_tokens: Listed = Listed(
        default=64, values=[1, *(2**i for i in range(3, 15))], label="tokens n", help="of source and of target"
    )
