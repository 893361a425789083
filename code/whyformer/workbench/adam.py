"""Cross-entropy and Adam: what a step of training needs beside the model."""

from __future__ import annotations

import numpy as np

from whyformer.maths import log_softmax
from whyformer.maths.softmax import Array, Integers


def cross_entropy(logits: Array, answers: Integers) -> tuple[Array, Array]:
    r"""Mean of :math:`-\ln y_{\text{right}}` and its gradient at the logits, :math:`(y - \text{one-hot}) / N`.

    logits (..., batch, asked, answers), the right ones (..., batch, asked), N of them for each of the models side by
    side. The loss has the shape (...).
    """
    logs = log_softmax(logits)
    gradient = np.exp(logs)
    rows = gradient.reshape(-1, logits.shape[-1])  # a view
    rows[np.arange(len(rows)), answers.reshape(-1)] -= 1
    loss = -np.take_along_axis(logs, answers[..., None], -1)[..., 0].mean((-1, -2))
    return loss, gradient / (answers.shape[-1] * answers.shape[-2])


class Adam:
    r"""Kingma and Ba 2015, algorithm 1, with their values: 0.9, 0.999 and 1e-8.

    The parameters given are copied into one vector, ``vector``, and ``parameters`` are views of it by name. With means
    m of the gradient and v of its square, both divided by :math:`1 - \beta^t`, a step takes
    :math:`\text{rate} \cdot \hat m / (\sqrt{\hat v} + \varepsilon)` away.
    """

    def __init__(self, parameters: dict[str, Array], betas: tuple[float, float] = (0.9, 0.999), epsilon: float = 1e-8):
        self.vector = np.concatenate([array.reshape(-1) for array in parameters.values()])
        ends = np.cumsum([array.size for array in parameters.values()])[:-1]
        parts = np.split(self.vector, ends)
        self.parameters = {
            name: part.reshape(array.shape) for part, (name, array) in zip(parts, parameters.items(), strict=True)
        }
        self.betas, self.epsilon, self.t = betas, epsilon, 0
        self.mean, self.square = np.zeros_like(self.vector), np.zeros_like(self.vector)

    def step(self, gradients: dict[str, Array], rate: float) -> None:
        """Move all parameters once; the gradients by the names of the parameters, in any order."""
        g = np.concatenate([gradients[name].reshape(-1) for name in self.parameters])
        self.t += 1
        (b1, b2), t = self.betas, self.t
        self.mean += (1 - b1) * (g - self.mean)
        self.square += (1 - b2) * (g * g - self.square)
        root = np.sqrt(self.square / (1 - b2**t))
        self.vector -= rate / (1 - b1**t) * self.mean / (root + self.epsilon)
