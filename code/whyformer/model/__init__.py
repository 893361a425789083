"""The whole Transformer in NumPy, and a trained one: all-MiniLM-L6-v2.

The trained model needs the extra ``model`` (safetensors, tokenizers, SciPy) and its weights; see :func:`load`.
"""

from whyformer.model.bert import Bert
from whyformer.model.look import Look, look
from whyformer.model.transformer import Config, Transformer, count_parameters, initial
from whyformer.model.weights import MiniLM, MissingWeights, load

__all__ = [
    "Bert",
    "Config",
    "Look",
    "MiniLM",
    "MissingWeights",
    "Transformer",
    "count_parameters",
    "initial",
    "load",
    "look",
]
