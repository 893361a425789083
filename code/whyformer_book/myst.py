"""Reading MyST text: its blocks with their line numbers, and what a directive is made of. Lines count from 0 here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

EXTENSIONS = {
    "amsmath",
    "attrs_block",
    "attrs_inline",
    "colon_fence",
    "deflist",
    "dollarmath",
    "substitution",
    "tasklist",
}
CODE = {"code", "code-block", "code-cell", "eval-rst", "literalinclude"}
NOT_PROSE = {"bibliography", "image", "lesson", "lesson-plans", "math", "raw", "toctree"} | CODE

_DIRECTIVE = re.compile(r"\{([\w:.+-]+)\}\s*(.*)", re.DOTALL)
_COMMAND = re.compile(r"^(\s*)[%!?].*$", re.MULTILINE)
_OPTION = re.compile(r"\s*:([\w-]+):\s*(.*)")


@dataclass(frozen=True)
class Directive:
    """``name`` and ``argument`` from the opening line; ``body`` begins at line ``body_line``."""

    name: str
    argument: str
    options: dict[str, str]
    body: str
    line: int
    body_line: int


@dataclass(frozen=True)
class Cell:
    """A code cell that is executed: the line of its fence, and its source without commands of IPython."""

    line: int
    source: str


@cache
def _parser() -> MarkdownIt:
    return create_md_parser(MdParserConfig(enable_extensions=EXTENSIONS), RendererHTML)


def parse(text: str) -> list[Token]:
    """The tokens of MyST text."""
    return _parser().parse(text)


def as_directive(token: Token, offset: int = 0) -> Directive | None:
    """The directive that a fence is, if it is one; ``offset`` is the line at which the parsed text begins."""
    match = _DIRECTIVE.fullmatch(token.info.strip()) if token.type in {"fence", "colon_fence"} else None
    if not match or token.map is None:
        return None
    lines = token.content.split("\n")
    options, used = {}, 0
    if lines[0].strip() == "---" and "---" in [line.strip() for line in lines[1:]]:
        used = [line.strip() for line in lines[1:]].index("---") + 2
        options = dict(re.findall(r"^\s*([\w-]+):\s*(.*?)\s*$", "\n".join(lines[1 : used - 1]), re.MULTILINE))
    else:
        while used < len(lines) and (option := _OPTION.fullmatch(lines[used])):
            options[option[1]] = option[2].strip()
            used += 1
    line = offset + token.map[0]
    return Directive(match[1], match[2].strip(), options, "\n".join(lines[used:]), line, line + 1 + used)


@lru_cache(256)  # each check of a page asks for them, and so do labels when all pages are read
def walk(text: str, offset: int = 0) -> tuple[tuple[Token, int, Directive | None], ...]:
    """Every block token with the line at which it begins, those inside directives included; none may be changed."""
    found: list[tuple[Token, int, Directive | None]] = []
    for token in parse(text):
        if token.map is None:
            continue
        directive = as_directive(token, offset)
        found.append((token, offset + token.map[0], directive))
        if directive and directive.name not in NOT_PROSE:
            found += walk(directive.body, directive.body_line)
    return tuple(found)


def cells(text: str) -> tuple[Cell, ...]:
    """The code cells of a page that are executed, in their order."""
    return tuple(
        Cell(directive.line, _COMMAND.sub(r"\1pass", directive.body))
        for _, _, directive in walk(text)
        if directive and directive.name == "code-cell" and "skip-execution" not in directive.options.get("tags", "")
    )


def join_rows(tex: str) -> str:
    """The rows of a display, which Sphinx separates by blank lines, as one formula."""
    parts = [part.strip() for part in tex.split("\n\n") if part.strip()]
    parts = [rf"\begin{{split}}{part}\end{{split}}" if r"\\" in part else part for part in parts]
    return "".join(parts) if len(parts) < 2 else r"\begin{aligned}" + r"\\".join(parts) + r"\end{aligned}"
