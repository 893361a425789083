"""Slips that could be made in the Python, each as one change of text: what ``tests/mutate.py`` tries."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "code/whyformer"
TEXT = {"__init__", "__main__", "exercises", "figures", "predictions", "sources"}  # of modules without a law


BINARY = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.Pow: "*", ast.FloorDiv: "/", ast.Mod: "//"}
COMPARE = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.FloorDiv: "//", ast.Mod: "%",
         ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
         ast.And: "and", ast.Or: "or"}  # fmt: skip
CALLS = {"min": "max", "max": "min", "argmin": "argmax", "argmax": "argmin", "sin": "cos", "cos": "sin",
         "minimum": "maximum", "maximum": "minimum", "any": "all", "all": "any"}  # fmt: skip


Slip = tuple[str, str, str, str]  # file, line, old, new; the line as it stands, so that a changed one is judged anew


class Mutant(NamedTuple):
    file: str  # below the package
    line: int
    start: int  # offsets in the file
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"code/whyformer/{self.file}:{self.line}: {self.old!r} -> {self.new!r}"

    def slip(self) -> Slip:
        line = (PACKAGE / self.file).read_text(encoding="utf-8").splitlines()[self.line - 1].strip()
        return self.file, line, self.old, self.new


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
        if isinstance(node, ast.keyword) and node.arg == "strict":  # of zip: it guards, as an assertion does
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
    return sorted(file for file in [*found, *rooms.glob("*/*.py")] if file.stem not in TEXT)


def around(mutant: Mutant) -> range:
    """The lines of the innermost function that holds the mutant; none outside of functions."""
    found = range(0)
    for node in ast.walk(ast.parse((PACKAGE / mutant.file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.body[0].lineno <= mutant.line <= node.end_lineno:
            found = range(node.body[0].lineno, node.end_lineno + 1)  # inner ones are met later
    return found


def reasons() -> dict[Slip, str]:
    """Of each slip that is listed: why no test can notice it."""
    listed = tomllib.loads((ROOT / "tests/survivors.toml").read_text(encoding="utf-8"))
    return {(one["file"], one["line"], one["old"], one["new"]): one["reason"] for one in listed["survivor"]}
