"""Why shrink each head to d_model/h?"""

from whyformer.questions.head_size.budget_lab import BudgetLab

__all__ = ["BudgetLab"]
