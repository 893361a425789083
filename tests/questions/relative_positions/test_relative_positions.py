"""Clocks against complex numbers, fits against a solver of another kind, what is claimed of both over many states."""

import numpy as np
import pytest
import scipy.linalg
import torch
from browser import write_page
from lab_cases import random_states
from playwright.sync_api import expect
from scipy.special import softmax
from whyformer.maths.random import normal
from whyformer.questions.relative_positions import ClocksLab, DistanceLab
from whyformer.questions.relative_positions.exercises import check_fade, check_rotary, check_table, check_turn
from whyformer.questions.relative_positions.profile import two_clocks


def drawn(seed):
    """W_Q, W_K (8, 8) and the two words (8,)."""
    w_q, w_k = (normal(seed, stream, np.arange(64)).reshape(8, 8) / 8**0.5 for stream in (0, 1))
    return w_q, w_k, *(normal(seed, stream, np.arange(8)) for stream in (2, 3))


def turn(i):
    """The four clocks at position i: unit complex numbers."""
    return np.exp(1j * i * np.array([1, 100**-0.25, 0.1, 100**-0.75]))


PAIRED = np.kron(np.eye(4), [[1], [1j]])  # components 2t and 2t + 1 as one complex number


def reals(hands):
    return np.column_stack([hands.real, hands.imag]).ravel()


def hands_of(scheme, seed):
    """Hands of query and key as complex numbers: two functions of a position."""
    w_q, w_k, a, b = drawn(seed)
    if scheme == "bare":
        return turn, turn

    def hand(word, w):
        if scheme == "rotary":
            return lambda i: (word @ w) @ PAIRED * turn(i)
        return lambda i: ((scheme == "full") * word + reals(turn(i))) @ w @ PAIRED

    return hand(a, w_q), hand(b, w_k)


def distance_explains(scores):
    """By regression on one dummy for each distance."""
    n = len(scores)
    i, j = np.indices((n, n))
    dummies = torch.nn.functional.one_hot(torch.tensor((j - i + n - 1).ravel()), 2 * n - 1).double()
    y = torch.tensor(scores.ravel())[:, None]
    fit = dummies @ torch.linalg.lstsq(dummies, y).solution
    return 100 * (1 - ((y - fit) ** 2).sum() / ((y - y.mean()) ** 2).sum()).item()


@pytest.mark.parametrize("state", random_states(ClocksLab, 30, 8), ids=str)
def test_clocks_are_complex_numbers(state):
    series, i, apart = ClocksLab.compute(**state), state["position"], state["distance"]
    query, key = hands_of(state["scheme"], state["seed"])
    score = lambda a, b: (a * b.conj()).real.sum() / 8**0.5  # noqa: E731
    near = {"rtol": 1e-9, "atol": 1e-11}
    for name, hand, at in (("query", query, i), ("key", key, i + apart)):
        longest = np.max([abs(hand(p)) for p in range(32)], axis=0)
        np.testing.assert_allclose(series[name] @ [1, 1j], hand(at) / longest, **near)
    scores = np.array([[score(query(p), key(r)) for r in range(32)] for p in range(32)])
    along = scores.diagonal(apart)[:20]
    parts = (query(i) * key(i + apart).conj()).real / 8**0.5
    terms = {"word_word": (1, 0, 1, 0), "word_position": (1, 0, 0, 1), "position_word": (0, 1, 1, 0),
             "position_position": (0, 1, 0, 1)}  # fmt: skip
    w_q, w_k, a, b = drawn(state["seed"])
    expected = {
        name: [
            (x * a + y * reals(turn(p))) @ w_q @ w_k.T @ (z * b + w * reals(turn(p + apart))) / 8**0.5
            for p in range(20)
        ]
        for name, (x, y, z, w) in terms.items()
    }
    spreads = {name: max(values) - min(values) for name, values in expected.items()}
    sizes = [abs(scores).max()]
    if state["scheme"] == "full":
        each = range(32)
        p = np.array([reals(turn(t)) for t in each])
        sizes += [abs(one @ w_q @ w_k.T @ other.T / 8**0.5).max() for one in (a, p) for other in (b, p)]
    for name, value in {
        **expected, "scores": scores, "along": along, "by_distance": scores[i, i : i + 13], "parts": parts,
        "score": along[i], "lowest": min(along),
        "highest": max(along), "spread": max(along) - min(along), "spread_words": 0,
        "spread_others": min(spread for name, spread in spreads.items() if name != "word_word"),
        "explained": distance_explains(scores), "reach": np.ceil(max(sizes)),
    }.items():  # fmt: skip
        np.testing.assert_allclose(series[name], value, err_msg=name, rtol=1e-9, atol=1e-9)
    assert series["parts"].sum() == pytest.approx(series["score"])


