"""``make mutate``: change one thing in a lab's TypeScript at a time, and see whether the tests would notice.

A number, sign, comparison, colour, look, series or word is changed in a copy of the sources; esbuild makes a bundle of
that one lab, and V8 runs it. What counts as noticed: it does not build or run, it computes other than Python, or its
picture is not as approved. A change that shows in none of some random states is not counted.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from approved import files_of
from lab_cases import LABS, corner_states, random_states
from py_mini_racer import MiniRacer
from twins import differences
from whyformer.lab import Lab
from whyformer.lab.host import still

CODE = Path(__file__).parent.parent / "code"
COLOURS = ("query", "key", "value", "score", "gradient", "ink", "soft")
LOOKS = ("dashed", "dotted", "solid", "faint", "thin", "thick")
COMPARED = {"===": "!==", "!==": "===", "<": ">="}
#: What is looked for, and what may stand there instead.
SLIPS: dict[str, tuple[str, Any]] = {
    "number": (r"(?<![\w.\"])\d+(?:\.\d+)?(?![\w.\"])", lambda old, _: str(float(old) * 1.5 + 1)),
    "sign": (r"(?<=[\w)\]] )[-+](?= [\w(])", lambda old, _: "-" if old == "+" else "+"),
    "product": (r"(?<=[\w)\]] )[*/](?= [\w(])", lambda old, _: "*" if old == "/" else "/"),
    "comparison": (r"(?<= )(?:===|!==|<=|>=|<|>)(?= )", lambda old, _: COMPARED.get(old, "<")),
    "colour": (f'(?<=colour: ")(?:{"|".join(COLOURS)})(?=")', lambda old, all_of: all_of([*COLOURS], old)),
    "look": (f'(?<=")(?:{"|".join(LOOKS)})(?=")', lambda old, all_of: all_of([*LOOKS], old)),
    "series": (r"(?<=\bseries\.)\w+", None),
    "word": (r'(?<=\bt\(")[^"]{4,}(?=")', lambda old, _: old[::-1] if "{" not in old else f"not {old}"),
}  # fmt: skip


def slips_of(text: str, chance: random.Random) -> tuple[str, str]:
    """The source with one slip in it, and what the slip is."""
    body = text.index("export function")
    while True:
        kind = chance.choice([*SLIPS])
        pattern, other = SLIPS[kind]
        places = [one for one in re.finditer(pattern, text) if one.start() > body and not in_comment(text, one.start())]
        if not places:
            continue
        place = chance.choice(places)
        all_of = lambda some, old: chance.choice([one for one in some if one != old])  # noqa: E731
        names = sorted({one[0] for one in places})
        if kind == "series" and len(names) < 2:
            continue
        new = all_of(names, place[0]) if kind == "series" else other(place[0], all_of)
        line = text.count("\n", 0, place.start()) + 1
        return text[: place.start()] + new + text[place.end() :], f"{kind} in line {line}: {place[0]!r} -> {new!r}"


def in_comment(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return "//" in line or line.lstrip().startswith("*")


def engine_with(lab: str, sources: Path) -> MiniRacer | None:
    """V8 with a bundle of one lab; None if there is none to be made."""
    room, name = lab.split("/")
    entry = f'import {{ labs }} from "./lab/registry.ts";\nimport * as lab from "./questions/{room}/{name}_lab.ts";\n'
    entry += f'labs.set("{lab}", lab);\nexport * from "./lab/host/still.ts";\n'
    esbuild = [str(CODE / "node_modules/.bin/esbuild"), "--bundle", "--format=iife", "--global-name=WhyformerStill",
               "--loader=ts", "--log-level=silent"]  # fmt: skip
    done = subprocess.run(esbuild, input=entry, cwd=sources, capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    engine = MiniRacer()
    engine.eval(done.stdout)
    return engine


def shows(lab: type[Lab], states: list[dict[str, Any]]) -> Any:
    """What a lab computes and draws at some states; an error, in words."""
    asked = {"declaration": lab.declaration(), "size": "full"}
    try:
        drawn = [still.picture({**asked, "state": state}) for state in states]
        return [still.computed(asked["declaration"], states), drawn]
    except Exception as error:  # noqa: BLE001  # whatever stops it
        return f"fails: {error!s:.80}"


def noticed(lab: type[Lab]) -> bool:
    """Whether the tests would notice: the twins of ``test_twins``, or what is approved."""
    states = [*random_states(lab, 10, 2017), *corner_states(lab)]
    try:
        if differences(lab, states, still.computed(lab.declaration(), states)):
            return True
        return any(file.read_text(encoding="utf-8") != text for file, text in files_of(lab).items())
    except Exception:  # noqa: BLE001
        return True


def main() -> None:
    """Try slips in each lab, and say how many were noticed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10, help="slips for each lab")
    parser.add_argument("--lab", default="", help="labs whose name holds this")
    parser.add_argument("--seed", type=int, default=2017)
    given = parser.parse_args()
    counts: Counter[bool] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder) / "whyformer"
        shutil.copytree(CODE / "whyformer", sources, ignore=shutil.ignore_patterns("__pycache__", "bundle", "data"))
        (Path(folder) / "node_modules").symlink_to(CODE / "node_modules")
        for name in (one for one in LABS if given.lab in one):
            lab, chance = LABS[name], random.Random(f"{given.seed} {name}")
            file = sources / f"questions/{name}_lab.ts"
            text = file.read_text(encoding="utf-8")
            states = random_states(lab, 15, given.seed)
            still._engine.cache_clear() if hasattr(still._engine, "cache_clear") else None
            whole = engine_with(name, sources)
            still._engine = lambda engine=whole: engine
            before, found, tries = shows(lab, states), 0, 0
            while found < given.count and tries < 4 * given.count:
                tries += 1
                changed, what = slips_of(text, chance)
                file.write_text(changed, encoding="utf-8")
                engine = engine_with(name, sources)
                still._engine = lambda engine=engine: engine
                if engine and shows(lab, states) == before:
                    continue  # nothing that a reader could see
                found += 1
                seen = engine is None or noticed(lab)
                counts[seen] += 1
                if not seen:
                    print(f"not noticed: {name}, {what}", flush=True)
            file.write_text(text, encoding="utf-8")
            print(f"{name}: {found} slips", file=sys.stderr, flush=True)
    print(f"{counts[True]} of {counts.total()} slips in TypeScript were noticed")


if __name__ == "__main__":
    main()
