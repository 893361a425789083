"""Rerun the measurements, write their data files: ``make evidence``, or ``python -m whyformer.evidence [name ...]``."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from datetime import date
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # matrices are small, and there is one process for each core

import numpy as np  # noqa: E402

from whyformer import __version__  # noqa: E402
from whyformer.evidence import (  # noqa: E402
    additive,
    decoder_blocks,
    decoder_first,
    decoder_positions,
    decoder_scores,
    decoder_table,
    depth,
    directions,
    embedding,
    fresh,
    jacobians,
    picture,
    positions,
    rates,
    reach,
    retrieval,
    roles,
    rows,
    score_cost,
    sentences,
    trained,
    word_table,
)
from whyformer.model import load, smollm, weights  # noqa: E402

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
        "topics": lambda: trained.topics(mini, texts),
        "heads": lambda: trained.heads(mini, texts),
        "long": lambda: trained.in_long_texts(mini, reach.texts_of(mini, texts, 96, 40)),
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


def starts() -> None:
    """Training with start and learning rate taken apart: each divisor with the start of the other."""
    r = retrieval
    jobs = [(d, divisor, rate) for d in r.D_K for divisor in ("1", "sqrt") for rate in r.RATES]
    with get_context("spawn").Pool() as pool:
        arrived = collect("starts", pool.imap(r.other_start, jobs), len(jobs))
    write("starts", list(r.SEEDS), {"allowed": r.STEPS, "arrived": arrived})


def best_rates() -> None:
    """The lookup task at the best rates of each divisor, W_V's apart, and from flat starts."""
    r = rates
    flat = [(d, start, rate) for d in r.D_K for start in r.FLAT for rate in r.FLAT_RATES]
    with get_context("spawn").Pool() as pool:
        runs = {"arrived": collect("rates", pool.imap(r.arrivals, r.pairs()), len(r.pairs()))}
        runs["flat"] = collect("rates, flat", pool.imap(r.flat_arrivals, flat), len(flat))
    setting = {"threshold": retrieval.THRESHOLD, "allowed": r.ALLOWED, "flat_allowed": r.FLAT_ALLOWED}
    write("rates", list(retrieval.SEEDS), setting | runs)


def hard_jacobians() -> None:
    """The lookup task with hard rows and their Jacobians taken apart."""
    j = jacobians
    jobs = [(arm, rate) for rate in j.RATES for arm in j.ARMS]
    with get_context("spawn").Pool() as pool:
        arrived = collect("jacobians", pool.imap(j.arrivals, jobs), len(jobs))
    write("jacobians", list(retrieval.SEEDS), {"d_k": j.D_K, "allowed": j.ALLOWED, "arrived": arrived})


def collect(title: str, results: Iterable[tuple[str, Any]], of: int) -> dict[str, Any]:
    """Named results, told one by one as they come."""
    found = {}
    for name, value in results:
        found[name] = value
        print(f"{title}: {len(found)} of {of}: {name}: {value}", flush=True)
    return found


def picture_of_the_book() -> None:
    """What stands behind the start in the picture of the book."""
    write("picture", [1, max(picture.DRAWS.values())], picture.measured())


def fresh_attention() -> None:
    """Rows and gradients of attention before any training, divided and not."""
    f = fresh
    rows = {f"{n} {d}": [f.rows(n, d, queries, seed) for seed in f.SEEDS] for n, d, queries in f.cells()}
    layers = {f"{n} {h}": [f.layer(n, h, seed) for seed in f.LAYER_SEEDS] for n in f.TOKENS for h in f.HEADS}
    starts = {f"{name}, {n}": f.start(*of, n, m) for name, of in f.STARTS.items() for n, m in f.START_QUERIES.items()}
    typical = {f"{n} {d}": f.start(1.0, d, n, m) for n, m in f.TYPICAL_QUERIES.items() for d in f.D_K}
    found = {"rows": by_quantity(rows), "layers": by_quantity(layers), "starts": starts, "typical": typical}
    write("fresh", [*f.SEEDS, *f.LAYER_SEEDS], found)


def by_quantity(found: dict[str, list[Any]]) -> dict[str, Any]:
    """A dictionary of numbers for each seed as one dictionary with a list over the seeds for each number."""
    return {
        name: {v: {key: [one[v][key] for one in seeds] for key in seeds[0][v]} for v in seeds[0]}
        for name, seeds in found.items()
    }


def reached() -> None:
    """How strongly words of the trained model reach each other, by how far apart they are."""
    mini, texts = load(), sentences()
    data = {"distance": reach.by_distance(mini, texts), "length": reach.by_length(mini, texts)}
    write("reach", list(range(reach.TEXTS)), data)


def words() -> None:
    """What is measured on the table of word vectors."""
    source = {"model": weights.REPOSITORY, "sha256": weights.SHA256}
    write("word_table", None, {**source, **word_table.word_table(load(), sentences())})


