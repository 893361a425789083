"""Why LayerNorm, and not BatchNorm?"""

from whyformer.questions.layer_norm.normalisation_lab import NormalisationLab
from whyformer.questions.layer_norm.placement_lab import PlacementLab

__all__ = ["NormalisationLab", "PlacementLab"]
