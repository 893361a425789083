"""Why several heads?"""

from whyformer.questions.multi_head.predictions import predict_two_places
from whyformer.questions.multi_head.two_wishes_lab import TwoWishesLab
from whyformer.questions.multi_head.which_head_lab import WhichHeadLab

__all__ = ["TwoWishesLab", "WhichHeadLab", "predict_two_places"]
