"""What was measured on the decoder of today: the files' form, samples of them again, the measuring against PyTorch.

Single precision rounds differently on other processors, and 30 blocks pass it on: losses are compared to 0.02.
"""

import math

import numpy as np
import pytest
import torch
from whyformer import evidence
from whyformer.evidence import decoder_blocks as blocks
from whyformer.evidence import decoder_first as first
from whyformer.evidence import decoder_positions as positions
from whyformer.evidence import decoder_reading as reading
from whyformer.evidence import decoder_scores as scores
from whyformer.evidence import decoder_table as table
from whyformer.evidence.trained import symmetric_share
from whyformer.model import smollm
from whyformer.model.layers import Heads, Linear

FILES = ("decoder_first", "decoder_scores", "decoder_table", "decoder_positions", "decoder_blocks")
SAME = 0.02


@pytest.fixture(scope="module")
def smol():
    return smollm.load()


@pytest.fixture(scope="module")
def texts(smol):
    return reading.tokens_of(smol)


@pytest.fixture(scope="module")
def start(smol, texts):
    return reading.intact(smol.decoder, texts.cut(reading.START))


@pytest.fixture(scope="module")
def short(smol, texts):
    return reading.intact(smol.decoder, texts.cut(reading.SHORT))


def near(found, stored, rtol=0.02, atol=SAME):
    """Numbers of a summary, but for the count of texts, in which a text near 0 may change sides."""
    assert set(found) == set(stored)
    for name in set(found) - {"worse"}:
        np.testing.assert_allclose(found[name], stored[name], rtol=rtol, atol=atol, err_msg=name)


def numbers_in(found):
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, list):
        return [number for one in found for number in numbers_in(one)]
    return [found] if isinstance(found, int | float) else []


def summaries(found):
    if isinstance(found, dict):
        if {"median", "least", "largest"} <= set(found):
            yield found
        for one in found.values():
            yield from summaries(one)


# ---- the files


def test_texts_are_thirty_kinds_of_17_to_200_tokens(texts):
    kinds = reading.texts_by_kind()
    lengths = [len(one) for one in texts.ids]
    assert len(kinds) == len(set(kinds.values())) == len(lengths) == 30
    assert 17 <= min(lengths) and max(lengths) <= 200 and 2000 < sum(lengths) < 2500
    assert all(text == text.strip() for text in kinds.values())


@pytest.mark.parametrize("name", FILES)
def test_a_file_says_what_was_read_and_every_summary_is_in_order(name, texts):
    found = evidence.read(name)
    assert (found["model"], found["sha256"], found["in_front"]) == (smollm.FILE, smollm.SHA256, "nothing")
    for kind, read in found["read"].items():
        lengths = [len(one) for one in texts.cut({"start": reading.START, "short": reading.SHORT}.get(kind)).ids]
        assert [read[part] for part in ("texts", "tokens", "shortest", "longest")] == [
            *(len(lengths), sum(lengths), min(lengths), max(lengths))
        ]
    assert all(map(math.isfinite, numbers_in(found)))
    every = list(summaries(found))
    assert len(every) > 5
    for one in every:
        assert (np.asarray(one["least"]) <= one["median"]).all() and (np.asarray(one["median"]) <= one["largest"]).all()
        assert 0 <= np.min(one.get("worse", 0)) and np.max(one.get("worse", 0)) <= 30


def test_the_data_are_small():
    folder = reading.files("whyformer.evidence") / "data"
    assert sum((folder / f"{name}.json").stat().st_size for name in FILES) < 150_000


# ---- samples again


def test_losses_are_what_the_files_say(start, short):
    for name in FILES:
        read = evidence.read(name)["read"]
        for kind, base in (("start", start), ("short", short)):
            if kind in read:
                near(reading.loss_of(base.losses), read[kind]["loss"], rtol=0)


def test_the_first_token_is_massive_in_every_text_and_alone(smol, start):
    found, stored = first.massive(start), evidence.read("decoder_first")
    assert found["at_feature"] == stored["massive"]["at_feature"] == 30
    near(found["entry"], stored["massive"]["entry"], rtol=1e-3)
    alone = first.single_tokens(smol.decoder)
    assert alone["at_feature"] == stored["single_tokens"]["at_feature"] == first.SINGLES
    near(alone["entry"], stored["single_tokens"]["entry"], rtol=1e-3)


