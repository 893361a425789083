"""Whyformer: why the Transformer is built as it is. The maths, the figures and the labs of the book."""

__version__ = "0.4.0"

__all__ = ["language", "use_style"]


def language(name: str = "en") -> None:
    """Let labs, bets and messages that are made from now on speak "en" or "zh" (``whyformer.lab.words.language``).

    Raises ``ValueError`` for another language.
    """
    from whyformer.lab.words import language

    language(name)


def use_style() -> None:
    """Draw all plots that follow in the type and the colours of the book (``whyformer.lab.theme.use_style``)."""
    from whyformer.lab.theme import use_style  # Matplotlib takes a while to import, and not everybody plots

    use_style()
