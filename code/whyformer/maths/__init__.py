"""What the book computes: pure functions, no state, no drawing."""

from whyformer.maths.attention import AttentionGradients, attention, attention_gradients, attention_weights, scores
from whyformer.maths.distance import by_distance, explained_by_distance
from whyformer.maths.expectations import (
    FlatLimits,
    SharpLimits,
    critical_std,
    expected_maximum,
    flat_limits,
    needle_gap,
    needle_weight,
    sharp_limits,
)
from whyformer.maths.moments import dot_excess_kurtosis, dot_variance, product_variance
from whyformer.maths.softmax import (
    entropy,
    log_softmax,
    softmax,
    softmax_entropy,
    softmax_jacobian,
    softmax_jacobian_max,
    softmax_jacobian_norm,
    softmax_vjp,
)

__all__ = [
    "AttentionGradients",
    "FlatLimits",
    "SharpLimits",
    "attention",
    "attention_gradients",
    "attention_weights",
    "by_distance",
    "critical_std",
    "dot_excess_kurtosis",
    "dot_variance",
    "entropy",
    "expected_maximum",
    "explained_by_distance",
    "flat_limits",
    "log_softmax",
    "needle_gap",
    "needle_weight",
    "product_variance",
    "scores",
    "sharp_limits",
    "softmax",
    "softmax_entropy",
    "softmax_jacobian",
    "softmax_jacobian_max",
    "softmax_jacobian_norm",
    "softmax_vjp",
]