def test_equal_tokens_at_the_start_are_massive_together(smol):
    found, stored = first.repeated(smol.decoder), evidence.read("decoder_first")["repeated"]
    np.testing.assert_allclose(found["least"], stored["least"], rtol=1e-3, atol=0.1)
    assert max(found["apart"], stored["apart"]) < 1e-4
    assert np.min(np.abs(stored["least"][:4])) > 20 * max(abs(stored["least"][4]), abs(stored["largest"][4]))


@pytest.mark.thorough
def test_costs_at_the_first_token_are_what_the_file_says(smol, start):
    stored = evidence.read("decoder_first")
    found = first.without_entry(smol.decoder, start)
    near(found["first"], stored["without_entry"]["first"])
    near(found["sixth"], stored["without_entry"]["sixth"])
    found = first.changed(smol.decoder, start)
    for name in ("value_zero", "value_zero_sixth", "forbidden", "forbidden_sixth", "forbidden_not_renormalised"):
        near(found[name], stored["changed"][name])


@pytest.mark.thorough
def test_costs_of_other_positions_are_what_the_file_says(smol, start, short):
    stored = evidence.read("decoder_positions")
    shift = reading.cost(smol.decoder, start, reading.Inside(places=lambda layer, n: np.arange(n) + 100_000))
    near(shift, stored["moved"]["shifted_100000"])
    assert max(abs(shift["least"]), abs(shift["largest"])) < SAME
    one = reading.Inside(places=lambda layer, n: np.arange(n) * (layer != 3))
    near(reading.cost(smol.decoder, short, one, begin=2), stored["without_rotation"]["layer"]["3"])


def test_costs_at_the_table_are_what_the_file_says(smol, start):
    stored = evidence.read("decoder_table")
    found = table.at_output(smol.decoder, start)
    for name in found:
        near(found[name], stored["output"][name])
    assert abs(stored["output"]["without_mean_row"]["mean"]) < SAME
    near(table.rows(smol.decoder.table)["length"], stored["rows"]["length"], rtol=1e-3, atol=0)
    some = table.loses(smol.decoder.table, smol.decoder.norm.gain, np.arange(0, len(smol.decoder.table), 64))
    assert some.mean() == pytest.approx(stored["fed_back"]["share"], abs=0.04)


def test_costs_of_blocks_are_what_the_file_says(smol, short):
    stored, b = evidence.read("decoder_blocks"), smol.decoder.blocks
    for name, i in (("feed_forward", 12), ("attention", 28)):
        changed = reading.with_blocks(smol.decoder, [i], blocks.REMOVED[name])
        found = reading.cost(changed, short, begin=i - 1)
        near(found, {part: values[i - 1] for part, values in stored[f"without_{name}"].items() if part in found})
    swapped = smol.decoder._replace(blocks=(*b[:28], b[29], b[28]))
    found = reading.cost(swapped, short, begin=28)
    near(found, {part: values[28] for part, values in stored["exchanged"].items() if part in found})


def test_streams_and_norms_are_what_the_file_says(smol, start):
    stored = evidence.read("decoder_blocks")
    near(blocks.streams(smol.decoder, start), stored["streams"], rtol=2e-3, atol=2e-3)
    found = blocks.norms(smol.decoder, start)
    for name, cost in found.items():
        near(cost, stored["norms"][name])


def test_symmetric_shares_are_what_the_file_says(smol):
    found, stored = scores.symmetry(smol.decoder), evidence.read("decoder_scores")["symmetry"]
    np.testing.assert_allclose(found["share"], stored["share"], rtol=1e-3)
    for name in ("share_of_heads", "share_without_gain_of_heads", "random_of_heads"):
        near(found[name], stored[name], rtol=1e-3, atol=0)
    assert found["below_half"] == pytest.approx(stored["below_half"], abs=1)


def test_a_divisor_costs_what_the_file_says_in_three_texts(smol, texts):
    """Three texts of all 30: between the least and the largest of the file, for the loss and for the rows."""
    three = reading.Texts(texts.ids[6:9])
    base = reading.intact(smol.decoder, three)
    for divisor in (8, 64):
        found = scores.divided(smol.decoder, base, divisor)
        stored = evidence.read("decoder_scores")[f"divisor_{divisor}"]
        for name in ("loss", "entropy", "largest_weight", "log_n"):
            assert stored[name]["least"] - SAME <= found[name]["least"], name
            assert found[name]["largest"] <= stored[name]["largest"] + SAME, name


# ---- the measuring


