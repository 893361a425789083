"""What the assembly lab says about each block. Templates may name the lab's controls and its ``d_k`` and ``width``."""

from __future__ import annotations

from typing import NamedTuple


class Block(NamedTuple):
    """One block of the diagram, in words."""

    name: str
    question: str
    formula: str  # in characters, since it changes with nothing
    shapes: tuple[tuple[str, str], ...]  # what, and its shape
    says: str
    chapter: str = ""  # the page that answers for it
    chapter_title: str = ""


WHY_SQRT_DK = ("why_sqrt_dk", "Why divide by √dₖ?")
SOFTMAX = ("softmax_saturation", "How can a softmax lose its gradient?")

BLOCKS: dict[str, Block] = {
    "embedding": Block(
        "embedding",
        "How does a word become a vector?",
        "x = √d · E[token]",
        (("E", "{vocabulary} × {d_model}"), ("x", "{n_tokens} × {d_model}")),
        "Each token has a row in a table. One table serves both embeddings and the output, so it is counted once.",
    ),
    "positions": Block(
        "positions",
        "How does it know the order?",
        "x + p;  p[t, 2i] = sin(t / 10000^(2i/d)),  p[t, 2i+1] = cos(t / 10000^(2i/d))",
        (("p", "{n_tokens} × {d_model}"),),
        "Positions are added and not appended. The sines have no parameters; BERT and GPT learn a table instead.",
    ),
    "self_attention": Block(
        "self-attention",
        "What in the sentence matters for this word?",
        "softmax(Q Kᵀ / √dₖ) V,  Q, K, V from the same x",
        (
            ("W_Q, W_K, W_V", "each {d_model} × {width}"),
            ("Q, K, V by head", "{n_heads} × {n_tokens} × {d_k:.0f}"),
            ("weights", "{n_heads} × {n_tokens} × {n_tokens}"),
            ("W_O", "{width} × {d_model}"),
        ),
        "Every position may look at every position. Positions of the source meet only here.",
        *WHY_SQRT_DK,
    ),
    "masked_attention": Block(
        "masked self-attention",
        "What of the text so far matters?",
        "softmax(Q Kᵀ / √dₖ + mask) V,  mask = −∞ above the diagonal",
        (
            ("W_Q, W_K, W_V", "each {d_model} × {width}"),
            ("weights", "{n_heads} × {n_tokens} × {n_tokens}, upper triangle 0"),
            ("W_O", "{width} × {d_model}"),
        ),
        "Position i sees positions up to i. So all positions can be trained at once, and none sees its own answer.",
        *SOFTMAX,
    ),
    "cross_attention": Block(
        "cross-attention",
        "What in the source matters for the next word?",
        "softmax(Q Kᵀ / √dₖ) V,  Q from the decoder, K and V from the encoder's output",
        (
            ("Q by head, from the decoder", "{n_heads} × {n_tokens} × {d_k:.0f}"),
            ("K, V by head, from the encoder", "{n_heads} × {n_tokens} × {d_k:.0f}"),
            ("weights", "{n_heads} × target × source"),
        ),
        "This is the only wire from the source to the translation. Encoder-only and decoder-only models have none.",
        *WHY_SQRT_DK,
    ),
    "add_norm": Block(
        "add & norm",
        "How does a deep stack stay trainable?",
        "LayerNorm(x + Sublayer(x))   (post);   x + Sublayer(LayerNorm(x))   (pre)",
        (("x", "{n_tokens} × {d_model}"), ("gain, bias", "each {d_model}")),
        "Through the sum, values and gradients go past every sub-layer. The 2017 model is post-norm.",
        "layer_norm",
        "Why LayerNorm, and not BatchNorm?",
    ),
    "feed_forward": Block(
        "feed-forward",
        "What does each word do with what it gathered?",
        "max(0, x W₁ + b₁) W₂ + b₂",
        (("W₁", "{d_model} × {d_ff}"), ("W₂", "{d_ff} × {d_model}"), ("in between", "{n_tokens} × {d_ff}")),
        "The same small network works on every position alone.",
    ),
    "output": Block(
        "linear & softmax",
        "Which word comes next?",
        "softmax(x Eᵀ)",
        (("logits", "{n_tokens} × {vocabulary}"),),
        "It uses the embedding's table, so it has no parameters of its own. In BERT it guesses the masked words.",
    ),
}
