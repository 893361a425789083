"""Why several heads?"""

from whyformer.questions.multi_head.predictions import predict_two_places
from whyformer.questions.multi_head.two_wishes_lab import TwoWishesLab

__all__ = ["TwoWishesLab", "predict_two_places"]
