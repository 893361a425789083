"""``make accept CHECK=name``: write down that a check proves its sentences, as somebody has judged.

It shows what is to be judged: the sentences, how they differ from those accepted before, how the check was tested, and
its code, as a difference to the last commit where there is one. It refuses while the check fails, and takes one name.
"""

from __future__ import annotations

import difflib
import subprocess
import sys
from pathlib import Path

from whyformer_book.proof import rooms
from whyformer_book.proof.marks import marks


def _before(room: rooms.Room, name: str) -> str:
    """The check as the last commit has it; nothing if it is new or there is no repository."""
    for module in rooms.MODULES:
        command = ["git", "show", f"HEAD:./{module}.py"]
        shown = subprocess.run(command, cwd=room.folder, capture_output=True, text=True, check=False)
        if shown.returncode == 0 and name in (old := rooms.sources(shown.stdout)):
            return old[name].lines
    return ""


def difference(before: list[str], now: list[str]) -> list[str]:
    """What has changed, line by line; all of it where nothing was before."""
    if not before:
        return now
    return [
        row for row in difflib.unified_diff(before, now, lineterm="", n=2) if not row.startswith(("---", "+++", "@@"))
    ]


def accept(room: rooms.Room, chapter: Path, name: str) -> list[str]:
    """Write the acceptance; what was shown. ``ValueError`` if there is nothing to accept, or the check fails."""
    if name not in room.checks:
        raise ValueError(f"the room {room.name} has no check {name!r}")
    wanted = rooms.asked(marks(chapter.read_text(encoding="utf-8"))).get(name)
    accepted = room.accepted()
    if wanted is None:
        if accepted.pop(name, None) is None:
            raise ValueError(f"{name} proves no sentence that has to be accepted")
        room.write_accepted(accepted)
        return [f"{name} proves no sentence that has to be accepted any more: taken out"]
    result = room.checks[name]()
    if result.faults:
        raise ValueError(f"{name} fails: {'; '.join(result.faults.values())}")
    source = room.sources[name]
    now = (source.digest, wanted)
    if accepted.get(name) == now:
        raise ValueError(f"{name} is accepted as it is")
    words = difference(accepted.get(name, ("", []))[1], wanted)
    code = difference(_before(room, name).splitlines(), source.lines.splitlines())
    room.write_accepted({**accepted, name: now})
    return [
        *words,
        "",
        str(result),
        "",
        *(code or ["(the check itself is as in the last commit; what it uses may not be)"]),
    ]


def main(name: str) -> None:
    """Accept one check, named ``check`` or ``room.check``."""
    wanted, _, short = name.rpartition(".")
    chapters = [file for file in sorted(Path("chapters").glob("*.md")) if rooms.room_of(file.stem)]
    found = [(room, file) for file in chapters if (room := rooms.room_of(file.stem)) and short in room.checks]
    found = [(room, file) for room, file in found if wanted in ("", room.name)]
    if len(found) != 1:
        rooms_with = ", ".join(f"{room.name}.{short}" for room, _ in found)
        sys.exit(
            f"Which one? {rooms_with}" if found else f"No room has a check {name!r}. Write: make accept CHECK=name"
        )
    try:
        shown = accept(*found[0], short)
    except ValueError as wrong:
        sys.exit(str(wrong))
    print("\n".join(shown))
    print(f"\nAccepted: {found[0][0].name}.{short}. If it does not prove these words, take it back: git checkout -p")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1]:
        sys.exit("usage: make accept CHECK=name")
    main(sys.argv[1])
