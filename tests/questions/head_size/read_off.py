"""What a reader reads each number of a step's sentence off (``tests/phone.py`` has the rules)."""

READ_OFF = {
    "budget": {
        "d_k": "rank",
        "error": ["error", ("fitted", "target")],
        "hits": ("fitted", "target"),
        "products": ["parameters"],
    }
}
