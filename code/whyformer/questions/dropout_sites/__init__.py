"""Where does dropout go, and why?"""

from whyformer.questions.dropout_sites.predictions import predict_row_sum
from whyformer.questions.dropout_sites.rely_lab import RelyLab
from whyformer.questions.dropout_sites.sites_lab import SitesLab

__all__ = ["RelyLab", "SitesLab", "predict_row_sum"]
