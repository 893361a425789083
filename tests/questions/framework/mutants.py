"""Slips in the labs' TypeScript that the comparison with Python has to notice (tests/lab/test_twins.py)."""

#: By lab: the file, in the room or below the package, a text of it, and what stands there instead.
MUTANTS = {
    "assembly": [
        ("assembly_lab.ts", "2 * decoders + crossed", "2 * decoders"),
        ("assembly_lab.ts", "Math.floor(d_model / n_heads)", "d_model / n_heads"),
    ],
    "wiring": [
        ("wiring_lab.ts", "late: (i, j) => j <= i + 1", "late: (i, j) => j <= i + 2"),
        ("wiring_lab.ts", "attend(built.cross, z, z, D, LOOKS.causal)", "attend(built.cross, z, z, D, LOOKS.none)"),
        ("model/layers.ts", "+ epsilon", ""),
        ("model/layers.ts", "column % 2 ? Math.cos", "column % 2 === 0 ? Math.cos"),
    ],
    "follow": [
        ("follow_lab.ts", 'divisor === "1" ? 1 : 2', "2"),
        ("follow_lab.ts", "2 * it[2]", "2 * it[3]"),
        ("follow_lab.ts", "- 1.7", "- 1.7000001"),
    ],
}
