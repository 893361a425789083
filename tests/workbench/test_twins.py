"""The engine of the page against the Python, in V8 and in three browsers: the same examples, gradients and training."""

import json
import re
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from py_mini_racer import MiniRacer
from some import some
from webdriver import BROWSERS, browse
from whyformer.maths.softmax import Array
from whyformer.workbench import EXPERIMENTS, TASKS, Arm, Experiment, train
from whyformer.workbench.adam import cross_entropy
from whyformer.workbench.engine import build, initial
from whyformer.workbench.experiment import plain

CODE = Path(__file__).parents[2] / "code"
ARMS = [f"{name}, {place}" for name, one in EXPERIMENTS.items() for place in range(len(one.arms()))]


@cache
def script() -> str:
    """The engine alone, as a classic script."""
    return bundled("train.ts", "T")


def bundled(file: str, name: str) -> str:
    options = ["--bundle", "--format=iife", "--target=es2022", "--loader:.wasm=binary", f"--global-name={name}"]
    command = ["node_modules/.bin/esbuild", f"whyformer/workbench/{file}", *options]
    return subprocess.run(command, cwd=CODE, check=True, capture_output=True, text=True).stdout


@cache
def v8() -> MiniRacer:
    engine = MiniRacer()
    engine.eval(script())
    engine.eval("const listed = (_, x) => ArrayBuffer.isView(x) ? [...x] : x;")
    return engine


def asked(experiment: Experiment, body: str, place: int = 0, seed: int = 3):
    """What ``body`` returns, given ``t``, the training of one arm."""
    made = f"const e = {json.dumps(plain(experiment))}, {{arm, task}} = e.arms[{place}]"
    code = f"(() => {{ {made}, t = new T.Training(e, arm, task, {seed}); {body} }})()"
    return json.loads(v8().eval(f"JSON.stringify({code}, listed)"))


@pytest.mark.parametrize("name", TASKS)
def test_examples_are_the_same_to_the_bit(name):
    task, theirs = TASKS[name], json.loads(v8().eval(f'JSON.stringify(T.example("{name}", 11), listed)'))
    ours = task.held_out(11, 1)
    assert theirs["tokens"] == ours.tokens[0].tolist() and theirs["answers"] == ours.answers[0].tolist()
    assert theirs["asked"] == [task.asked.start, task.asked.stop]


