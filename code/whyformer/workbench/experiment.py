"""An experiment as plain data: a question, a task, and arms that differ in one thing."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from typing import Any, Self

from whyformer.lab.signed import meant
from whyformer.workbench.tasks import TASKS

_CHOICES = {
    "divisor": ("1", "sqrt", "d_k"),
    "matrices": ("two", "one", "none"),
    "norm": ("pre", "post", "none"),
    "start": ("plain", "small", "zero"),
    "positions": ("none", "learned", "sinusoids", "rotary"),
}


def _whole(settings: object, name: str, least: int) -> None:
    """Make a setting an ``int``, NumPy's too. ``ValueError`` for what is none, or too small."""
    value = getattr(settings, name)
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be a whole number, {least} or more; got {value!r}")
    object.__setattr__(settings, name, int(value))  # the only change of what is frozen, before anybody sees it


@dataclass(frozen=True, repr=False)
class Arm:
    r"""One way to build the little model.

    ``divisor``: what scores are divided by, "1", "sqrt" (:math:`\sqrt{d_k}`) or "d_k". ``matrices``: "two" for queries
    and keys, "one" for both, or "none": what attention reads is queries and keys as it is, cut into heads, so heads
    times d_k must be d_model; values and output keep their matrices. ``residual``: whether each sub-layer is added to
    its input. ``norm``: "pre" (before each sub-layer, and at the end), "post" (after the sum), "none". ``start``: the
    last matrix of each sub-layer starts "plain", "small" (times :math:`1/\sqrt{2L}` in L layers) or at "zero".
    ``warm_up``: steps in which the rate grows from 0. ``positions``: "none", "learned", "sinusoids", or "rotary",
    which turn queries and keys: d_k is even. ``d_k`` is d_model / heads if None, ``d_ff`` 2 d_model, and 0 for no
    feed-forward network; d_v is d_k. Anything else raises ``ValueError``.
    """

    name: str = "arm"
    divisor: str = "sqrt"
    matrices: str = "two"
    residual: bool = True
    norm: str = "pre"
    start: str = "plain"
    warm_up: int = 0
    positions: str = "learned"
    heads: int = 1
    layers: int = 1
    d_model: int = 16
    d_k: int | None = None
    d_ff: int | None = None

    def __post_init__(self) -> None:
        for field, allowed in _CHOICES.items():
            if getattr(self, field) not in allowed:
                told = ", ".join(f'"{one}"' for one in allowed)
                raise ValueError(f"{field} must be one of {told}; got {getattr(self, field)!r}")
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"name must be some words; got {self.name!r}")
        if not isinstance(self.residual, bool):
            raise ValueError(f"residual must be True or False; got {self.residual!r}")
        _whole(self, "warm_up", 0)
        for field in ("heads", "layers", "d_model"):
            _whole(self, field, 1)
        for field, least in (("d_k", 1), ("d_ff", 0)):
            if getattr(self, field) is not None:
                _whole(self, field, least)
        if self.d_k is None and self.d_model % self.heads:
            raise ValueError(f"without a d_k, d_model must be a multiple of heads; got {self.d_model} and {self.heads}")
        if self.matrices == "none" and self.d_model != self.heads * self.head_size:
            raise ValueError(
                f"without matrices heads are slices of the tokens, so heads times d_k must be d_model = {self.d_model};"
                f" got {self.heads} times {self.head_size}"
            )
        if self.positions == "rotary" and self.head_size % 2:
            raise ValueError(f"rotary positions turn pairs of numbers, so d_k must be even; got {self.head_size}")

    def __repr__(self) -> str:
        changed = (f.name for f in fields(self) if f.name != "name" and getattr(self, f.name) != f.default)
        return f"Arm({', '.join([repr(self.name), *(f'{name}={getattr(self, name)!r}' for name in changed)])})"

    @property
    def head_size(self) -> int:
        """d_k as a number."""
        return self.d_model // self.heads if self.d_k is None else self.d_k

    @property
    def hidden(self) -> int:
        """d_ff as a number."""
        return 2 * self.d_model if self.d_ff is None else self.d_ff

    @property
    def divides_by(self) -> float:
        r"""What scores are divided by, as a number: 1, :math:`\sqrt{d_k}` or d_k."""
        return {"1": 1.0, "sqrt": self.head_size**0.5, "d_k": float(self.head_size)}[self.divisor]

    def change(self, **settings: Any) -> Self:
        """The same arm with other settings. Raises ``ValueError`` for a setting that there is not."""
        return replace(self, **_known(settings, {f.name for f in fields(self)}))


def _known(settings: dict[str, Any], allowed: set[str]) -> dict[str, Any]:
    for name in settings:
        if name not in allowed:
            told = meant(name, sorted(allowed)) or f"there is {', '.join(sorted(allowed))}"
            raise ValueError(f"there is no setting {name!r}; {told}".strip())
    return settings


