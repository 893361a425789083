"""Slips in the labs' TypeScript that the comparison with Python has to notice (tests/lab/test_twins.py)."""

#: By lab: the file, in the room or below the package, a text of it, and what stands there instead.
MUTANTS = {
    "normalisation": [
        ("normalisation_lab.ts", 'kind === 2 && padding === "counted"', "kind === 2"),
        (
            "normalisation_lab.ts",
            "reduce((a, b) => a + (b - mean) ** 2, 0) / values.length",
            "reduce((a, b) => a + (b - mean) ** 2, 0) / (values.length - 1)",
        ),
        ("normalisation_lab.ts", "SENTENCES[1].slice(1, length)", "SENTENCES[1].slice(1)"),
    ],
    "placement": [
        ("stacks.ts", "unit[j] * along", "0.9999999 * unit[j] * along"),
        ("stacks.ts", "if (hidden[j] <= 0)", "if (hidden[j] < 0)"),
        ("placement_lab.ts", "const name = `${seed} ${inside} ${start}`", "const name = `${inside} ${start}`"),
        ("placement_lab.ts", "pytorch: [1 / 3, 1 / 2, 1 / 3]", "pytorch: [1 / 3, 1 / 3, 1 / 2]"),
    ],
}
