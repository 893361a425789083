"""Slips on purpose: would the Python tests notice? ``make mutate`` changes one thing at a time and runs them.

What is changed: an operator, a sign, a comparison, a number, an axis, min for max; in ``maths/``, ``model/``,
``evidence/``, the laws of a question and what a lab's ``compute`` calls. A seeded sample. The tests run once with
nothing changed, while it is written down which file of tests runs which function; a mutant meets the files that run
the function it is in, those of its own package first, and those alone if it is listed as below. No browser, no
JavaScript.
Prints the share that is noticed, by package, and every survivor; those that no test can notice stand with their
reason in ``tests/survivors.toml``.

Each mutant runs in a fork of a process that has already imported the libraries, on a copy of the package.
"""

from __future__ import annotations

import argparse
import functools
import gc
import importlib
import importlib.util
import io
import multiprocessing
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import NamedTuple

for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):  # a fork must not inherit threads
    os.environ[_variable] = "1"

import coverage  # noqa: E402
import pytest  # noqa: E402
from slips import PACKAGE, ROOT, Mutant, Slip, around, files, mutants_of, reasons  # noqa: E402

SHARES = ["tests/questions"], ["tests/lab"], ["tests/maths"], ["tests/model", "tests/evidence"]  # the longest first
MARKS = "not browser and not kernel and not thorough"
FRONT_END = "tests/lab/test_bundle.py"


def near(file: str) -> str:
    parts = Path(file).parts
    return "tests/questions/" + parts[1] if parts[0] == "questions" else "tests/" + parts[0]


