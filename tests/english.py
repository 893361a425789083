"""Sentences that a reader may have to read twice. A person decides; nothing refuses them: ``make english``.

    make english ENGLISH="chapters/why_sqrt_dk.md"

A line of the list says what is suspected, where, and the sentence. Patterns see little: a list that is empty proves
nothing, and a good sentence may stand in it.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
READ = [
    "*.md", "chapters/*.md", "docs/*.md", "code/whyformer/questions/*/*.py", "code/whyformer/questions/*/*.toml",
]  # fmt: skip
SUSPECTS = {
    "opens with a participle": r"^(Not )?[A-Z][a-z]+(ed|ing|wn)( by [^,]*| to [^,]*)?, ",
    "a chain of that of, those of": r"\b(that|those|one) of (?!the|us|them|these|which|those|two|a\b|an\b)",
    "an everyday verb for a number": r"\b(starves?|drowns?|hands? (over|on)|mends?|calms?|eats?)\b",
    "would one say it so?": (
        r"\b(whoever|there and back|what it does is to|undivided|of which no|in its turn|one reads that|there where|"
        r"so much the|it is the more|has to be seen that|is a matter of|[Cc]onstant are)\b"
    ),
    "behind, for after": r"\bbehind\b",
}
#: Most sentences with a verb have one of these words, or a word with one of these endings.
VERB = re.compile(
    r"\b(is|are|was|were|be|been|am|has|have|had|do|does|did|can|could|will|would|may|might|must|shall|should|let|"
    r"[a-z]{2,}(s|ed|n't)|[Aa]sk|[Dd]rag|[Ff]ind|[Gg]o|[Gg]ive|[Kk]eep|[Ll]ook|[Mm]ake|[Mm]ove|[Pp]ress|[Ss]ay|[Ss]ee|"
    r"[Tt]ake|[Tt]ry|[Uu]se|[Rr]ead|[Bb]ring|[Ww]rite|[Tt]urn|[Ss]et|[Pp]ut|[Nn]ame|[Cc]ompare|[Ss]how|[Pp]rove)\b"
)
PROSE = re.compile(r"\n(?=#|\||\$\$|```|:::|\(|%|- |\* )|\n\n")


def sentences(text: str, python: bool) -> Iterator[tuple[int, str]]:
    """The sentences of a page, or of the strings of a module, each with its line."""
    if python:
        pieces = [(found.start(), found[1]) for found in re.finditer(r'"((?:[^"\\\n]|\\.){25,})"', text)]
    else:
        starts = [0, *(found.end() for found in PROSE.finditer(text))]
        pieces = [(a, text[a:b]) for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
    for start, piece in pieces:
        if piece.lstrip().startswith(("#", "|", "$$", "```", ":::", "(", "%", "---")):
            continue
        line = text.count("\n", 0, start) + 1
        plain = re.sub(r"\{[^}]*\}(`[^`]*`)?|\$[^$]*\$|\]\([^)]*\)|[\[\]*]|<[^>]*>", "", piece)
        for sentence in re.split(r"(?<=[.!?])\s+", plain.replace("\n", " ").strip()):
            yield line, sentence.strip()


def suspected(sentence: str) -> Iterator[str]:
    """What may be wrong with a sentence."""
    yield from (what for what, pattern in SUSPECTS.items() if re.search(pattern, sentence))
    if sentence.endswith(".") and len(sentence.split()) >= 4 and not VERB.search(sentence):
        yield "no verb, by its look"


def main() -> None:
    """Print what is suspected, and how often."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="pages and modules; all that a reader reads if none")
    files = parser.parse_args().files or sorted(file for pattern in READ for file in ROOT.glob(pattern))
    counts: Counter[str] = Counter()
    for file in files:
        for line, sentence in sentences(file.read_text(encoding="utf-8"), file.suffix == ".py"):
            for what in suspected(sentence):
                counts[what] += 1
                print(f"{file.resolve().relative_to(ROOT)}:{line}: {what}: {sentence[:120]}")
    print(*(f"{count} {what}" for what, count in counts.most_common()), sep="\n")


if __name__ == "__main__":
    main()
