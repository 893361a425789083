"""The follow-it lab: one word on its way through a layer, with weights made by hand so that every number has a meaning.

Twin: ``follow_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Integer, Lab, Over, Step
from whyformer.lab.lab import Series
from whyformer.maths.softmax import softmax

#: The words, at places 1 to 3; the last one is followed.
TOKENS = ("cat", "sat", "it")
#: What the numbers of a vector mean: the first three say what a word is, the fourth where it stands.
MEANINGS = ("animal", "action", "pronoun", "place")
#: Words that may come next.
NEXT = ("purred", "creaked", "rained")
STATIONS = ("embed", "q · k", "softmax", "add", "FFN", "logits")
WISHES = ("animal", "action", "nothing")

TABLE = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])
POSITIONS = np.array([[0.0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 3]])
W_K, W_V = np.diag([2.0, 2, 2, 0]), np.diag([1.0, 1, 1, 0])
#: One hidden number: it is above 0 for a pronoun that has fetched an animal, and makes it more of an animal.
W_1, B_1, W_2 = np.array([1.0, 0, 1, 0]), -1.7, np.array([2.0, 0, 0, 0])
READ = np.array([[3.0, 0, 0, 0], [0, 3, 0, 0], [0, 0, 1.5, 0]])


def compute(*, wish: str, divisor: str, station: int) -> Series:
    r"""The word *it* of "cat sat it" through one head of :math:`d_k = 4` and a feed-forward network with one neuron.

    A pronoun asks for what ``wish`` says, with W_Q; scores are divided by 2 or, if ``divisor`` is ``"1"``, not at all.
    No LayerNorm, and W_O is the identity. ``station`` is where the word is shown, 1 to 6.

    * ``x`` (3, 4): rows of the table plus places; ``q`` (4,): the query of *it*; ``k``, ``v`` (3, 4)
    * ``dots`` (3,): the query times each key; ``scores`` (3,): divided as chosen
    * ``weights_raw``, ``weights`` (3,): softmax of the dots, and of the scores
    * ``fetched`` (4,): the mean of the values; ``summed`` (4,): plus what *it* was; ``out`` (4,): after the
      feed-forward network, which adds 2 to *animal* for each unit of its ``hidden`` number
    * ``logits``, ``probabilities`` (3,): of the next word
    * ``best``: the largest dot product; ``fits``: whose, from 0; ``largest_raw``, ``largest``:
      of the weights; ``animal``: what *it* has of it after attention, and ``grown`` after the feed-forward network;
      ``likeliest``: the largest probability; ``winner``: whose, from 0; ``passed``: stations behind the word
    """
    x = TABLE + POSITIONS
    W_Q = np.zeros((4, 4))
    if wish != "nothing":
        W_Q[2, MEANINGS.index(wish)] = 2
    q, k, v = x[2] @ W_Q, x @ W_K, x @ W_V
    dots = k @ q
    scores = dots / (1 if divisor == "1" else 2)
    raw, weights = softmax(dots), softmax(scores)
    fetched = weights @ v
    summed = x[2] + fetched
    hidden = max(0.0, float(summed @ W_1) + B_1)
    out = summed + hidden * W_2
    logits = READ @ out
    probabilities = softmax(logits)
    return {
        "x": x,
        "q": q,
        "k": k,
        "v": v,
        "dots": dots,
        "scores": scores,
        "weights_raw": raw,
        "weights": weights,
        "fetched": fetched,
        "summed": summed,
        "out": out,
        "logits": logits,
        "probabilities": probabilities,
        "best": dots.max(),
        "fits": int(dots.argmax()),
        "largest_raw": raw.max(),
        "largest": weights.max(),
        "hidden": hidden,
        "animal": summed[0],
        "grown": out[0],
        "likeliest": probabilities.max(),
        "winner": int(probabilities.argmax()),
        "passed": station - 1,
    }


class FollowLab(Lab):
    """Follow one word through a layer, from its row of the table to the likeliest next word."""

    title = "Follow it"
    formerly = ("token",)
    hint = ""
    sentence = (
        "“it” gives “{fits}” {largest:.0%} of its weight; the likeliest next word, “{winner}”, has {likeliest:.0%}."
    )
    cases = (
        (
            ("wish == 'nothing'",),
            "Station {station} of 6: “it” asks for nothing and gives each word {largest:.0%}; the likeliest next word, "
            "“{winner}”, has {likeliest:.0%}.",
        ),
    )
    names = {"fits": TOKENS, "winner": NEXT, "asks": ("it",)}
    columns = ("dots", "scores", "weights")
    row = "word"
    compute = staticmethod(compute)

    steps = (
        Step(
            "“it” asks for an animal. Its query fits the key of “{fits}”: score {best:.0f}. Ask for an action.",
            shows=("road", "match"),
            narrow=2,
            controls=("wish",),
            when=("best > 3.99", "best < 4.01", "fits == 0"),
            over=Over(near=({"divisor": "1"},)),
        ),
        Step(
            "Divided by √4, the softmax gives “cat” {largest:.0%}. Not divided it is {largest_raw:.0%}.",
            state={"station": 3},
            shows=("road", "weights"),
            narrow=2,
            controls=("divisor",),
            when=("largest > 0.78", "largest < 0.8", "largest_raw > 0.96"),
            over=Over(near=({"wish": "action"},)),
        ),
        Step(
            "It fetches a mean of all values, mostly that of “cat”, and adds it: “it” becomes {animal:.2f} animal.",
            state={"station": 4},
            shows=("road", "attention"),
            narrow=2,
            controls=("wish", "divisor"),
            when=("animal > 0.7",),
            over=Over(near=({"divisor": "1"},)),
        ),
        Step(
            "The feed-forward network sees “it” alone. A pronoun that is an animal: it raises animal to {grown:.2f}.",
            state={"station": 5},
            shows=("road", "feed-forward"),
            narrow=2,
            controls=("wish", "divisor"),
            when=("hidden > 0.1", "grown > animal"),
            over=Over(near=({"divisor": "1"},)),
        ),
        Step(
            "The likeliest next word is “{winner}”: {likeliest:.0%}. Make “it” ask so that “rained” wins.",
            state={"station": 6},
            shows=("road", "next"),
            narrow=2,
            controls=("wish", "divisor"),
            when=("winner == 0", "likeliest > 0.8"),
            goal=("winner == 2",),
            solution={"wish": "nothing"},
            learned="What a word asks for decides what it fetches, and so which word comes next.",
        ),
    )

    wish: Choice = Choice(default="animal", options={wish: wish for wish in WISHES}, label="it asks for")
    divisor: Choice = Choice(default="sqrt", options={"sqrt": "÷ √4", "1": "not divided"}, label="scores")
    station: Integer = Integer(default=2, min=1, max=6, label="station")
