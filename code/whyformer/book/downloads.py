"""What the site offers to take away: each page as a notebook, and all of them in one zip together with the package."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

from whyformer import __version__
from whyformer.book.assets import PACKAGE
from whyformer.book.labels import Labels, pages
from whyformer.book.notebooks import ARCHIVE, FOLDER, WHEEL, convert_all

logger = logging.getLogger(__name__)

README = f"""The notebooks of the book "Whyformer: the Transformer, question by question".

They need Python 3.11 or newer. In this folder:

    pip install jupyterlab {WHEEL}
    jupyter lab

Turn on Settings > Save Widget State Automatically there, and the labs in a saved notebook are alive when you open it
again.

Text: CC BY 4.0. Code: BSD-3-Clause.
"""


def build_wheel(folder: Path) -> None:
    """The package as a wheel, made in this process: no network, no second environment."""
    from hatchling.builders.wheel import WheelBuilder

    root = PACKAGE.parent.parent
    if not (root / "pyproject.toml").is_file():
        raise ExtensionError("the book is built from a checkout: pip install -r requirements.txt in it")
    names = [Path(path).name for path in WheelBuilder(str(root)).build(directory=str(folder), versions=["standard"])]
    if names != [WHEEL]:
        raise ExtensionError(f"whyformer.__version__ is {__version__}, pyproject.toml makes {', '.join(names)}")


def write_archive(file: Path, folder: Path, pages: list[str]) -> None:
    """The zip, the same bytes for the same content."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        contents = {name: (folder / name).read_bytes() for name in [*(f"{page}.ipynb" for page in pages), WHEEL]}
        for name, content in {"README.txt": README.encode(), **contents}.items():
            archive.writestr(zipfile.ZipInfo(f"whyformer-notebooks/{name}"), content, zipfile.ZIP_DEFLATED)


def fingerprint(settings: object, files: list[Path]) -> str:
    """Of the settings, and of names and contents of files, as hexadecimal digits."""
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for file in files:
        digest.update(str(file).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


class Memory:
    """Which notebooks in ``folder`` were made of what; ``common`` stands for what all of them are made of."""

    def __init__(self, folder: Path, common: str, written: Mapping[str, str]) -> None:
        self.folder, self.common, self.written = folder, common, written
        self.now: dict[str, str] = {}

    def kept(self, page: str, text: str, labels: Labels) -> str | None:
        """The notebook that is there, if it was made of this text with these labels."""
        stated = [labels.titles, {label: str(target) for label, target in labels.targets.items()}, sorted(labels.cited)]
        self.now[page] = fingerprint([self.common, text, stated], [])
        file = self.folder / f"{page}.ipynb"
        same = self.written.get(page) == self.now[page] and file.is_file()
        return file.read_text(encoding="utf-8") if same else None


def _publish(app: Sphinx, error: Exception | None) -> None:
    """Notebooks, wheel and zip beside the pages, as far as anything that they are made of has changed."""
    if error or app.builder.name != "html":
        return
    files = pages(Path(app.srcdir), Path(app.srcdir, app.config.external_toc_path))
    bibliography = Path(app.srcdir, app.config.bibtex_bibfiles[0])
    settings = app.config.whyformer_macros, app.config.whyformer_repository
    package = [file for file in PACKAGE.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    project = [PACKAGE.parent.parent / name for name in ("pyproject.toml", "README.md", "LICENSE")]
    shared = sorted([bibliography, *package, *(file for file in project if file.is_file())])
    common, stamp = fingerprint(settings, shared), Path(app.outdir).parent / ".notebooks.json"
    now = fingerprint(common, sorted(files.values()))
    folder, archive = Path(app.outdir, FOLDER), Path(app.outdir, ARCHIVE)
    wanted = {WHEEL, *(f"{page}.ipynb" for page in files)}
    whole = archive.is_file() and folder.is_dir() and wanted == {file.name for file in folder.iterdir()}
    earlier = json.loads(stamp.read_text()) if stamp.is_file() else {}
    if whole and earlier.get("book") == now:
        return
    stamp.unlink(missing_ok=True)
    memory = Memory(folder, common, earlier.get("pages", {}) if whole else {})
    made, problems = convert_all(files, bibliography, *settings, kept=memory.kept)
    for page, line, message in problems:
        docname = files[page].relative_to(app.srcdir).with_suffix("").as_posix()
        logger.warning("%s", message, location=(docname, line), type="whyformer", subtype="notebook")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name not in wanted:
            old.unlink()
    for page, text in made.items():
        (folder / f"{page}.ipynb").write_text(text, encoding="utf-8")
    build_wheel(folder)
    write_archive(archive, folder, list(made))
    if not problems:
        stamp.write_text(json.dumps({"book": now, "pages": memory.now}))


def setup(app: Sphinx) -> None:
    """Notebooks, wheel and zip are made when pages are done."""
    app.connect("build-finished", _publish)
