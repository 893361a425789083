"""Exported HTML shows a lab's picture. By default it shows the widget, which needs a script from a CDN to appear."""

c = get_config()  # noqa: F821
c.WidgetsDataTypeFilter.display_data_priority = [
    "text/html",
    "application/vnd.jupyter.widget-view+json",
    "application/javascript",
    "text/markdown",
    "image/svg+xml",
    "text/vnd.mermaid",
    "text/latex",
    "image/png",
    "image/jpeg",
    "text/plain",
]
