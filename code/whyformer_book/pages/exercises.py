"""Exercises are numbered from 1 in each chapter; Sphinx's own numbers (``numfig``) run through the book."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_exercise.directive import ExerciseDirective


class Exercise(ExerciseDirective):  # type: ignore[misc]
    """An exercise whose number is a part of its title, and so of references to it and of its solution's title."""

    def run(self) -> list[nodes.Node]:
        """The exercise, as the library makes one without a number, and its entry for those who refer to it."""
        self.options["nonumber"] = None
        words = f"Exercise {self.env.new_serialno('exercise') + 1}"
        made: list[nodes.Node] = super().run()
        for exercise in made:
            for node in (exercise, self.env.sphinx_exercise_registry[exercise["label"]]["node"]):
                node["title"] = words
                node[0][0] = nodes.Text(words)
        return made


def setup(app: Sphinx) -> None:
    """The directive takes the place of the library's."""
    app.setup_extension("sphinx_exercise")
    app.add_directive("exercise", Exercise, override=True)
