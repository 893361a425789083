"""The sites lab: place dropout in a layer, then see where a source has it.

Twin: ``sites_lab.ts``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from whyformer.lab import Choice, Lab
from whyformer.lab.lab import Series
from whyformer.questions.dropout_sites.sources import PLACES, SOURCES

NEITHER, HIT, MISS, FALSE_ALARM, NOT_JUDGED = range(5)


def data() -> dict[str, Any]:
    """The sources as the front end is given them, places in order; a rate of 0 is no dropout, -1 one not said."""
    return {
        name: {
            "label": source.label,
            "says": source.says,
            "rates": [source.rates.get(place, 0.0) for place in PLACES],
            "covers": [place in source.covers for place in PLACES],
        }
        for name, source in SOURCES.items()
    }


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
    }


PLACING = {"no": "no", "yes": "dropout"}


class SitesLab(Lab):
    """Seven places in one layer: put dropout where you think it is, then compare with a source."""

    title = "Sites lab"
    hint = "Place dropout first: touch the dashed places, or use the switches. Then choose a source."
    sentence = (
        "You put dropout at {n_placed:.0f} of 7 places. Compared with {source}: {hits:.0f} right, {misses:.0f} missed, "
        "{false_alarms:.0f} too many."
    )
    columns = ("placed", "has", "rates", "verdict")
    row = "place"
    data = staticmethod(data)

    embedding = Choice("no", options=PLACING, label=PLACES["embedding"])
    projections = Choice("no", options=PLACING, label=PLACES["projections"])
    attention = Choice("no", options=PLACING, label=PLACES["attention"])
    attention_out = Choice("no", options=PLACING, label=PLACES["attention_out"])
    stream = Choice("no", options=PLACING, label=PLACES["stream"])
    hidden = Choice("no", options=PLACING, label=PLACES["hidden"])
    feed_out = Choice("no", options=PLACING, label=PLACES["feed_out"])
    source = Choice(
        "hidden", options={"hidden": "nothing yet", **{k: s.label for k, s in SOURCES.items()}}, label="compare with"
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
        nothing yet, and then all series but ``placed`` and ``n_placed`` are 0.

        * ``placed``, ``has`` (7,): 1 where the reader, the source has dropout; ``n_placed``, ``n_has``: how many
        * ``rates`` (7,): of the source; 0 without dropout, -1 if it gives no rate
        * ``verdict`` (7,): 0 neither, 1 hit, 2 miss, 3 false alarm, 4 not judged, since the source cannot speak about
          it
        * ``hits``, ``misses``, ``false_alarms``: how many; ``chosen``: which source, from 1 on
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
