"""Rerun the measurements, write their data files: ``make evidence``, or ``python -m whyformer.evidence [name ...]``."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from datetime import date
from multiprocessing import get_context
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # matrices are small, and there is one process for each core

import numpy as np  # noqa: E402

from whyformer import __version__  # noqa: E402
from whyformer.evidence import retrieval, sentences, trained  # noqa: E402
from whyformer.model import load, weights  # noqa: E402

FOLDER = Path(__file__).parent / "data"
DIGITS = 4


def rounded(value: Any) -> Any:
    """Plain lists, dictionaries and numbers, floats to DIGITS significant digits."""
    if isinstance(value, dict):
        return {key: rounded(child) for key, child in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [rounded(child) for child in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.{DIGITS}g}")
    return int(value) if isinstance(value, np.integer) else value


def write(name: str, seeds: Any, data: dict[str, Any]) -> None:
    """The data file ``name``: a header, then one line for each entry of ``data``."""
    header = {
        "command": f"python -m whyformer.evidence {name}",
        "versions": {"whyformer": __version__, "numpy": np.__version__, "python": sys.version.split()[0]},
        "seeds": seeds,
        "date": date.today().isoformat(),
    }
    lines = [f"{json.dumps(key)}: {json.dumps(rounded(value))}" for key, value in {"header": header, **data}.items()]
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"wrote {name}.json, {(FOLDER / f'{name}.json').stat().st_size / 1000:.0f} kB", flush=True)


def trained_model() -> None:
    """What is measured on the trained weights."""
    mini, texts = load(), sentences()
    parts: dict[str, Callable[[], Any]] = {
        "scores": lambda: trained.trained_scores(mini, texts),
        "replaced_scale": lambda: trained.replaced_scale(mini, texts),
        "symmetry": lambda: trained.symmetry(mini, texts),
        "self_scores": lambda: trained.self_scores(mini, texts),
        "rank": lambda: trained.rank(mini),
        "norms": lambda: trained.norms(mini),
        "heads": lambda: trained.heads(mini, texts),
        "opened": lambda: trained.opened(mini),
    }
    data: dict[str, Any] = {"model": weights.REPOSITORY, "sha256": weights.SHA256, "n_sentences": len(texts)}
    for name, compute in parts.items():
        print(f"trained: {name}" + (" (about 2 minutes)" if name == "heads" else ""), flush=True)
        data[name] = compute()
    write("trained", None, data)


def training() -> None:
    """What is measured on training, one process for each core."""
    r = retrieval
    jobs = [(d, v, a, s) for d in reversed(r.D_K) for v in r.DIVISORS for a in r.RATES for s in r.SEEDS]
    cost = [0.8 + d / 140 for d, *_ in jobs]  # milliseconds a step, roughly
    runs, start, done = {}, time.monotonic(), 0.0
    with get_context("spawn").Pool() as pool:
        for i, (key, run) in enumerate(pool.imap(retrieval.named_run, jobs)):
            runs[key] = run
            done += cost[i]
            if i % 10 == 9:
                left = (time.monotonic() - start) * (sum(cost) / done - 1)
                print(f"training: {i + 1} of {len(jobs)} runs, about {left:.0f} s left", flush=True)
    setting = {"steps": list(r.RECORDED), "d_k": list(r.D_K), "divisors": list(r.DIVISORS), "rates": list(r.RATES)}
    write("training", list(r.SEEDS), {**setting, "threshold": r.THRESHOLD, "allowed": r.STEPS, "runs": runs})


ALL = {"trained": trained_model, "training": training}


def main(names: list[str]) -> None:
    """Rerun the measurements with these names, all without any."""
    if unknown := [name for name in names if name not in ALL]:
        sys.exit(f"there is no evidence {unknown[0]!r}; there is {', '.join(ALL)}")
    for name in names or ALL:
        start = time.monotonic()
        ALL[name]()
        print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
