"""A check writes its sentence: what its words mean, what the build compares, and what it asks of a chapter."""

from __future__ import annotations

import re

import numpy as np
import pytest
from docutils import nodes
from whyformer.book import prose
from whyformer.book.checks import mark
from whyformer.book.claim_calls import faults
from whyformer.book.claims import blank, places_of, problems, unclaimed
from whyformer.book.sentences import Piece, pieces_of_node, pieces_of_tokens, plain, plain_words, tex_in_letters
from whyformer.lab.teach.claim import write
from whyformer.proof.words import DOWN, GREATER, LARGEST, LESS, NUMBERS, SMALLEST, UP, WORDS


@pytest.mark.parametrize(
    ("template", "parts", "sentence"),
    [
        ("It is {x:.2f}.", {"x": 0.128}, "It is 0.13."),
        ("{x:.0%} of {n} rows", {"x": 0.283, "n": 512}, "28% of 512 rows"),
        ("{a:larger} and {b:smaller}", {"a": (2, 1), "b": (1, 2)}, "larger and smaller"),
        ("{x:.0f} or {x:two}", {"x": 2.0}, "2 or two"),
        ("{x:Most} {x:.1f}", {"x": 0.7}, "Most 0.7"),
        ("It {x:grows}, then {y:falls}.", {"x": [1, 2, 3], "y": [[3, 2], [9, 1]]}, "It grows, then falls."),
        ("Always so.", {"so": np.array([True, True])}, "Always so."),
        ("{name} is first", {"name": "key 3"}, "key 3 is first"),
        (
            "the {x:largest}, {y:at most} {z:twelve}",
            {"x": (3, [1, 2]), "y": ([1, 2], 2), "z": 12},
            "the largest, at most twelve",
        ),
    ],
)
def test_a_check_writes_its_sentence(template, parts, sentence):
    assert write(template, parts).sentence == sentence


@pytest.mark.parametrize(
    ("template", "parts", "says"),
    [
        ("{a:larger}", {"a": (1, 2)}, "'larger' is not true of a = 1 against 2"),
        ("{a:larger}", {"a": (1, 1 - 1e-9)}, "not true"),  # a difference that rounding could make is none
        ("{a:larger}", {"a": ([2, 2], [1, 3])}, "not true"),
        ("{x:two}", {"x": 3}, "not true"),
        ("{x:twice}", {"x": 2.4}, "not true"),
        ("{x:most}", {"x": 0.5}, "not true"),
        ("{x:never}", {"x": 0.01}, "not true"),
        ("{x:all}", {"x": 0.999}, "not true"),
        ("{x:grows}", {"x": [1, 2, 2]}, "not true"),
        ("{x:grows}", {"x": [1, 2, float("nan")]}, "not true"),
        ("{x:half}", {"x": float("nan")}, "not true"),
        ("{x:largest}", {"x": (2, [1, 2])}, "not true"),
        ("{x:at most}", {"x": ([1, 2], 1.9)}, "not true"),
        ("{x:differ}", {"x": ([1, 2], [1, 3])}, "not true"),  # one of them does not
        ("So.", {"calm": [True, False]}, "the condition 'calm' does not hold"),
        ("So.", {"calm": np.zeros(0, bool)}, "the condition 'calm' does not hold"),
    ],
)
def test_a_sentence_that_does_not_hold_is_not_written(template, parts, says):
    with pytest.raises(AssertionError, match=re.escape(says)):
        write(template, parts)


