"""Slips in the labs' TypeScript that the comparison with Python has to notice (tests/lab/test_twins.py)."""

#: By lab: the file, in the room or below the package, a text of it, and what stands there instead.
MUTANTS = {
    "budget": [
        ("budget_lab.ts", "even * c[i] - odd * s[i]", "even * c[i] + odd * s[i]"),
        ("budget_lab.ts", "return found.sort((a, b) => power(b) - power(a));", "return found;"),
        ("budget_lab.ts", 'pattern === "shuffled" ? seed : ""', '""'),
        ("budget_lab.ts", "(HEIGHT * (2 * f === m ? 1 : 2))", "(HEIGHT * 2)"),
    ],
}
