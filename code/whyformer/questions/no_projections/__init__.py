"""What if there were no Q, K, V projections at all?"""

from whyformer.questions.no_projections.plane_lab import PlaneLab
from whyformer.questions.no_projections.predictions import predict_short
from whyformer.questions.no_projections.roles_lab import RolesLab

__all__ = ["PlaneLab", "RolesLab", "predict_short"]
