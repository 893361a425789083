"""The rows lab: one table at three places, its rows and a hidden state as arrows: who follows, who wins, who moves.

Twin: ``rows_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Lab, Step, Vector
from whyformer.lab.lab import Series
from whyformer.maths import softmax
from whyformer.maths.softmax import Array

N, REACH, ONE_LENGTH = 4, 3.0, 1.6
WORDS = ("cat", "sat", "mat", "dog")
PLACES = ("encoder", "decoder", "output")
LENGTHS, ANGLES = [1.3, 2.5, 2.2, 0.6, 1.1], [-60.0, 30.0, 140.0, 70.0, -12.0]  # of the rows of the words, and of h
READ_LENGTHS, READ_ANGLES = [1.6, 2.2], [60.0, -150.0]  # of "cat" in a table of the encoder's own, and the decoder's
READ, ANSWER = 0, 1  # the training step reads "cat", and "sat" is right
RATE, LEAST_SIZE, LEAST = (
    2.0,
    0.05,
    1e-12,
)  # of the step; what a row is taken for at least as input; a move below this is none
# The rows of the other words, where encoder and decoder have tables of their own: lengths, and angles in degrees.
ENCODER = ((1.9, -130.0), (1.2, 150.0), (2.4, 0.0))
DECODER = ((1.5, 100.0), (2.3, -40.0), (1.0, 165.0))
TABLES = {"three": "three", "one": "one, tied"}
TRAINED = {"no": "before", "yes": "after one step"}
TIE = 1e-9  # what is only this much behind counts as largest, or as nearest, too; the first of these is named
ROWS = {"own": "their own", "one": "one for all"}


def winning_share(rows: Array) -> Array:
    """(n,): for each row of (n, 2) the share of all directions of h in which its product is the largest.

    Row k wins in direction u if (row k - row j) . u > 0 for all others j. The differences have directions; if these
    leave a gap wider than half a turn, u may be whatever is less than a quarter turn from all of them.
    """
    shares = []
    for k, row in enumerate(rows):
        differences = row - np.delete(rows, k, 0)
        turns = np.sort(np.arctan2(differences[:, 1], differences[:, 0]))
        gap = max(*np.diff(turns), turns[0] + 2 * np.pi - turns[-1])
        coincide = (np.hypot(*differences.T) < TIE).any()
        shares.append(0.0 if coincide or gap <= np.pi + TIE else (gap - np.pi) / (2 * np.pi))
    return np.array(shares)


def plane(lengths: Array, angles: Array) -> Array:
    """(n, 2): points by their lengths and their angles in degrees."""
    turn = np.radians(np.asarray(angles, float))
    return np.asarray(lengths, float)[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)


def training(read: Array, output: Array, h: Array) -> tuple[Array, Array]:
    r"""The two parts of a gradient step at rate 2, each (4, 2): what the table moves by as input, and as output.

    Cross-entropy of "sat" after "cat". h is the row of "cat" that is read, turned and stretched by a matrix M that
    stands for the layers: :math:`-2\,(y_w - [w = sat])\, h` as output, :math:`-2\, M^T \sum_w (y_w - [w = sat])\, e_w`
    at the row that is read.
    """
    error = softmax(output @ h) - np.eye(N)[ANSWER]
    row = read[READ]
    size = max(float(np.hypot(*row)), LEAST_SIZE)
    turn = np.arctan2(h[1], h[0]) - np.arctan2(row[1], row[0])
    cos, sin = np.cos(turn), np.sin(turn)
    matrix = np.hypot(*h) / size * np.array([[cos, -sin], [sin, cos]])
    as_input = np.zeros((N, 2))
    as_input[READ] = -RATE * matrix.T @ (error @ output)
    return as_input, -RATE * np.outer(error, h)


def compute(
    *, tables: str, lengths: list[float], angles: list[float], read_lengths: list[float], read_angles: list[float],
    rows: str, trained: str,
) -> Series:  # fmt: skip
    r"""Rows of four words at three places, logits for a hidden state h in the plane, and what one training step moves.

    ``lengths``, and ``angles`` in degrees: of the four rows of the output table and, last, of h. With ``rows="one"``
    the rows keep their directions and all get the length 1.6. With ``tables="one"`` encoder and decoder read these rows
    too; with ``"three"`` they have tables of their own, in which "cat" has ``read_lengths`` and ``read_angles``, the
    encoder's first. :math:`z_w = h \cdot e_w = \frac12 (|h|^2 + |e_w|^2 - |h - e_w|^2)`.

    * ``e`` (4, 2): the rows as they count; ``h`` (2,); ``size`` (4,): lengths of the rows
    * ``encoder``, ``decoder`` (4, 2): the rows that these read; ``shift``: how far "cat" was moved from where it stands
      at the start, in the table in which it was moved most
    * ``logits``, ``distances``, ``y`` (4,): :math:`h \cdot e_w`, :math:`|h - e_w|`, the softmax of the logits
    * ``share`` (4,): of all directions of h, in how many this word has the largest logit; ``n_can_win``: how many words
      win somewhere
    * ``best``, ``nearest``: the word with the largest logit, and that with the nearest row, from 1; ``y_best``,
      ``y_nearest``, ``logit_best``, ``logit_nearest``, ``distance_best``, ``distance_nearest``: theirs; ``share_last``:
      share of word 4
    * ``step_encoder``, ``step_decoder``, ``step_output`` (4, 2): what one training step adds to the rows of each table
      (``training``), nothing unless ``trained`` is ``"yes"``; ``moved_encoder``, ``moved_decoder``, ``moved_output``:
      how many rows it moves
    """
    size = np.full(N, ONE_LENGTH) if rows == "one" else np.array(lengths[:N], float)
    points = plane(np.append(size, lengths[N]), np.array(angles))
    e, h = points[:N], points[N]
    apart = [
        plane(np.array([length, *(one[0] for one in rest)]), np.array([angle, *(one[1] for one in rest)]))
        for length, angle, rest in zip(read_lengths, read_angles, (ENCODER, DECODER), strict=True)
    ]
    encoder, decoder = apart if tables == "three" else (e, e)
    cats = [plane(np.array(lengths[:1]), np.array(angles[:1]))[0], *(table[READ] for table in apart)]
    starts = plane(np.array([LENGTHS[0], *READ_LENGTHS]), np.array([ANGLES[0], *READ_ANGLES]))
    as_input, as_output = training(decoder, e, h) if trained == "yes" else np.zeros((2, N, 2))
    steps = (np.zeros((N, 2)), as_input, as_output) if tables == "three" else (as_input + as_output,) * 3
    logits = e @ h
    distances = np.hypot(*(e - h).T)
    y = softmax(logits)
    best = int((logits >= logits.max() - TIE).argmax())
    nearest = int((distances <= distances.min() + TIE).argmax())
    share = winning_share(e)
    return {
        "e": e,
        "h": h,
        "size": size,
        "encoder": encoder,
        "decoder": decoder,
        "shift": np.hypot(*(np.array(cats) - starts).T).max(),
        "logits": logits,
        "distances": distances,
        "y": y,
        "share": share,
        "n_can_win": float((share > 0).sum()),
        "best": 1 + best,
        "nearest": 1 + nearest,
        "y_best": y[best],
        "y_nearest": y[nearest],
        "logit_best": logits[best],
        "logit_nearest": logits[nearest],
        "distance_best": distances[best],
        "distance_nearest": distances[nearest],
        "share_last": share[-1],
        **{f"step_{name}": step for name, step in zip(PLACES, steps, strict=True)},
        **{f"moved_{name}": float((np.hypot(*step.T) > LEAST).sum()) for name, step in zip(PLACES, steps, strict=True)},
    }


def _with(change: dict[int, tuple[float, float]]) -> dict[str, list[float]]:
    """The default rows and h, some of them at another length and angle; 4 is h."""
    at = dict(enumerate(zip(LENGTHS, ANGLES, strict=True))) | change
    return {"lengths": [at[i][0] for i in range(N + 1)], "angles": [at[i][1] for i in range(N + 1)]}


def _turned(angle: float, length: float = 1.1) -> dict[str, list[float]]:
    """The default rows with h in another place."""
    return _with({N: (length, angle)})


class RowsLab(Lab):
    """Rows of word tables in the plane: one row at three places, who wins for a hidden state, and which rows move."""

    formerly = ("plane", "traffic")
    title = "One table, three uses"
    hint = ""
    sentence = (
        "“{best}” has the largest product with h, {logit_best:.2f}, and the probability {y_best:.2f}. Nearest is the "
        "row of “{nearest}”, {distance_nearest:.2f} away. {n_can_win:.0f} of 4 words win somewhere."
    )
    names = {"best": ("", *WORDS), "nearest": ("", *WORDS)}
    columns = ("size", "distances", "logits", "y", "share")
    row = "word"
    presets = {
        "nearest and winner differ": _turned(-12),
        "inside the others": _turned(70, 0.6),
    }
    compute = staticmethod(compute)

    steps = (
        Step(
            asks="The encoder's input, the decoder's input and the output layer have a table each. Drag “cat” in one "
            "of them. Do the other two follow?",
            says="They do not. Three tables have three vectors for “cat”, and each of them can be moved alone.",
            shows=PLACES,
            narrow=3,
            controls=("read_lengths", "read_angles", "lengths", "angles"),
            moved=("shift > 0.3",),
            told_at={"read_lengths": [2.4, 2.2], "read_angles": [-20, -150]},
            when=("tables == 'three'",),
        ),
        Step(
            asks="Now one table serves all three. Drag “cat” again. Do the other two follow?",
            says="They do, because there is one row: encoder and decoder read it, and the output layer multiplies h by "
            "it. This is called weight tying.",
            cases=((("tables == 'three'",), "With three tables they do not: each has a vector of its own for “cat”."),),
            state={"tables": "one"},
            shows=PLACES,
            narrow=3,
            controls=("tables", "lengths", "angles"),
            moved=("shift > 0.3",),
            told_at={"tables": "one", **_with({0: (2.3, -15)})},
            when=("tables == 'one'",),
        ),
        Step(
            asks="A hidden state h comes out of the decoder. Drag h until the row of “cat” is the nearest. Does “cat” "
            "win?",
            says="It does not win here. The row of “cat” is nearest to h, but “{best}” has the larger product with h, "
            "{logit_best:.2f} against {logit_nearest:.2f}, because its row is longer.",
            cases=(
                (
                    ("nearest != 1",),
                    "Now the row of “{nearest}” is nearest to h, and “{best}” has the largest product with h.",
                ),
                (
                    ("best == 1",),
                    "Here it wins. Now turn h slowly towards “sat”: which changes first, the winner or the nearest "
                    "row?",
                ),
            ),
            state={"tables": "one", **_turned(25, 2.0)},
            shows=("plane", "numbers"),
            narrow=2,
            controls=("lengths", "angles"),
            moved=("nearest == 1",),
            told_at={"tables": "one", **_turned(-12)},
            when=("nearest == 1", "best != 1", "logit_best > logit_nearest", "distance_best >= distance_nearest"),
        ),
        Step(
            asks="Now all rows have one length. Turn h, and drag rows too. Is there a place where the nearest row does "
            "not win?",
            says="There is none. If all rows have one length, the nearest row has the largest product with h.",
            cases=(
                (
                    ("rows == 'own'", "nearest != best"),
                    "With their own lengths there is: here the row of “{nearest}” is nearest, and “{best}” wins.",
                ),
                (
                    ("rows == 'own'",),
                    "With their own lengths there may be one, though here the nearest row, “{nearest}”, wins.",
                ),
            ),
            state={"tables": "one", "rows": "one", **_turned(25, 2.0)},
            shows=("plane", "numbers"),
            narrow=2,
            controls=("rows", "lengths", "angles"),
            moved=("nearest != 2",),
            told_at={"tables": "one", "rows": "one", **_turned(-80, 2.0)},
            when=("rows == 'one'", "nearest == best", "distance_best <= distance_nearest"),
        ),
        Step(
            asks="No h lets “dog” win: its row lies inside the triangle of the others. Drag the row until “dog” can "
            "win somewhere.",
            says="Now “dog” can win. A word can win exactly when its row is a corner of the hull, the smallest convex "
            "polygon that holds all rows.",
            cases=(
                (
                    ("share_last == 0",),
                    "Here “dog” can win for no h, because its row is not a corner of the hull, the smallest convex "
                    "polygon that holds all rows.",
                ),
                (
                    ("n_can_win < 4",),
                    "Now “dog” can win, but another word cannot: only {n_can_win:.0f} of the 4 rows are corners of the "
                    "hull, the smallest convex polygon that holds all rows.",
                ),
            ),
            state={"tables": "one"},
            shows=("plane", "numbers"),
            narrow=2,
            controls=("lengths", "angles"),
            moved=("share_last > 0",),
            told_at={"tables": "one", **_with({3: (2.6, 70)})},
            when=("n_can_win == 4",),
        ),
        Step(
            asks="The decoder reads “cat”, and “sat” is right. Make one training step with the one table. Which rows "
            "move?",
            says="All four move. As output each row gets a gradient, because each logit counts; as input only “cat” "
            "gets one, because it is read. The one row of “cat” gets both.",
            cases=(
                (("trained == 'no'",), "Before the step no row has moved."),
                (("moved_output == 0",), "Here no row moves, because h is 0."),
                (
                    ("tables == 'three'",),
                    "With three tables the output table moves in all four rows, the decoder's only in the row of "
                    "“cat”, which it has read, and the encoder's, which has read none of these words, in no row.",
                ),
            ),
            state={"tables": "one", **_turned(-12, 0.8)},
            shows=(*PLACES, "moves"),
            narrow=4,
            controls=("trained", "tables"),
            moved=("trained == 'yes'",),
            told_at={"tables": "one", "trained": "yes", **_turned(-12, 0.8)},
            when=("trained == 'yes'", "tables == 'one'", "moved_encoder == 4", "moved_output == 4"),
        ),
    )

    tables: Choice = Choice(default="three", options=TABLES, label="tables")
    lengths: Vector = Vector(
        default=LENGTHS, min=0, max=REACH, step=0.05, min_length=N + 1, max_length=N + 1,
        label="lengths", help="of the four rows and of h; drag a bar or the tip of an arrow",
    )  # fmt: skip
    angles: Vector = Vector(
        default=ANGLES, min=-180, max=180, step=1, min_length=N + 1, max_length=N + 1,
        label="angles", help="in degrees; drag a bar or the tip of an arrow",
    )  # fmt: skip
    read_lengths: Vector = Vector(
        default=READ_LENGTHS, min=0, max=REACH, step=0.05, min_length=2, max_length=2,
        label="lengths of “cat”", help="in the encoder's and in the decoder's table, if there are three",
    )  # fmt: skip
    read_angles: Vector = Vector(
        default=READ_ANGLES, min=-180, max=180, step=1, min_length=2, max_length=2,
        label="angles of “cat”", help="in degrees, in the encoder's and in the decoder's table, if there are three",
    )  # fmt: skip
    rows: Choice = Choice(default="own", options=ROWS, label="length of the rows")
    trained: Choice = Choice(default="no", options=TRAINED, label="“cat” → “sat”")
