"""What a reader reads each number of a step's sentence off (``tests/phone.py`` has the rules)."""

READ_OFF = {
    "clocks": {
        "lowest": "along",
        "highest": "along",
        "explained": ["explained", "along"],
        "spread_words": "word_word",
        "spread_others": ("word_position", "position_word", "position_position"),
    },
    "distance": {
        "unturned": "turns",
        "leaves": "clocks",
        "slope": "alibi",
        "miss_beyond_table": ["miss_beyond_table", "table"],
    },
}
