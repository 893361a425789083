"""The parts of the book's extension by themselves: the number linter, plain Markdown, formulas, launch links."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from book_cases import ROOT
from whyformer_book.notebooks.labels import Labels
from whyformer_book.notebooks.launch import LAUNCH, binder_url, launchers
from whyformer_book.notebooks.plain import Plain, Problem
from whyformer_book.pages import citations
from whyformer_book.pages.katex import Renderer
from whyformer_book.pages.lab_links import checked
from whyformer_book.pages.tex import tex_in_letters
from whyformer_book.proof.cited import uncited
from whyformer_book.proof.marks import bare
from whyformer_book.proof.sources import told

BIBLIOGRAPHY = citations.read(ROOT / "references.bib")
UNCITED = "the number 79.36 is marked as cited, but its paragraph has no {cite}: “It reached 79.36.”"
MACROS = {r"\Var": r"\operatorname{Var}"}


@pytest.mark.parametrize(
    "text, numbers",
    [
        ("It is 0.071.", ["0.071"]),
        ("Between 2.78e-8 and 3e\N{MINUS SIGN}9, or 1.5B of them.", ["2.78e-8", "3e\N{MINUS SIGN}9", "1.5"]),
        ("28 %, 60.7%, 5\N{NARROW NO-BREAK SPACE}%", ["28 %", "60.7%", "5\N{NARROW NO-BREAK SPACE}%"]),
        ("\N{MINUS SIGN}0.5 to +0.25, in (0.1\N{EN DASH}0.2)", ["\N{MINUS SIGN}0.5", "+0.25", "0.1", "0.2"]),
        ("*0.5* in **0.6**, [0.7](#x) | x=0.8", ["0.5", "0.6", "0.7", "0.8"]),
        ("| a | 0.1 |\n| --- | --- |\n| 0.2 | b |", ["0.1", "0.2"]),
        ("1 of 2, 512 keys, 10000", []),
        ("Code `0.5`, math $0.5$ and $$\n0.5\n$$", []),
        ("{cite:t}`a0.5` {ref}`b-0.5` <https://x.org/0.5> [a](https://x.org/0.5) <b style='width:0.5em'>b</b>", []),
        ("§3.2.1, §3.2, Section 3.2 and 3.4, Figure 2.1, chapter 1.5, equation 3.4", []),
        ("Python 3.11, version 1.0.4, v2.5, NumPy 2.4, GPT-3.5, CC BY 4.0, 1.2.3, arXiv:1706.03762", []),
        ("```python\n0.5\n```\n% a comment 0.5\n", []),
        (":::{note}\n:class: x-0.5\nThe 0.5 in a note.\n:::", ["0.5"]),
        (":::{admonition} About 0.4\n\n- a list of 0.5\n\n  ```{tip}\n  0.6\n  ```\n:::", ["0.4", "0.5", "0.6"]),
    ],
)
def test_numbers_in_prose(text: str, numbers: list[str]) -> None:
    assert [number for _, _, number in bare(text)] == numbers


@pytest.mark.parametrize(
    ("tex", "letters"),
    [
        (r"\sqrt{d_k}", "√d_k"),
        (r"\tfrac12", "1/2"),
        (r"\frac{1}{\sqrt{d_k}}", "1/√d_k"),
        (r"d_{\text{model}} \approx 512", "d_model ≈ 512"),
        (r"\mathbb E\,[q^\top k]", " E[qᵀ k]"),
    ],
)
def test_formulas_in_letters(tex, letters):
    assert tex_in_letters(tex) == letters


def test_a_reported_number_stands_beside_its_citation() -> None:
    good = "It reached {cited}`79.36`, against {cited}`78.74` {cite:p}`someone2024`."
    assert list(uncited(good)) == [] == list(bare(good))
    assert list(uncited("It reached {cited}`79.36` {cite}`someone2024`.")) == []
    assert list(uncited("Words.\n\nIt reached {cited}`79.36`.\n\nAs {cite:t}`someone2024` says.")) == [(3, UNCITED)]
    labels = Labels()
    labels.read("here", good)
    assert labels.cited == {"someone2024"}
    assert plain("It reached {cited}`79.36` {cite:p}`vaswani2017attention`.").startswith("It reached 79.36 (")
    assert list(uncited(":::{note}\nIt reached {cited}`79.36`.\n:::")) == [(2, UNCITED)]


def plain(text: str, page: str = "here", other: str = "# Another page\n\n(sec)=\n## A section\n") -> str:
    labels = Labels()
    labels.read("other", other)
    labels.read(page, text)
    return Plain(page, labels, BIBLIOGRAPHY, MACROS).text(text).strip()


@pytest.mark.parametrize(
    "text, expected",
    [
        ("{cite:t}`vaswani2017attention`", "[Vaswani et al. (2017)](https://arxiv.org/abs/1706.03762)"),
        ("{cite:p}`vaswani2017attention`", "([Vaswani et al., 2017](https://arxiv.org/abs/1706.03762))"),
        ("{ref}`sec` {ref}`this <sec>`", "[A section](other.ipynb#A-section) [this](other.ipynb#A-section)"),
        ("{doc}`other` [x](other.md) [y](other.md#a-section)",
         "[Another page](other.ipynb) [x](other.ipynb) [y](other.ipynb#A-section)"),
        ("{math}`\\Var x` and $\\Var y$, `{ref}` `\\Var`",
         "$\\operatorname{Var} x$ and $\\operatorname{Var} y$, `{ref}` `\\Var`"),
        (r"$\textcolor{query}{\Var}$ and $\frac{\textcolor{key}{k}}{2}$",
         r"${\operatorname{Var}}$ and $\frac{{k}}{2}$"),
        ("$$\n\\textcolor{value}{v}\n$$", "$$\n{v}\n$$"),
        ("$$\nx\n$$ (one)\n\nsee {eq}`one`", "$$\nx \\tag{1}\n$$\n\nsee (1)"),
        ("```{math}\n:label: two\nx\n```\n\n```{math}\ny\n```", "$$\nx \\tag{1}\n$$\n\n$$\ny\n$$"),
        (":::{note}\nOne\n\ntwo\n:::", "> **Note**\n>\n> One\n>\n> two"),
        ("```{margin}\nAside\n```", "> Aside"),
        (":::{admonition} Mine\nBody {ref}`sec`\n:::", "> **Mine**\n>\n> Body [A section](other.ipynb#A-section)"),
        (":::{admonition} Mine\n:class: dropdown\nBody\n:::",
         "<details>\n<summary>Mine</summary>\n\nBody\n\n</details>"),
        ("```{exercise} Why\n:label: ex\nDo.\n```\n\n```{solution} ex\nDone.\n```\n\nSee {ref}`ex`.",
         "**Exercise 1: Why**\n\nDo.\n\n<details>\n<summary>Solution to Exercise 1</summary>\n\nDone.\n\n</details>"
         "\n\nSee Exercise 1."),
        ("(label)=\n# Title\n\n% comment\n\nText", "# Title\n\nText"),
        ("- a\n  ```{tip}\n  b\n  ```", "- a\n\n  > **Tip**\n  >\n  > b"),
        ("```python\n{ref}`x`\n```", "```python\n{ref}`x`\n```"),
        ("```{eval-rst}\n.. automodule:: whyformer.lab\n\n.. autoclass:: Lab\n   :members:\n"
         ".. autofunction:: whyformer.use_style\n```", "* `whyformer.lab.Lab`\n* `whyformer.use_style`"),
        ("```{eval-rst}\n.. automodule:: whyformer.maths.random\n   :members:\n```", "`whyformer.maths.random`"),
    ],
)  # fmt: skip
def test_plain_markdown(text: str, expected: str) -> None:
    assert plain(text) == expected


@pytest.mark.parametrize(
    "text, line",
    [
        ("a\n\nb\n{nosuchrole}`x`", 4),
        ("a\n\n```{nosuchdirective}\n```", 3),
        ("a\n\n:::{note}\nx\n\n{nosuchrole}`x`\n:::", 6),
        ("{ref}`nowhere`", 1),
        ("a\n{cite:t}`nobody1900`", 2),
        ("[x](missing.md)", 1),
    ],
)
def test_what_has_no_plain_form_is_an_error_with_its_line(text: str, line: int) -> None:
    with pytest.raises(Problem) as caught:
        plain(text)
    assert caught.value.line == line


def test_equations_are_numbered_through_the_book_and_exercises_in_each_chapter() -> None:
    other = "# Other\n\n$$\na\n$$ (first)\n\n```{exercise}\n:label: ex-first\n```\n"
    text = "$$\nb\n$$ (second)\n\n{eq}`first` {eq}`second`\n\n```{exercise}\n:label: ex-second\n```\n"
    text += "\n```{exercise}\n:label: ex-third\n```\n"
    said = plain(text, other=other)
    assert "(1) (2)" in said and re.findall(r"Exercise \d+", said) == ["Exercise 1", "Exercise 2"]


def test_the_list_of_sources() -> None:
    lines = citations.listing(BIBLIOGRAPHY, ["vaswani2017attention", "nair2025softmax"]).split("\n")
    assert len(lines) == 2 and "Nair" in lines[0] and "Vaswani" in lines[1], "sorted by author"
    assert "$\\ell _p$" in lines[0] and "https://arxiv.org/abs/2510.23012" in lines[0]
    assert "Read: arXiv 2510.23012v1, abstract and section 1" in lines[0], "and what was read of it"


def test_what_was_read_is_of_one_kind(tmp_path: Path) -> None:
    file = tmp_path / "sources.toml"
    file.write_text('[a]\nabstract = "laws of words"\n[b]\nsecond_hand = "arXiv 1"\n', encoding="utf-8")
    assert told(tmp_path, "a") == ("Abstract", "Laws of words") and told(tmp_path, "b") == ("Second hand", "arXiv 1")
    assert told(tmp_path, "c") == ("", "")
    for number, wrong in enumerate(('seen = "x"', 'read = " "', 'read = "x"\nabstract = "y"')):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "sources.toml").write_text(f"[a]\n{wrong}\n", encoding="utf-8")
        with pytest.raises(ValueError, match="a needs one of read, abstract, second_hand, unread"):
            told(folder, "a")


def test_formulas() -> None:
    render = Renderer(MACROS)
    html = render(r"\Var \frac{1}{2}", display=True)
    assert "katex-display" in html and "<math " in html and "application/x-tex" in html
    assert render("x", display=False) is render("x", display=False)
    with pytest.raises(ValueError, match="KaTeX parse error"):
        render(r"\frac{1}{2", display=False)
    assert "<script" not in render(r"\text{<script>alert(1)</script>}", display=False)
    with pytest.raises(ValueError, match="Undefined control sequence"):
        render(r"\nosuchcommand", display=False)


def test_katex_is_the_one_that_npm_installs() -> None:
    npm, ours = ROOT / "code/node_modules/katex", ROOT / "code/whyformer/bundle/katex"
    assert npm.is_dir(), "code/node_modules is missing: run npm ci in code/"
    css = (npm / "dist/katex.min.css").read_text(encoding="utf-8")
    css = re.sub(r',url\([^)]*\) format\("(?:woff|truetype)"\)', "", css)
    assert (ours / "katex.min.css").read_text(encoding="utf-8") == css
    for file in [npm / "LICENSE", npm / "dist/katex.min.js", *(npm / "dist/fonts").glob("*.woff2")]:
        folder = ours / "fonts" if file.suffix == ".woff2" else ours
        assert (folder / file.name).read_bytes() == file.read_bytes(), file.name
    assert {file.suffix for file in (ours / "fonts").iterdir()} == {".woff2"}


def test_launchers() -> None:
    def found(url: str, **launch: str) -> dict[str, str]:
        config = SimpleNamespace(whyformer_repository=url, whyformer_branch="main", whyformer_launch=LAUNCH | launch)
        return {item["text"]: item["url"] for item in launchers(config, "intro")}

    assert found("") == found("", jupyterhub_url="https://hub.example.edu") == {}
    assert set(found("https://github.com/a/b")) == {"Binder", "Colab"}
    assert set(found("https://gitlab.com/a/b", jupyterhub_url="https://h.org")) == {"Binder", "JupyterHub"}
    assert "/blob/live/notebooks/intro.ipynb" in found("https://github.com/a/b", site_branch="live")["Colab"]
    assert binder_url("https://mybinder.org", "https://git.example.edu/a/b", "main", "intro") == (
        "https://mybinder.org/v2/git/https%3A%2F%2Fgit.example.edu%2Fa%2Fb/main"
        "?urlpath=lab%2Ftree%2F_build%2Fnotebooks%2Fintro.ipynb"
    )


def test_links_to_states() -> None:
    assert checked("why_sqrt_dk/scale?d_k=4096&divisor=d_k") == ("why_sqrt_dk", "scale?d_k=4096&divisor=d_k")
    assert checked("softmax_saturation/saturation?logits=1,2,3")[1] == "saturation?logits=1,2,3"
    for wrong, message in {
        "why_sqrt_dk/none": "no lab named",
        "why_sqrt_dk/scale?dk=1": "no control 'dk'",
        "why_sqrt_dk/scale?d_k=5000": "got '5000'",
        "why_sqrt_dk/scale?d_k=<img>": "got '<img>'",
        "softmax_saturation/saturation?logits=1,b": "got '1,b'",
    }.items():
        with pytest.raises(ValueError, match=message):
            checked(wrong)
