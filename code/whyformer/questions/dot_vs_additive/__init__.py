"""Why a dot product and not additive attention?"""

from whyformer.questions.dot_vs_additive.cost_lab import CostLab
from whyformer.questions.dot_vs_additive.spread_lab import SpreadLab

__all__ = ["CostLab", "SpreadLab"]