@pytest.mark.parametrize(
    ("template", "parts", "says"),
    [
        ("So.", {}, "without a value or a condition"),
        ("{x}", {"y": True}, "gap {x}"),
        ("So.", {"n": 3}, "has to be True or False"),
        ("{x:larger}", {"x": 3}, "compares a pair"),
        ("{x:grows}", {"x": 3}, "is about a course"),
        ("{x:smaller}", {"x": (1, 2, 0)}, "compares a pair"),  # not its first two
        ("{x:equal}", {"x": 3}, "compares a pair"),
        ("{x:different}", {"x": (1, float("nan"))}, "not a number"),
        ("{x:larger}", {"x": ([], [])}, "nothing to judge"),
        ("{x:all}", {"x": []}, "nothing to judge"),
    ],
)
def test_what_is_no_claim_is_refused(template, parts, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        write(template, parts)


def test_words_of_opposite_meaning_are_never_both_true():
    pairs = [(1.0, 2.0), (2.0, 1.0), (1.0, 1.0), (-1.0, 1.0)]
    for a in GREATER + LARGEST:
        for b in LESS + SMALLEST:
            assert not any(WORDS[a](pair) and WORDS[b](pair) for pair in pairs), (a, b)
            assert WORDS[a]((2.0, 1.0)) and WORDS[b]((1.0, 2.0))
    for a in UP:
        for b in DOWN:
            assert WORDS[a]([1, 2]) and WORDS[b]([2, 1]) and not WORDS[a]([2, 1]) and not WORDS[b]([1, 2])
    for word, n in NUMBERS.items():
        assert [WORDS[word](m) for m in (n - 1, n, n + 1)] == [False, True, False]


def test_what_was_written_is_shown_as_text_and_never_as_html():
    shown = write("<b>{x:.1f}</b>", {"x": 0.52, "so": True}).bundle()
    assert shown["text/plain"].splitlines() == ["✓ <b>0.5</b>", "    x: 0.52 → 0.5", "    so: holds"]
    assert "<b>" not in shown["text/html"] and "&lt;b&gt;0.5&lt;/b&gt;" in shown["text/html"]


def test_bits_that_differ_between_processors_are_not_shown():
    for spec in (".0f", ".2f", "larger"):
        ends = (61.9642, 61.9646)  # of one training on two processors
        shown = [write(f"it is {{x:{spec}}}", {"x": (x, 10.0) if spec == "larger" else x}).bundle() for x in ends]
        assert shown[0] == shown[1]
    assert "    x: 61.96425" in write("{x:.5f}", {"x": 61.96425}).bundle()["text/plain"]
    assert "    x: 12346" in write("{x:.0f}", {"x": 12345.6}).bundle()["text/plain"]


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


def paragraph(text: str) -> list[Piece]:
    return next(pieces_of_tokens(token) for _, token in prose.inlines(text))


@pytest.mark.parametrize(
    "text",
    [
        "At $d_k = 64$ it is *larger* than √dₖ, in 28 % {cite:p}`a2020b` of rows.",
        "At d_k = 64 it is\nlarger than $\\sqrt{d_k}$, in 28% of\nrows.",
        "At `d_k = 64` it is [larger](x.md) than {lab}`√dₖ <why_sqrt_dk/scale>`, in 28 % of rows.",
    ],
)
def test_one_sentence_has_one_plain_form(text):
    assert plain(paragraph(text))[0] == plain_words("At d_k = 64 it is larger than √d_k, in 28% of rows.")


CELL = "\n\n```{{code-cell}} python\n:tags: [hide-cell]\nclaim({})\n```\n"


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ('"It is 3 times larger.", so=x > 1', ["the number '3'", "the comparison 'larger'"]),
        ('"It is two.", so=x > 1', ["the number 'two'"]),
        ('"It is {x:.2f}.", x=0.13', ["the gap 'x' of a claim is a literal"]),
        ('"It is so.", so=True', ["the condition 'so' of a claim is a literal"]),
        ('f"It is {x}."', ["one string"]),
        ('"It is {x:two} of W_1 at one of all, n²", x=x', []),
        ('"Of (0, 3) a third, ¼, 10th or hundred", so=x > 1', ["'3'", "'¼'", "'10'", "'a third'", "'hundred'"]),
        ('"It costs no dearer than that, rather than this", so=x > 1', ["the comparison 'than'"]),
        ('"It is {x:half} of that than of this, rather than that", x=x', []),
        ('"It is best, and the fastest", best_of_all=x > 1', ["the comparison 'fastest'"]),
        ('"It is last.", first_of_all=x > 1', ["'last' in a claim", "named for 'first', and the sentence says 'last'"]),
        ('"Equal weights.", different_weights=x > 1', ["named for 'different', and the sentence says 'equal'"]),
        ('"By step 2 so.", so=x > 1', ["names step 2, and the page has none"]),
        ('"By step 1 so.", so=x > 1', []),
        ('"It is {p:larger}.", p=(2, 1)', ["the gap 'p' of a claim is a literal"]),
        ('"It {p:grows}.", p=np.array([1, 2])', ["the gap 'p' of a claim is a literal"]),
        ('"It is so.", so=2 > 1', ["the condition 'so' of a claim is a literal"]),
        ('"It is so.", so=abs(x.y - x.y) < 1', ["compares something with itself"]),
        ('"It is the {p:same}.", p=(x, x)', ["compares something with itself"]),
        ('"It is the {p:same}.", p=(draw(), draw())', []),
        ('"It is so.", **parts', ["not by **"]),
        (
            '"It is {r} times.", r=ratio)\nratio = (15',
            ["a literal by another name, ratio, which nothing computes with"],
        ),
        ('"It is {r} times.", r=ratio, so=x > ratio)\nratio = (15', []),
        ('"At d_k = {d_k} it is {r:.0f} times {p:larger}.", d_k=d_k, r=a / b, p=(a, b)', []),
    ],
)
def test_numbers_and_comparisons_of_a_claim_are_gaps(call, says):
    found = list(faults("**Step 1.** Words." + CELL.format(call)))
    assert all(line == 5 for line, _ in found)
    assert len(found) == len(says) and all(want in got for want, (_, got) in zip(says, found, strict=True))


PAGE = """# A page

## Short answer

Rows start sharp. The gradient is $15$ times larger. {} Is it?

## Other

It never fails. This is {} a fact. Most know {{cite:p}}`a2020b`. We suspect that most agree. At most 3.

**Step 1.** Nothing is said twice.
"""


