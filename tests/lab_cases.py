"""States of labs to try, from each lab's own declaration; what no declaration can tell; small independent tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from typing import Any

import numpy as np
from scipy.special import softmax
from whyformer.lab import Choice, Control, Lab, Listed, Number, Seed, Vector
from whyformer.lab.discover import lab_classes

State = dict[str, Any]
LABS: dict[str, type[Lab]] = lab_classes()

#: A state in which every control of the lab matters, as a change from its default.
LIVELY: dict[str, State] = {
    "why_sqrt_dk/scale": {"rho": 0.5},
    "multi_head/two_wishes": {"heads": "half", "asked": "whole", "first": 30},
}

#: States in which numbers tie, so that rounding would decide: tokens 2 and 3 are mirror images, seen from token 1.
TIES: dict[str, list[State]] = {
    "no_projections/plane": [
        {"lengths": [1.0, 2.6, 2.6, 0.2], "angles": [float(a), a + 30.0, a - 30.0, 180.0]} for a in range(-150, 151, 7)
    ],
}

#: Controls that by design change the picture and no series: a shift that all logits share.
SILENT = {("softmax_saturation/saturation", "offset")}

#: Controls that by design move a line of words and no panel, in some states: heads share columns whatever their number.
WORDS_ONLY = {("framework/assembly", "n_heads")}

#: Sums in which large terms cancel: the size of the terms, from the series. Rounding is measured against it.
CANCELS: dict[tuple[str, str], Callable[[dict], float]] = {
    ("why_sqrt_dk/sampling", "mean"): lambda series: np.sqrt(series["variance"]),
    ("why_sqrt_dk/sampling", "scaled_mean"): lambda series: np.sqrt(series["scaled_variance"]),
    ("why_sqrt_dk/sampling", "excess_kurtosis"): lambda series: 3.0,
    ("why_sqrt_dk/scale", "scores_unscaled"): lambda series: series["spread_unscaled"] + series["center_unscaled"],
    ("why_sqrt_dk/scale", "scores_scaled"): lambda series: series["spread_scaled"] + series["center_scaled"],
    ("advantages/path", "orders"): lambda series: 1.0,
    ("why_sqrt_dk/scale", "walks"): lambda series: np.abs(series["walks"]).max(),
    **{
        ("why_sqrt_dk/scale", name): lambda series: np.abs(series["envelope_low"]).max()
        for name in ("envelope_low", "envelope_high")
    },
    **{
        ("qk_weights/each_other", name): lambda series: 1 + np.abs(series["scores"]).max()
        for name in ("scores", "score_there", "score_back")
    },
    ("qk_weights/real_heads", "there"): lambda series: series["largest"],
    ("qk_weights/real_heads", "back"): lambda series: series["largest"],
    ("qk_weights/real_heads", "moved_percent"): lambda series: 100.0,
    **{("no_projections/plane", name): lambda series: 3.0 for name in ("x", "path", "now", "apart", "apart_now")},
    ("no_projections/plane", "scores"): lambda series: 9.0,
    **{
        ("weight_tying/rows", name): lambda series: 3.0
        for name in ("e", "h", "distances", "distance_nearest", "encoder", "decoder", "shift")
    },
    **{("weight_tying/rows", f"step_{name}"): lambda series: 300.0 for name in ("encoder", "decoder", "output")},
    **{("weight_tying/rows", name): lambda series: 9.0 for name in ("logits", "logit_best", "logit_nearest")},
    **{("weight_tying/rows", name): lambda series: 1.0 for name in ("share", "share_last")},
    **{
        ("relative_positions/clocks", name): lambda series: series["reach"]
        for name in (
            *("query", "key", "parts", "score", "along", "by_distance", "lowest", "highest", "spread", "scores"),
            *("word_word", "word_position", "position_word", "position_position", "spread_words", "spread_others"),
        )
    },
    ("relative_positions/clocks", "explained"): lambda series: 100.0,
    **{
        ("relative_positions/distance", name): lambda series: np.abs(series["clocks"]).max() * 1e3  # of the system
        for name in ("clocks", "miss_within_clocks", "miss_beyond_clocks", "weight_clocks", "leaves")
    },
    **{
        ("embedding_scale/balance", name): lambda series: 1.0
        for name in ("to_word", "to_position", "similarity", "cosine", "neighbours", "again", "spots", "law_other")
    },
}

#: Values that no control takes, for each kind of control: lab, control, value.
BAD: list[tuple[str, str, Any]] = [
    *(("why_sqrt_dk/scale", "d_k", bad) for bad in (0, "8", 33, True, 8192, None, [8], float("nan"), {}, 8.5)),
    *(("why_sqrt_dk/scale", "n_keys", bad) for bad in (1, 65, 2.5, "2", float("nan"), float("inf"), False)),
    *(("why_sqrt_dk/scale", "rho", bad) for bad in (-0.01, 0.91, "0.5", [0.5], np.array([0.5]), 1j, float("nan"))),
    *(("why_sqrt_dk/scale", "divisor", bad) for bad in (1, "sqr", None, ["sqrt"], "")),
    *(("why_sqrt_dk/scale", "seed", bad) for bad in (-1, 10_000, 0.5, "3")),
    *(("no_projections/plane", "lengths", bad) for bad in ([1, 1, 1], [1] * 5, [-0.1, 1, 1, 1], 2, "1,1,1,1", None)),
    *(("softmax_saturation/gap", "a", bad) for bad in (-0.01, 12.01, float("inf"), True, None)),
    *(("softmax_saturation/saturation", "logits", bad) for bad in ([], [1], [0] * 13, 3, "1,2", b"12", None)),
    *(("softmax_saturation/saturation", "logits", [1, bad]) for bad in (float("nan"), 10.1, True, "2", None, [2])),
]


def ends(control: Control) -> list[Any]:
    """The values of a control that are furthest out: both ends, or every option."""
    if isinstance(control, Vector):
        low, high = [control.min] * control.min_length, [control.max] * control.max_length
        spread = [high[0], *[control.min] * (control.max_length - 1)]
        return [low, high, [0.0] * control.max_length, spread, spread[::-1]]
    if isinstance(control, Number):
        return [control.min, control.max]
    if isinstance(control, Listed):
        return [control.values[0], control.values[-1]]
    if isinstance(control, Choice):
        return list(control.options)
    raise TypeError(f"no ends known for {type(control).__name__}")


def defaults(lab: type[Lab]) -> State:
    return {name: control.default_value for name, control in lab.controls().items()}


def lively(lab: type[Lab]) -> State:
    return defaults(lab) | LIVELY.get(lab.slug, {})


def largest_state(lab: type[Lab]) -> State:
    """Every control at its far end; a choice at its last option, a seed as it is by default."""
    high = {n: ends(c)[1] if isinstance(c, Vector) else ends(c)[-1] for n, c in lab.controls().items()}
    return high | {n: c.default_value for n, c in lab.controls().items() if isinstance(c, Seed)}


def random_states(lab: type[Lab], count: int, seed: int) -> list[State]:
    rng = np.random.default_rng(seed)
    return [{name: control.sample(rng) for name, control in lab.controls().items()} for _ in range(count)]


def corner_states(lab: type[Lab]) -> list[State]:
    """Each control at each end while the others stand as in the lively state; then all at their ends; then ties."""
    controls, start = lab.controls(), lively(lab)
    one = [start | {name: value} for name, control in controls.items() for value in ends(control)]
    smallest = {name: ends(control)[0] for name, control in controls.items()}
    ties = [start | state for state in TIES.get(lab.slug, [])]
    return [defaults(lab), *one, smallest, largest_state(lab), *ties]


def drags(lab: type[Lab], moves: int, seed: int) -> list[State]:
    """Each control moved to and fro from the lively state, as a reader does; what a lab keeps between moves is used."""
    rng = np.random.default_rng(seed)
    start = lively(lab)
    moved = [(name, control) for name, control in lab.controls().items() if not isinstance(control, Choice)]
    return [start | {name: control.sample(rng)} for name, control in moved for _ in range(moves)]


def drawn(d_k, n_keys, rho, related, quantity, draws, seed):
    """The quantity for real random vectors, for the divisors 1, sqrt(d_k), d_k: (3, draws), from another generator."""
    rng = np.random.default_rng(seed)
    correlation = np.array([rho if related == "all" or j == 0 else 0.0 for j in range(n_keys)])[:, None]
    out = np.empty((3, draws))
    for i in range(draws):
        q = rng.standard_normal(d_k)
        keys = correlation * q + np.sqrt(1 - correlation**2) * rng.standard_normal((n_keys, d_k))
        for column, divisor in enumerate((1, d_k**0.5, d_k)):
            y = softmax(keys @ q / divisor)
            if quantity == "gradient_q":
                out[column, i] = np.linalg.norm(keys.T @ (np.diag(y) - np.outer(y, y))) / divisor
            elif quantity == "entropy":
                out[column, i] = -(y[y > 0] * np.log(y[y > 0])).sum()
            else:
                out[column, i] = y.max() if quantity == "largest_weight" else (y * (1 - y)).max()
    return out


class Bracketed(Mapping):
    """A catalogue in which every text has a translation: itself, in brackets."""

    def __getitem__(self, text: str) -> str:
        return f"⟦{text}⟧"

    def __iter__(self):
        return iter(())

    def __len__(self) -> int:
        return 0


class Tree(HTMLParser):
    """The elements of a piece of HTML; raises if one is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.open: list[str] = []
        self.texts: dict[str, str] = {}
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + data
