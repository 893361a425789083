"""Slips in pictures on purpose: would the tests notice? Part of ``make mutate``.

What is changed is what ``view`` returned, at a random state: panels exchanged, one series for another, a domain or a
size off by two, bars negated, a map transposed, an axis flipped, a colour of another meaning, a wrong number or word,
a label on another line, a curve that is wrong, a panel, mark or dot missing, a picture that is frozen. The test is
that of ``tests/lab/test_pictures.py``: the drawn picture read back and compared with its table.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "lab")]

from lab_cases import LABS, random_states  # noqa: E402
from picture_axes import Case  # noqa: E402
from picture_checks import compare  # noqa: E402
from picture_svg import asked_of, drawn  # noqa: E402
from test_pictures import TABLES  # noqa: E402
from whyformer.lab.host import still  # noqa: E402

Blocks = list[dict[str, Any]]
CHANNELS = ("x", "y", "low", "high", "x1", "x2", "y1", "y2", "edges", "values", "r")


def panels(blocks: Blocks) -> Iterator[dict[str, Any]]:
    """All blocks that draw something, in reading order."""
    for block in blocks:
        if "blocks" in block:
            yield from panels(block["blocks"])
        elif block["kind"] not in ("controls", "buttons"):
            yield block


def plots(blocks: Blocks) -> list[dict[str, Any]]:
    return [panel for panel in panels(blocks) if panel["kind"] == "plot"]


def all_marks(blocks: Blocks, *kinds: str) -> list[dict[str, Any]]:
    return [mark for plot in plots(blocks) for mark in plot["marks"] if not kinds or mark["mark"] in kinds]


class Nothing(Exception):
    """This slip is not possible in this picture."""


def pick(chance: random.Random, some: list[Any]) -> Any:
    if not some:
        raise Nothing
    return chance.choice(some)


def arrays(blocks: Blocks) -> list[tuple[dict[str, Any], str]]:
    marks = [mark for mark in all_marks(blocks) if mark["mark"] != "texts"]
    return [(mark, c) for mark in marks for c in CHANNELS if isinstance(mark.get(c), list) and mark[c]]


def panels_exchanged(blocks: Blocks, chance: random.Random) -> None:
    one = pick(chance, plots(blocks))
    other = pick(chance, [plot for plot in plots(blocks) if plot is not one and plot["marks"] != one["marks"]])
    one["marks"], other["marks"] = other["marks"], one["marks"]


def other_series(blocks: Blocks, chance: random.Random) -> None:
    mark, channel = pick(chance, arrays(blocks))
    others = [m[c] for m, c in arrays(blocks) if len(m[c]) == len(mark[channel]) and m[c] != mark[channel]]
    mark[channel] = pick(chance, others)


def domain_off(blocks: Blocks, chance: random.Random) -> None:
    axes = [plot[a] for plot in plots(blocks) for a in "xy"]
    axis = pick(chance, [axis for axis in axes if axis.get("scale") != "cells" and axis.get("ticks")])
    axis["domain"] = [axis["domain"][0], 2 * axis["domain"][1]]


def size_off(blocks: Blocks, chance: random.Random) -> None:
    mark = pick(chance, [m for m in all_marks(blocks, "dots", "bars", "intervals") if len(m.get("y", m.get("x1", [])))])
    if mark["mark"] == "dots":
        mark["size"] = 2 * mark.get("size", 0.26)
    else:
        name = "y" if mark["mark"] == "bars" else "x2"
        mark[name] = [v / 2 if v else 1 for v in mark[name]]


def bars_negated(blocks: Blocks, chance: random.Random) -> None:
    mark = pick(chance, [m for m in all_marks(blocks, "bars", "grips") if any(abs(v) > 1e-9 for v in m["y"])])
    mark["y"] = [-v for v in mark["y"]]


def map_transposed(blocks: Blocks, chance: random.Random) -> None:
    found = []
    for mark in all_marks(blocks, "heat"):
        n, values = mark["columns"], mark["values"]
        turned = [values[j * n + i] for i in range(n) for j in range(n)] if n * n == len(values) else values
        if max(abs(a - b) for a, b in zip(turned, values, strict=True)) > 0.02 * mark["limit"]:
            found.append((mark, turned))
    mark, turned = pick(chance, found)
    mark["values"] = turned


def axis_flipped(blocks: Blocks, chance: random.Random) -> None:
    axis = pick(chance, [plot[a] for plot in plots(blocks) for a in "xy" if plot[a].get("ticks")])
    ticks = [tick if isinstance(tick, dict) else {"at": tick} for tick in axis["ticks"]]
    texts = [tick.get("text", f"{tick['at']:g}".replace("-", "−")) for tick in ticks]
    if len(ticks) < 2 or texts == texts[::-1]:
        raise Nothing
    axis["ticks"] = [{"at": tick["at"], "text": words} for tick, words in zip(ticks, reversed(texts), strict=True)]


COLOURS = ("query", "key", "value", "score", "gradient", "soft")


def other_colour(blocks: Blocks, chance: random.Random) -> None:
    places: list[dict[str, Any]] = [m for m in all_marks(blocks) if m["mark"] not in ("swatches", "polar", "rule")]
    places = [m for m in places if any(len(m[c]) for c in (*CHANNELS, "texts") if isinstance(m.get(c), list))]
    places += [plot for plot in plots(blocks) if plot.get("title") and plot.get("colour")]
    for panel in panels(blocks):
        if panel["kind"] == "grid":
            cells = [cell for row in panel["cells"] for cell in row]
            places += [cell for cell in cells if cell.get("tint") and cell.get("strength", 0) > 0.002]
        if panel["kind"] == "legend":
            places += [item for item in panel["items"] if item.get("colour")]
    place = pick(chance, places)
    key = "tint" if "tint" in place else "colour"
    place[key] = pick(chance, [c for c in COLOURS if c != place.get(key, "soft")])


def _strings(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], str]]:
    keys = {"title", "text", "label", "texts", "columns", "rows", "head", "items", "groups"}
    if isinstance(value, dict):
        for key, inside in value.items():
            if isinstance(inside, str):
                if key in keys:
                    yield (*path, key), inside
            elif key not in ("set", "buttons"):
                yield from _strings(inside, (*path, key))
    elif isinstance(value, list):
        for i, inside in enumerate(value):
            if isinstance(inside, str):
                if any(isinstance(k, str) and k in keys for k in path):
                    yield (*path, i), inside
            else:
                yield from _strings(inside, (*path, i))


def _put(value: Any, path: tuple[Any, ...], words: str) -> None:
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = words


def wrong_number(blocks: Blocks, chance: random.Random) -> None:
    found = [(path, words) for path, words in _strings(blocks) if re.search(r"\d", words)]
    path, words = pick(chance, found)
    place = chance.choice([m.start() for m in re.finditer(r"\d", words)])
    digit = str((int(words[place]) + chance.randint(1, 9)) % 10)
    _put(blocks, path, words[:place] + digit + words[place + 1 :])


def wrong_word(blocks: Blocks, chance: random.Random) -> None:
    path, words = pick(chance, [(p, w) for p, w in _strings(blocks) if re.search(r"[a-z]{3}", w)])
    _, other = pick(chance, [(p, w) for p, w in _strings(blocks) if w != words and re.search(r"[a-z]{3}", w)])
    _put(blocks, path, other)


def labels_exchanged(blocks: Blocks, chance: random.Random) -> None:
    sets = [[m for m in plot["marks"] if m.get("label")] for plot in plots(blocks)]
    one, other = chance.sample(pick(chance, [marks for marks in sets if len(marks) > 1]), 2)
    one["label"], other["label"] = other["label"], one["label"]


def wrong_curve(blocks: Blocks, chance: random.Random) -> None:
    mark = pick(chance, [m for m in all_marks(blocks, "line", "histogram", "band") if any(m.get("y", m.get("low")))])
    name = "y" if "y" in mark else "low"
    mark[name] = [1.2 * v + 0.01 * max(mark[name]) for v in mark[name]]


def something_missing(blocks: Blocks, chance: random.Random) -> None:
    found: list[Callable[[], Any]] = []
    for block in blocks:
        inside = block["blocks"] if "blocks" in block else []
        drawing = [one for one in inside if one["kind"] not in ("controls", "buttons")]
        found += [lambda some=inside, one=one: some.remove(one) for one in drawing]
    for plot in plots(blocks):
        visible = [one for one in plot["marks"] if any(one.get(c) for c in (*CHANNELS, "texts"))]
        found += [lambda some=plot["marks"], one=one: some.remove(one) for one in visible]
    for mark in all_marks(blocks, "dots"):
        if len(mark["x"]) > 1:
            found.append(lambda mark=mark: (mark["x"].pop(), mark["y"].pop()))
    for panel in panels(blocks):
        if panel["kind"] == "diagram":
            parts = [(panel[k], one) for k in ("wires", "boxes", "labels") for one in panel[k]]
            found += [lambda some=some, one=one: some.remove(one) for some, one in parts]
    pick(chance, found)()


def places_exchanged(blocks: Blocks, chance: random.Random) -> None:
    """Of two wires, boxes or labels of a diagram."""
    diagrams = [panel for panel in panels(blocks) if panel["kind"] == "diagram"]
    some = pick(chance, [d[k] for d in diagrams for k in ("wires", "boxes", "labels") if len(d[k]) > 1])
    one, other = chance.sample(some, 2)
    for key in ("points", "x", "y"):
        if key in one:
            one[key], other[key] = other[key], one[key]


ALL = (
    *(panels_exchanged, other_series, domain_off, size_off, bars_negated, map_transposed, axis_flipped, other_colour),
    *(wrong_number, wrong_word, labels_exchanged, wrong_curve, something_missing, places_exchanged),
)
SLIPS = {slip.__name__: slip for slip in ALL}


def looks(lab: Any, blocks: Blocks) -> str:
    """A slip beyond the ends of an axis, say, may change nothing that is drawn."""
    try:
        return ElementTree.tostring(drawn(lab, blocks=blocks), "unicode")
    except Exception as error:  # noqa: BLE001  # cannot be drawn: that will be noticed
        return repr(error)


def noticed(name: str, blocks: Blocks, lab: Any, series: Any) -> bool:
    try:
        root: ElementTree.Element = drawn(lab, blocks=blocks)
        compare(root, TABLES[name], Case(name, series, lab.state))
    except Exception:  # noqa: BLE001  # whatever stops the test is noticed
        return True
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=60, help="slips for each lab")
    parser.add_argument("--seed", type=int, default=2017)
    parser.add_argument("--only", default="", help="labs whose name holds this")
    given = parser.parse_args()
    failed = False
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for name in (name for name in TABLES if given.only in name):
        chance = random.Random(f"{given.seed} {name}")
        labs = [LABS[name](**state) for state in random_states(LABS[name], 8, given.seed)]
        ready = [(lab, lab.series, still.picture(asked_of(lab))) for lab in labs]
        for lab, series, blocks in ready:
            if noticed(name, blocks, lab, series):
                sys.exit(f"{name} differs from its table with nothing changed, at {lab.state}")
        done, seen = 0, 0
        while done < given.each:
            lab, series, blocks = chance.choice(ready)
            kind = chance.choice([*SLIPS, "frozen"])
            changed = copy.deepcopy(blocks)
            try:
                if kind == "frozen":
                    changed = copy.deepcopy(pick(chance, [b for _, _, b in ready if b != blocks]))
                else:
                    SLIPS[kind](changed, chance)
            except Nothing:
                continue
            if json.dumps(changed) == json.dumps(blocks) or looks(lab, changed) == looks(lab, blocks):
                continue
            done += 1
            found = noticed(name, changed, lab, series)
            seen += found
            kinds[kind]["noticed" if found else "survived"] += 1
            if not found:
                print(f"survived in {name}: {kind} at {lab.state}", flush=True)
        print(f"{name:35} {seen} of {done} noticed", flush=True)
        failed |= seen < 0.95 * done
    for kind, counts in sorted(kinds.items()):
        print(f"{kind.replace('_', ' '):20} {counts['noticed']:4} of {counts.total():4}")
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
