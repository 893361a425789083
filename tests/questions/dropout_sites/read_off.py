"""What a reader reads each number of a step's sentence off (``tests/phone.py`` has the rules)."""

READ_OFF = {
    "rely": {
        **{number: ["panel errors", "panel curve"] for number in ("on_learned", "on_new")},
        "negative_bare": "panel weights",
        **{number: "panel errors" for number in ("on_learned_bare", "on_new_bare", "new_dropout", "new_ridge")},
        **{number: "panel curve" for number in ("best", "best_new")},
    },
    "sites": {
        **{number: "panel layer" for number in ("hits", "misses", "false_alarms", "n_has")},
        "n_sources": "panel sources",
        "n_lists": "panel sources",
        **{f"have_{place}": "panel sources" for place in ("projections", "stream")},
    },
}
