"""Checks for the exercises of the chapter."""

from math import cos, log, pi

from whyformer.lab.teach.exercise import Check

check_full_width = Check(
    4 * 12 * 768 * 768,
    {
        "That is the usual price, with heads of 64. Here every head has 768 columns.": 4 * 768 * 768,
        "That is one of the four matrices.": 12 * 768 * 768,
        "W_O counts too: it takes the 12 · 768 numbers of all heads back to 768.": 3 * 12 * 768 * 768,
        "The heads are 12, and each has its own matrices; do not square their number.": 4 * 144 * 768 * 768,
    },
)

check_weights = Check(
    16 * 1024 * 1024,
    {
        "That is one head.": 1024 * 1024,
        "That is with 8 heads.": 8 * 1024 * 1024,
        "That is the number of products for the scores. Each weight needs d_k of them.": 512 * 1024 * 1024,
    },
)

check_blocks = Check(
    5,
    {
        "Nearly: softmax ignores a shift of each row, and that saves one.": 6,
        "That is the size of a block, not the number of different rows.": 4,
        "That would do for any pattern. Rows of one block are equal, so fewer suffice.": 24,
        "That would do for any pattern of 24 tokens. Rows of one block are equal, so fewer suffice.": 23,
    },
)

_step = 2 * pi / 24
check_gain = Check(
    log(100) / (1 - cos(_step)),
    {
        "You compared with the key on the far side. The nearest rival is one step away.": log(100) / 2,
        "You used 24 degrees as the step. It is 360 / 24 = 15 degrees.": log(100) / (1 - cos(24 * pi / 180)),
        "That is 1 / (1 - cos 15°): a factor e, and not 100.": 1 / (1 - cos(_step)),
        "You set the score of the rival alone. What counts is the gap to the top score, g (1 - cos 15°).": log(100)
        / cos(_step),
    },
    rtol=5e-3,
)
