"""What the picture of the book shows behind the reader's start: thirty other starts, and the typical one.

Both are of the gradient at the query (``start_lab.gradient_at_query``), over the 18 sizes of the lab, with 8, 64 and
512 keys, divided by sqrt(d_k) and not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from whyformer.questions.why_sqrt_dk.start_lab import DIVISORS, FLOOR, N_KEYS, trails

#: The other starts are the first thirty seeds; nobody chose among them.
OTHERS = range(1, 31)
#: Starts for each median, from seed 1 on; with many keys one start costs more.
DRAWS = {8: 20_000, 64: 6000, 512: 3000}
#: Levels to a factor of ten: a thirtieth is less than the thickness of a line.
LEVELS = 30


def others(n_keys: int) -> dict[str, Any]:
    """By divisor, for each of thirty starts, round(LEVELS * log10(gradient / FLOOR)) at each d_k; 0 is the floor."""
    found = [trails(seed, n_keys) for seed in OTHERS]
    levels = np.round(LEVELS * np.log10(np.maximum(found, FLOOR) / FLOOR)).astype(int)
    return {by: levels[:, i] for i, by in enumerate(DIVISORS)}


def typical(n_keys: int) -> dict[str, Any]:
    """By divisor the median gradient at each d_k."""
    medians = np.median([trails(seed, n_keys) for seed in range(1, DRAWS[n_keys] + 1)], axis=0)
    return {by: medians[i] for i, by in enumerate(DIVISORS)}


def measured() -> dict[str, Any]:
    """All of it, by number of keys."""
    return {name: {n: of(int(n)) for n in N_KEYS} for name, of in (("others", others), ("typical", typical))}
