"""What is better than an RNN, and what is not?"""

from whyformer.questions.advantages.layers_lab import LayersLab
from whyformer.questions.advantages.path_lab import PathLab

__all__ = ["LayersLab", "PathLab"]
