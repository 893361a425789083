"""What a reader reads each number of a step's sentence off (``tests/phone.py`` has the rules)."""

READ_OFF = {
    "assembly": {
        **{f"{which}_parameters": "parameters_share" for which in ("attention", "feed")},
        "parameters_percent": "parameters_share",
        **{f"{which}_flops": "flops_share" for which in ("attention", "feed")},
    },
    "follow": {
        "best": "dots",
        "fits": "dots",
        "largest_raw": "weights_raw",
        **dict.fromkeys(("animal", "action"), "summed"),
        "hidden": ("summed", "out"),
        "grown": "out",
        "likeliest": "probabilities",
        "winner": "probabilities",
    },
    "wiring": {"leak": "reach", "from_source": "reach"},
}
