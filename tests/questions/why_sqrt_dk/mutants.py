"""Slips in the labs' TypeScript that the comparison with Python has to notice (tests/lab/test_twins.py)."""

#: By lab: the file, in the room or below the package, a text of it, and what stands there instead.
MUTANTS = {
    "start": [
        ("start_lab.ts", "subarray(0, d_k)", "subarray(0, d_k - 1)"),
        ("start_lab.ts", "- first[i] - mean[i]", "- first[i]"),
        ("start_lab.ts", "weights[j] ** 2 * apart", "weights[j] * apart"),
    ],
    "scale": [
        ("many_draws.ts", "LAW_SEED = 1706", "LAW_SEED = 1707"),
        ("many_draws.ts", "quantileSorted(sorted, 0.9)", "quantileSorted(sorted, 0.91)"),
        ("many_draws.ts", "parallel ** 2 + across", "0.9999999 * parallel ** 2 + across"),
        ("drawn.ts", "draw.prefix.set(d_k, found)", "draw.prefix.set(d_k + 1, found)"),
        ("maths/recent.ts", "String(seed)", '""'),
        ("maths/random.ts", "0x7feb352d", "0x7feb352f"),
    ],
    "sampling": [
        ("sampling_lab.ts", "Math.sin(4 * Math.PI", "Math.cos(4 * Math.PI"),
        ("sampling_lab.ts", "known.length < n_pairs", "!known.length"),
        ("sampling_lab.ts", "let sum = before[pair];", "let sum = 0;"),
        ("sampling_lab.ts", "let i = from; i < to", "let i = 0; i < to"),
        ("sampling_lab.ts", "if (i >= 0 && i < bins)", "if (i > 0 && i < bins)"),
    ],
    "trained_scores": [
        ("lab/packed.ts", "2 * (at * count + i), true", "2 * (at * count + i), false"),
        ("trained_scores_lab.ts", "(layer - 1) * N_HEADS + head - 1", "(layer - 1) * N_HEADS + head"),
        ("trained_scores_lab.ts", "column <= i", "column < i"),
    ],
    "training": [
        ("training_lab.ts", "step || NEVER", "step"),
        ("training_lab.ts", "* RATES.length + at) * SEEDS + seed", "* RATES.length + at) * SEEDS"),
    ],
}
