"""Gradients by PyTorch's autograd, float64 on the CPU."""

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

ORACLE = "PyTorch float64 autograd, CPU"
VERSION = torch.__version__

CAUSAL = np.tril(np.ones((4, 4), bool))
HOLES = np.array([[1, 0, 1, 1, 0], [0, 0, 0, 1, 0], [1, 1, 1, 1, 1]], bool)
BLIND = np.array([[1, 1, 0, 1, 1], [0, 0, 0, 0, 0], [0, 1, 0, 0, 1]], bool)  # the second query may look nowhere
# name: shapes of q, k, v (and of nothing else: the output's follows), mask, divisor (None: sqrt(d_k))
ATTENTION = {
    "plain": ((3, 4), (5, 4), (5, 2), None, None),
    "divisor_1": ((3, 4), (5, 4), (5, 2), None, 1.0),
    "divisor_d_k": ((3, 4), (5, 4), (5, 2), None, 4.0),
    "odd_d_k": ((2, 7), (3, 7), (3, 5), None, None),
    "one_key": ((2, 3), (1, 3), (1, 2), None, None),
    "one_by_one": ((1, 1), (2, 1), (2, 1), None, 0.5),
    "batch": ((2, 3, 4), (2, 5, 4), (2, 5, 2), None, None),
    "heads": ((2, 2, 2, 3), (2, 2, 3, 3), (2, 2, 3, 2), None, 3.0),
    "causal": ((4, 3), (4, 3), (4, 3), CAUSAL, None),
    "causal_batch": ((2, 4, 3), (2, 4, 3), (2, 4, 2), CAUSAL, 1.0),
    "holes": ((3, 4), (5, 4), (5, 2), HOLES, None),
    "mask_per_batch": ((2, 3, 4), (2, 5, 4), (2, 5, 1), np.stack([HOLES, BLIND]), None),
    "key_mask": ((3, 4), (5, 4), (5, 2), np.array([True, False, True, True, False]), None),
    "blind_query": ((3, 4), (5, 4), (5, 2), BLIND, 1.0),
}
SHARED = {  # leading axes that only some of q, k, v have: a shared array gathers the gradients of all its uses
    "keys_and_values": ((2, 3, 4), (5, 4), (5, 2), None, None),
    "queries": ((3, 4), (2, 5, 4), (2, 5, 2), None, None),
    "queries_and_keys": ((3, 4), (5, 4), (2, 5, 2), None, None),
    "over_axis_of_1": ((2, 3, 4), (1, 5, 4), (1, 5, 2), HOLES, 1.0),
}


def draw(rng, shape):
    """Normal numbers rounded to 1/64: short to write, and the same in float32."""
    return np.round(rng.standard_normal(shape) * 64) / 64


def tensor(array, grad=True):
    return torch.tensor(array, dtype=torch.float64, requires_grad=grad)


def vjp(rng, shape, upstream_shape, scale=1.0):
    z, u = draw(rng, shape) * scale, draw(rng, upstream_shape)
    logits = tensor(z)
    y = torch.softmax(logits, -1)
    (gradient,) = torch.autograd.grad(y, logits, tensor(u, False).expand(shape))
    return {"logits": z.tolist(), "upstream": u.tolist(), "softmax": y.tolist(), "vjp": gradient.tolist()}


def attention(rng, q_shape, k_shape, v_shape, mask, divisor):
    arrays = [draw(rng, shape) for shape in (q_shape, k_shape, v_shape)]
    q, k, v = map(tensor, arrays)
    lead = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    out = scaled_dot_product_attention(
        *(x.expand(*lead, *x.shape[-2:]) for x in (q, k, v)),
        attn_mask=None if mask is None else torch.tensor(mask),
        scale=None if divisor is None else 1 / divisor,
    )
    upstream = draw(rng, tuple(out.shape))
    gradients = torch.autograd.grad(out, (q, k, v), tensor(upstream, False))
    case = dict(zip("qkv", (a.tolist() for a in arrays), strict=True))
    case |= {"mask": None if mask is None else mask.tolist(), "divisor": divisor}
    case |= {"out": out.tolist(), "upstream": upstream.tolist()}
    return case | {f"grad_{name}": g.tolist() for name, g in zip("qkv", gradients, strict=True)}


def first_layer(divisor, n=128, d=512, heads=8):
    """One layer at initialisation: Glorot weights, normalised input, Gaussian upstream gradient."""
    rng = np.random.RandomState(0)  # its stream is frozen, so the test can draw the same
    x = rng.standard_normal((n, d))
    x = (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)
    w = [tensor(rng.uniform(-1, 1, (d, d)) * np.sqrt(3 / d)) for _ in range(3)]
    upstream = tensor(rng.standard_normal((n, d)), False)
    q, k, v = ((tensor(x, False) @ m).reshape(n, heads, -1).transpose(0, 1) for m in w)
    weights = torch.softmax(q @ k.mT / divisor, -1)
    out = (weights @ v).transpose(0, 1).reshape(n, d)
    norms = [float(g.norm()) for g in torch.autograd.grad(out, w, upstream)]
    entropy = torch.special.entr(weights.detach()).sum(-1).mean()
    return dict(zip(("norm_w_q", "norm_w_k", "norm_w_v"), norms, strict=True)) | {"entropy": float(entropy)}


def printed_snippet():
    """Ten normal scores and the same times ten, float32."""
    score = torch.randn(10, generator=torch.Generator().manual_seed(0))
    sizes = []
    for z in (score.double(), score.double() * 10):
        jacobian = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, -1), z)
        sizes.append(float(jacobian.abs().max()))
    return {"score": score.double().tolist(), "jacobian_max": sizes}


def golden():
    rng = np.random.RandomState(1)
    return {
        "vjp": {
            "row": vjp(rng, (6,), (6,)),
            "batch": vjp(rng, (2, 3, 5), (2, 3, 5)),
            "shared_upstream": vjp(rng, (3, 4), (4,)),
            "sharp": vjp(rng, (4, 6), (4, 6), 4.0),
            "single": vjp(rng, (3, 1), (3, 1)),
        },
        "attention": {name: attention(rng, *case) for name, case in ATTENTION.items()},
        "shared": {name: attention(rng, *case) for name, case in SHARED.items()},
        "first_layer": {"scaled": first_layer(8.0), "unscaled": first_layer(1.0)},
        "printed_snippet": printed_snippet(),
    }