def additive_training() -> None:
    """The lookup task learned by a head with additive scores."""
    e = additive
    jobs = [
        (d, start, rate, seed) for d in reversed(e.D_K) for start in e.STARTS for rate in e.RATES for seed in e.SEEDS
    ]
    with get_context("spawn").Pool() as pool:
        arrived = dict(pool.imap(e.named_run, jobs))
    setting = {"d_k": list(e.D_K), "starts": list(e.STARTS), "rates": list(e.RATES)}
    write(
        "additive",
        list(e.SEEDS),
        {**setting, "threshold": retrieval.THRESHOLD, "allowed": retrieval.STEPS, "arrived": arrived},
    )


def additive_rates() -> None:
    """The lookup task learned with either score, both scaled, each at pairs of rates."""
    e = additive
    jobs = [
        (score, d, rate, of_v)
        for d in reversed(e.D_K)
        for score in e.SCORES
        for rate in e.BEST_RATES
        for of_v in e.OF_V
    ]
    with get_context("spawn").Pool() as pool:
        arrived = collect("additive_rates", pool.imap(e.arrivals, jobs), len(jobs))
    setting = {"d_k": list(e.D_K), "rates": list(e.BEST_RATES), "rates_of_v": list(e.OF_V)}
    setting |= {"threshold": retrieval.THRESHOLD, "allowed": e.ALLOWED}
    write("additive_rates", list(e.TEN), {**setting, "arrived": arrived})


def score_costs() -> None:
    """How long scores take, computed in six ways; in this process alone, so that nothing competes."""
    sizes = {"n": list(score_cost.N), "d_k": list(score_cost.D_K)}
    write("score_cost", [0], {**sizes, "milliseconds": score_cost.measured()})


def trained_positions() -> None:
    """What the trained model's positions do in its first layer, and what moving them does to its embeddings."""
    mini, texts = load(), sentences()
    data: dict[str, Any] = {"model": weights.REPOSITORY, "sha256": weights.SHA256, "n_sentences": len(texts)}
    write("positions", positions.SEED, data | positions.measured(mini, texts))


def first_and_last() -> None:
    """The gradient at the first W_2 of fresh post-norm stacks over that at the last, by width."""
    write("depth", list(range(depth.STACKS)), depth.measured())


def embedded() -> None:
    """Words and positions at the input of the trained model."""
    mini, texts = load(), sentences()
    found = {"lengths": embedding.lengths(mini, texts), "shares": embedding.shares(mini, texts)}
    write(
        "embedding", None, {"model": weights.REPOSITORY, "sha256": weights.SHA256, "n_sentences": len(texts), **found}
    )


def rows_of_weights() -> None:
    """How much of a row of the trained model one key has."""
    mini, texts = load(), sentences()
    source = {"model": weights.REPOSITORY, "sha256": weights.SHA256, "n_sentences": len(texts)}
    write("rows", None, source | rows.measured(mini, texts))


def three_roles() -> None:
    """The running sentence in three trained heads, with their matrices and without."""
    write("roles", None, {"model": weights.REPOSITORY, "sha256": weights.SHA256, **roles.measured(load())})


def directed() -> None:
    """Scores of the trained model for the running sentence, and how often it does what one matrix forbids."""
    mini, texts = load(), sentences()
    source = {"model": weights.REPOSITORY, "sha256": weights.SHA256, "n_sentences": len(texts)}
    write("directions", None, {**source, "running": directions.running(mini), "pairs": directions.pairs(mini, texts)})


def of_decoder(name: str, seeds: Any, parts: Callable[[smollm.SmolLM], dict[str, Callable[[], Any]]]) -> None:
    """What is measured on the decoder of today, one thing after the other."""
    data, start = {}, time.monotonic()
    for key, compute in parts(smollm.load()).items():
        data[key] = compute()
        print(f"{name}: {key}, after {time.monotonic() - start:.0f} s", flush=True)
    write(name, seeds, data)


DECODER: dict[str, tuple[Any, Callable[[smollm.SmolLM], dict[str, Callable[[], Any]]]]] = {
    "decoder_first": (decoder_first.SEED, decoder_first.parts),
    "decoder_scores": (decoder_scores.SEED, decoder_scores.parts),
    "decoder_table": (None, decoder_table.parts),
    "decoder_positions": (decoder_positions.SEED, decoder_positions.parts),
    "decoder_blocks": (None, decoder_blocks.parts),
}

ALL: dict[str, Callable[[], None]] = {
    "trained": trained_model,
    "training": training,
    "starts": starts,
    "jacobians": hard_jacobians,
    "fresh": fresh_attention,
    "picture": picture_of_the_book,
    "rates": best_rates,
    "reach": reached,
    "roles": three_roles,
    "word_table": words,
    "score_cost": score_costs,
    "additive": additive_training,
    "additive_rates": additive_rates,
    "positions": trained_positions,
    "embedding": embedded,
    "depth": first_and_last,
    "rows": rows_of_weights,
    **{name: partial(of_decoder, name, *given) for name, given in DECODER.items()},
    "directions": directed,
}


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
