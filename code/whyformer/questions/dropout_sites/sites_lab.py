"""The sites lab: place dropout in a layer, then see where a source has it.

Twin: ``sites_lab.ts``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from whyformer.lab import Choice, Lab, Step
from whyformer.lab.lab import Series
from whyformer.questions.dropout_sites.sources import PLACES, SOURCES, lists

NEITHER, HIT, MISS, FALSE_ALARM, NOT_JUDGED = range(5)


def data() -> dict[str, Any]:
    """The sources as the front end is given them, places in order; a rate of 0 is no dropout."""
    return {
        name: {
            "label": source.label,
            "short": source.short,
            "says": source.says,
            "rates": [source.rates.get(place, 0.0) for place in PLACES],
            "covers": [place in source.covers for place in PLACES],
        }
        for name, source in SOURCES.items()
    }


def having(place: str) -> float:
    """How many sources have dropout at a place."""
    return float(sum(place in source.rates for source in SOURCES.values()))


def compute(*, source: str, **placing: str) -> Series:
    """What :meth:`SitesLab.compute` says, with the reader's places as keywords."""
    placed = np.array([placing[place] == "yes" for place in PLACES])
    found = SOURCES.get(source)
    rates = np.array([found.rates.get(place, 0.0) if found else 0.0 for place in PLACES])
    covers = np.array([found is not None and place in found.covers for place in PLACES])
    has = rates != 0
    verdict = np.where(placed & has, HIT, np.where(has, MISS, np.where(placed, FALSE_ALARM, NEITHER)))
    verdict = np.where(covers, verdict, NOT_JUDGED if found else NEITHER)
    return {
        "placed": placed.astype(float),
        "has": has.astype(float),
        "rates": rates,
        "verdict": verdict.astype(float),
        "chosen": float([*SOURCES].index(source) + 1 if found else 0),
        "n_placed": float(placed.sum()),
        "n_has": float(has.sum()),
        "hits": float((verdict == HIT).sum()),
        "misses": float((verdict == MISS).sum()),
        "false_alarms": float((verdict == FALSE_ALARM).sum()),
        "n_sources": float(len(SOURCES)),
        "n_lists": float(len(lists())),
        **{f"have_{place}": having(place) for place in PLACES},
    }


PLACING = {"no": "no", "yes": "dropout"}
PAPERS = {"embedding": "yes", "attention_out": "yes", "feed_out": "yes"}
TAUGHT = PAPERS | {"attention": "yes", "hidden": "yes"}


