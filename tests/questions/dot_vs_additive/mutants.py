"""Slips in the labs' TypeScript that the comparison with Python has to notice (tests/lab/test_twins.py)."""

#: By lab: the file, in the room or below the package, a text of it, and what stands there instead.
MUTANTS = {
    "spread": [
        ("spread_lab.ts", "second - first * first", "second"),
        ("spread_lab.ts", "one[189]", "one[190]"),
        ("maths/recent.ts", "String(seed)", '""'),
    ],
    "cost": [
        ("cost_lab.ts", "mib_query: MIB * n * d_k", "mib_query: MIB * n"),
    ],
}
