"""What a reader reads each number of a step's sentence off (``tests/phone.py`` has the rules)."""

READ_OFF = {
    "two_wishes": {"on_cat_first": "weights_first", "on_cat_second": "weights_second", "cost": "panel cost"},
    "which_head": {name: "lost" for name in ("moved", "most_early", "least_late", "place")}
    | {"before": ["map", "maps"], "missed": "panel moved"},
}
