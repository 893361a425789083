"""Slips in the labs' TypeScript that the comparison with Python has to notice (tests/lab/test_twins.py)."""

#: By lab: the file, in the room or below the package, a text of it, and what stands there instead.
MUTANTS = {
    "saturation": [
        ("maths/softmax.ts", "= -weights[i] * weights[j]", "= weights[i] * weights[j]"),
        ("maths/softmax.ts", "return tail / (1 + tail);", "return 1 - out[top];"),
        ("saturation_lab.ts", "logits[b] - logits[a]", "logits[b] - logits[a] || b - a"),
    ],
    "gap": [
        ("gap_lab.ts", "[1000, 1000, 1000 + a]", "[1000, 1000, 1000 + 1.00001 * a]"),
        ("gap_lab.ts", "y3: here,\n    derivative: slope", "derivative: slope,\n    y3: here"),
        ("lab/words.ts", '"·10"', '"e"'),
    ],
}
