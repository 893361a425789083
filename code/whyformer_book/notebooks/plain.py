"""MyST to plain Markdown that reads well in any notebook app.

Directives and roles become words, quotes, ``<details>`` and formulas. What is not known here is an error with its
line, so that no notebook ever shows a raw ``{role}``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from markdown_it.token import Token
from pybtex.database import BibliographyData
from whyformer.workbench import EXPERIMENTS, TASKS

from whyformer_book import myst
from whyformer_book.notebooks.labels import Labels, Target
from whyformer_book.pages import citations
from whyformer_book.pages.cards import LABELS
from whyformer_book.pages.claims import listed, spoken
from whyformer_book.questions import stops

_ADMONITIONS = {"note", "tip", "hint", "important", "warning", "caution", "attention", "danger", "error", "seealso"}
_QUOTES = {"admonition", "epigraph", "margin", "sidebar"} | _ADMONITIONS
_CONTAINERS = {"card", "container", "div", "grid", "grid-item", "grid-item-card", "tab-item", "tab-set", "table"}
_POINT = re.compile(rf"^[*-] ({'|'.join(LABELS)}):\s+", re.MULTILINE)  # of a card
_WRAPPED = {"sub": "sub", "sup": "sup", "subscript": "sub", "superscript": "sup", "kbd": "kbd"}

# What stands inside a paragraph, leftmost first. Code is passed over, so that nothing in it is taken for a role.
_INLINE = re.compile(
    r"""(?P<code>(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))
      | \{(?P<role>[\w:.+-]+)\}(?P<quote>`+)(?P<content>.+?)(?P=quote)
      | (?P<math>(?<!\\)(?P<dollars>\$\$?)(?!\$).+?(?<!\\)(?P=dollars))
      | (?P<image>!\[[^\]]*\]\([^)]*\))
      | \[(?P<text>(?:[^\[\]`$]|`[^`]*`|\$[^$]*\$|\[[^\]]*\])*)\]\((?P<address>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)
      | (?P<attributes>(?<=[\]`*$)])\{[.\#][^}]*\})
      | (?P<substitution>\{\{.*?\}\})""",
    re.VERBOSE | re.DOTALL,
)


#: What ends a marked text; its brackets are taken off.
_MARK = re.compile(r'\]\{(?:check=(?:"[^"]*"|[\w-]+)|(?P<page>\.page))\}')
_MARKED_BLOCK = re.compile(r'\s*\{check=(?:"[^"]*"|[\w-]+)\}\s*')


def without_marks(text: str) -> str:
    """A paragraph whose marked texts have a ✓ and no brackets, without what is marked as said by a page alone.

    ``ValueError`` where a bracket has no partner.
    """
    while found := _MARK.search(text):
        depth, at = 1, found.start()
        while depth:
            at -= 1
            if at < 0:
                raise ValueError("a marked text has no opening bracket")
            depth += (text[at] == "]") - (text[at] == "[")
        inside = "" if found["page"] else f"{text[at + 1 : found.start()]} ✓"
        text = f"{text[:at]}{inside}{text[found.end() :]}"
    return text


#: Where ``convert`` puts a cell with this code.
CELL = "<!-- cell: {} -->"


class Problem(ValueError):
    """Something that has no plain form; ``line`` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line + 1


def quote(text: str) -> str:
    """The text as a quotation in Markdown."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip().split("\n"))


def details(summary: str, text: str, is_open: bool = False) -> str:
    """Text that opens when its summary is touched, or closes if it ``is_open``."""
    return f"<details{' open' if is_open else ''}>\n<summary>{summary}</summary>\n\n{text.strip()}\n\n</details>"


def documented(text: str) -> str:
    """What the directives of autodoc in reStructuredText name, as a list; modules count only for the names in them."""
    names, module = [], ""
    for kind, name in re.findall(r"^\.\. (currentmodule|auto\w+):: (\S+)", text, re.MULTILINE):
        if kind in {"currentmodule", "automodule"}:
            module = name
        else:
            names.append(name if name.startswith("whyformer.") else f"{module}.{name}")
    return "\n".join(f"* `{name}`" for name in names) or f"`{module}`"


def workbench(directive: myst.Directive, reasons: str) -> str:
    """The question of an experiment and its task, the place of a cell that trains it, and reasons."""
    name = directive.argument
    if name not in EXPERIMENTS:
        raise Problem(directive.line, f"there is no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    experiment = EXPERIMENTS[name]
    cell = CELL.format(f'train(EXPERIMENTS["{name}"]).plot()')
    return f"**{experiment.question}** {TASKS[experiment.task].says}\n\n{cell}\n\n{reasons}".strip()


class Plain:
    """Rewrites the text of one page. ``macros`` are TeX macros without arguments; they are spelled out."""

    def __init__(self, page: str, labels: Labels, bibliography: BibliographyData, macros: Mapping[str, str]) -> None:
        self.page, self.labels, self.bibliography, self.macros = page, labels, bibliography, macros

    def text(self, text: str, line: int = 0) -> str:
        """``text``, which begins at ``line`` of its file, without any MyST."""
        lines = text.split("\n")
        edits: dict[tuple[int, int], list[str]] = {}
        for token in myst.parse(text):
            if token.map is None:
                continue
            start, end = token.map[0], max(token.map[1], token.map[0] + 1)
            if "check" in token.attrs and start and _MARKED_BLOCK.fullmatch(lines[start - 1]):
                edits[start - 1, start] = []
            new = self.block(token, "\n".join(lines[start:end]), line)
            if new is not None:
                rows = new.split("\n")
                if token.type != "inline":  # a block of its own, as deep in a list as it was
                    indent = re.sub(r"\S.*", "", lines[start])
                    rows = ["", *(f"{indent}{row}".rstrip() for row in rows), ""]
                edits[start, end] = rows
        for (start, end), rows in sorted(edits.items(), reverse=True):
            lines[start:end] = rows
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))

    def block(self, token: Token, source: str, line: int) -> str | None:
        """What takes the place of a block; None leaves it as it is."""
        directive = myst.as_directive(token, line)
        if directive:
            return self.directive(directive)
        if token.type == "inline" and token.map:
            return self.inline(source, line + token.map[0])
        if token.type in {"myst_target", "myst_line_comment", "myst_block_break"}:
            return ""
        if token.type in {"math_block", "math_block_label"}:
            return self.display(token.content, token.info)
        return self.tex(source) if token.type == "amsmath" else None

    def directive(self, directive: myst.Directive) -> str:
        """A directive as Markdown; ``Problem`` for one that has no plain form."""
        name, line, options = directive.name, directive.line, directive.options
        title = self.inline(directive.argument, line)
        if name in {"math", "code", "code-block"}:
            fence = f"```{directive.argument}\n{directive.body.rstrip()}\n```"
            return self.display(directive.body, options.get("label", "")) if name == "math" else fence
        if name == "bibliography":
            return citations.listing(self.bibliography, self.labels.cited)
        if name in {"solution-end", "index", "lesson", "lesson-plans", "formula-of-questions", "each-lab"}:
            return ""
        if name == "workbench":
            return workbench(directive, self.text(directive.body, directive.body_line).strip())
        if name == "layer-map":
            rows = (f"* [{stop.question}]({stop.page}.ipynb)" for stop in stops())
            return "\n".join(rows)
        if name == "eval-rst":  # the reference: what it documents, by name
            return documented(directive.body)
        if name == "asked":
            return listed(directive.argument)
        if name == "practice":
            return self.questions(line)
        if name == "deck":
            return f"**{title}**: {self.text(directive.body, directive.body_line).strip()}"
        if name == "glossary":
            items = re.findall(r"^(\S.*)\n(?:(\S.*)\n)? +(.*)\n\n +(.*)", directive.body, flags=re.MULTILINE)
            return "\n".join(
                f"* **{word}**{f' {chinese}' if chinese else ''}: {sentence} {self.inline(link, line)}"
                for word, chinese, sentence, link in items
            )
        body = self.text(directive.body, directive.body_line).strip()
        if name == "practice-card":
            said = _POINT.sub(lambda point: "* " if point[1] == "must" else f"* {LABELS[point[1]]}: ", body)
            return f"**{title}**\n\n{details('Say it, then open', said)}"
        if name in _ADMONITIONS and title:  # the first words of the note stand on its opening line
            title, body = "", f"{title}\n{body}".strip()
        if name == "dropdown" or (name in _QUOTES and "dropdown" in options.get("class", "")):
            return details(title or name.capitalize(), body)
        if name in _QUOTES:
            head = title or ("See also" if name == "seealso" else name.capitalize() if name in _ADMONITIONS else "")
            return quote(f"**{head}**\n\n{body}" if head else body)
        if name == "exercise":
            words = self.target(options["label"], line).words if "label" in options else "Exercise"
            return f"**{words}{f': {title}' if title and title != words else ''}**\n\n{body}"
        if name in {"solution", "solution-start"}:
            is_open = "open" in options.get("class", "").split()
            return details("Solution to " + self.target(directive.argument, line).words, body, is_open)
        if name in _CONTAINERS:
            return f"**{title}**\n\n{body}" if title and not title.isdigit() else body
        raise Problem(line, f"a notebook has no plain form for the directive {{{name}}}")

    def questions(self, line: int) -> str:
        """The questions of all cards, each with the chapter that has it."""
        return "\n\n".join(
            "\n".join([self.link("", f"{page}.md", line), "", *(f"* {self.inline(asked, line)}" for asked in cards)])
            for page, cards in self.labels.cards.items()
        )

    def display(self, tex: str, label: str) -> str:
        """A displayed formula, with its number if it has a label."""
        number = self.labels.targets.get(label.lower()) if label else None
        tag = rf" \tag{{{number.number}}}" if number else ""
        return f"$$\n{self.tex(myst.join_rows(tex))}{tag}\n$$"

    def tex(self, tex: str) -> str:
        """TeX with the macros spelled out, and without the colours of roles: MathJax knows neither."""
        spelled = re.sub(r"\\[A-Za-z]+", lambda match: self.macros.get(match[0], match[0]), tex)
        return re.sub(r"\\textcolor\{[a-z]+\}", "", spelled)

    def inline(self, text: str, line: int) -> str:
        """The text of a paragraph, which begins at ``line``."""
        try:
            text = without_marks(text)
        except ValueError as error:
            raise Problem(line, str(error)) from None
        return _INLINE.sub(lambda match: self.piece(match, line + text.count("\n", 0, match.start())), text)

    def piece(self, match: re.Match[str], line: int) -> str:
        """What takes the place of a piece that ``_INLINE`` found."""
        if match["role"]:
            return self.role(match["role"], match["content"], line)
        if match["math"]:
            return self.tex(match[0])
        if match["text"] is not None:
            return self.link(match["text"], match["address"], line)
        if match["image"] or match["substitution"]:
            raise Problem(line, f"a notebook has no plain form for {match[0]}")
        return "" if match["attributes"] else match[0]

    def role(self, name: str, content: str, line: int) -> str:
        """A role as Markdown; ``Problem`` for one that has no plain form."""
        content = " ".join(content.split())
        explicit = re.fullmatch(r"(.*?)\s*<([^<>]+)>", content)
        words, label = explicit.groups() if explicit else ("", content)
        if name.partition(":")[0] == "cite":
            try:
                return citations.cite(self.bibliography, re.split(r"\s*,\s*", content), textual=name != "cite:p")
            except KeyError as error:
                raise Problem(line, f"references.bib has no {error}") from None
        if name in {"ref", "numref"}:
            target = self.target(label, line)
            return self.link_to(target, words if name == "ref" and words else target.words)
        if name == "eq":
            return self.target(label, line).words
        if name == "doc":
            return self.link(words, f"{label.removesuffix('.md')}.md", line)
        if name == "math":
            return f"${self.tex(content)}$"
        if name in _WRAPPED:
            return f"<{_WRAPPED[name]}>{content}</{_WRAPPED[name]}>"
        if name == "lab":  # the lab is in the notebook itself; its state is set there in Python
            return words or label
        if name in {"abbr", "cited"}:
            return content
        if name == "verdict":
            return spoken(content)
        raise Problem(line, f"a notebook has no plain form for the role {{{name}}}")

    def target(self, label: str, line: int) -> Target:
        """What a label stands for; ``Problem`` if there is none."""
        if label.lower() not in self.labels.targets:
            raise Problem(line, f"there is no label {label!r}")
        return self.labels.targets[label.lower()]

    def link_to(self, target: Target, words: str) -> str:
        """A link to a target, in this notebook or another."""
        page = "" if target.page == self.page else f"{target.page}.ipynb"
        address = page + (f"#{target.anchor}" if target.anchor else "")
        return f"[{words}]({address})" if address else words

    def link(self, words: str, address: str, line: int) -> str:
        """A Markdown link, to a notebook where it went to a page."""
        words = self.inline(words, line)
        path, _, fragment = address.partition("#")
        if not path and fragment:
            target = self.labels.targets.get(fragment.lower()) or self.labels.targets.get(f"{self.page}#{fragment}")
            return self.link_to(target, words or target.words) if target else f"[{words}]({address})"
        if re.match(r"[a-z]+:", path) or not path.endswith(".md"):
            return f"[{words}]({address})"
        page = Path(path).stem
        if page not in self.labels.titles:
            raise Problem(line, f"there is no page {path}")
        target = self.labels.targets.get(f"{page}#{fragment}") if fragment else None
        return self.link_to(target or Target(page, ""), words or (target.words if target else self.labels.titles[page]))
