"""An author's inner loop: run the cells of a chapter and say what the build would say of its sentences, in seconds.

``python -m whyformer.book.rehearse chapters/why_sqrt_dk.md`` (``make chapter NAME=why_sqrt_dk``) runs the code cells in
one process, without a kernel, and prints each problem with file and line: a cell that raises, a sentence without a
check, a check without its sentence, a number without a voucher; and each cell that takes more than two seconds.
"""

from __future__ import annotations

import io
import sys
import time
import traceback
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import matplotlib

from whyformer.book import myst, prose
from whyformer.book.claims import problems, shown

SLOW = 2.0  # seconds


def clocks() -> tuple[float, float]:
    """Seconds by the wall and of work: on a busy machine a cell waits, and several threads work at once."""
    return time.perf_counter(), time.process_time()


def run(file: Path) -> tuple[list[tuple[str, int]], list[tuple[int, str]], bool]:
    """The sentences that cells wrote, with the line of each cell; what went wrong, by line; whether a cell raised."""
    import IPython.display

    written: list[tuple[str, int]] = []
    trouble: list[tuple[int, str]] = []
    names: dict[str, Any] = {"__name__": "__main__"}
    here, raised = 0, False

    def display(*objects: Any, raw: bool = False, **_: Any) -> None:
        for one in objects if raw else ():
            written.extend((sentence, here) for sentence in shown(one.get("text/html", "")))

    IPython.display.display = display
    for cell in myst.cells(file.read_text(encoding="utf-8")):
        here, start = cell.line + 1, clocks()
        try:
            code = compile("\n" * cell.source_line + cell.source, str(file), "exec")
            with redirect_stdout(io.StringIO()):
                exec(code, names)  # noqa: S102
        except Exception as error:
            raised = True
            at = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
            trouble.append((at[-1] if at and at[-1] else here, f"{type(error).__name__}: {error}"))
        took = min(now - then for now, then in zip(clocks(), start, strict=True))
        if took > SLOW:
            trouble.append((here, f"this cell takes {took:.1f} s; what takes more than {SLOW:.0f} becomes evidence"))
    return written, trouble, raised


def main(file: Path) -> int:
    """Print what is wrong with a chapter; the number of problems."""
    matplotlib.use("agg")
    text = file.read_text(encoding="utf-8")
    written, found, raised = run(file)
    found += [(line, prose.ITSELF.format(call)) for line, call in prose.unproven(text)]
    found += [(problem.line, problem.text) for problem in problems(text, written, raised)]
    for line, message in sorted(found):
        print(f"{file}:{line}: {message}")
    print(f"{len(written)} claims hold; {len(found)} problems")
    return len(found)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m whyformer.book.rehearse CHAPTER.md")
    sys.exit(min(main(Path(sys.argv[1])), 1))
