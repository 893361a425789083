"""The follow-it lab: one word on its way through a layer, with weights made by hand so that every number has a meaning.

Twin: ``follow_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Integer, Lab, Step
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
      of the weights; ``animal``, ``action``: what *it* has of it after attention, and ``grown`` of animal after the
      feed-forward network;
      ``likeliest``: the largest probability; ``winner``: whose, from 0; ``passed``: stations that it has left
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
        "action": summed[1],
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
            "The query fits the key of “{fits}” alone: their product is {best:.0f}, and with the other keys it is 0.",
            asks="“it” asks for an animal, and the key of “cat” fits. Let it ask for an action. Which key fits now?",
            told_at={"wish": "action"},
            cases=((("wish == 'nothing'",), "If “it” asks for nothing, its query is all zeros, and no key fits."),),
            when=("best > 3.99", "best < 4.01"),
            shows=("road", "match"),
            narrow=2,
            controls=("wish",),
        ),
        Step(
            "If we do not divide, “{fits}” gets {largest_raw:.0%} of the weight instead of 79 %: the gaps between the "
            "scores are twice as large.",
            asks="The scores are divided by √4. Do not divide them. How much of the weight does “cat” get then?",
            state={"station": 3},
            moved=("divisor == '1'",),
            told_at={"divisor": "1"},
            cases=(
                (
                    ("divisor == 'sqrt'",),
                    "If we divide by √4, “{fits}” gets {largest:.0%} of the weight, and if we do not, "
                    "{largest_raw:.0%}.",
                ),
            ),
            when=("divisor == '1'", "largest_raw > 0.96", "largest_raw < 0.97"),
            shows=("road", "weights"),
            narrow=2,
            controls=("divisor",),
        ),
        Step(
            "“it” adds the weighted mean of all values to its own vector. So its entry for animal becomes "
            "{animal:.2f}, and its entry for action becomes {action:.2f}.",
            asks="“it” adds a mean of the values to its vector. Let it ask for an action. How does its vector change?",
            state={"station": 4},
            moved=("wish != 'animal'",),
            told_at={"wish": "action"},
            when=("animal > 0", "action > 0"),
            shows=("road", "attention"),
            narrow=2,
            controls=("wish", "divisor"),
        ),
        Step(
            "The feed-forward network sees “it” alone. It raises the entry for animal from {animal:.2f} to "
            "{grown:.2f}, since “it” is a pronoun and has fetched an animal.",
            asks="The network adds to the entry for animal here. Let “it” ask for an action. Does it still add?",
            state={"station": 5},
            moved=("wish != 'animal'",),
            told_at={"wish": "action"},
            cases=(
                (
                    ("hidden == 0",),
                    "It adds nothing: “it” has fetched only {animal:.2f} of an animal, and the neuron of the network "
                    "stays at 0. It sees “it” alone.",
                ),
            ),
            when=("hidden > 0.1", "grown > animal"),
            shows=("road", "feed-forward"),
            narrow=2,
            controls=("wish", "divisor"),
        ),
        Step(
            "The likeliest next word is “{winner}” with {likeliest:.0%}. What a word asks for decides what it fetches, "
            "and so which word comes next.",
            asks="Make “it” ask so that “rained” becomes the likeliest next word.",
            state={"station": 6},
            moved=("winner == 2",),
            told_at={"wish": "nothing"},
            when=("likeliest > 0.4",),
            shows=("road", "next"),
            narrow=2,
            controls=("wish", "divisor"),
        ),
    )

    wish: Choice = Choice(default="animal", options={wish: wish for wish in WISHES}, label="it asks for")
    divisor: Choice = Choice(default="sqrt", options={"sqrt": "÷ √4", "1": "not divided"}, label="scores")
    station: Integer = Integer(default=2, min=1, max=6, label="station")
