"""The book in another language: what has to be translated, and the second build."""
