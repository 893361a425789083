"""Why divide by the square root of d_k?"""

from whyformer.questions.why_sqrt_dk.predictions import predict_gradient
from whyformer.questions.why_sqrt_dk.sampling_lab import SamplingLab
from whyformer.questions.why_sqrt_dk.scale_lab import ScaleLab
from whyformer.questions.why_sqrt_dk.start_lab import StartLab
from whyformer.questions.why_sqrt_dk.trained_scores_lab import TrainedScoresLab
from whyformer.questions.why_sqrt_dk.training_lab import TrainingLab

__all__ = ["SamplingLab", "ScaleLab", "StartLab", "TrainedScoresLab", "TrainingLab", "predict_gradient"]
