"""Where are weights shared, and why?"""

from whyformer.questions.weight_tying.plane_lab import PlaneLab
from whyformer.questions.weight_tying.traffic_lab import TrafficLab

__all__ = ["PlaneLab", "TrafficLab"]
