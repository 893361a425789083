"""The labs of the chapter on the whole: bills against real arrays and PyTorch's own count, wires against the model."""

import numpy as np
import pytest
import torch
from lab_cases import random_states
from scipy.special import softmax
from torch.utils.flop_counter import FlopCounterMode
from whyformer.maths.random import normal
from whyformer.model import count_parameters, load
from whyformer.questions.framework import AssemblyLab, FollowLab, WiringLab
from whyformer.questions.framework.blocks import BLOCKS


def flops_of(run) -> int:
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        run()
    return counter.get_total_flops()


STACKS = {"both": ("encoder", "decoder"), "encoder": ("encoder",), "decoder": ("decoder",)}


@pytest.mark.parametrize("state", random_states(AssemblyLab, 25, 13), ids=str)
def test_assembly_lab_counts_what_pytorch_counts(state):
    """Block by block through the whole model, on tensors that have a shape and no numbers."""
    series, kind, d, f, n = (AssemblyLab.compute(**state), *(state[k] for k in ("kind", "d_model", "d_ff", "n_tokens")))
    d_k, left = divmod(d, state["n_heads"])
    with torch.device("meta"):
        into, back = torch.nn.Linear(d, d - left, bias=False), torch.nn.Linear(d - left, d, bias=False)
        up, down, norm = torch.nn.Linear(d, f), torch.nn.Linear(f, d), torch.nn.LayerNorm(d)
        table, x = torch.nn.Embedding(state["vocabulary"], d), torch.empty(n, d)

    def attention() -> None:
        q, k, v = (into(x).view(n, state["n_heads"], d_k).transpose(0, 1) for _ in range(3))
        back((q @ k.transpose(1, 2) @ v).transpose(0, 1).reshape(n, d - left))

    size = lambda *modules: sum(p.numel() for module in modules for p in module.parameters())  # noqa: E731
    cost = {
        "embedding": (size(table), 0),
        "positions": (0, 0),
        **dict.fromkeys(
            ("self_attention", "masked_attention", "cross_attention"),
            (size(into, into, into, back), flops_of(attention)),
        ),
        "add_norm": (size(norm), 0),
        "feed_forward": (size(up, down), flops_of(lambda: down(up(x)))),
        "output": (0, flops_of(lambda: x @ table.weight.T)),
    }
    standing = ["embedding", "output"]
    for stack in STACKS[kind]:
        standing.append("positions")
        for _ in range(state["n_layers"]):
            inside = ["self_attention" if stack == "encoder" else "masked_attention", "feed_forward"]
            inside += ["cross_attention"] if kind == "both" and stack == "decoder" else []
            standing += inside + ["add_norm"] * len(inside)
    instances = [standing.count(block) for block in BLOCKS]
    parameters, flops = np.array([[standing.count(block) * one for one in cost[block]] for block in BLOCKS], float).T
    here = [*BLOCKS].index(state["block"])
    for name, wanted in {
        "instances": instances, "parameters": parameters, "flops": flops, "d_k": d_k, "width": d - left,
        "left_over": left, "chosen": here, "times": instances[here], "one_parameters": cost[state["block"]][0],
        "one_flops": cost[state["block"]][1],
    }.items():  # fmt: skip
        assert np.array_equal(series[name], wanted), name
    for name, unit, all_of_them in (("parameters", "millions", parameters), ("flops", "gigaflops", flops)):
        assert series[unit] * {"millions": 1e6, "gigaflops": 1e9}[unit] == pytest.approx(all_of_them.sum())
        np.testing.assert_allclose(series[f"{name}_share"] * all_of_them.sum(), all_of_them, rtol=1e-12)
        assert series[f"{name}_percent"] == pytest.approx(100 * all_of_them[here] / all_of_them.sum())


def test_shares_of_attention_and_feed_forward_are_those_of_their_blocks():
    """In percent, and for blocks that need both: attention stands in several, the feed-forward network in one."""
    series = AssemblyLab().series
    for what in ("parameters", "flops"):
        share = dict(zip(BLOCKS, 100 * series[what] / sum(series[what]), strict=True))
        attention = sum(part for name, part in share.items() if name.endswith("attention"))
        assert series[f"attention_{what}"] == pytest.approx(attention)
        assert series[f"feed_{what}"] == pytest.approx(share["feed_forward"])


def test_blocks_lead_to_chapters_that_exist(request):
    chapters = {file.stem for file in (request.config.rootpath / "chapters").glob("*.md")}
    assert {block.chapter for block in BLOCKS.values()} - {""} <= chapters


def test_minilm_holds_the_parameters_of_the_chapter():
    assert count_parameters(load().bert) == 22_565_376


