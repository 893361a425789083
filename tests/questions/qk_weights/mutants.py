"""Slips in the labs' TypeScript that the comparison with Python has to notice (tests/lab/test_twins.py)."""

#: By lab: the file, in the room or below the package, a text of it, and what stands there instead.
MUTANTS = {
    "each_other": [
        ("each_other_lab.ts", "one ? [square, product] : [product, square]", "[square, product]"),
        ("each_other_lab.ts", "asked[1][1], asked[1][0])", "asked[1][0], asked[1][1])"),
        ("each_other_lab.ts", "/ 180)", "/ 360)"),
        ("each_other_lab.ts", "weights.slice(2)", "weights.slice(3)"),
    ],
    "real_heads": [
        ("real_heads_lab.ts", "- column[at % n] + all", "- column[at % n] - all"),
        ("real_heads_lab.ts", "at % n > Math.floor(at / n)", "at % n < Math.floor(at / n)"),
    ],
}
