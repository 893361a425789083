"""What each panel and mark of the start lab shows."""

from __future__ import annotations

from pictures import Axis, Back, Bars, Plot, Rule, Text, Texts

WORDS = ("The", "cat", "sat", "because", "it", "was", "tired", ".")


def is_divided(s, c):
    return c["divisor"] == "sqrt"


def percent(value):
    return f"{int(100 * value + 0.5)}\u00a0%"


def gradient(s, c):
    share = "under 1 %" if s["gradient"] < 0.005 else percent(s["gradient"])
    return f"Gradient back through the softmax: {share}"


ENDS = Axis(0, 1, ticks={"scores": 0, "weights": 1})
ARROW = {"gradient": Back("gradient", x1=1, x2=lambda s, c: 1 - s["gradient"])}
GRADIENT_ALONE = Plot(title=gradient, x=ENDS, marks=ARROW)

START = {
    "weights": Plot(
        x=Axis(4, 8, "words", ticks=WORDS),
        y=Axis(0, 1),
        marks={
            "not divided": Bars(
                "soft", look=["dashed"], when=is_divided, x=lambda s, c: range(8), y=lambda s, c: s["weights_raw"]
            ),
            "most, not divided": Texts(
                "soft",
                when=is_divided,
                x=lambda s, c: [s["weights_raw"].argmax()],
                y=lambda s, c: [s["weights_raw"].max()],
                texts=lambda s, c: [f"{percent(s['weights_raw'].max())} not divided"],
            ),
            "weights": Bars(
                "score",
                x=lambda s, c: range(8),
                y=lambda s, c: s["weights_divided" if is_divided(s, c) else "weights_raw"],
                numbers=lambda s, c: [percent(v) for v in s["weights"]],
            ),
        },
    ),
    "gradient": Plot(
        title=gradient,
        x=ENDS,
        marks=ARROW | {"typical start": Rule("ink", look=["solid"], x=lambda s, c: 1 - s["typical"])},
    ),
    "gloss": Text(
        lambda s, c: ["Each weight's derivative by its own score, added up. 100 %: all equal. Line: the median start."],
        tone="aside",
    ),
}