@dataclass(frozen=True, repr=False)
class Experiment:
    """A question that training answers: an arm with a part, an arm without it, and a second switch.

    ``rescue`` is a third arm, which lacks the part too but differs in one thing more, so that the part is not missed
    (for the divisor: another divisor); it trains on ``rescue_task`` if that is another. ``task`` is a name in
    ``whyformer.workbench.tasks.TASKS``.
    ``long`` is how many steps a page trains if a reader wants more than ``steps``. ``rate`` is Adam's; ``seeds``
    says how many; accuracy is measured each ``every`` steps on ``tested`` examples that no batch has. Raises
    ``ValueError`` if a value cannot be.
    """

    name: str
    question: str
    task: str
    part: Arm
    without: Arm
    rescue: Arm | None = None
    rescue_task: str | None = None
    steps: int = 300
    long: int = 1000
    batch: int = 16
    rate: float = 3e-3
    seeds: int = 5
    every: int = 20
    tested: int = 200
    seen: str = ""  #: what one will have seen, with the ranges that we found

    def __post_init__(self) -> None:
        for field in ("task", "rescue_task"):
            name = getattr(self, field)
            if name not in TASKS and not (field == "rescue_task" and name is None):
                raise ValueError(f"{field} must be one of {', '.join(TASKS)}; got {name!r}")
        for field in ("steps", "long", "batch", "seeds", "every", "tested"):
            _whole(self, field, 1)
        if isinstance(self.rate, bool) or not isinstance(self.rate, Real) or not 0 < self.rate < math.inf:
            raise ValueError(f"rate must be a number above 0; got {self.rate!r}")
        for field in ("part", "without", "rescue"):
            arm = getattr(self, field)
            if not isinstance(arm, Arm) and not (field == "rescue" and arm is None):
                raise ValueError(f"{field} must be an Arm; got {arm!r}")
        if len({arm.name for arm, _ in self.arms()}) < len(self.arms()):
            raise ValueError(f"arms must have different names; got {[arm.name for arm, _ in self.arms()]}")

    def __repr__(self) -> str:
        arms = ", ".join(arm.name for arm, _ in self.arms())
        return f"Experiment({self.name!r}: {arms}; task {self.task!r}, {self.steps} steps, {self.seeds} seeds)"

    @property
    def chance(self) -> float:
        """Share of right answers of one who guesses."""
        return TASKS[self.task].chance

    def arms(self) -> list[tuple[Arm, str]]:
        """The arms, each with the name of its task."""
        arms = [(self.part, self.task), (self.without, self.task)]
        return arms if self.rescue is None else [*arms, (self.rescue, self.rescue_task or self.task)]

    def change(self, **settings: Any) -> Self:
        """The same experiment with one thing changed: its own settings, or those that all its arms share.

        ``change(steps=100)``; ``change(d_k=256)``, in every arm; ``change(without=arm.change(divisor="d_k"))``, in one.
        Raises ``ValueError`` for a setting that there is not, and for one in which its arms differ.
        """
        own = {f.name for f in fields(self)}
        of_arms = {f.name for f in fields(Arm)} - own
        _known(settings, own | of_arms)
        changed = replace(self, **{name: value for name, value in settings.items() if name in own})
        inner = {name: value for name, value in settings.items() if name in of_arms}
        for name in inner:
            if len({getattr(arm, name) for arm, _ in changed.arms()}) > 1:
                raise ValueError(f"the arms differ in {name}: change one of them, as in change(without=arm.change(…))")
        arms = {f: getattr(changed, f) for f in ("part", "without", "rescue") if getattr(changed, f) is not None}
        return replace(changed, **{field: arm.change(**inner) for field, arm in arms.items()}) if inner else changed


def plain(experiment: Experiment) -> dict[str, Any]:
    """An experiment as what JSON can hold, for the engine of a page; sizes that are None are numbers there.

    Raises ``ValueError`` for sinusoids, which that engine does not have.
    """

    def built(arm: Arm) -> dict[str, Any]:
        if arm.positions == "sinusoids":
            raise ValueError(f"the engine of a page has no sinusoids; the arm {arm.name!r} does")
        left = {f.name: getattr(arm, f.name) for f in fields(Arm) if f.name not in ("divisor", "d_k", "d_ff")}
        return left | {"head_size": arm.head_size, "hidden": arm.hidden, "divides_by": arm.divides_by}

    arms = [{"arm": built(arm), "task": task} for arm, task in experiment.arms()]
    own = ("name", "question", "steps", "long", "batch", "rate", "seeds", "every", "tested", "chance", "seen")
    return {"arms": arms} | {name: getattr(experiment, name) for name in own}
