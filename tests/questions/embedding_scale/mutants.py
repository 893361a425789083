"""Slips in the labs' TypeScript that the comparison with Python has to notice (tests/lab/test_twins.py)."""

#: By lab: the file, in the room or below the package, a text of it, and what stands there instead.
MUTANTS = {
    "balance": [
        ("balance_lab.ts", 'norm === "on" ? d - 1 : d', "d"),
        ("maths/recent.ts", "String(seed)", '""'),
    ],
    "two_uses": [
        ("two_uses_lab.ts", "top + Math.log(sum) - all", "top + Math.log(sum) + all"),
        ("maths/recent.ts", "String(seed)", '""'),
    ],
}
