"""What a reader reads each number of a step's sentence off (``tests/phone.py`` has the rules)."""

READ_OFF = {
    "layers": {
        "ratio": "relative",
        "crossing": "relative",
        **{f"waits_{which}": "waits" for which in ("attention", "recurrence")},
        **{f"hops_{which}": "hops" for which in ("attention", "recurrence", "dilated", "plain", "window")},
        **{f"kept_{which}": "kept" for which in ("attention", "recurrence")},
    },
    "path": {"end_recurrence": "recurrence", "end_attention": "attention", "orders": "recurrence"},
}
