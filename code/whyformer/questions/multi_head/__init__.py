"""Why several heads?"""

from whyformer.questions.multi_head.predictions import predict_two_places
from whyformer.questions.multi_head.removed_head_lab import RemovedHeadLab
from whyformer.questions.multi_head.two_places_lab import TwoPlacesLab

__all__ = ["RemovedHeadLab", "TwoPlacesLab", "predict_two_places"]
