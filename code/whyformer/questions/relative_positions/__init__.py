"""How does attention know how far apart two words are?"""

from whyformer.questions.relative_positions.clocks_lab import ClocksLab
from whyformer.questions.relative_positions.distance_lab import DistanceLab

__all__ = ["ClocksLab", "DistanceLab"]
