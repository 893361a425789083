"""How do the pieces fit?"""

from whyformer.questions.framework.assembly_lab import AssemblyLab
from whyformer.questions.framework.follow_lab import FollowLab
from whyformer.questions.framework.wiring_lab import WiringLab

__all__ = ["AssemblyLab", "FollowLab", "WiringLab"]
