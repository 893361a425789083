"""Where are weights shared, and why?"""

from whyformer.questions.weight_tying.rows_lab import RowsLab
from whyformer.questions.weight_tying.traffic_lab import TrafficLab

__all__ = ["RowsLab", "TrafficLab"]
