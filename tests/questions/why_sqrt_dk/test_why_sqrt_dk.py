"""The scale lab against PyTorch; its law against real vectors and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from lab_cases import drawn, random_states
from whyformer.maths import expectations
from whyformer.maths.random import normal, uniform
from whyformer.questions.why_sqrt_dk import ScaleLab, many_draws


def row_numbers(seed, rows, d_k, n_keys):
    """What the law draws for each row: the squared length of q, and noise."""
    stream = 8 * rows[:, None]

    def chi_square(at, degrees):
        pairs = -2 * np.log(uniform(seed, at, np.arange(degrees // 2))).sum(1)
        return pairs + (degrees % 2) * normal(seed, at + 1, 0)[:, 0] ** 2

    keys = np.arange(n_keys)
    return [torch.from_numpy(a) for a in (chi_square(stream, d_k), normal(seed, stream + 4, keys))]


def by_pytorch(numbers, d_k, rho, related, quantity):
    """(3, rows), for each divisor; of the gradient its root mean square, with Jacobians written out."""
    length2, noise = numbers
    rhos = torch.zeros(noise.shape[1], dtype=torch.float64)
    rhos[: None if related == "all" else 1] = rho
    fresh = torch.sqrt(1 - rhos**2)
    along = rhos * length2.sqrt()[:, None] + fresh * noise
    out = []
    for divisor in (1, math.sqrt(d_k), d_k):
        weights = torch.softmax(length2.sqrt()[:, None] * along / divisor, -1)
        if quantity.startswith("gradient"):
            jacobian = torch.diag_embed(weights) - weights[:, :, None] * weights[:, None]
            squares = torch.einsum("rij,rj->ri", jacobian, along).square().sum(1)
            squares = squares + (d_k - 1) * torch.einsum("rij,j->r", jacobian.square(), fresh**2)
            out.append(squares.sqrt() / divisor)
        elif quantity == "entropy":
            out.append(torch.special.entr(weights).sum(1))
        else:
            out.append((weights * (1 - weights) if quantity == "largest_entry" else weights).max(1).values)
    return torch.stack(out)


@pytest.mark.parametrize("state", random_states(ScaleLab, 40, 1), ids=str)
def test_scale_lab_is_what_pytorch_computes(state):
    """From the vectors themselves: scores, weights, Jacobians and the gradient at q."""
    series, d_k, n_keys, rho = ScaleLab.compute(**state), state["d_k"], state["n_keys"], state["rho"]
    assert abs(rho) < 1
    rhos = torch.zeros((n_keys, 1), dtype=torch.float64)
    rhos[: n_keys if state["related"] == "all" else 1] = rho
    q = torch.from_numpy(normal(state["seed"], 0, np.arange(d_k)))
    noise = torch.from_numpy(normal(state["seed"], np.arange(1, n_keys + 1)[:, None], np.arange(d_k)))
    keys = rhos * q + torch.sqrt(1 - rhos**2) * noise
    by = {"1": 1.0, "sqrt": math.sqrt(d_k), "d_k": float(d_k)}
    error = {"rtol": 1e-9, "atol": 1e-12 * d_k}
    for name, divisor in (("unscaled", 1.0), ("scaled", by[state["divisor"]])):
        scores = (keys @ q) / divisor
        jacobian = torch.autograd.functional.jacobian(lambda z: torch.softmax(z, 0), scores)
        weights = torch.softmax(scores, 0)
        np.testing.assert_allclose(series[f"scores_{name}"], scores, **error)
        np.testing.assert_allclose(series[f"weights_{name}"], weights, rtol=1e-8, atol=1e-12)
        np.testing.assert_allclose(series[f"jacobian_{name}"], jacobian, rtol=1e-7, atol=1e-12)
        assert series[f"largest_{name}"] == pytest.approx(float(weights.max()), rel=1e-8)
        assert series[f"entry_{name}"] == pytest.approx(float(jacobian.max()), rel=1e-7, abs=1e-12)
        shared = rho if state["related"] == "all" else 0.0
        length2 = float(q @ q)
        assert series[f"center_{name}"] == pytest.approx(shared * length2 / divisor)
        assert series[f"spread_{name}"] == pytest.approx(math.sqrt((1 - shared**2) * length2) / divisor)
    end = 512 if d_k <= 512 else 4096
    sizes = torch.arange(end // 64, end + 1, end // 64)
    long_q = torch.from_numpy(normal(state["seed"], 0, np.arange(end)))
    long_noise = torch.from_numpy(normal(state["seed"], np.arange(1, n_keys + 1)[:, None], np.arange(end)))
    long_keys = rhos * long_q + torch.sqrt(1 - rhos**2) * long_noise
    walks = torch.stack([long_keys[:, :size] @ long_q[:size] for size in sizes], 1)
    by_size = {"1": torch.ones(64), "sqrt": sizes.double().sqrt(), "d_k": sizes.double()}[state["divisor"]]
    np.testing.assert_allclose(series["walk_d_k"], sizes)
    np.testing.assert_allclose(series["walks"], walks / by_size, rtol=1e-9, atol=1e-12 * end)
    for side, name in ((-1, "low"), (1, "high")):  # the mean, and one standard deviation, of one product, and of many
        edge = [size * shared + side * math.sqrt(size * (1 - shared**2)) for size in sizes.tolist()]
        np.testing.assert_allclose(series[f"envelope_{name}"], np.array(edge) / by_size.numpy(), rtol=1e-12)
    nearest = min(range(13), key=lambda i: abs(math.log(2**i / d_k)))
    assert [series["mid_unscaled"], series["mid_scaled"]] == series["law_mid"][:2, nearest].tolist()
    for i, (found, divisor) in enumerate(zip(series["drawn"], by.values(), strict=True)):
        weights = torch.softmax(keys @ q / divisor, 0)
        if state["quantity"].startswith("gradient"):
            own = [(q @ q)[None], (noise @ q / q.norm())[None]]
            wanted = by_pytorch(own, d_k, rho, state["related"], "gradient")[i, 0]
            if state["quantity"] == "gradient_w_q":  # the root mean square over this query and 31 others
                numbers = row_numbers(state["seed"], 1000 + np.arange(31), d_k, n_keys)
                others = by_pytorch(numbers, d_k, rho, state["related"], "gradient")[i]
                wanted = torch.cat([others, wanted[None]]).square().mean().sqrt()
        elif state["quantity"] == "entropy":
            wanted = torch.special.entr(weights).sum()
        elif state["quantity"] == "largest_entry":
            wanted = (weights * (1 - weights)).max()
        else:
            wanted = weights.max()
        assert found == pytest.approx(float(wanted), rel=1e-6, abs=1e-12 * d_k)


@pytest.mark.parametrize(
    ("n_keys", "rho", "related", "quantity"),
    [(6, 0.7, "one", "gradient_q"), (3, 0.4, "all", "gradient_w_q"), (16, 0.2, "all", "entropy"),
     (8, 0.5, "one", "largest_entry"), (48, 0.0, "one", "largest_weight")],
)  # fmt: skip
def test_law_that_is_shown_is_what_pytorch_makes_of_its_rows(n_keys, rho, related, quantity):
    series = ScaleLab(n_keys=n_keys, rho=rho, related=related, quantity=quantity).series
    rows = np.arange(800 if quantity.startswith("gradient") else 200)
    assert series["law_mid"].shape == (3, 13)
    for column in (0, 1, 5, 12):
        d_k = 2**column
        values = by_pytorch(row_numbers(1706, rows, d_k, n_keys), d_k, rho, related, quantity)
        if quantity == "gradient_w_q":  # 32 neighbours, round the end
            values = torch.cat([values, values[:, :31]], 1).unfold(1, 32, 1).square().mean(-1).sqrt()
        wanted = {"low": values.quantile(0.1, 1), "mid": values.quantile(0.5, 1), "high": values.quantile(0.9, 1)}
        for name, one in {**wanted, "mean": values.mean(1)}.items():
            np.testing.assert_allclose(series[f"law_{name}"][:, column], one, rtol=1e-6, atol=1e-12 * d_k)


LAW_CASES = [
    (2, 0.0, "one", "gradient_q"), (16, 0.5, "one", "gradient_q"), (8, 0.9, "all", "gradient_q"),
    (32, 0.0, "all", "entropy"), (5, 0.7, "one", "largest_weight"), (12, 0.3, "all", "largest_entry"),
]  # fmt: skip


@pytest.mark.parametrize(("n_keys", "rho", "related", "quantity"), LAW_CASES)
def test_law_is_that_of_real_vectors(n_keys, rho, related, quantity):
    """A quantile of 200 draws has that share of any other draws below it, up to five standard errors.

    The law's gradient is a mean over what of the keys is across q. At d_k = 1 that is nothing, and at 128 it varies by
    a few percent; for sizes between see the next test.
    """
    draws = 1000
    found = many_draws.law(n_keys, rho, related, quantity)
    slack = 0.1 if quantity == "gradient_q" else 1e-12
    for d_k in (1, 128) if quantity == "gradient_q" else (1, 4, 128):
        real = drawn(d_k, n_keys, rho, related, quantity, draws, seed=d_k)
        column = many_draws.LAW_D_K.index(d_k)
        for name, share in (("low", 0.1), ("mid", 0.5), ("high", 0.9)):
            value = found[name][:, column, None]
            error = np.sqrt(share * (1 - share) * (1 / many_draws.N_DRAWS + 1 / draws))
            below = (real < value * (1 - slack)).mean(1)  # less than `up_to` where many draws tie, such as at weight 1
            up_to = (real < value * (1 + slack)).mean(1)
            assert (below - 5 * error < share).all() and (share < up_to + 5 * error).all(), (d_k, name)
        error = real.std(1) * np.sqrt(1 / many_draws.N_DRAWS + 1 / draws)
        assert (abs(found["mean"][:, column] - real.mean(1)) < 5 * error + slack).all(), d_k


VECTORS = [(1, 3, 0.4, "one"), (3, 8, 0.0, "all"), (65, 8, 0.8, "all")]


@pytest.mark.parametrize(("d_k", "n_keys", "rho", "related"), VECTORS)
def test_gradient_of_the_law_is_a_root_mean_square_over_real_vectors(d_k, n_keys, rho, related):
    """Twenty thousand rows against four thousand real draws: their mean squares, up to five standard errors."""
    rows = many_draws.rows(77, 0, 20_000, [d_k], n_keys)
    real = drawn(d_k, n_keys, rho, related, "gradient_q", 4000, seed=1) ** 2
    for divisor, one in zip((1, d_k**0.5, d_k), real, strict=True):
        correlations = many_draws.correlations(rho, related, n_keys)
        squares = many_draws.query_gradient(rows, correlations, d_k, np.full((1, 1, 1), divisor)) ** 2
        assert abs(squares.mean() - one.mean()) < 5 * np.sqrt(squares.var() / squares.size + one.var() / one.size)


def test_batches_for_w_q_are_root_mean_squares_over_queries():
    single, batch = (many_draws.law(8, 0.0, "one", quantity) for quantity in ("gradient_q", "gradient_w_q"))
    real = drawn(64, 8, 0.0, "one", "gradient_q", 3200, seed=9)[:, :3200].reshape(3, 100, 32)
    rms = np.sqrt((real**2).mean(-1))
    independent = many_draws.N_GRADIENTS / many_draws.N_QUERIES  # batches that share no draw
    column = many_draws.LAW_D_K.index(64)
    assert (abs(batch["mean"][:, column] - rms.mean(1)) < 5 * rms.std(1) * np.sqrt(1 / independent + 1 / 100)).all()
    assert (batch["high"] - batch["low"] < single["high"] - single["low"])[1].all()  # scaled


@pytest.fixture(scope="module")
def unscaled_scores():
    """Four thousand rows of 64 scores at d_k = 4096, of another seed than the law's."""
    rows = many_draws.rows(5, 0, 4000, [4096], 64)
    return (np.sqrt(rows.length2) * rows.noise)[:, 0]


@pytest.mark.parametrize("n_keys", [4, 16, 64])
def test_law_meets_the_closed_forms(n_keys, unscaled_scores):
    """Closed forms leave terms of relative order 1/s out, here s = 64; samples lie within five standard errors."""
    s = 64.0
    sharp, flat = expectations.sharp_limits(n_keys, s), expectations.flat_limits(n_keys, 1 / s)
    forms = {"largest_entry": sharp.max_entry, "entropy": sharp.entropy, "largest_weight": 1 - sharp.missing_weight}
    for quantity, wanted in forms.items():
        values = many_draws.measure(quantity, unscaled_scores[:, :n_keys])
        left_out = min(wanted, abs(1 - wanted)) / s
        assert abs(values.mean() - wanted) < 5 * values.std() / np.sqrt(len(values)) + left_out
        mean = many_draws.law(n_keys, 0.0, "one", quantity)["mean"][0, -1]
        assert abs(mean - wanted) < 5 * values.std() / np.sqrt(many_draws.N_DRAWS) + left_out
    entropy = many_draws.law(n_keys, 0.0, "one", "entropy")["mean"][2, -1]
    assert abs(entropy - flat.entropy) < 5 / s**2 / np.sqrt(many_draws.N_DRAWS)