class SitesLab(Lab):
    """Seven places in one layer: put dropout where you think it is, then compare with a source."""

    title = "Sites lab"
    hint = ""
    sentence = (
        "You put dropout at {n_placed:.0f} of 7 places. Compared with {source}: {hits:.0f} right, {misses:.0f} missed, "
        "{false_alarms:.0f} too many."
    )
    columns = ("placed", "has", "rates", "verdict")
    row = "place"
    data = staticmethod(data)

    formerly = ("mask",)
    steps = (
        Step(
            "{hits:.0f} right, {misses:.0f} missed, {false_alarms:.0f} too many. The text names the embedding sum, and "
            "each sub-layer's output before it is added.",
            asks="Where does the paper of 2017 have dropout? Touch the places, then compare with its text.",
            moved=("source == 'paper'",),
            told_at=PAPERS | {"source": "paper"},
            cases=(
                (
                    ("source == 'paper'", "misses == 0", "false_alarms == 0"),
                    "All right: the text names the embedding sum, and each sub-layer's output before it is added.",
                ),
                (("source != 'paper'",), "Compare with the paper's text: this is another source, or none."),
            ),
            shows=("layer",),
            controls=("source",),
            when=("source == 'paper'", "n_has == 3"),
        ),
        Step(
            "Two are off: dropout on attention weights and after the ReLU is in the code of June 2017, but the rates "
            "of its base model are 0.0 there.",
            asks="Dropout now stands at the five places that are often taught. Compare with the code of June 2017. "
            "Which of the five are off in it?",
            state=TAUGHT,
            moved=("source == 'first'",),
            told_at={"source": "first"},
            cases=(
                (
                    ("source == 'later'",),
                    "None: in October 2017 rates of 0.1 for attention weights and after the ReLU became the default. "
                    "In June they were 0.0.",
                ),
                (("source != 'first'",), "Compare with tensor2tensor of 15 June 2017, the first released code."),
            ),
            shows=("layer",),
            controls=("source",),
            when=("source == 'first'", "n_has == 3"),
        ),
        Step(
            "Both are on: four months later rates of 0.1 for attention weights and after the ReLU became the default "
            "of the same library.",
            asks="Now compare with October 2017. What has changed within four months?",
            state=TAUGHT | {"source": "first"},
            moved=("source == 'later'",),
            told_at={"source": "later"},
            cases=(
                (
                    ("source != 'later'",),
                    "Compare with tensor2tensor of October 2017, four months after the first code.",
                ),
            ),
            shows=("layer",),
            controls=("source",),
            when=("source == 'later'", "n_has == 5"),
        ),
        Step(
            "No source drops queries, keys and values, and none drops the sum after adding. {n_sources:.0f} sources "
            "have {n_lists:.0f} different lists.",
            asks="Go through the sources. Which places does none of them drop?",
            state=PAPERS | {"source": "paper"},
            moved=("source != 'paper'", "source != 'hidden'"),
            told_at={"source": "bert"},
            shows=("sources",),
            controls=("source",),
            when=("n_sources == 6", "n_lists == 4", "have_projections == 0", "have_stream == 0"),
        ),
    )

    embedding: Choice = Choice(default="no", options=PLACING, label=PLACES["embedding"])
    projections: Choice = Choice(default="no", options=PLACING, label=PLACES["projections"])
    attention: Choice = Choice(default="no", options=PLACING, label=PLACES["attention"])
    attention_out: Choice = Choice(default="no", options=PLACING, label=PLACES["attention_out"])
    stream: Choice = Choice(default="no", options=PLACING, label=PLACES["stream"])
    hidden: Choice = Choice(default="no", options=PLACING, label=PLACES["hidden"])
    feed_out: Choice = Choice(default="no", options=PLACING, label=PLACES["feed_out"])
    source: Choice = Choice(
        default="hidden",
        options={"hidden": "nothing yet", **{k: s.label for k, s in SOURCES.items()}},
        label="compare with",
    )

    @staticmethod
    def compute(
        *,
        embedding: str,
        projections: str,
        attention: str,
        attention_out: str,
        stream: str,
        hidden: str,
        feed_out: str,
        source: str,
    ) -> Series:
        """The reader's placing against a source, place by place.

        Each of the seven places is ``"yes"`` or ``"no"``: ``embedding`` (the sum of embedding and position),
        ``projections`` (queries, keys and values), ``attention`` (the weights), ``attention_out``, ``stream`` (after
        adding), ``hidden`` (after the ReLU), ``feed_out``. ``source`` is what to compare with; ``"hidden"`` shows
        nothing yet, and then what compares with it is 0.

        * ``placed``, ``has`` (7,): 1 where the reader, the source has dropout; ``n_placed``, ``n_has``: how many
        * ``rates`` (7,): of the source; 0 without dropout
        * ``verdict`` (7,): 0 neither, 1 hit, 2 miss, 3 false alarm, 4 not judged, since the source cannot speak about
          it
        * ``hits``, ``misses``, ``false_alarms``: how many; ``chosen``: which source, from 1 on
        * ``n_sources``: how many sources there are; ``n_lists``: how many lists they have, a place that a source cannot
          speak about not counted; ``have_embedding``, ``have_projections``, ``have_attention``,
          ``have_attention_out``, ``have_stream``, ``have_hidden``, ``have_feed_out``: how many of them have dropout
          at each place
        """
        return compute(
            source=source,
            embedding=embedding,
            projections=projections,
            attention=attention,
            attention_out=attention_out,
            stream=stream,
            hidden=hidden,
            feed_out=feed_out,
        )
