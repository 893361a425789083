"""Why divide by the square root of d_k?"""

from whyformer.questions.why_sqrt_dk.predictions import predict_gradient
from whyformer.questions.why_sqrt_dk.sampling_lab import SamplingLab
from whyformer.questions.why_sqrt_dk.scale_lab import ScaleLab

__all__ = ["SamplingLab", "ScaleLab", "predict_gradient"]
