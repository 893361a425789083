"""Everything that labs share: controls, hosts, words, and predictions."""

from whyformer.lab.control import Choice, Control, Integer, Listed, Number, Seed, Vector
from whyformer.lab.lab import Lab
from whyformer.lab.step import Step
from whyformer.lab.teach.predict import Option, Predict

__all__ = [
    "Choice",
    "Control",
    "Integer",
    "Lab",
    "Number",
    "Option",
    "Predict",
    "Seed",
    "Step",
    "Listed",
    "Vector",
]
