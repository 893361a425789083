"""Why different weights for Q and K?"""

from whyformer.questions.qk_weights.each_other_lab import EachOtherLab
from whyformer.questions.qk_weights.real_heads_lab import RealHeadsLab

__all__ = ["EachOtherLab", "RealHeadsLab"]
