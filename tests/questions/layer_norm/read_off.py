"""What a reader reads each number of a step's sentence off (``tests/phone.py`` has the rules)."""

READ_OFF = {
    "normalisation": {
        **{
            number: ["panel sentence A", "panel batch"]
            for number in ("moved_a", "cells_a", "largest_a", "apart", "moved_left_out")
        },
        "moved_others": "panel sentence B",
    },
    "placement": {
        **{f"{at}_{which}": f"gradient_{which}" for at in ("first", "output") for which in ("post", "pre")},
        **{f"end_{which}": f"scale_{which}" for which in ("post", "pre", "none")},
    },
}
