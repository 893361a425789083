"""What a reader reads each number of a step's sentence off (``tests/phone.py`` has the rules)."""

READ_OFF = {
    "balance": {
        "spots": "similarity",
        "word": "word_lengths",
        "position": "position_lengths",
        "neighbours": ["cosine", "similarity"],
        "again": ["cosine", "similarity"],
    },
    "two_uses": {"first_loss": "loss"},
}
