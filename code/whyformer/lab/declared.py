"""What TypeScript has of the labs' declarations: types of their states, labels of their controls and options.

Written by ``python -m whyformer.lab.declared`` before each check of types; ``declared.ts`` is not kept in git.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whyformer.lab.control import Choice, Control, Vector
from whyformer.lab.discover import lab_classes

FILE = Path(__file__).parent / "declared.ts"


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def type_of(control: Control[Any]) -> str:
    """What a control holds, as a TypeScript type."""
    if isinstance(control, Choice):
        return " | ".join(map(_text, control.options))
    return "number[]" if isinstance(control, Vector) else "number"


def labels_of(controls: Mapping[str, Control[Any]]) -> list[str]:
    """The labels of a lab's options, by control and value, where they are more than the values."""
    lines = []
    for name, each in controls.items():
        if isinstance(each, Choice) and any(value != label for value, label in each.options.items()):
            lines.append(f"  {name}: {{")
            lines += [f"    {value}: {_text(label)}," for value, label in each.options.items()]
            lines.append("  },")
    return lines


def typescript() -> str:
    """The whole file; a bundle takes of the labels what its labs ask for."""
    lines = [
        "// The state of each lab, and the labels of its controls and options. Written by `make bundle`",
        "// (lab/declared.py) from what Python declares.",
        "",
        "export interface States {",
    ]
    for name, lab in sorted(lab_classes().items()):
        lines.append(f'  "{name}": {{')
        lines += [f"    {control}: {type_of(each)};" for control, each in lab.controls().items()]
        lines.append("  };")
    lines.append("}")
    for name, lab in sorted(lab_classes().items()):
        const = name.replace("/", "_")
        controls = [f"  {control}: {_text(each.label)}," for control, each in lab.controls().items()]
        lines += ["", f"export const {const}_controls = {{", *controls, "} as const;"]
        if labels := labels_of(lab.controls()):
            lines += ["", f"export const {const} = {{", *labels, "} as const;"]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    FILE.write_text(typescript(), encoding="utf-8")