def test_many_texts_in_one_pass_are_read_as_each_alone(smol):
    some = reading.Texts(tuple(tuple(smol.pieces(text)) for text in ("A cat sat on a mat.", "Why?", "1, 2, 3, 4")))
    base = reading.intact(smol.decoder, some)
    for ids, at, found in zip(some.ids, some.slices(), base.losses, strict=True):
        np.testing.assert_allclose(found, smol.decoder.loss(ids), rtol=0, atol=SAME)
        for ours, theirs in zip(base.states, smol.decoder.hidden(ids), strict=True):
            np.testing.assert_allclose(ours[at], theirs, rtol=0, atol=2e-5 * np.abs(theirs).max() + 1e-4)
    late = reading.losses(smol.decoder, base.states[-1], some, skip=1)
    np.testing.assert_allclose(np.concatenate(late), np.concatenate([one[1:] for one in base.losses]), atol=1e-4)
    assert reading.cost(smol.decoder, base, begin=17)["largest"] == pytest.approx(0, abs=SAME)


def test_costs_count_tokens_in_the_mean_and_texts_in_the_rest():
    before = [np.array([1.0, 1, 1]), np.array([2.0]), np.array([0.0, 0])]
    after = [np.array([2.0, 2, 2]), np.array([1.0]), np.array([0.0, 1])]
    assert reading.compared(after, before) == {
        **{"mean": pytest.approx(0.5), "median": 0.5, "least": -1, "largest": 1, "worse": 2}
    }


def test_changes_inside_are_those_of_pytorch(smol):
    """One block: values, weights and places changed by hooks, and by hand in PyTorch."""
    block = smol.decoder.blocks[2]
    one = smol.decoder._replace(blocks=(block,))
    two = reading.Texts((tuple(smol.pieces("one two three four")), tuple(smol.pieces("five six"))))
    inside = reading.Inside(
        places=lambda layer, n: 3 * np.arange(n),
        values=lambda layer, v: [2 * part for part in v],
        weights=lambda layer, w: w**2,
        parallel=(1,),
    )
    (layer,) = reading.layers(one, two, inside)
    for ids, at, heads in zip(two.ids, two.slices(), layer.heads, strict=True):
        a, x = block.attention, torch.tensor(one.table[list(ids)], dtype=torch.float64)
        n = len(ids)
        g = torch.tensor(block.norm1.gain, dtype=torch.float64)
        z = torch.nn.functional.rms_norm(x, (576,), g, 1e-5)
        q, k, v = (
            (z @ torch.tensor(part.weight, dtype=torch.float64)).view(n, -1, 64).transpose(0, 1)
            for part in (a.q, a.k, a.v)
        )
        angle = torch.outer(3.0 * torch.arange(n), a.base ** -(torch.arange(0, 64, 2) / 64)).double()
        turn = torch.polar(torch.ones_like(angle), angle)
        q, k = (
            torch.view_as_real(torch.view_as_complex(y.reshape(-1, n, 32, 2).contiguous()) * turn).flatten(2)
            for y in (q, k)
        )
        k, v = (y.repeat_interleave(3, 0) for y in (k, v))
        w = torch.softmax((q @ k.mT / 8).masked_fill(torch.ones(n, n).triu(1).bool(), -torch.inf), -1) ** 2
        seen = (w @ (2 * v)).transpose(0, 1).reshape(n, -1) @ torch.tensor(a.o.weight, dtype=torch.float64)
        np.testing.assert_allclose(heads.weights, w, atol=1e-4)
        np.testing.assert_allclose(layer.seen[at], seen, atol=1e-3)
        fed = block.feed(block.norm2(x.numpy()))
        np.testing.assert_allclose(layer.fed[at], fed, atol=1e-3)
        np.testing.assert_allclose(layer.x[at], x + seen + fed, atol=2e-3)


def test_removed_heads_add_nothing(smol):
    """Layer 4 without head 2: attention adds what the other heads do."""
    one = reading.Texts((tuple(smol.pieces("Rain fell on the roof.")),))
    changed = reading.without_heads(smol.decoder, [(4, 2)])
    assert changed.blocks[2] is smol.decoder.blocks[2]
    before, after = (list(reading.layers(d._replace(blocks=d.blocks[:4]), one))[3] for d in (smol.decoder, changed))
    lost = before.heads[0].output[1] @ smol.decoder.blocks[3].attention.o.weight[64:128]
    np.testing.assert_allclose(before.seen - after.seen, lost, atol=1e-3)


