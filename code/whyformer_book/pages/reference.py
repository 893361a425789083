"""The pages of reference: what ``sphinx.ext.autodoc`` makes of the docstrings, and what is added and left out."""

from __future__ import annotations

import re
from importlib import import_module
from inspect import Signature
from posixpath import basename
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.autodoc import ClassDocumenter
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.inspect import signature, stringify_signature

#: Where a page has all labs.
EACH_LAB = "```{each-lab}\n```"


class _ClassDocumenter(ClassDocumenter):
    """No class here has overloads. To look for them Sphinx would read the sources of traitlets and ipywidgets."""

    def get_overloaded_signatures(self) -> list[Signature]:
        return []


def _add_controls(app: Sphinx, what: str, name: str, thing: Any, options: object, lines: list[str]) -> None:
    """A lab's chapter, and what its controls allow, which stands in their declaration and in no docstring."""
    if what != "class" or not getattr(thing, "slug", ""):
        return
    chapter = next(page for page in app.env.found_docs if basename(page) == thing.slug.partition("/")[0])
    if "Controls" in lines:
        del lines[lines.index("Controls") :]  # as help() shows them
    lines += ["", f"In the chapter :doc:`/{chapter}`. Controls, with their default:", ""]
    for control in thing.controls().values():
        about = f"{control.label}; {control.help_text}" if control.help_text else control.label
        allowed = re.sub(r"('[^']*')", r"``\1``", control.allowed())
        lines.append(f"* ``{control.name} = {control.default_value!r}``: {allowed} ({about})")
    lines.append("")


def _sign(app: Sphinx, what: str, name: str, thing: Any, options: object, given: str | None, returns: object) -> Any:
    """What ``__init__`` takes, where a class of traits says only ``*args``; a function as a default by its name."""
    if what == "class" and given == "(*args, **kwargs)":
        given = stringify_signature(signature(thing.__init__, bound_method=True), show_annotation=False)
    return given and re.sub(r"<function (\w+)[^>]*>", r"\1", given), returns


def each_lab() -> str:
    """What autodoc is asked for: every lab with its ``compute``, by question, in the order of names."""
    from whyformer.lab.discover import lab_classes  # takes a second, which a build with nothing to read can save

    rows = ["```{eval-rst}"]
    for slug, lab in sorted(lab_classes().items()):
        rows += [f".. currentmodule:: whyformer.questions.{slug.partition('/')[0]}"]
        rows += [f".. autoclass:: {lab.__name__}", "   :members: compute", ""]
    return "\n".join([*rows, "```"])


def _list_labs(app: Sphinx, docname: str, source: list[str]) -> None:
    if EACH_LAB in source[0]:
        source[0] = source[0].replace(EACH_LAB, each_lab())


def _skip_bare_fields(app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: object) -> bool | None:
    """A field of a named tuple that no comment explains is named in the signature, and that is enough."""
    if not (getattr(thing, "__doc__", None) or "").startswith("Alias for field number"):
        return None
    place = app.env.temp_data
    owner = getattr(import_module(place["autodoc:module"]), place["autodoc:class"])
    return (owner.__name__, name) not in ModuleAnalyzer.for_module(owner.__module__).find_attr_docs()


def setup(app: Sphinx) -> None:
    """Labs are listed and get their controls; fields without a comment are left out."""
    app.setup_extension("sphinx.ext.autodoc")
    app.add_autodocumenter(_ClassDocumenter, override=True)
    app.connect("source-read", _list_labs)
    app.connect("autodoc-process-docstring", _add_controls)
    app.connect("autodoc-process-signature", _sign)
    app.connect("autodoc-skip-member", _skip_bare_fields)
