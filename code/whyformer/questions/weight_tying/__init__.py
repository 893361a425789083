"""Where are weights shared, and why?"""

from whyformer.questions.weight_tying.rows_lab import RowsLab

__all__ = ["RowsLab"]
