"""What a reader reads each number of a step's sentence off (``tests/phone.py`` has the rules)."""

READ_OFF = {
    "two_wishes": {"apart": ("weights_first", "weights_second"), "cost": "panel cost"},
}
