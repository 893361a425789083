"""What a reader reads each number of a step's sentence off (``tests/phone.py`` has the rules)."""

READ_OFF = {
    "gap": {
        **{f"y3_{which}": "curve" for which in ("gap", "tied")},
        **{f"derivative_{which}": "slope" for which in ("gap", "tied", "shifted")},
    },
    "saturation": {"largest_weight": "weights", "left": "downstream_gradient"},
}
