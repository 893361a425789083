"""Finding the labs: every module ``questions/<slug>/<lab>_lab.py`` holds one; no list of them is kept anywhere."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from whyformer import questions
from whyformer.lab.lab import Lab


@cache
def lab_classes() -> dict[str, type[Lab]]:
    """Every lab by its name, such as ``"why_sqrt_dk/scale"``."""
    found: dict[str, type[Lab]] = {}
    for module in pkgutil.walk_packages(questions.__path__, f"{questions.__name__}."):
        if module.name.endswith("_lab"):
            members = vars(importlib.import_module(module.name)).values()
            labs = [m for m in members if isinstance(m, type) and issubclass(m, Lab) and m.__module__ == module.name]
            found |= {lab.slug: lab for lab in labs}
    return found
