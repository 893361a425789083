"""Plugins: ``browser`` (a real Chromium, cut off from the network), ``book_cases`` (built sites)."""

pytest_plugins = ["browser", "book_cases"]
