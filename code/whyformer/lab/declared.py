"""Types of the labs' states in TypeScript, written from their declarations: ``python -m whyformer.lab.declared``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from whyformer.lab.control import Choice, Control, Vector
from whyformer.lab.discover import lab_classes

FILE = Path(__file__).parent / "declared.ts"


def type_of(control: Control[Any]) -> str:
    """What a control holds, as a TypeScript type."""
    if isinstance(control, Choice):
        return " | ".join(json.dumps(option, ensure_ascii=False) for option in control.options)
    return "number[]" if isinstance(control, Vector) else "number"


def typescript() -> str:
    """The whole file."""
    lines = [
        "// The state of each lab. Written by `make bundle` (lab/declared.py) from what Python declares.",
        "",
        "export interface States {",
    ]
    for name, lab in sorted(lab_classes().items()):
        lines.append(f'  "{name}": {{')
        lines += [f"    {control}: {type_of(each)};" for control, each in lab.controls().items()]
        lines.append("  };")
    return "\n".join([*lines, "}", ""])


if __name__ == "__main__":
    FILE.write_text(typescript(), encoding="utf-8")