def test_the_two_words_are_dragged_where_they_stand(visit, tmp_path):
    page = visit(write_page(tmp_path, ClocksLab().html()).as_uri(), viewport={"width": 390, "height": 844})
    lab = page.locator("whyformer-lab")
    at = lambda: lab.evaluate("(lab) => [lab.state.position, lab.state.distance]")  # noqa: E731
    assert at() == [2, 3]
    for which, places, expected in ((0, 12, [14, 3]), (1, 5, [14, 8])):
        box = lab.locator("[data-panel=places] .wf-axis").nth(which).bounding_box()
        assert min(box["width"], box["height"]) > 43.5
        plot = lab.locator(".wf-panel[data-panel=places]").bounding_box()["width"]
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + places * plot / 32, y, steps=6)
        page.mouse.up()
        assert [abs(a - b) <= 1 for a, b in zip(at(), expected, strict=True)] == [True, True]
    query, key = at()
    lab.get_by_role("slider", name="key after it by").press("ArrowLeft")
    assert at() == [query, key - 1]
    expect(lab.locator(".wf-tell")).to_contain_text("the score stays")


def wish_of(name, d):
    return {"fade": 6 * (2.718281828459045 ** (-d / 16) - 1), "recent": -np.log(1 + d) / np.log(2),
            "window": 0 if d < 8 else -6}[name]  # fmt: skip


@pytest.mark.parametrize("state", random_states(DistanceLab, 24, 6), ids=str)
def test_fits_are_those_of_another_solver(state):
    """The penalty as 32 more rows of a plain least-squares problem, solved by singular values."""
    series, length = DistanceLab.compute(**state), state["length"]
    d = np.arange(512)
    wish = np.array([wish_of(state["wish"], one) for one in d])
    level = sum(wish[:length]) / length
    speeds = 10 ** (-np.arange(16) / 4)
    basis = lambda at: np.column_stack([f(at * speed) for f in (np.cos, np.sin) for speed in speeds])  # noqa: E731
    penalty = {"little": 0.1, "some": 1, "much": 10}[state["held"]]
    rows = np.vstack([basis(d[:length]), np.eye(32) * penalty**0.5])
    found, *_ = scipy.linalg.lstsq(rows, np.append(wish[:length] - level, np.zeros(32)))
    plain = level + basis(d) @ found
    squeeze = (length - 1) / 511 if state["beyond"] == "squeezed" else 1
    clocks = level + basis(d * squeeze) @ found
    table = np.array([wish[one] if one < 16 else wish[16:length].mean() for one in d])
    lines = [level - (d - (length - 1) / 2) / over for over in (2, 4, 8, 16, 32, 64, 128, 256)]
    alibi = min(lines, key=lambda line: np.linalg.norm((line - wish)[:length]))
    rms = lambda values: np.linalg.norm(values) / len(values) ** 0.5  # noqa: E731
    curves = {"table": table, "clocks": clocks, "alibi": alibi}
    inside, outside = plain[:length], clocks[length:]
    turns = speeds * (length - 1) / (2 * np.pi)
    for name, value in {
        "distances": d, "wish": wish, **curves, "turns": turns, "turns_all": speeds * squeeze * 511 / (2 * np.pi),
        "unturned": sum(turns < 1), "slope": (alibi[0] - alibi[511]) / 511,
        **{f"miss_within_{name}": rms((curve - wish)[:length]) for name, curve in curves.items()},
        **{f"miss_beyond_{name}": rms((curve - wish)[length:]) for name, curve in curves.items()},
        **{f"weight_{name}": 100 * softmax(curve)[length:].sum() for name, curve in {"wish": wish, **curves}.items()},
        "leaves": max(0, max(outside) - max(inside), min(inside) - min(outside)),
    }.items():  # fmt: skip
        np.testing.assert_allclose(series[name], value, err_msg=name, rtol=1e-7, atol=1e-7)


def test_exercises_know_right_answers():
    assert check_table(304_128) and check_turn(47_117) and check_fade(74)


def test_rotary_scores_are_those_of_matrices(capsys):
    """Each position's turn as a block-diagonal matrix, the exponential of a generator."""

    def turns(n, d):
        speeds = [10000 ** (-2 * t / d) for t in range(d // 2)]
        generator = scipy.linalg.block_diag(*[[[0, speed], [-speed, 0]] for speed in speeds])
        return [scipy.linalg.expm(i * generator) for i in range(n)]

    def by_matrices(queries, keys, which=turns):
        n, d = queries.shape
        R = which(n, d)
        return np.array([[q @ a @ b.T @ k for k, b in zip(keys, R)] for q, a in zip(queries, R)]) / d**0.5  # noqa: B905

    assert check_rotary(by_matrices)
    assert not check_rotary(lambda q, k: 2 * by_matrices(q, k))
    assert not check_rotary(lambda q, k: q @ k.T / q.shape[1] ** 0.5)
    slow = lambda n, d: [r if d == 2 else r @ r for r in turns(n, d)]  # noqa: E731
    assert not check_rotary(lambda q, k: by_matrices(q, k, slow))
    told = capsys.readouterr().out
    assert "position 0" in told and "length of a vector" in told and "how fast" in told


def test_two_clocks_are_found_again():
    d, fine = np.arange(-12, 13.0), np.linspace(-12, 12, 7)
    wave = lambda at: 3 + 2 * np.cos(2 * np.pi * at / 5.9 + 1) - np.sin(2 * np.pi * at / 17)  # noqa: E731
    np.testing.assert_allclose(two_clocks(wave(d), d, fine), wave(fine), atol=1e-12)