VARIANTS = [
    *({"residual": residual, "norm": norm} for residual in (True, False) for norm in ("pre", "post", "none")),
    {"matrices": "one", "heads": 1},
    {"matrices": "none"},
    {"matrices": "none", "heads": 1, "norm": "none", "layers": 1},
    {"d_ff": 0},
    {"divisor": "1", "d_k": 5, "d_ff": 3, "positions": "none"},
    {"start": "small"},
    {"positions": "rotary"},
    {"positions": "rotary", "matrices": "none", "heads": 1},
]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("changes", VARIANTS, ids=str)
def test_first_weights_logits_and_gradients_are_the_same(task, changes):
    arm = Arm(d_model=12, heads=2, layers=2).change(**changes)
    experiment = Experiment("one", "?", task, arm, arm.change(name="other"), batch=3)
    theirs = asked(experiment, "return t.gradients()", seed=8)
    model = build(arm, TASKS[task], initial(arm, TASKS[task], 8))
    batch = TASKS[TASKS[task].trains_on or task].batch(8, 0, 3)
    found = model.forward(batch.tokens)
    gradients = model.backward(found, cross_entropy(found.logits, batch.answers)[1])
    np.testing.assert_allclose(theirs["logits"], found.logits.ravel(), rtol=0, atol=1e-12)
    assert theirs["gradients"].keys() == gradients.keys()
    for name, gradient in gradients.items():
        scale = max(1, np.abs(gradient).max())
        np.testing.assert_allclose(theirs["gradients"][name], gradient.ravel(), rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize("which", some(ARMS, ("divisor, 0", "norm, 1", "one_matrix, 2", "longer_texts, 0")))
def test_fifty_steps_end_alike(which):
    name, place = which.split(", ")
    place = int(place)
    arm = EXPERIMENTS[name].arms()[place][0]
    # without a norm six layers make half a million times as much of rounding in 50 steps
    steps = 5 if arm.name == "no norm" else 50
    experiment = EXPERIMENTS[name].change(steps=steps, every=50, warm_up=20)
    theirs = asked(experiment, f"for (let i = 0; i < {steps}; i++) t.step(); return t.measure()", place)
    run = train(experiment, seeds=[3], progress=False)
    ours = run.curves[(run.curves["arm"] == arm.name) & (run.curves["step"] == steps)].iloc[0]
    for column in ("loss", "accuracy", "largest"):
        assert theirs[column] == pytest.approx(ours[column], abs=1e-9), column
    np.testing.assert_allclose(np.ravel(theirs["maps"]), run.maps[arm.name].ravel(), rtol=0, atol=1e-9)


WHOLE = """const first = t.measure();
for (let i = 0; i < %d; i++) t.step();
return [first.largest, t.measure().accuracy];"""


def told_of(name: str, place: int, steps: int) -> tuple[str, str]:
    """What a page shows after so many steps: right answers, and the largest weight before the first."""
    largest, last = np.transpose([asked(EXPERIMENTS[name], WHOLE % steps, place, seed) for seed in range(5)])
    told = f"{last.mean():.2f} [{last.min():.2f}, {last.max():.2f}]"
    return told[:4] if told == "1.00 [1.00, 1.00]" else told, f"{largest.mean():.2f}"


def printed(words: str) -> set[str]:
    return set(re.findall(r"\d\.\d\d(?: \[\d\.\d\d, \d\.\d\d\])?", words))


@pytest.mark.thorough
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_what_one_will_have_seen_is_what_a_page_shows(name):
    short, _ = EXPERIMENTS[name].seen.split("fter 1,000 steps")
    found = [told_of(name, place, EXPERIMENTS[name].steps) for place in range(3)]
    assert {told for told, _ in found} <= printed(short), (found, short)
    assert printed(short) <= {one for both in found for one in both}


@pytest.mark.thorough
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_what_the_model_without_the_part_has_learned_after_a_thousand_steps(name):
    _, long = EXPERIMENTS[name].seen.split("fter 1,000 steps")
    told, _ = told_of(name, 1, EXPERIMENTS[name].long)
    assert told in printed(long)


HUNDRED = """for (let i = 0; i < 100; i++) t.step();
const {loss, accuracy, largest} = t.measure();
return [loss, accuracy, largest];"""


@pytest.mark.thorough
@pytest.mark.parametrize("browser", BROWSERS)
def test_every_browser_gets_the_same_bits(browser, tmp_path):
    file = tmp_path / "engine.html"
    file.write_text("<!doctype html><meta charset=utf-8><title>Engine</title>", encoding="utf-8")
    for name in ("divisor", "norm", "longer_texts"):
        ours = [asked(EXPERIMENTS[name], HUNDRED, place, 1) for place in range(3)]
        with browse(browser) as page:
            page.goto(file.as_uri())
            body = f"{script()}; const e = {json.dumps(plain(EXPERIMENTS[name]))};"
            each = f"e.arms.map(({{arm, task}}) => {{ const t = new T.Training(e, arm, task, 1); {HUNDRED} }})"
            assert page.evaluate(f"() => {{ {body} return {each} }}") == ours, name


def test_a_browser_without_webassembly_gets_the_same_bits():
    plain_engine = MiniRacer()
    plain_engine.eval("delete globalThis.WebAssembly")
    plain_engine.eval(script())
    for name, place in (("divisor", 1), ("one_matrix", 2), ("norm", 0)):
        made = f"const e = {json.dumps(plain(EXPERIMENTS[name]))}, {{arm, task}} = e.arms[{place}]"
        code = f"(() => {{ {made}, t = new T.Training(e, arm, task, 1); {HUNDRED} }})()"
        theirs = json.loads(plain_engine.eval(f"JSON.stringify({code})"))
        assert theirs == asked(EXPERIMENTS[name], HUNDRED, place, 1), name


def products(engine: MiniRacer, a: Array, b: Array, is_turned: bool) -> Array:
    """Products of each a (n, inner), or (inner, n) if turned, and b (inner, m), by the kernel of the page."""
    count, inner, m = b.shape
    sizes = [a.shape[2 if is_turned else 1], inner, m]
    given = f"Float64Array.of(...{a.ravel().tolist()}), Float64Array.of(...{b.ravel().tolist()})"
    found = engine.eval(f"JSON.stringify([...K.product({given}, {sizes}, {count}, {json.dumps(is_turned)})])")
    return np.reshape(json.loads(found), (count, sizes[0], m))


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize(
    "sizes", [(1, 4, 1, 4), (2, 5, 7, 6), (3, 10, 16, 11), (1, 3, 9, 8), (2, 8, 5, 2), (1, 61, 40, 33)]
)
def test_products_of_matrices_are_right_with_webassembly_and_without(sizes, is_turned):
    count, n, inner, m = sizes
    draw = np.random.default_rng(5)
    a = draw.standard_normal((count, inner, n) if is_turned else (count, n, inner))
    b = draw.standard_normal((count, inner, m))
    fast, slow = MiniRacer(), MiniRacer()
    slow.eval("delete globalThis.WebAssembly")
    for engine in (fast, slow):
        engine.eval(bundled("kernels.ts", "K"))
    found = products(fast, a, b, is_turned)
    np.testing.assert_allclose(found, (a.swapaxes(1, 2) if is_turned else a) @ b, rtol=0, atol=1e-13)
    assert np.array_equal(found, products(slow, a, b, is_turned))


def test_the_compiled_kernel_is_that_of_its_source(tmp_path):
    command = ["node_modules/.bin/wat2wasm", "whyformer/workbench/product.wat", "-o", str(tmp_path / "product.wasm")]
    subprocess.run(command, cwd=CODE, check=True)
    assert (tmp_path / "product.wasm").read_bytes() == (CODE / "whyformer" / "workbench" / "product.wasm").read_bytes()


def test_numbers_that_overflow_end_the_training_and_are_not_measured():
    arm = Arm(norm="none", layers=3)
    experiment = Experiment("one", "?", "reverse", arm, arm.change(name="other"), rate=1e160)
    ended = "let steps = 0; while (steps < 9 && t.step()) steps++; return [steps < 9, t.measure() === undefined]"
    assert asked(experiment, ended) == [True, True]


def test_exp_and_log_are_right_to_the_last_bits():
    x = np.concatenate([-np.linspace(0, 750, 4001), [-1e-300, -708.4, -745.2, -1e300]])
    module = bundled("kernels.ts", "K")
    engine = MiniRacer()
    engine.eval(module)
    np.testing.assert_allclose(
        json.loads(engine.eval(f"JSON.stringify({x.tolist()}.map(K.exp))")), np.exp(x), rtol=5e-16, atol=5e-324
    )
    y = np.geomspace(1, 1e300, 4001)
    np.testing.assert_allclose(
        json.loads(engine.eval(f"JSON.stringify({y.tolist()}.map(K.log))")), np.log(y), rtol=4e-16, atol=1e-17
    )
    assert engine.eval("Number.isNaN(K.exp(NaN))")
