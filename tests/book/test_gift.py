"""The questions as GIFT, read by a parser that follows the format's description and not the program that writes it."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass

from book_cases import ROOT
from hypothesis import given
from hypothesis import strategies as st
from whyformer.lab import Option, Predict
from whyformer_book.teach import gift


@dataclass
class Parsed:
    """A question as a program that imports it understands it."""

    category: str
    title: str
    text: str
    options: list[tuple[bool, str, str]]  # whether it is right, what it says, what is said to it


def tokens(text: str):
    """Letters with what they mean: a sign behind a backslash is itself and nothing else; ``\\n`` is a new line."""
    at = 0
    while at < len(text):
        if text[at] == "\\" and text[at + 1 : at + 2] in (*"\\~=#{}:", "n"):
            yield "letter", "\n" if text[at + 1] == "n" else text[at + 1]
            at += 2
        else:
            yield ("sign" if text[at] in "~=#{}:" else "letter"), text[at]
            at += 1


def parse(source: str) -> list[Parsed]:
    """All questions of a file. Blank lines part them; ``//`` begins a remark."""
    questions, category = [], ""
    for block in re.split(r"\n\s*\n", source.strip()):
        lines = [line for line in block.split("\n") if not line.strip().startswith("//")]
        if lines[0].startswith("$CATEGORY:"):
            category = lines[0].partition(":")[2].strip()
            lines = lines[1:]
        if lines:
            questions.append(_question("\n".join(lines), category))
    return questions


def _question(block: str, category: str) -> Parsed:
    """``::title::text {answers}``, where an answer begins with = or ~ and # begins what is said to it."""
    parts, options, state = {"title": "", "text": ""}, [], "start"
    colons = 0
    for kind, letter in tokens(block):
        if kind == "sign" and letter == ":" and state in ("start", "title"):
            colons += 1
            state = {2: "title", 4: "text"}.get(colons, state)
        elif kind == "sign" and letter == "{" and state == "text":
            state = "answers"
        elif kind == "sign" and letter == "}" and state == "answers":
            state = "end"
        elif kind == "sign" and letter in "=~" and state == "answers":
            options.append([letter == "=", "", None])
        elif kind == "sign" and letter == "#" and state == "answers":
            assert options[-1][2] is None, "feedback twice"
            options[-1][2] = ""
        else:
            assert kind == "letter", f"a sign that means nothing here: {letter!r} in {block!r}"
            if state == "answers" and options:
                options[-1][1 if options[-1][2] is None else 2] += letter
            elif state in parts:
                parts[state] += letter
            else:
                assert letter.isspace(), f"letters outside of everything: {letter!r}"
    assert state == "end" and parts["text"].startswith("[plain]")
    said = [(right, answer.strip(), (feedback or "").strip()) for right, answer, feedback in options]
    return Parsed(category, parts["title"], parts["text"].removeprefix("[plain]").strip(), said)


def test_every_bet_of_the_book_is_read_as_it_was_written(tmp_path) -> None:
    file = tmp_path / "deep/whyformer.gift"
    command = [sys.executable, "-m", "whyformer_book.teach.gift", str(file)]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert made.returncode == 0, made.stderr
    found = parse(file.read_text(encoding="utf-8"))
    rooms = sorted(one.parent.name for one in (ROOT / "code/whyformer/questions").glob("*/predictions.py"))
    assert sorted({one.title.partition("/")[0] for one in found}) == rooms
    assert len({one.title for one in found}) == len(found) and all(one.category[10:] for one in found)
    (gradient,) = [one for one in found if one.title == "why_sqrt_dk/gradient"]
    assert gradient.category == "Whyformer/Why divide by √dₖ?" and gradient.text.startswith(
        "A fresh attention layer has 8"
    )
    assert [right for right, _, _ in gradient.options] == [False, False, True, False]
    assert gradient.options[2][1] == "It becomes several times larger"
    assert "128 keys" in gradient.options[0][2]
    for one in found:
        assert 2 <= len(one.options) <= 6 and sum(right for right, _, _ in one.options) == 1
        assert all(answer and feedback for _, answer, feedback in one.options)


letters = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]) | st.sampled_from("\\~=#{}:n/\n"), min_size=1
)
words = letters.map(str.strip).filter(bool)


@given(words, st.lists(st.tuples(words, words), min_size=2, max_size=6))
def test_no_text_means_anything_to_gift(text: str, options: list[tuple[str, str]]) -> None:
    bet = Predict("room/bet", text, [Option(one, why, n == 1) for n, (one, why) in enumerate(options)])
    (one,) = parse(gift.question(bet._declaration))
    assert (one.title, one.text) == ("room/bet", text)
    assert one.options == [(n == 1, answer, why) for n, (answer, why) in enumerate(options)]


def test_a_page_without_bets_has_none() -> None:
    assert gift.bets("teaching") == gift.bets("no_such_page") == []
    assert [one["predict"] for one in gift.bets("why_sqrt_dk")] == ["why_sqrt_dk/gradient"]
