"""Slips in the labs' TypeScript that the comparison with Python has to notice (tests/lab/test_twins.py)."""

#: By lab: the file, in the room or below the package, a text of it, and what stands there instead.
MUTANTS = {
    "rows": [
        ("rows_lab.ts", "gap > Math.PI + TIE ?", "gap > TIE ?"),
        ("rows_lab.ts", "distance <= least", "distance > least"),
    ],
    "traffic": [
        ("traffic_lab.ts", "reads[w] * y[v] - pairs", "y[v] - pairs"),
        ("traffic_lab.ts", "!reads[i] && !answers[i]", "!reads[i]"),
    ],
}
