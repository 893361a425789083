"""The counter-based generator: golden integers, no hidden state, and no pattern that statistics can see.

Golden integers hold every bit of it; whether it is a good generator is asked again by ``make test-all`` alone. The
thresholds are five standard errors, or six where the worst of thousands is taken. Seeds are fixed, so a failure
is a change of the generator and not bad luck.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from whyformer.maths.random import bits, mix, normal, uniform

pytestmark = pytest.mark.filterwarnings("error")

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "random.json").read_text())
LAST = 2**32 - 1
FIVE_SIGMA = 2 * stats.norm.sf(5)
SEEDS = (0, 1, 2, 12345, 2**31, LAST)


def test_golden_integers():
    for case in GOLDEN["mix"]:
        assert mix(case["x"]) == case["mix"]
    for case in GOLDEN["places"]:
        assert bits(*case["place"]) == case["bits"], case


def test_golden_normals():
    for case in GOLDEN["places"]:
        assert_allclose(normal(*case["place"]), case["normal"], rtol=1e-13, atol=2e-15, err_msg=str(case))


def test_whole_arrays_equal_single_places():
    seed, stream, counter = np.array([case["place"] for case in GOLDEN["places"]]).T
    for f, key in ((bits, "bits"), (normal, "normal")):
        wanted = np.array([case[key] for case in GOLDEN["places"]])
        assert_allclose(f(seed, stream, counter), wanted, rtol=1e-13 if key == "normal" else 0, atol=0)
        grid = f([[[0]], [[7]]], [[1], [2], [3]], np.arange(5))
        assert grid.shape == (2, 3, 5)
        assert grid[1, 2, 4] == f(7, 3, 4)
    assert bits(0, 0, np.arange(3)).dtype == np.uint32
    assert uniform(0, 0, np.arange(3)).dtype == normal(0, 0, np.arange(3)).dtype == np.float64


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint32, np.uint64])
def test_integer_types_do_not_matter(dtype):
    assert_array_equal(bits(dtype(3), dtype(5), np.arange(9, dtype=dtype)), bits(3, 5, np.arange(9)))
    assert_array_equal(normal(dtype(3), dtype(5), np.arange(9, dtype=dtype)), normal(3, 5, np.arange(9)))


@pytest.mark.parametrize("f", [bits, uniform, normal])
def test_a_longer_vector_begins_with_the_shorter_one(f):
    long = f(11, np.arange(20)[:, None], np.arange(130))
    for length in (1, 2, 63, 64, 65, 129):
        assert_array_equal(f(11, np.arange(20)[:, None], np.arange(length)), long[:, :length])
        assert_array_equal(f(11, np.arange(length % 20), 7), long[: length % 20, 7])
    assert_array_equal(f(11, 4, np.arange(130)[::-1]), long[4, ::-1])  # nor does the order of asking


def test_uniform_is_the_midpoint():
    words = bits(5, 6, np.arange(1000)).astype(object)
    assert uniform(5, 6, np.arange(1000)).tolist() == [(2 * int(w) + 1) / 2**33 for w in words]


def test_uniform_and_normal_at_the_ends():
    """Counters chosen so that the hash gives its smallest and its largest word."""
    offset = mix(mix(np.uint32(0x9E3779B9)))
    stride = int(mix((int(offset) + 0x9E3779B9) % 2**32)) | 1
    for word in (0, LAST):
        counter = (unmix(word) - int(offset)) * pow(stride, -1, 2**32) % 2**32
        assert bits(0, 0, counter) == word
        assert 0 < uniform(0, 0, counter) < 1
        assert uniform(0, 0, counter) == (word + 0.5) / 2**32
        assert np.isfinite(normal(0, 0, counter - counter % 2 + np.arange(2))).all()


def unmix(y):
    """The inverse of mix, which exists because mix is a bijection."""
    y ^= y >> 16
    y = y * pow(0x846CA68B, -1, 2**32) % 2**32
    y ^= (y >> 15) ^ (y >> 30)
    y = y * pow(0x7FEB352D, -1, 2**32) % 2**32
    return y ^ (y >> 16)


def test_mix_is_a_bijection():
    words = np.random.RandomState(0).randint(0, 2**32, 2000, dtype=np.uint64)
    assert [unmix(int(y)) for y in mix(words)] == words.tolist()


@pytest.mark.thorough
def test_each_input_bit_flips_each_output_bit_half_of_the_time():
    words = bits(0, 0, np.arange(2**14))
    for place in range(32):
        flipped = mix(words) ^ mix(words ^ np.uint32(1 << place))
        share = (flipped[:, None] >> np.arange(32, dtype=np.uint32) & 1).mean(0)
        assert np.abs(share - 0.5).max() < 0.03, place  # 5 standard errors are 0.02; the hash itself has some bias


@pytest.mark.thorough
@pytest.mark.parametrize("seed", SEEDS)
def test_bytes_are_equally_frequent(seed):
    """Along a stream and across the streams, byte by byte."""
    numbers = np.arange(2**18)
    for words in (bits(seed, 3, numbers), bits(seed, numbers, 3), bits(numbers, seed, 3)):
        for byte in range(4):
            counts = np.bincount(words >> np.uint32(8 * byte) & np.uint32(255), minlength=256)
            assert stats.chisquare(counts).pvalue > FIVE_SIGMA, byte


@pytest.mark.thorough
@pytest.mark.parametrize("seed", SEEDS)
def test_pairs_of_neighbours_are_equally_frequent(seed):
    """The top four bits of each number with those of the next, on streams and on counters."""
    top = bits(seed, np.arange(512)[:, None], np.arange(512)) >> np.uint32(28)
    for a, b in ((top[:, :-1], top[:, 1:]), (top[:-1], top[1:])):
        counts = np.bincount((16 * a + b).ravel(), minlength=256)
        assert stats.chisquare(counts).pvalue > FIVE_SIGMA


@pytest.mark.thorough
@pytest.mark.parametrize("seed", SEEDS)
def test_normals_are_normal(seed):
    along, across = normal(seed, 0, np.arange(200_000)), normal(seed, np.arange(100_000)[:, None], [0, 1])
    for x in (along, along[::2], along[1::2], across.ravel()):
        n = len(x)
        assert stats.kstest(x, "norm").pvalue > FIVE_SIGMA
        assert abs(x.mean()) < 5 / np.sqrt(n)
        assert abs(x.var() - 1) < 5 * np.sqrt(2 / n)
        assert abs((x**3).mean()) < 5 * np.sqrt(15 / n)
        assert abs((x**4).mean() - 3) < 5 * np.sqrt(96 / n)
    assert stats.kstest(uniform(seed, 1, np.arange(200_000)), "uniform").pvalue > FIVE_SIGMA


def largest_correlation(vectors):
    """Largest correlation between different rows, in standard errors."""
    product = vectors @ vectors.T / np.sqrt(vectors.shape[1])
    np.fill_diagonal(product, 0)
    return np.abs(product).max()


@pytest.mark.thorough
@pytest.mark.parametrize("seed", SEEDS)
def test_streams_seeds_and_lags_are_uncorrelated(seed):
    counter, many = np.arange(8192), np.arange(64)[:, None]
    other_seeds = (seed + many) % 2**32
    for vectors in (
        normal(seed, many, counter),
        normal(seed, many * 4096, counter),
        normal(other_seeds, 0, counter),
        normal(other_seeds, other_seeds, counter),  # seed and stream moved together
        normal(seed, 1 << np.arange(32)[:, None], counter),
    ):
        assert largest_correlation(vectors) < 6
        assert largest_correlation((vectors**2 - 1) / np.sqrt(2)) < 6
    x = normal(seed, 9, np.arange(2**17))
    for lag in (1, 2, 3, 4, 8, 16, 64, 512, 4096):
        for y in (x, (x * x - 1) / np.sqrt(2)):
            assert abs((y[lag:] * y[:-lag]).mean()) < 5 / np.sqrt(len(x) - lag), lag


@pytest.mark.thorough
def test_seed_and_stream_are_not_interchangeable():
    a, b = np.triu_indices(100, 1)
    assert (bits(a, b, 0) == bits(b, a, 0)).sum() == 0
    words = bits(np.arange(200)[:, None], np.arange(200), 0)
    pairs = 40_000 * 39_999 / 2
    assert 40_000 - len(np.unique(words)) < 5 * np.sqrt(pairs / 2**32) + 1  # as few collisions as chance has
    for seed in (0, 5):
        assert len(np.unique(bits(seed, 1, np.arange(2**17)))) == 2**17  # an odd stride repeats nothing


@pytest.mark.thorough
def test_dot_products_of_random_vectors_have_variance_d_k():
    for d_k in (1, 16, 64):
        q, k = (normal(1, np.arange(20_000)[:, None] * 2 + side, np.arange(d_k)) for side in (0, 1))
        dots = (q * k).sum(1)
        error = d_k * np.sqrt((2 + 6 / d_k) / len(dots))
        assert abs(dots.var() - d_k) < 5 * error


@pytest.mark.parametrize(
    "value", [-1, 2**32, 2**70, 1.0, True, "a", None, [0.5], [1, -1], [1, 2**32], np.int8(-3), np.uint64(2**40)]
)
def test_arguments_must_be_words(value):
    for name, call in (
        ("seed", lambda f: f(value, 0, 0)),
        ("stream", lambda f: f(0, value, 0)),
        ("counter", lambda f: f(0, 0, value)),
    ):
        for f in (bits, uniform, normal):
            with pytest.raises(ValueError, match=f"^{name} must be integers from 0 to 4294967295"):
                call(f)
    with pytest.raises(ValueError, match="^x must be integers from 0 to 4294967295"):
        mix(value)
