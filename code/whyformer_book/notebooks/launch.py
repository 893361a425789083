"""The buttons above a page: its notebook, all notebooks, print; launchers once the repository has an address.

The theme would send Colab to the text source, which Colab cannot open. Colab and JupyterHub get the notebooks that are
published with the site, Binder makes them itself (``binder/postBuild``).
"""

from __future__ import annotations

from posixpath import basename
from urllib.parse import quote, urlencode, urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError
from whyformer.lab.words import t

from whyformer_book.notebooks.convert import ARCHIVE, FOLDER
from whyformer_book.paths import Context

LAUNCH = {
    "binder_url": "https://mybinder.org",
    "colab_url": "https://colab.research.google.com",
    "jupyterhub_url": "",
    "site_branch": "gh-pages",
}
Item = dict[str, str | bool]


def _read_settings(app: Sphinx, config: Config) -> None:
    """Take the address of the repository away from the theme, which knows few hosts and builds links of its own."""
    unknown = set(config.whyformer_launch) - set(LAUNCH)
    if unknown:
        raise ConfigError(f"whyformer_launch: unknown {', '.join(unknown)}; allowed are {', '.join(LAUNCH)}")
    config.whyformer_launch = LAUNCH | config.whyformer_launch
    config.whyformer_repository = config.html_theme_options.pop("repository_url", "").rstrip("/").removesuffix(".git")
    config.whyformer_branch = config.html_theme_options.pop("repository_branch", "") or "main"


def binder_url(service: str, repository: str, branch: str, name: str) -> str:
    """Where Binder opens the notebook ``name`` of a repository, whatever host it is on."""
    parts = urlsplit(repository)
    kind = {"github.com": "gh", "gitlab.com": "gl"}.get(parts.netloc)
    path = parts.path.strip("/")
    if kind is None:
        where = f"git/{quote(repository, safe='')}"
    else:
        where = f"{kind}/{path if kind == 'gh' else quote(path, safe='')}"
    target = quote(f"lab/tree/_build/notebooks/{name}.ipynb", safe="")
    return f"{service}/v2/{where}/{quote(branch, safe='')}?urlpath={target}"


def launchers(config: Config, name: str) -> list[Item]:
    """The services that can open notebook ``name``; none while the repository is unset."""
    repository, launch = config.whyformer_repository, config.whyformer_launch
    if not repository:
        return []
    found: list[Item] = []
    published = f"{launch['site_branch']}/{FOLDER}/{name}.ipynb"
    if launch["binder_url"]:
        url = binder_url(launch["binder_url"].rstrip("/"), repository, config.whyformer_branch, name)
        found.append({"text": "Binder", "image": "_static/images/logo_binder.svg", "url": url})
    if launch["colab_url"] and urlsplit(repository).netloc == "github.com":  # Colab opens notebooks of GitHub only
        url = f"{launch['colab_url'].rstrip('/')}/github/{urlsplit(repository).path.strip('/')}/blob/{published}"
        found.append({"text": "Colab", "image": "_static/images/logo_colab.png", "url": url})
    if launch["jupyterhub_url"]:
        where = f"lab/tree/{basename(repository)}/{FOLDER}/{name}.ipynb"
        query = urlencode({"repo": repository, "branch": launch["site_branch"], "urlpath": where})
        url = f"{launch['jupyterhub_url'].rstrip('/')}/hub/user-redirect/git-pull?{query}"
        found.append({"text": "JupyterHub", "image": "_static/images/logo_jupyterhub.svg", "url": url})
    return found


def _add_buttons(
    app: Sphinx, pagename: str, templatename: str, context: Context, doctree: nodes.document | None
) -> None:
    downloads: list[Item] = []
    name, pathto = basename(pagename), context["pathto"]
    if doctree is not None:
        url = pathto(f"{FOLDER}/{name}.ipynb", 1)
        downloads.append({"text": t("This notebook (.ipynb)"), "icon": "fa-file-code", "url": url, "download": True})
    url = pathto(ARCHIVE, 1)
    downloads.append({"text": t("All notebooks (.zip)"), "icon": "fa-box-archive", "url": url, "download": True})
    downloads.append({"text": t("Print or save as PDF"), "icon": "fa-print", "script": "window.print()"})
    groups = [{"label": t("Download"), "icon": "fa-download", "items": downloads}]
    if "kernelspec" in (context.get("meta") or {}) and (services := launchers(app.config, name)):
        groups.append({"label": "Launch", "icon": "fa-rocket", "items": services})
    context["whyformer_buttons"] = groups


def setup(app: Sphinx) -> None:
    """Settings are read first; each page gets its buttons."""
    app.add_config_value("whyformer_launch", {}, "html", dict)
    app.add_config_value("whyformer_repository", "", "html", str)
    app.add_config_value("whyformer_branch", "main", "html", str)
    app.connect("config-inited", _read_settings)
    app.connect("html-page-context", _add_buttons)