@contextmanager
def copied() -> Iterator[Path]:
    """A copy of the package, imported in place of it here and in what is started from here."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "whyformer"
        shutil.copytree(PACKAGE, copy)
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True
        os.environ |= {"PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1", "HYPOTHESIS_STORAGE_DIRECTORY": folder}
        assert importlib.util.find_spec("whyformer").origin.startswith(folder), "not the copy is tested"
        yield copy


def run(tests: list[str], *plugins: object) -> str:
    """What pytest prints if a test fails, else nothing. Raises if it could not run them: that is no red test."""
    left_out = ("cacheprovider", "anyio", "unraisableexception", "threadexception")
    options = ["-x", "-q", "--assert=plain", "--tb=native", *(f"-pno:{name}" for name in left_out)]
    options += ["-m", MARKS, "--ignore", FRONT_END]
    with redirect_stdout(io.StringIO()) as printed, redirect_stderr(printed):
        code = pytest.main([*options, *tests], plugins)
    if code in (3, 4, 5):
        raise RuntimeError(f"pytest ends with {code} on {' '.join(tests)}:\n{printed.getvalue()[-2000:]}")
    return printed.getvalue() if code else ""


class Watch:
    """Tells the recorder which file of tests is at work, and how long each takes."""

    def __init__(self, recorder: coverage.Coverage):
        self.recorder, self.file, self.began, self.seconds = recorder, "", 0.0, defaultdict(float)

    def enter(self, nodeid: str) -> None:
        if nodeid.split("::")[0] == self.file:
            return
        self.file = nodeid.split("::")[0]
        self.recorder.switch_context(self.file)
        for found in gc.get_objects():  # what one file of tests has computed the next must compute again
            if type(found) is functools._lru_cache_wrapper and found.__module__.startswith("whyformer"):
                found.cache_clear()

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        self.enter(collector.nodeid)

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.enter(item.nodeid)
        self.began = time.monotonic()

    def pytest_runtest_teardown(self) -> None:
        self.seconds[self.file] += time.monotonic() - self.began


class Baseline(NamedTuple):
    runs: dict[tuple[str, int], set[str]]  # (file, line) -> the files of tests that run it
    seconds: dict[str, float]
    libraries: set[str]

    @classmethod
    def joined(cls, parts: list[Baseline]) -> Baseline:
        runs: dict[tuple[str, int], set[str]] = defaultdict(set)
        for part in parts:
            for place, some in part.runs.items():
                runs[place] |= some
        return cls(
            runs,
            {k: v for part in parts for k, v in part.seconds.items()},
            set().union(*(part.libraries for part in parts)),
        )

    def tests(self, mutant: Mutant) -> list[str]:
        """The files of tests that run the mutant's function; outside of functions those that run any of the module,
        or of one that imports it. What is nearest comes first, then what is quickest."""
        lines = around(mutant)
        users = importers(mutant.file)
        found = {
            test
            for (file, line), tests in self.runs.items()
            if (file == mutant.file and line in lines if lines else file in users)
            for test in tests
        }
        return sorted(found, key=lambda test: (not test.startswith(near(mutant.file)), self.seconds[test]))

    def longest(self, tests: list[str]) -> int:
        """Seconds after which a mutant runs in a circle, which is noticed."""
        return 60 + round(5 * sum(self.seconds[test] for test in tests))


@functools.cache
def importers(file: str) -> set[str]:
    """Of a module: itself, and the modules that import from it."""
    *package, name = Path("whyformer", file).with_suffix("").parts
    imports = re.compile(rf"from {re.escape('.'.join(package))}(\.{name} import|.* import .*\b{name}\b)")
    texts = {str(one.relative_to(PACKAGE)): one.read_text(encoding="utf-8") for one in PACKAGE.rglob("*.py")}
    return {file} | {one for one, text in texts.items() if imports.search(text)}


def measure(tests: list[str]) -> Baseline:
    """These tests, with nothing changed."""
    with copied() as copy:
        recorder = coverage.Coverage(data_file=None, source=[str(copy)], config_file=False)
        watch = Watch(recorder)
        recorder.start()
        failure = run(tests, watch)
        recorder.stop()
        if failure:
            raise RuntimeError(f"The tests fail although nothing was changed:\n{failure[-4000:]}")
        runs, data = {}, recorder.get_data()
        for file in data.measured_files():
            for line, contexts in data.contexts_by_lineno(file).items():
                runs[str(Path(file).relative_to(copy)), line] = watch.seconds.keys() & set(contexts)
        installed = {
            name for name, module in sys.modules.items() if "/site-packages/" in str(vars(module).get("__file__"))
        }
        return Baseline(runs, dict(watch.seconds), installed)


def notices(task: tuple[Mutant, list[str], int]) -> bool:
    mutant, tests, longest = task
    if not tests:
        return False
    with copied() as copy:
        file = copy / mutant.file
        text = file.read_text(encoding="utf-8")
        for compiled in file.parent.glob(f"__pycache__/{file.stem}.*"):
            compiled.unlink()
        file.write_text(text[: mutant.start] + mutant.new + text[mutant.end :], encoding="utf-8")
        signal.signal(signal.SIGALRM, lambda *_: sys.exit("too long"))
        signal.alarm(longest)
        try:
            return bool(run(tests))
        except SystemExit:
            return True
        finally:
            signal.alarm(0)


def met(base: Baseline, mutant: Mutant, known: dict[Slip, str]) -> list[str]:
    """What a mutant meets: if its slip is listed, the nearest files of tests alone, or most of the time goes there."""
    tests = base.tests(mutant)
    nearest = [test for test in tests if test.startswith(near(mutant.file))]
    return nearest if nearest and mutant.slip() in known else tests


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=2017)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", default="", help="files whose path holds this")
    asked = parser.parse_args()
    everything = [mutant for file in files() if asked.only in str(file) for mutant in mutants_of(file)]
    chosen = random.Random(asked.seed).sample(everything, min(asked.count, len(everything)))
    print(f"{len(chosen)} of {len(everything)} possible slips, seed {asked.seed}", flush=True)
    began, counts, known = time.monotonic(), defaultdict(lambda: [0, 0, 0]), reasons()
    outdated = {slip for slip in known if asked.only in slip[0]} - {mutant.slip() for mutant in everything}
    for file, line, old, new in sorted(outdated):
        print(f"listed, but no slip any more: {file}: {line}: {old!r} -> {new!r}", flush=True)
    os.chdir(ROOT)
    fork = multiprocessing.get_context("fork")
    with fork.Pool(asked.workers, maxtasksperchild=1) as pool:
        base = Baseline.joined(pool.map(measure, SHARES, chunksize=1))
    print(f"Unchanged, the tests pass, after {(time.monotonic() - began) / 60:.1f} min", flush=True)
    for name in base.libraries:
        with suppress(Exception):  # some can be imported only by others
            importlib.import_module(name)
    with fork.Pool(asked.workers, maxtasksperchild=1) as pool:
        tasks = [(mutant, tests, base.longest(tests)) for mutant in chosen for tests in [met(base, mutant, known)]]
        for done, (mutant, noticed) in enumerate(zip(chosen, pool.imap(notices, tasks), strict=True), 1):
            package = "compute of labs" if mutant.file.startswith("questions") else mutant.file.split("/")[0]
            reason = known.get(mutant.slip())
            counts[package][0 if noticed else 1 if reason else 2] += 1
            if not noticed:
                print(f"survived: {mutant}: {reason or 'NO REASON GIVEN'}", flush=True)
            if done % 20 == 0:
                print(f"{done} of {len(chosen)} after {(time.monotonic() - began) / 60:.1f} min", flush=True)
    together = [sum(column) for column in zip(*counts.values(), strict=True)]
    for package, (noticed, explained, open_) in [*sorted(counts.items()), ("together", together)]:
        share = 100 * noticed / (noticed + explained + open_)
        print(f"{package:16} {noticed:4} noticed, {explained:3} with a reason, {open_:3} open: {share:.1f} % noticed")
    sys.exit(together[2] > 0 or bool(outdated))


if __name__ == "__main__":
    main()
