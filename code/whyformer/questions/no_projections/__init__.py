"""What if there were no Q, K, V projections at all?"""

from whyformer.questions.no_projections.many_lab import ManyLab
from whyformer.questions.no_projections.plane_lab import PlaneLab
from whyformer.questions.no_projections.predictions import predict_short

__all__ = ["ManyLab", "PlaneLab", "predict_short"]
