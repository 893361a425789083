"""What a reader reads each number of a step's sentence off (``tests/phone.py`` has the rules)."""

READ_OFF = {
    "real_heads": {
        "symmetric_percent": ("there", "back"),
        **{number: "weights" for number in ("before_percent", "own_percent", "moved_percent")},
    },
    "each_other": {
        "own_it": "own",
        **{number: "scores" for number in ("score_there", "score_back")},
        **{number: "other" for number in ("weight_there", "weight_back", "weight_sum")},
    },
}
