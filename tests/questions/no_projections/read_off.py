"""What a reader reads each number of a step's sentence off (``tests/phone.py`` has the rules)."""

READ_OFF = {
    "roles": {
        **dict.fromkeys(("winner", "largest"), "weights"),
        "own_without": "weights_without",
        **dict.fromkeys(("partner", "there", "return"), "scores"),
        "there_without": "scores_without",
    },
    "plane": {
        **{number: ["weights", "scores"] for number in ("first_own", "first_largest")},
        "first_at": "best",
        "n_own": "own",
        "apart_start": ["apart", "path"],
        "apart_now": ["apart", "now"],
    },
}
