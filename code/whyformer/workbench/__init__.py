"""The workbench: take a part out of a small Transformer, train it, and see whether the part matters.

``train(EXPERIMENTS["divisor"])`` trains a little model with the part, without it, and without it but with
something else changed, from five seeds. Change one thing and train again:
``train(EXPERIMENTS["divisor"].change(d_k=16))``. NumPy on one core, in double precision.
"""

from whyformer.workbench.experiment import Arm, Experiment
from whyformer.workbench.experiments import EXPERIMENTS
from whyformer.workbench.run import Run, train
from whyformer.workbench.tasks import TASKS, Batch, Task

__all__ = ["EXPERIMENTS", "TASKS", "Arm", "Batch", "Experiment", "Run", "Task", "train"]
