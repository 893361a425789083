"""Slips in the labs' TypeScript that the comparison with Python has to notice (tests/lab/test_twins.py)."""

#: By lab: the file, in the room or below the package, a text of it, and what stands there instead.
MUTANTS = {
    "two_wishes": [
        ("two_wishes_lab.ts", "[other[1] / apart, -one[1] / apart]", "[other[1] / apart, one[1] / apart]"),
        ("two_wishes_lab.ts", "1 - (one[wish] * one[wish]) / length", "1 - one[wish] / length"),
        ("two_wishes_lab.ts", "(100 * best.missed) / halves.length", "100 * best.missed"),
    ],
    "which_head": [
        ("which_head_lab.ts", "map[i * n + i - 1]", "map[i * n + i]"),
        ("which_head_lab.ts", "lost.subarray(0, N_HEADS * (N_LAYERS - 1))", "lost.subarray(0, N_HEADS)"),
    ],
}
