"""Every lab computes the same in the browser, from the shipped bundle, as in Python."""

from __future__ import annotations

import shutil
import subprocess
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from browser import write_page
from lab_cases import LABS, corner_states, drags, random_states
from twins import differences
from whyformer.lab.lab import BUNDLE
from whyformer.maths.random import bits

CODE = BUNDLE.parent.parent


@pytest.mark.parametrize("name", LABS)
@pytest.mark.parametrize(("count", "moves"), [(25, 2), pytest.param(60, 6, marks=pytest.mark.thorough)])
def test_series_and_sentence_are_the_same_in_both_languages(name, count, moves, visit, lab_pages):
    page = visit(lab_pages[name])
    lab = LABS[name]
    states = [*random_states(lab, count, 2017), *corner_states(lab), *drags(lab, moves, 1706)]
    found = differences(page, lab, states)
    assert not found, "\n".join(found[:12])


@pytest.mark.parametrize("name", LABS)
def test_series_that_were_handed_out_can_be_changed_without_harm(name, visit, lab_pages):
    page = visit(lab_pages[name])
    page.evaluate("""(name) => {
      const lab = document.querySelector(`whyformer-lab[name="${name}"]`);
      for (const value of Object.values(lab.series)) if (typeof value !== "number") value.fill(7);
    }""", name)  # fmt: skip
    assert not differences(page, LABS[name], corner_states(LABS[name])[:2])


def test_hash_integers_are_equal_bit_for_bit(visit, lab_pages):
    page = visit(lab_pages["softmax_saturation/gap"])
    edge = [0, 1, 2, 0x7FFFFFFF, 0x80000000, 0x9E3779B9, 0x61C88647, 0xFFFFFFFE, 0xFFFFFFFF]
    many = np.random.default_rng(5).integers(0, 2**32, (20_000, 3))
    triples = np.concatenate([np.array(list(product(edge, repeat=3))), many])
    got = page.evaluate("(all) => all.map(([a, b, c]) => WhyformerLabs.bits(a, b, c))", triples.tolist())
    assert got == bits(*triples.T).tolist()


def test_every_typescript_lab_has_a_python_twin(visit, lab_pages):
    page = visit(lab_pages["softmax_saturation/gap"])
    assert sorted(page.evaluate("[...WhyformerLabs.labs.keys()]")) == sorted(LABS)


