"""Where is dropout, and what does it do there?"""

from whyformer.questions.dropout_sites.mask_lab import MaskLab
from whyformer.questions.dropout_sites.predictions import predict_row_sum
from whyformer.questions.dropout_sites.sites_lab import SitesLab

__all__ = ["MaskLab", "SitesLab", "predict_row_sum"]