def test_the_build_asks_by_what_a_sentence_is_known():
    text = PAGE.format("All of it.", "mostly")
    found = [(line, words) for line, words, _ in unclaimed(text, [])]
    assert found == [
        (5, "Rows start sharp."), (5, "The gradient is 15 times larger."), (5, "All of it."), (9, "It never fails."),
        (11, "Nothing is said twice."),
    ]  # fmt: skip
    claims = [plain_words(words) for _, words in found]
    assert list(unclaimed(text, claims)) == []
    assert [words for _, words, _ in unclaimed(text, claims[:1] + claims[2:])] == ["The gradient is 15 times larger."]
    derived = text.replace("Other", "Derivation")
    for cell, asked in (("", True), ("\n```{code-cell} python\nassert two\n```\n", False)):
        assert any("twice" in words for _, words, _ in unclaimed(derived + cell, claims[:-1])) == asked


SAY = """# A page

## Sources

Rows start soft.

**You can now say**

* *what stays*: The sum stays, {0}. It grows with $h$.
* *why √dₖ*: Rows start soft {{cite:p}}`a2020b`.
* *what is contested*: Whether it helps is only suspected.
* *the rank*: is lost;

**Next:** [A page](page.md) with rows that start soft.

It grows.
"""


def test_each_sentence_that_a_reader_can_now_say_is_asked_for_but_not_its_label():
    text = SAY.format("at any size")
    found = [(line, words) for line, words, _ in unclaimed(text, [])]
    assert found == [
        (9, "The sum stays, at any size."), (9, "It grows with h."), (12, "the rank: is lost;"),
    ]  # fmt: skip
    assert {why for *_, why in unclaimed(text, [])} == {"it stands under 'You can now say'"}
    claims = [plain_words(words) for _, words in found]
    assert list(unclaimed(text, claims)) == []
    changed = SAY.format("at each size")
    assert [words for _, words, _ in unclaimed(changed, claims)] == ["The sum stays, at each size."]


def test_a_number_that_a_check_wrote_needs_no_other_voucher_and_another_does():
    text = "It is 0.13 here. It is 0.13 there.\n"
    claims = [plain_words("It is 0.13 here.")]
    assert prose.unvouched(text) == [(1, "0.13"), (1, "0.13")]
    assert prose.unvouched(text, blank(claims)) == [(1, "0.13")]
    assert prose.unvouched(text, blank([plain_words("It is 0.14 here.")])) == [(1, "0.13"), (1, "0.13")]


def test_a_sentence_is_marked_where_it_stands_with_its_formulas():
    node = nodes.paragraph("", "Before. It is ", nodes.math("", "d_k"), nodes.Text(" "), nodes.emphasis("", "here"))
    node += nodes.Text(". After.")
    text = node.astext()
    mark(node, [plain_words("It is d_k here.")])
    assert node.astext() == text
    marked = [inline.astext() for inline in node.findall(nodes.inline) if "wf-claimed" in inline["classes"]]
    assert marked == ["It is ", "d_k", "here", "."]
    assert places_of([plain_words("It is not here.")], pieces_of_node(node)) == []


@pytest.mark.parametrize(
    ("text", "claim", "whole"),
    [
        ("It is so. Rows are sharp. It is.", "Rows are sharp.", True),
        ("Hardly any rows are sharp.", "rows are sharp.", False),  # says the opposite
        ("Rows are sharp. 12 of 13 are.", "12 of 13 are.", True),
        ("It is 5.12 of 13 are.", "12 of 13 are.", False),
        ("It is 3.5 here.", "It is 3.", False),
        ("Rows are sharp, at the end.", "Rows are sharp", False),
        ("Rows are sharp: see there.", "Rows are sharp", True),
        ('**"Wrong."** (Rows are sharp.)', "Rows are sharp.", True),
        ("The cell of a table", "The cell of a table", True),
    ],
)
def test_a_claim_is_found_as_a_whole_sentence_only(text, claim, whole):
    assert bool(places_of([plain_words(claim)], paragraph(text))) == whole


def test_a_sentence_stands_above_its_check_in_the_same_section():
    text = "# A page\n\nIt is 0.13 here.\n\n## Other\n\nWords.\n"
    sentence = "It is 0.13 here."
    assert problems(text, [(sentence, 4)]) == []
    for line in (2, 7):
        (problem,) = problems(text, [(sentence, line)])
        assert problem.line == line and "not above it in its section" in problem.text and "in line 3" in problem.text
    (number, missing) = problems(text, [("It is 0.14 here.", 4)])
    assert (number.sort, number.line) == ("number", 3) and "nearest, in line 3" in missing.text
    assert [problem.sort for problem in problems(text, [], failed=True)] == ["number"]
    nobody = text + "\nNobody knows.\n"
    assert len(problems(nobody, [(sentence, 4)])) == 1
