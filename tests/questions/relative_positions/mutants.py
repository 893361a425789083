"""Slips in the labs' TypeScript that the comparison with Python has to notice (tests/lab/test_twins.py)."""

#: By lab: the file, in the room or below the package, a text of it, and what stands there instead.
MUTANTS = {
    "clocks": [
        ("clocks_lab.ts", "s * one + c * other", "s * one - c * other"),
        ("maths/distance.ts", "Math.max(0, -distance)", "Math.max(0, distance)"),
    ],
    "distance": [
        ("maths/cholesky.ts", "sum -= lower[i][k]", "sum += lower[i][k]"),
        ("distance_lab.ts", "d < CLIP ?", "d <= CLIP ?"),
    ],
}
