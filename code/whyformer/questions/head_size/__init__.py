"""Why shrink each head to d_model/h?"""

from whyformer.questions.head_size.budget_lab import BudgetLab
from whyformer.questions.head_size.predictions import predict_budget

__all__ = ["BudgetLab", "predict_budget"]