def build(changes: dict[str, tuple[str, str]], folder: Path) -> Path:
    """A bundle built from a copy of the front end in which texts of files are exchanged: {file: (old, new)}."""
    source = folder / "code"
    shutil.copytree(CODE, source, ignore=shutil.ignore_patterns("node_modules", "__pycache__", "bundle"))
    (source / "node_modules").symlink_to(CODE / "node_modules")
    for file, (old, new) in changes.items():
        text = (source / "whyformer" / file).read_text(encoding="utf-8")
        assert text.count(old) >= 1, f"{file} no longer holds {old!r}: choose another mutation"
        (source / "whyformer" / file).write_text(text.replace(old, new), encoding="utf-8")
    done = subprocess.run(["node", "build.mjs", str(folder / "bundle")], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, f"no bundle; is Node installed, and npm ci done in code/?\n{done.stderr}"
    return folder / "bundle"


LAW, DRAWN = "questions/why_sqrt_dk/many_draws.ts", "questions/why_sqrt_dk/drawn.ts"
SAMPLING, GAP = "questions/why_sqrt_dk/sampling_lab.ts", "questions/softmax_saturation/gap_lab.ts"
TRAINED, TRAINING = "questions/why_sqrt_dk/trained_scores_lab.ts", "questions/why_sqrt_dk/training_lab.ts"
SATURATION, SOFTMAX = "questions/softmax_saturation/saturation_lab.ts", "maths/softmax.ts"
NORMALISATION, WHERE = "questions/layer_norm/normalisation_lab.ts", "questions/layer_norm/placement_lab.ts"
STACKS = "questions/layer_norm/stacks.ts"
QK, REAL = "questions/qk_weights/each_other_lab.ts", "questions/qk_weights/real_heads_lab.ts"
ASSEMBLY, WIRING = "questions/framework/assembly_lab.ts", "questions/framework/wiring_lab.ts"
FOLLOW = "questions/framework/follow_lab.ts"
BUDGET = "questions/head_size/budget_lab.ts"
START = "questions/why_sqrt_dk/start_lab.ts"
DOT_VS_ADDITIVE = "questions/dot_vs_additive"
POSITIONS = "questions/relative_positions"
SITES, MASK = "questions/dropout_sites/sites_lab.ts", "questions/dropout_sites/mask_lab.ts"
RELY = "questions/dropout_sites/rely_lab.ts"
WISHES, WHICH = "questions/multi_head/two_wishes_lab.ts", "questions/multi_head/which_head_lab.ts"
NO_PROJECTIONS = "questions/no_projections"
LAYERS, PATH = "questions/advantages/layers_lab.ts", "questions/advantages/path_lab.ts"
TYING = "questions/weight_tying"
BALANCE, TWO_USES = "questions/embedding_scale/balance_lab.ts", "questions/embedding_scale/two_uses_lab.ts"
MUTATIONS = [
    ("advantages/layers", LAYERS, "seen < n; seen *= kernel", "seen < n; seen += kernel"),
    ("advantages/layers", LAYERS, "(n - 1) / (seen(n) - 1)", "(n - 1) / seen(n)"),
    ("advantages/path", PATH, "(N - back) * D + i", "(N - back - 1) * D + i"),
    ("advantages/path", "maths/recent.ts", "String(seed)", '""'),
    ("weight_tying/rows", f"{TYING}/rows_lab.ts", "gap > Math.PI + TIE ?", "gap > TIE ?"),
    ("weight_tying/rows", f"{TYING}/rows_lab.ts", "distance <= least", "distance > least"),
    ("weight_tying/traffic", f"{TYING}/traffic_lab.ts", "reads[w] * y[v] - pairs", "y[v] - pairs"),
    ("weight_tying/traffic", f"{TYING}/traffic_lab.ts", "!reads[i] && !answers[i]", "!reads[i]"),
    ("head_size/budget", BUDGET, "even * c[i] - odd * s[i]", "even * c[i] + odd * s[i]"),
    ("head_size/budget", BUDGET, "return found.sort((a, b) => power(b) - power(a));", "return found;"),
    ("head_size/budget", BUDGET, 'pattern === "shuffled" ? seed : ""', '""'),
    ("head_size/budget", BUDGET, "(HEIGHT * (2 * f === m ? 1 : 2))", "(HEIGHT * 2)"),
    ("dot_vs_additive/spread", f"{DOT_VS_ADDITIVE}/spread_lab.ts", "second - first * first", "second"),
    ("dot_vs_additive/spread", f"{DOT_VS_ADDITIVE}/spread_lab.ts", "one[189]", "one[190]"),
    ("dot_vs_additive/spread", "maths/recent.ts", "String(seed)", '""'),
    ("dot_vs_additive/cost", f"{DOT_VS_ADDITIVE}/cost_lab.ts", "mib_query: MIB * n * d_k", "mib_query: MIB * n"),
    ("relative_positions/clocks", f"{POSITIONS}/clocks_lab.ts", "s * one + c * other", "s * one - c * other"),
    ("relative_positions/clocks", "maths/distance.ts", "Math.max(0, -distance)", "Math.max(0, distance)"),
    ("relative_positions/distance", "maths/cholesky.ts", "sum -= lower[i][k]", "sum += lower[i][k]"),
    ("relative_positions/distance", f"{POSITIONS}/distance_lab.ts", "d < CLIP ?", "d <= CLIP ?"),
    ("embedding_scale/balance", BALANCE, 'norm === "on" ? d - 1 : d', "d"),
    ("embedding_scale/balance", "maths/recent.ts", "String(seed)", '""'),
    ("embedding_scale/two_uses", TWO_USES, "top + Math.log(sum) - all", "top + Math.log(sum) + all"),
    ("embedding_scale/two_uses", "maths/recent.ts", "String(seed)", '""'),
    ("dropout_sites/sites", SITES, "if (!found.covers[i]) return NOT_JUDGED;", ""),
    ("dropout_sites/sites", SITES, "(has[i] ? HIT : FALSE_ALARM)", "HIT"),
    ("dropout_sites/sites", SITES, "=> alike(first, source)", "=> !alike(first, source)"),
    ("dropout_sites/rely", RELY, "1 + p / (1 - p)", "1 + p"),
    ("dropout_sites/rely", RELY, "1 + Number(i === j)", "1 + 2 * Number(i === j)"),
    ("dropout_sites/mask", MASK, "? 1 / (1 - p) : 1;", "? 1 / p : 1;"),
    ("dropout_sites/mask", MASK, 'scaling === "test" ? before.map', 'scaling === "none" ? before.map'),
    ("dropout_sites/mask", MASK, "/ N + EPSILON", "/ N"),
    ("dropout_sites/mask", MASK, "p ** (N - n_kept)", "p ** n_kept"),
    ("qk_weights/each_other", QK, "one ? [square, product] : [product, square]", "[square, product]"),
    ("qk_weights/each_other", QK, "asked[1][1], asked[1][0])", "asked[1][0], asked[1][1])"),
    ("qk_weights/each_other", QK, "/ 180)", "/ 360)"),
    ("qk_weights/each_other", QK, "weights.slice(2)", "weights.slice(3)"),
    ("qk_weights/real_heads", REAL, "- column[at % n] + all", "- column[at % n] - all"),
    ("qk_weights/real_heads", REAL, "at % n > Math.floor(at / n)", "at % n < Math.floor(at / n)"),
    ("no_projections/roles", f"{NO_PROJECTIONS}/roles_lab.ts", "each[asks]", "each[asks - 1]"),
    ("no_projections/roles", f"{NO_PROJECTIONS}/roles_lab.ts", "i === asker ? -1", "i === asker ? 1"),
    ("multi_head/two_wishes", WISHES, "[other[1] / apart, -one[1] / apart]", "[other[1] / apart, one[1] / apart]"),
    ("multi_head/two_wishes", WISHES, "1 - (one[wish] * one[wish]) / length", "1 - one[wish] / length"),
    ("multi_head/two_wishes", WISHES, "(100 * best.missed) / halves.length", "100 * best.missed"),
    ("multi_head/which_head", WHICH, "map[i * n + i - 1]", "map[i * n + i]"),
    ("multi_head/which_head", WHICH, "lost.subarray(0, N_HEADS * (N_LAYERS - 1))", "lost.subarray(0, N_HEADS)"),
    ("no_projections/plane", f"{NO_PROJECTIONS}/plane_lab.ts", "row[i] >= least", "row[i] > least + TIE"),
    ("no_projections/plane", f"{NO_PROJECTIONS}/plane_lab.ts", "score >= least", "score >= least + TIE"),
    ("no_projections/plane", f"{NO_PROJECTIONS}/plane_lab.ts", "path.set(step, round * 2 * N)", "path.set(step, 0)"),
    ("no_projections/many", f"{NO_PROJECTIONS}/many_lab.ts", "which + i), MOST_D", "which + 1 + i), MOST_D"),
    (
        "no_projections/many",
        f"{NO_PROJECTIONS}/own_share.ts",
        "(n - 1) * log",
        "n * log",
    ),
    (
        "no_projections/many",
        f"{NO_PROJECTIONS}/own_share.ts",
        "Math.cos(v) ** (d - 2)",
        "Math.cos(v) ** (d - 1)",
    ),
    ("framework/assembly", ASSEMBLY, "2 * decoders + crossed", "2 * decoders"),
    ("framework/assembly", ASSEMBLY, "Math.floor(d_model / n_heads)", "d_model / n_heads"),
    ("framework/wiring", WIRING, "late: (i, j) => j <= i + 1", "late: (i, j) => j <= i + 2"),
    (
        "framework/wiring",
        WIRING,
        "attend(built.cross, z, z, D, LOOKS.causal)",
        "attend(built.cross, z, z, D, LOOKS.none)",
    ),
    ("framework/follow", FOLLOW, 'divisor === "1" ? 1 : 2', "2"),
    ("framework/follow", FOLLOW, "2 * it[2]", "2 * it[3]"),
    ("framework/follow", FOLLOW, "- 1.7", "- 1.7000001"),
    ("framework/wiring", "model/layers.ts", "+ epsilon", ""),
    ("framework/wiring", "model/layers.ts", "column % 2 ? Math.cos", "column % 2 === 0 ? Math.cos"),
    ("layer_norm/normalisation", NORMALISATION, 'kind === 2 && padding === "counted"', "kind === 2"),
    (
        "layer_norm/normalisation",
        NORMALISATION,
        "reduce((a, b) => a + (b - mean) ** 2, 0) / values.length",
        "reduce((a, b) => a + (b - mean) ** 2, 0) / (values.length - 1)",
    ),
    ("layer_norm/normalisation", NORMALISATION, "SENTENCES[1].slice(1, length)", "SENTENCES[1].slice(1)"),
    ("layer_norm/placement", STACKS, "unit[j] * along", "0.9999999 * unit[j] * along"),
    ("layer_norm/placement", STACKS, "if (hidden[j] <= 0)", "if (hidden[j] < 0)"),
    ("layer_norm/placement", WHERE, "const name = `${seed} ${inside} ${start}`", "const name = `${inside} ${start}`"),
    ("layer_norm/placement", WHERE, "pytorch: [1 / 3, 1 / 2, 1 / 3]", "pytorch: [1 / 3, 1 / 3, 1 / 2]"),
    ("why_sqrt_dk/start", START, "i < d_k; i++", "i < d_k - 1; i++"),
    ("why_sqrt_dk/start", START, "part * (", "(1 - part) * ("),
    ("why_sqrt_dk/scale", LAW, "LAW_SEED = 1706", "LAW_SEED = 1707"),
    ("why_sqrt_dk/scale", LAW, "quantileSorted(sorted, 0.9)", "quantileSorted(sorted, 0.91)"),
    ("why_sqrt_dk/scale", LAW, "parallel ** 2 + across", "0.9999999 * parallel ** 2 + across"),
    ("why_sqrt_dk/scale", DRAWN, "draw.prefix.set(d_k, found)", "draw.prefix.set(d_k + 1, found)"),
    ("why_sqrt_dk/scale", "maths/recent.ts", "String(seed)", '""'),
    ("why_sqrt_dk/scale", "maths/random.ts", "0x7feb352d", "0x7feb352f"),
    ("why_sqrt_dk/sampling", SAMPLING, "Math.sin(4 * Math.PI", "Math.cos(4 * Math.PI"),
    ("why_sqrt_dk/sampling", SAMPLING, "known.length < n_pairs", "!known.length"),
    ("why_sqrt_dk/sampling", SAMPLING, "let sum = before[pair];", "let sum = 0;"),
    ("why_sqrt_dk/sampling", SAMPLING, "let i = from; i < to", "let i = 0; i < to"),
    ("why_sqrt_dk/sampling", SAMPLING, "if (i >= 0 && i < bins)", "if (i > 0 && i < bins)"),
    ("why_sqrt_dk/trained_scores", "lab/packed.ts", "2 * (at * count + i), true", "2 * (at * count + i), false"),
    ("why_sqrt_dk/trained_scores", TRAINED, "(layer - 1) * N_HEADS + head - 1", "(layer - 1) * N_HEADS + head"),
    ("why_sqrt_dk/trained_scores", TRAINED, "column <= i", "column < i"),
    ("why_sqrt_dk/training", TRAINING, "step || NEVER", "step"),
    ("why_sqrt_dk/training", TRAINING, "* RATES.length + at) * SEEDS + seed", "* RATES.length + at) * SEEDS"),
    ("softmax_saturation/saturation", SOFTMAX, "= -weights[i] * weights[j]", "= weights[i] * weights[j]"),
    ("softmax_saturation/saturation", SOFTMAX, "return tail / (1 + tail);", "return 1 - out[top];"),
    ("softmax_saturation/saturation", SATURATION, "logits[b] - logits[a]", "logits[b] - logits[a] || b - a"),
    ("softmax_saturation/gap", GAP, "[1000, 1000, 1000 + a]", "[1000, 1000, 1000 + 1.00001 * a]"),
    ("softmax_saturation/gap", GAP, "y3: here,\n    derivative: slope", "derivative: slope,\n    y3: here"),
    ("softmax_saturation/gap", "lab/words.ts", '"·10"', '"e"'),
]


#: One of each lab shows that the comparison can fail; make test-all tries them all.
FIRST = {name: old for name, _, old, _ in reversed(MUTATIONS)}


def marks_of(name: str, old: str) -> list[pytest.MarkDecorator]:
    return [] if FIRST[name] == old else [pytest.mark.thorough]


CASES = [
    pytest.param(name, *rest, id=f"{rest[0]}-{rest[2][:24]}", marks=marks_of(name, rest[1]))
    for name, *rest in MUTATIONS
]


def test_a_mutation_of_every_lab_is_tried():
    assert set(FIRST) == set(LABS)


@pytest.mark.parametrize(("name", "file", "old", "new"), CASES)
def test_a_mutation_is_noticed(name, file, old, new, visit, lab_html, tmp_path):
    page = visit(write_page(tmp_path, lab_html[name], build({file: (old, new)}, tmp_path / "built")).as_uri())
    lab = LABS[name]
    parts = (random_states(lab, 8, 7), corner_states(lab), drags(lab, 12, 8))
    assert any(differences(page, lab, states) for states in parts)
