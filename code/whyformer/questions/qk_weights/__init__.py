"""Why different weights for Q and K?"""

from whyformer.questions.qk_weights.real_heads_lab import RealHeadsLab
from whyformer.questions.qk_weights.two_questions_lab import TwoQuestionsLab

__all__ = ["RealHeadsLab", "TwoQuestionsLab"]
