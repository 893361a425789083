"""Why multiply embeddings by √d_model?"""

from whyformer.questions.embedding_scale.balance_lab import BalanceLab
from whyformer.questions.embedding_scale.two_uses_lab import TwoUsesLab

__all__ = ["BalanceLab", "TwoUsesLab"]
