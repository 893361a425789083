"""Why LayerNorm, and not BatchNorm?"""

from whyformer.questions.layer_norm.normalisation_lab import NormalisationLab
from whyformer.questions.layer_norm.where_lab import WhereLab

__all__ = ["NormalisationLab", "WhereLab"]
