"""The role ``{lab}``: a link to a lab in a given state, checked when the book is built.

``{lab}`at d_k = 4096 <why_sqrt_dk/scale?d_k=4096&divisor=1>``` leads to the lab in the chapter of its question;
``why_sqrt_dk/scale:3`` to its third step, ``scale:3?d_k=64`` to a state in it. A lab, a step, a control or a value that
does not exist is a warning with file and line.
"""

from __future__ import annotations

from posixpath import basename
from typing import Any
from urllib.parse import parse_qsl, urlencode

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import ReferenceRole

logger = logging.getLogger(__name__)


def coerced(control: Any, text: str) -> Any:
    """The value of a control as an address writes it; ``ValueError``, ``TypeError`` if it is not one."""
    from whyformer.lab import Choice, Vector

    if isinstance(control, Vector):
        return control.coerce([float(part) for part in text.split(",")])
    return control.coerce(text if isinstance(control, Choice) else float(text))


def checked(target: str) -> tuple[str, str]:
    """The question and the fragment for ``question/lab:step?control=value``; ``ValueError`` that says what is wrong."""
    from whyformer.lab.discover import lab_classes

    place, _, query = target.partition("?")
    name, _, step = place.partition(":")
    if name not in lab_classes():
        raise ValueError(f"there is no lab named {name!r}; there are {', '.join(sorted(lab_classes()))}")
    controls = lab_classes()[name].controls()
    count = len(lab_classes()[name].steps)
    if step and not (step.isdigit() and 1 <= int(step) <= count):
        raise ValueError(f"lab {name} has no step {step!r}; it has {count}")
    state = parse_qsl(query, keep_blank_values=True)
    for key, text in state:
        if key not in controls:
            raise ValueError(f"lab {name} has no control {key!r}; it has {', '.join(controls)}")
        control = controls[key]
        try:
            coerced(control, text)
        except (ValueError, TypeError):
            raise ValueError(f"lab {name}: {key} must be {control.allowed()}; got {text!r}") from None
    question, _, short = name.rpartition("/")
    return question, f"{short}{step and ':'}{step}?{urlencode(state, safe=',')}"


class LabRole(ReferenceRole):
    """A link to a lab in a given state."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The link; a warning and the plain words if there is no such lab or state."""
        try:
            question, fragment = checked(self.target)
            page = next((name for name in sorted(self.env.found_docs) if basename(name) == question), None)
            if page is None:
                raise ValueError(f"there is no chapter {question}.md for the lab {self.target}")
        except ValueError as error:
            logger.warning("%s", error, location=self.get_location(), type="whyformer", subtype="lab")
            return [nodes.Text(self.title)], []
        here = page == self.env.docname
        address = "" if here else self.env.app.builder.get_relative_uri(self.env.docname, page)
        return [nodes.reference(self.rawtext, self.title, internal=True, refuri=f"{address}#{fragment}")], []


def setup(app: Sphinx) -> None:
    """Register the role."""
    app.add_role("lab", LabRole())
