"""Where each source puts dropout, at which rate. Read off the paper's text and the released code, not computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

#: Seven places in one layer, in the order of the data, each with a question's words.
PLACES: dict[str, str] = {
    "embedding": "sum of embedding and position",
    "projections": "queries, keys and values",
    "attention": "attention weights, after the softmax",
    "attention_out": "output of attention, before it is added",
    "stream": "the sum itself, after adding",
    "hidden": "inside the feed-forward network, after the ReLU",
    "feed_out": "output of feed-forward, before it is added",
}


class Source(NamedTuple):
    """One source: its name, its rates, and what it says in its own terms."""

    label: str
    short: str
    rates: dict[str, float]  # by place; a place that is missing has none
    says: str
    covers: tuple[str, ...] = tuple(PLACES)  # the places that the source can speak about


def usual(rate: float, **more: float) -> dict[str, float]:
    """The paper's sites at one rate, and ``more``."""
    return {"embedding": rate, "attention_out": rate, "feed_out": rate, **more}


SOURCES: dict[str, Source] = {
    "paper": Source(
        "the paper's text, 2017",
        "paper",
        usual(0.1),
        "Section 5.4: the output of each sub-layer, before it is added and normalised, and the sums of embedding and "
        "position. Rate 0.1 in the base model, 0.3 in the big one, but 0.1 there for English to French (section 6.1). "
        "No word there about weights or ReLU. Version 5 of the text on arXiv has a section 6.3 on parsing, which "
        "mentions attention dropout; the copy of the proceedings has no such section.",
    ),
    "first": Source(
        "tensor2tensor, 15 June 2017",
        "June ’17",
        usual(0.1),
        "The first released base configuration (transformer_base). Code for dropout on weights and after the ReLU is "
        "there, its rates are 0.0. A configuration for parsing in the same commit has 0.2 on the weights.",
    ),
    "later": Source(
        "tensor2tensor, October 2017",
        "Oct. ’17",
        usual(0.1, attention=0.1, hidden=0.1),
        "transformer_base_v2, and the default from then on: dropout on weights and after the ReLU goes from 0.0 to "
        "0.1, and LayerNorm moves before the sub-layer.",
    ),
    "bert": Source(
        "BERT's code, 2018",
        "BERT",
        usual(0.1, attention=0.1),
        "Weights yes, inside the feed-forward network no. The embedding sum is normalised first and then dropped.",
    ),
    "torch": Source(
        "PyTorch's encoder layer",
        "PyTorch",
        {"attention": 0.1, "attention_out": 0.1, "hidden": 0.1, "feed_out": 0.1},
        "TransformerEncoderLayer: one argument, dropout=0.1, sets all of them. The embedding is outside this class: "
        "you have to add it, and its dropout, yourself.",
        tuple(place for place in PLACES if place != "embedding"),
    ),
    "olmo": Source(
        "OLMo 2's configuration, 2024",
        "OLMo 2",
        {},
        "A language model of today: its configuration has rates for the embedding, the attention weights and the "
        "output of each sub-layer, and all of them are 0.0.",
    ),
}

#: The kind of site of each place that some source has.
KIND: dict[str, str] = {
    "embedding": "embedding sum",
    "attention": "attention weights",
    "attention_out": "sub-layer output",
    "hidden": "after the ReLU",
    "feed_out": "sub-layer output",
}


def kinds(name: str) -> set[str]:
    """The kinds of site at which a source has dropout."""
    return {KIND[place] for place in SOURCES[name].rates}


def lists() -> list[list[str]]:
    """Sources that have dropout at the same places, as far as both can speak about them."""
    found: list[list[str]] = []
    for name, source in SOURCES.items():
        for alike in found:
            first = SOURCES[alike[0]]
            if all((place in source.rates) == (place in first.rates) for place in {*source.covers} & {*first.covers}):
                alike.append(name)
                break
        else:
            found.append([name])
    return found


KINDS = ("sub-layer output", "embedding sum", "attention weights", "after the ReLU")

#: Named configurations in released code: rates in the order of ``KINDS``.
CONFIGURATIONS: dict[str, tuple[float, float, float, float]] = {
    "tensor2tensor, 15 June 2017: transformer_base": (0.1, 0.1, 0.0, 0.0),
    "same commit: transformer_parsing_base_dr6": (0.2, 0.2, 0.2, 0.0),
    "tensor2tensor, October 2017: transformer_base_v2": (0.1, 0.1, 0.1, 0.1),
    "tensor2tensor, later: transformer_big": (0.3, 0.3, 0.1, 0.1),
    "fairseq: transformer_vaswani_wmt_en_de_big": (0.3, 0.3, 0.0, 0.0),
    "fairseq: transformer_wmt_en_de_big_t2t": (0.3, 0.3, 0.1, 0.1),
    "BERT: BertConfig": (0.1, 0.1, 0.1, 0.0),
    "OLMo 2: OLMo2-7B-stage1": (0.0, 0.0, 0.0, 0.0),
}

#: Where the norm of each of them stands: of the sum (post), of what goes into the sub-layer (pre), of what is added.
NORMS = ("post", "post", "pre", "pre", "post", "pre", "post", "of what is added")

#: Year and month of the two releases of tensor2tensor.
RELEASED = {"first": (2017, 6), "later": (2017, 10)}


def configurations() -> pd.DataFrame:
    """The rates of named configurations and where their norms stand, one row for one."""
    import pandas as pd  # a quarter of a second, and only this table needs it

    return pd.DataFrame.from_dict(CONFIGURATIONS, orient="index", columns=KINDS).assign(norm=NORMS)
