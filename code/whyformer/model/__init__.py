"""The whole Transformer in NumPy, and two trained ones: all-MiniLM-L6-v2, an encoder, and SmolLM2-135M, a decoder.

The trained models need the extra ``model`` (safetensors, tokenizers, SciPy) and their weights; see :func:`load` and
:func:`whyformer.model.smollm.load`.
"""

from whyformer.model.bert import Bert
from whyformer.model.decoder import Decoder
from whyformer.model.look import Look, look
from whyformer.model.transformer import Config, Transformer, count_parameters, initial
from whyformer.model.weights import MiniLM, MissingWeights, load

__all__ = [
    "Bert",
    "Config",
    "Decoder",
    "Look",
    "MiniLM",
    "MissingWeights",
    "Transformer",
    "count_parameters",
    "initial",
    "load",
    "look",
]