def test_exchanged_groups_read_another_ones_keys_and_values(smol):
    one = reading.Texts((tuple(smol.pieces("Rain fell on the roof.")),))
    small = smol.decoder._replace(blocks=smol.decoder.blocks[:1])
    (usual,), (other,) = (
        list(reading.layers(d, one)) for d in (small, reading.with_blocks(small, [1], scores.exchanged))
    )
    order = [0, 3, 6, 1, 4, 7, 2, 5, 8]
    np.testing.assert_allclose(other.heads[0].q, usual.heads[0].q[order], atol=1e-4)
    np.testing.assert_allclose(other.heads[0].k, usual.heads[0].k, atol=1e-4)
    rows = np.split(small.blocks[0].attention.o.weight, 9)
    np.testing.assert_array_equal(
        scores.exchanged(small.blocks[0]).attention.o.weight, np.concatenate([rows[i] for i in order])
    )


def test_one_key_head_is_a_mean(smol):
    block = smol.decoder.blocks[5]
    mean = scores.one_key_head(block).attention
    for part in ("k", "v"):
        whole = getattr(block.attention, part).weight
        expected = (whole[:, :64] + whole[:, 64:128] + whole[:, 128:]) / 3
        for at in (0, 64, 128):
            np.testing.assert_allclose(getattr(mean, part).weight[:, at : at + 64], expected, atol=1e-6)


def test_rows_and_shares_are_what_numpy_says():
    rng = np.random.default_rng(1)
    q, k = rng.standard_normal((2, 3, 12, 4))
    np.testing.assert_allclose(scores.shares(q, k), symmetric_share(q @ k.mT))
    np.testing.assert_allclose(scores.by_head(Linear(np.hstack([*q])), 3), q)
    q, k = rng.standard_normal((2, 2, 11, 4))
    heads = Heads(q, k, k, k, k)
    for begin in (0, 1):
        rows = [[(q[h, i] @ k[h, begin : i + 1].T).std() for i in range(7, 11)] for h in range(2)]
        np.testing.assert_allclose(scores.deviations(heads, begin), rows)
    w = np.tril(rng.random((2, 6, 6)))
    w /= w.sum(-1, keepdims=True)
    expected = torch.distributions.Categorical(probs=torch.tensor(w)).entropy()
    np.testing.assert_allclose(scores.entropies(w), expected, atol=1e-6)
    later = w[:, 2:, 1:] / w[:, 2:, 1:].sum(-1, keepdims=True)
    gap = scores.distances(w)
    assert gap[0, 0] == 0 and gap[0, 1] == gap[1, 0] == pytest.approx(abs(later[0] - later[1]).sum(-1).mean() / 2)


def test_rows_that_lose_are_those_of_the_whole_product():
    rng = np.random.default_rng(2)
    rows, gain = rng.standard_normal((300, 5)), rng.random(5) + 0.5
    logits = (rows / np.sqrt((rows**2).mean(1, keepdims=True)) * gain) @ rows.T
    expected = logits.argmax(1) != np.arange(300)
    assert 30 < expected.sum() < 300
    np.testing.assert_array_equal(table.loses(rows, gain, np.arange(300)), expected)
    np.testing.assert_array_equal(table.loses(rows, gain, np.arange(0, 300, 7)), expected[::7])
    np.testing.assert_allclose(np.linalg.norm(table.equal_lengths(rows), axis=1), np.linalg.norm(rows, axis=1).mean())
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosine = (units @ units.T)[np.triu_indices(300, 1)].mean()
    assert table.rows(rows)["mean_cosine"] == pytest.approx(cosine)


def test_norms_without_division_and_without_mean():
    rng = np.random.default_rng(3)
    x, gain = rng.standard_normal((4, 8)), rng.standard_normal(8)
    np.testing.assert_allclose(blocks.Undivided(gain)(x), x * gain)
    theirs = torch.nn.functional.layer_norm(torch.tensor(x), (8,), torch.tensor(gain), eps=1e-5)
    np.testing.assert_allclose(blocks.Centred(gain)(x), theirs)


def test_chosen_heads_look_where_they_should(smol):
    few = positions.twice(reading.random_texts(smol.decoder, np.random.default_rng(5), 2, 20))
    assert all(one[:20] == one[20:] for one in few.ids)
    chosen, weight = positions.choose(smol.decoder, few)
    for name, at in (("induction", lambda i: i - 19), ("previous", lambda i: i - 1)):
        layer, head = chosen[name][0]
        *_, found = reading.layers(smol.decoder._replace(blocks=smol.decoder.blocks[:layer]), few)
        on = [[one.weights[head - 1, i, at(i)] for i in range(20, 40)] for one in found.heads]
        assert np.mean(on) >= weight[name]["least_of_chosen"] - 1e-3 > weight[name]["median_of_all"]
