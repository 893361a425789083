"""``make approve LAB=why_sqrt_dk/scale``: approve how a lab looks now. Without LAB: of all labs that have changed.

It prints the lines that have changed, writes the new files below ``tests/approved``, and writes a page on which the old
pictures (as the committed bundle draws them) stand beside the new ones. What is wrong is taken back with git.
"""

from __future__ import annotations

import difflib
import html
import subprocess
import sys
from pathlib import Path

from approved import FOLDER, files_of, states_of, stray, svg_of
from lab_cases import LABS
from py_mini_racer import MiniRacer
from whyformer.lab.host import still

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "_build/approve.html"
STYLE = "body{font:14px sans-serif}td{width:50%;vertical-align:top}svg{max-width:100%;height:auto}pre{overflow:auto}"


def committed() -> MiniRacer | None:
    """V8 with the committed bundle; None where there is none."""
    command = ["git", "show", "HEAD:code/whyformer/bundle/still.js"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    engine = MiniRacer()
    return None if shown.returncode else (engine.eval(shown.stdout), engine)[1]


def pictures(name: str) -> list[tuple[str, str]]:
    """Of each state the SVG of the new picture; an error in words where it cannot be drawn."""
    found = []
    for state in states_of(LABS[name]):
        try:
            found.append((str(state), svg_of(LABS[name], state)))
        except Exception as error:  # noqa: BLE001  # the old bundle may not know what is declared now
            found.append((str(state), f"<p>not drawn: {html.escape(str(error)[:300])}</p>"))
    return found


def main(asked: str) -> None:
    """Approve one lab, or all that have changed."""
    if asked and asked not in LABS:
        sys.exit(f"There is no lab {asked!r}. There are: {', '.join(LABS)}")
    wanted = [asked] if asked else list(LABS)
    written = {name: [(file, text, file.read_text(encoding="utf-8") if file.exists() else "")
                      for file, text in files_of(LABS[name]).items()] for name in wanted}  # fmt: skip
    changed = {name: files for name, files in written.items() if any(text != old for _, text, old in files)}
    new = {name: pictures(name) for name in changed}
    engine = committed()
    if engine:
        still._engine = lambda: engine  # the same questions to the bundle of the last commit
    rows = []
    for name, files in changed.items():
        lines: list[str] = []
        for file, text, old in files:
            lines += difflib.unified_diff(
                old.split("\n"), text.split("\n"), file.name, "approved now", n=0, lineterm=""
            )
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        print("\n".join(line[:300] for line in lines))
        before = pictures(name) if engine else [("", "<p>nothing is committed</p>")] * len(new[name])
        rows.append(f"<h2>{html.escape(name)}</h2><pre>{html.escape(chr(10).join(lines))}</pre><table>")
        for (state, now), (_, then) in zip(new[name], before, strict=True):
            rows.append(f"<tr><th colspan=2>{html.escape(state)}<tr><td>{then}<td>{now}")
        rows.append("</table>")
    for name in stray():
        (FOLDER / name).unlink()
        print(f"{name}: there is no such lab any more")
    if not changed:
        print(f"{asked or 'Every lab'} looks as approved.")
        return
    PAGE.parent.mkdir(exist_ok=True)
    style = still.style(type_inside=True)
    PAGE.write_text(
        f"<!doctype html><meta charset=utf-8><style>{style}{STYLE}</style>{''.join(rows)}", encoding="utf-8"
    )
    print(
        f"\nApproved: {', '.join(changed)}. Old and new side by side: {PAGE.as_uri()}\nTo take it back: git checkout -p"
    )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