def outputs_of_pytorch(seed: int, words: tuple, mask: str, memory: str) -> np.ndarray:
    """The tiny model once more, of PyTorch's layers: width 16, two heads, 32 hidden units, its twelve words."""
    d, hidden, source, target = 16, 32, torch.tensor(words[:4]), torch.tensor(words[4:])
    stream = iter(range(17))
    matrix = lambda rows, columns, variance: torch.from_numpy(  # noqa: E731
        np.sqrt(variance) * normal(seed, next(stream), np.arange(rows * columns)).reshape(rows, columns)
    )
    options = {"dim_feedforward": hidden, "dropout": 0, "batch_first": True, "bias": False, "dtype": torch.float64}
    encoder = torch.nn.TransformerEncoderLayer(d, 2, **options)
    decoder = torch.nn.TransformerDecoderLayer(d, 2, **options)

    def fill(layer, *attentions) -> None:
        for attention in attentions:
            attention.in_proj_weight.copy_(torch.cat([matrix(d, d, 2 / d).T for _ in range(3)]))
            attention.out_proj.weight.copy_(matrix(d, d, 2 / d).T)
        layer.linear1.weight.copy_(matrix(d, hidden, 2 / d).T)
        layer.linear2.weight.copy_(matrix(hidden, d, 2 / hidden).T)

    with torch.no_grad():
        table = matrix(12, d, 1 / d)
        fill(encoder, encoder.self_attn)
        fill(decoder, decoder.self_attn, decoder.multihead_attn)
        angle = torch.arange(5.0, dtype=torch.float64)[:, None] / 10000 ** (torch.arange(0, d, 2).double() / d)
        places = torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
        x = (table[target] * 4 + places)[None]  # 4 is the root of d_model
        closed = torch.triu(torch.ones(5, 5, dtype=bool), {"causal": 1, "late": 2, "none": 5}[mask])
        later = torch.triu(torch.ones(5, 5, dtype=bool), 1)
        x = decoder.norm1(x + decoder.self_attn(x, x, x, attn_mask=closed)[0])
        if memory == "decoder":
            crossed = decoder.multihead_attn(x, x, x, attn_mask=later)[0]
        else:
            seen = encoder((table[source] * 4 + places[:4])[None])
            crossed = decoder.multihead_attn(x, seen, seen)[0]
        x = decoder.norm2(x + crossed)
        x = decoder.norm3(x + decoder.linear2(torch.relu(decoder.linear1(x))))
        return torch.softmax(3 * x[0] @ table.T, -1).numpy()


@pytest.mark.parametrize("state", random_states(WiringLab, 12, 3), ids=str)
def test_wiring_lab_is_what_pytorch_computes(state):
    series = WiringLab.compute(**state)
    given = {"seed": state["seed"], "mask": state["mask"], "memory": state["memory"]}
    words = [0, 1, 2, 3, 4, 5, 6, 7, 8]
    before = outputs_of_pytorch(words=words, **given)
    reach = np.empty((5, 9))
    for i in range(9):
        after = outputs_of_pytorch(words=[*words[:i], 10 if i < 4 else 9, *words[i + 1 :]], **given)
        reach[:, i] = abs(after - before).sum(1) / 2
        if i == state["changed"] - 1:
            np.testing.assert_allclose(series["after"], after[state["position"] - 1], atol=1e-10)
    np.testing.assert_allclose(series["before"], before[state["position"] - 1], atol=1e-10)
    np.testing.assert_allclose(series["reach"], reach, atol=1e-10)
    assert series["moved"] == pytest.approx(100 * reach[state["position"] - 1, state["changed"] - 1])
    assert series["from_source"] == pytest.approx(100 * reach[:, :4].max())
    leaks = [reach[i, 4 + j] for i in range(5) for j in range(5) if j > i]
    assert series["leak"] == pytest.approx(100 * max(leaks), abs=1e-8)
    assert divmod(series["chosen"], 9) == (state["position"] - 1, state["changed"] - 1)


#: What the lab makes by hand, once more: words, then what each query, key, value and next word is made of.
WORDS = torch.tensor([[1.0, 0, 0, 1], [0, 1, 0, 2], [0, 0, 1, 3]], dtype=torch.float64)
ASKS = {"animal": (2, 0), "action": (2, 1), "nothing": ()}  # the entry of W_Q that is 2


@pytest.mark.parametrize("state", random_states(FollowLab, 12, seed=1), ids=str)
def test_follow_lab_is_what_pytorch_computes(state):
    """One head of torch.nn.functional and two linear layers from the same weights."""
    functional, entry = torch.nn.functional, ASKS[state["wish"]]
    w_q = torch.zeros(4, 4, dtype=torch.float64)
    if entry:
        w_q[entry] = 2
    kept = torch.tensor([1.0, 1, 1, 0], dtype=torch.float64)
    q, k, v = WORDS[2:] @ w_q, 2 * kept * WORDS, kept * WORDS
    scale = 1.0 if state["divisor"] == "1" else 1 / np.sqrt(4)
    fetched = functional.scaled_dot_product_attention(q[None], k[None], v[None], scale=scale)[0, 0]
    summed = WORDS[2] + fetched
    up, down = torch.nn.Linear(4, 1).double(), torch.nn.Linear(1, 4, bias=False).double()
    read = torch.nn.Linear(4, 3, bias=False).double()
    with torch.no_grad():
        up.weight.copy_(torch.tensor([[1.0, 0, 1, 0]]))
        up.bias.fill_(-1.7)
        down.weight.copy_(torch.tensor([[2.0], [0], [0], [0]]))
        read.weight.copy_(torch.tensor([[3.0, 0, 0, 0], [0, 3, 0, 0], [0, 0, 1.5, 0]]))
        hidden = functional.relu(up(summed))
        out = summed + down(hidden)
        chances = functional.softmax(read(out), 0)
    series = FollowLab(**state).series
    wanted = {"fetched": fetched, "summed": summed, "out": out, "probabilities": chances, "q": q[0], "k": k, "v": v}
    for name, tensor in wanted.items():
        np.testing.assert_allclose(series[name], tensor.numpy(), rtol=1e-6, atol=1e-7, err_msg=name)
    dots = (k @ q[0]).numpy()
    np.testing.assert_allclose(series["dots"], dots)
    np.testing.assert_allclose(series["weights"], softmax(scale * dots))
    np.testing.assert_allclose(series["weights_raw"], softmax(dots))
    assert series["winner"] == chances.argmax().item() and series["likeliest"] == pytest.approx(chances.max().item())
    assert (series["best"], series["fits"]) == (dots.max(), dots.argmax())
    assert (series["animal"], series["grown"]) == (series["summed"][0], series["out"][0])
