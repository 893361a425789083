"""Slips on purpose: would the Python tests notice? ``make mutate`` changes one thing at a time and runs them.

What is changed: an operator, a sign, a comparison, a number, an axis, min for max; in ``maths/``, ``model/``,
``evidence/``, the laws of a question and what a lab's ``compute`` calls. A seeded sample; each mutant first meets the
tests of its own package, and what these miss meets all tests without a browser. Prints the share that is noticed, by
package, and every survivor with file and line.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
ALL = ["tests/maths", "tests/model", "tests/evidence", "tests/questions", "tests/lab"]
PACKAGE = ROOT / "code/whyformer"
MARKS = "not browser and not kernel and not thorough"
LONGEST = 300  # seconds for one set of tests; a mutant that takes longer runs in a circle, which is noticed

BINARY = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.Pow: "*", ast.FloorDiv: "/", ast.Mod: "//"}
COMPARE = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.FloorDiv: "//", ast.Mod: "%",
         ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
         ast.And: "and", ast.Or: "or"}  # fmt: skip
CALLS = {"min": "max", "max": "min", "argmin": "argmax", "argmax": "argmin", "sin": "cos", "cos": "sin",
         "minimum": "maximum", "maximum": "minimum", "any": "all", "all": "any"}  # fmt: skip


class Mutant(NamedTuple):
    file: str  # below the package
    line: int
    start: int  # offsets in the file
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"code/whyformer/{self.file}:{self.line}: {self.old!r} -> {self.new!r}"


def parts_of(tree: ast.Module, file: Path) -> list[ast.AST]:
    """The whole module; of a lab what ``compute`` calls in it, directly or not."""
    if not file.stem.endswith("_lab"):
        return [tree]
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    found, ahead = {}, ["compute"]
    while ahead:
        name = ahead.pop()
        if name in functions and name not in found:
            found[name] = functions[name]
            ahead += [node.id for node in ast.walk(functions[name]) if isinstance(node, ast.Name)]
    return list(found.values())


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or isinstance(node, ast.Constant) and isinstance(node.value, str)


def another(value: bool | int | float) -> str:
    if isinstance(value, bool):
        return str(not value)
    return str(value + 1 if isinstance(value, int) else 1.5 * value or 1.0)


def mutants_of(file: Path) -> list[Mutant]:
    text = file.read_text(encoding="utf-8")
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: list[Mutant] = []

    def place(line: int, column: int) -> int:  # columns count bytes
        row = text[starts[line - 1] : starts[line]]
        return starts[line - 1] + len(row.encode()[:column].decode())

    def add(start: int, end: int, new: str) -> None:
        line = text.count("\n", 0, start) + 1
        found.append(Mutant(str(file.relative_to(PACKAGE)), line, start, end, text[start:end], new))

    def between(left: ast.AST, right: ast.AST, sign: str, new: str) -> None:
        start, end = place(left.end_lineno, left.end_col_offset), place(right.lineno, right.col_offset)
        at = re.search(rf"(?<![*/<>=]){re.escape(sign)}(?![*/=])", text[start:end])
        if at:
            add(start + at.start(), start + at.end(), new)

    def visit(node: ast.AST) -> None:
        if isinstance(node, (ast.Raise, ast.JoinedStr, ast.Assert)):
            return
        if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
            if not any(is_text(side) for side in (node.left, node.right)):
                between(node.left, node.right, SIGNS[type(node.op)], BINARY[type(node.op)])
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARE:
            between(node.left, node.comparators[0], SIGNS[type(node.ops[0])], COMPARE[type(node.ops[0])])
        elif isinstance(node, ast.BoolOp):
            new = "or" if isinstance(node.op, ast.And) else "and"
            between(node.values[0], node.values[1], SIGNS[type(node.op)], new)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            start = place(node.lineno, node.col_offset)
            add(start, start + 1, "+")
        elif isinstance(node, ast.Attribute) and node.attr in CALLS:
            end = place(node.end_lineno, node.end_col_offset)
            add(end - len(node.attr), end, CALLS[node.attr])
        elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            span = place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)
            add(*span, another(node.value))
        for name, child in ast.iter_fields(node):
            if name in {"annotation", "returns"}:
                continue
            for one in child if isinstance(child, list) else [child]:
                if isinstance(one, ast.AST):
                    visit(one)

    for part in parts_of(ast.parse(text), file):
        visit(part)
    return found


def files() -> list[Path]:
    rooms = PACKAGE / "questions"
    found = [file for name in ("maths", "model", "evidence") for file in (PACKAGE / name).glob("*.py")]
    found += [*rooms.glob("*/*_lab.py"), *rooms.glob("*/law.py"), *rooms.glob("*/blocks.py")]
    return sorted(file for file in found if file.stem not in {"__init__", "__main__"})


def own_tests(file: str) -> list[str]:
    parts = Path(file).parts
    return ["tests/questions/" + parts[1]] if parts[0] == "questions" else ["tests/" + parts[0]]


def notices(mutant: Mutant, copy: Path, tests: list[str]) -> bool:
    """Whether ``tests`` fail with the mutant in ``copy``, which is left as it was. Raises if they cannot be run."""
    file = copy / "whyformer" / mutant.file
    text = file.read_text(encoding="utf-8")
    file.write_text(text[: mutant.start] + mutant.new + text[mutant.end :], encoding="utf-8")
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", MARKS, *tests]
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(copy)}
    try:
        done = subprocess.run(command, cwd=ROOT, env=os.environ | threads, capture_output=True, timeout=LONGEST)
        if done.returncode in (3, 4, 5):  # pytest's own trouble, or not a single test: that is no red test
            raise RuntimeError(f"{' '.join(tests)}: {done.stdout.decode()[-1000:]}")
        return done.returncode != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        file.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=2017)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", default="", help="files whose path holds this")
    asked = parser.parse_args()
    everything = [mutant for file in files() if asked.only in str(file) for mutant in mutants_of(file)]
    chosen = random.Random(asked.seed).sample(everything, min(asked.count, len(everything)))
    print(f"{len(chosen)} of {len(everything)} possible slips, seed {asked.seed}")
    began, counts, survivors = time.monotonic(), defaultdict(lambda: [0, 0]), []
    with tempfile.TemporaryDirectory() as folder:
        copies: Queue[Path] = Queue()
        for i in range(asked.workers):
            ignore = shutil.ignore_patterns("node_modules")
            copies.put(shutil.copytree(ROOT / "code", Path(folder) / str(i), ignore=ignore))

        for copy in list(copies.queue):  # or every slip would look noticed
            (copy / "node_modules").symlink_to(ROOT / "code/node_modules")
            tell = [sys.executable, "-c", "import whyformer; print(whyformer.__file__)"]
            tested = subprocess.check_output(tell, env=os.environ | {"PYTHONPATH": str(copy)}, text=True)
            assert tested.startswith(str(copy)), f"{tested} is tested, not the copy"
        unchanged = Mutant("maths/softmax.py", 1, 0, 0, "", "")
        if notices(unchanged, copy, ALL):
            sys.exit("The tests fail although nothing was changed.")
        print(f"Unchanged, the tests pass, after {(time.monotonic() - began) / 60:.0f} min", flush=True)

        def judge(mutant: Mutant) -> bool:
            copy = copies.get()
            try:
                near = own_tests(mutant.file)
                return notices(mutant, copy, near) or notices(mutant, copy, [t for t in ALL if t not in near])
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(asked.workers) as pool:
            for done, (mutant, noticed) in enumerate(zip(chosen, pool.map(judge, chosen), strict=True), 1):
                package = "compute of labs" if mutant.file.startswith("questions") else mutant.file.split("/")[0]
                counts[package][0] += noticed
                counts[package][1] += 1
                if not noticed:
                    survivors.append(mutant)
                    print(f"survived: {mutant}", flush=True)
                if done % 20 == 0:
                    print(f"{done} of {len(chosen)} after {(time.monotonic() - began) / 60:.0f} min", flush=True)
    for package, (noticed, all_) in sorted(counts.items()):
        print(f"{package:16} {noticed:4} of {all_:4}  {100 * noticed / all_:.0f} %")
    noticed = len(chosen) - len(survivors)
    print(f"{'together':16} {noticed:4} of {len(chosen):4}  {100 * noticed / len(chosen):.1f} %")


if __name__ == "__main__":
    main()
