"""The room: phones that vote, a projector, and a teacher's window, on one laptop without the internet.

``messages`` says what may be said, ``state`` what has been said, ``journal`` keeps it on the disk before it is
acknowledged, ``opening`` takes it up again, ``doors`` says who may come in, ``live`` is what phones and slides talk to,
and ``pages`` are what they open.
"""
