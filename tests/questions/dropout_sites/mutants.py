"""Slips in the labs' TypeScript that the comparison with Python has to notice (tests/lab/test_twins.py)."""

#: By lab: the file, in the room or below the package, a text of it, and what stands there instead.
MUTANTS = {
    "sites": [
        ("sites_lab.ts", "if (!found.covers[i]) return NOT_JUDGED;", ""),
        ("sites_lab.ts", "(has[i] ? HIT : FALSE_ALARM)", "HIT"),
        ("sites_lab.ts", "=> alike(first, source)", "=> !alike(first, source)"),
    ],
    "rely": [
        ("rely_lab.ts", "1 + p / (1 - p)", "1 + p"),
        ("rely_lab.ts", "1 + Number(i === j)", "1 + 2 * Number(i === j)"),
    ],
    "mask": [
        ("mask_lab.ts", "? 1 / (1 - p) : 1;", "? 1 / p : 1;"),
        ("mask_lab.ts", 'scaling === "test" ? before.map', 'scaling === "none" ? before.map'),
        ("mask_lab.ts", "/ N + EPSILON", "/ N"),
        ("mask_lab.ts", "p ** (N - n_kept)", "p ** n_kept"),
    ],
}
