"""Slips in the labs' TypeScript that the comparison with Python has to notice (tests/lab/test_twins.py)."""

#: By lab: the file, in the room or below the package, a text of it, and what stands there instead.
MUTANTS = {
    "roles": [
        ("roles_lab.ts", "each[asks]", "each[asks - 1]"),
        ("roles_lab.ts", "i === asker ? -1", "i === asker ? 1"),
    ],
    "plane": [
        ("plane_lab.ts", "row[i] >= least", "row[i] > least + TIE"),
        ("plane_lab.ts", "score >= least", "score >= least + TIE"),
        ("plane_lab.ts", "path.set(step, round * 2 * N)", "path.set(step, 0)"),
    ],
    "many": [
        ("many_lab.ts", "which + i), MOST_D", "which + 1 + i), MOST_D"),
        ("own_share.ts", "(n - 1) * log", "n * log"),
        ("own_share.ts", "Math.cos(v) ** (d - 2)", "Math.cos(v) ** (d - 1)"),
    ],
}
