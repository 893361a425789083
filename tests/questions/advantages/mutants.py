"""Slips in the labs' TypeScript that the comparison with Python has to notice (tests/lab/test_twins.py)."""

#: By lab: the file, in the room or below the package, a text of it, and what stands there instead.
MUTANTS = {
    "layers": [
        ("layers_lab.ts", "seen < n; seen *= kernel", "seen < n; seen += kernel"),
        ("layers_lab.ts", "(n - 1) / (seen(n) - 1)", "(n - 1) / seen(n)"),
    ],
    "path": [
        ("path_lab.ts", "(N - back) * D + i", "(N - back - 1) * D + i"),
        ("maths/recent.ts", "String(seed)", '""'),
    ],
}
