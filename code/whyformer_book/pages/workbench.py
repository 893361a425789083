"""``{workbench} divisor``: an experiment that trains in the page (``whyformer.workbench.experiments``).

The question, an example and what we saw stand in the page; the script puts the rest between them. On paper and without
a script the line of Python takes its place, and in a notebook a cell with that line (``notebooks/convert.py``).
"""

from __future__ import annotations

from html import escape
from inspect import getfile

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from whyformer.lab.lab import embed
from whyformer.lab.words import t
from whyformer.workbench import EXPERIMENTS, TASKS, Experiment, experiments
from whyformer.workbench.experiment import plain
from whyformer.workbench.tasks import LENGTH, VALUES

from whyformer_book.paths import FOLDER, Context

logger = logging.getLogger(__name__)


def call(name: str) -> str:
    """The line of Python that trains an experiment and draws it."""
    return f'train(EXPERIMENTS["{name}"]).plot()'


def _letter(key: int) -> str:
    return chr(ord("A") + key)


def example(task_name: str) -> str:
    """The first held-out example of seed 0 as a table: what the model reads and, below it, what it has to say.

    Tokens beyond the length it was trained on are dashed.
    """
    task = TASKS[task_name]
    drawn = task.held_out(0, 1)
    replies = drawn.answers[0].reshape(-1, task.replies).tolist()
    answers = dict(zip(range(task.length)[task.asked], replies, strict=True))
    reads, says = "", ""
    tokens = drawn.tokens[0].tolist()
    asked = [(row - VALUES) % task.keys for row in tokens[-1][: task.replies]] if task.keys else []
    for place, token in enumerate(tokens):
        words, look = str(token[0]), ""
        if asked:
            is_query = place == task.length - 1
            parts = [*map(_letter, asked), "?"] if is_query else [_letter(token[0]), str(token[1] - task.keys)]
            words = "&nbsp;".join(parts)
            look = " wf-asks" if is_query else " wf-meant" if token[0] in asked else ""
        if task.trains_on and place >= TASKS[task.trains_on].length:
            look = " wf-beyond"
        reads += f'<td class="wf-reads{look}">{words}</td>'
        says += f'<td class="wf-says">{"&nbsp;".join(map(str, answers.get(place, [])))}</td>'
    rows = ((t("reads"), reads), (t("says"), says))
    long = " wf-long" if task.length > LENGTH else ""
    body = "".join(f'<tr><th scope="row">{escape(head)}</th>{cells}</tr>' for head, cells in rows)
    return f'<table class="wf-example{long}"><tbody>{body}</tbody></table>'


def _job(task_name: str, template: str = "{job}") -> str:
    return f"<p>{escape(t(template, job=t(TASKS[task_name].says)))}</p>{example(task_name)}"


END = "</details></whyformer-workbench>"


def html(experiment: Experiment) -> str:
    """An experiment as a custom element, up to its fold, which is open for reasons; :data:`END` closes both.

    The job of the second switch, if it is another, waits for that switch.
    """
    name = escape(experiment.name)
    second = ""
    if experiment.rescue_task not in (None, experiment.task):
        job = _job(experiment.rescue_task, t("With the second switch: {job}"))
        second = f'<div class="wf-second" hidden>{job}</div>'
    needs = escape(t("Training in the page needs JavaScript. In Python:"))
    return (
        f'<whyformer-workbench class="wf-wide" id="train-{name}" name="{name}">'
        f'<script type="application/json">{embed(plain(experiment))}</script>'
        f'<div class="wf-task" id="task-{name}"><p>{escape(t(experiment.question))}</p>'
        f'<div class="wf-jobs"><div>{_job(experiment.task)}</div>{second}</div></div>'
        f'<p class="wf-fallback">{needs} <code>{escape(call(experiment.name))}</code></p>'
        f"<details><summary>{escape(t('What we saw, and why (train first)'))}</summary>"
        f"<p>{escape(t(experiment.seen))}</p>"
    )


class Workbench(SphinxDirective):
    """Puts an experiment on the page, by its name; the content says why, in a fold that no result stands before."""

    has_content = True
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The element; a warning for a name that there is not."""
        name = self.arguments[0]
        self.env.note_dependency(getfile(experiments))
        if name not in EXPERIMENTS:
            known, place = ", ".join(EXPERIMENTS), (self.env.docname, self.lineno)
            logger.warning(
                "there is no experiment named %r; there are %s", name, known, location=place, type="whyformer"
            )
            return []
        opened, closed = (nodes.raw("", text, format="html") for text in (html(EXPERIMENTS[name]), END))
        return [opened, *self.parse_content_to_nodes(), closed]


def _add_script(
    app: Sphinx, pagename: str, templatename: str, context: Context, doctree: nodes.document | None
) -> None:
    if "<whyformer-workbench" in context.get("body", ""):
        app.add_js_file(f"{FOLDER}/workbench.js", loading_method="defer")
        app.add_css_file(f"{FOLDER}/workbench.css")


def setup(app: Sphinx) -> None:
    """The directive; pages that use it get the script and its style."""
    app.add_directive("workbench", Workbench)
    app.connect("html-page-context", _add_script)
