"""Everything that labs share: controls, hosts, words, theme, predictions, and the check of printed numbers."""

from whyformer.lab.controls import Choice, Control, Integer, Number, Seed, Steps, Vector
from whyformer.lab.lab import Lab
from whyformer.lab.predict import Option, Predict
from whyformer.lab.theme import figure_style, use_style
from whyformer.lab.vouch import vouch

__all__ = [
    "Choice",
    "Control",
    "Integer",
    "Lab",
    "Number",
    "Option",
    "Predict",
    "Seed",
    "Steps",
    "Vector",
    "figure_style",
    "use_style",
    "vouch",
]
