"""Whyformer: why the Transformer is built as it is. The maths, the figures and the labs of the book."""

__version__ = "0.2.0"

from whyformer.lab.teach.claim import claim
from whyformer.lab.teach.vouch import vouch

__all__ = ["claim", "vouch"]
