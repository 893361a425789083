"""Phrases that betray a translation, or a sentence that was bent to fit a check, stand nowhere that a reader reads."""

import re

import pytest
from book_cases import ROOT

PHRASES = [
    r"whoever", r"hangs? on\b", r"hung on\b", r"there and back", r"what it does is to", r"undivided",
    r"of which no property", r"[Cc]onstant are", r"in its turn", r"moves by \d+ % of its", r"one reads that",
    r"there where", r"so much the", r"it is the more", r"has to be seen that", r"is a matter of",
]  # fmt: skip
READ = [
    *ROOT.glob("*.md"),
    *ROOT.glob("chapters/*.md"),
    *(ROOT / "docs").glob("*.md"),
    *ROOT.glob("code/whyformer/questions/*/*.py"),
    *ROOT.glob("code/whyformer/questions/*/*.toml"),
]


@pytest.mark.parametrize("phrase", PHRASES)
def test_nobody_would_say_it_so(phrase):
    found = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for file in READ
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(rf"\b{phrase}", line)
    ]
    assert not found, "\n".join(found)
