"""How can a softmax lose its gradient?"""

from whyformer.questions.softmax_saturation.gap_lab import GapLab
from whyformer.questions.softmax_saturation.predictions import predict_tie
from whyformer.questions.softmax_saturation.saturation_lab import SaturationLab

__all__ = ["GapLab", "SaturationLab", "predict_tie"]
