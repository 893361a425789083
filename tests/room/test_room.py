"""A lesson in the room, without pages: votes, rounds, what is shown, tickets, and the teacher's tables."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import random
import time
from collections import Counter
from datetime import datetime
from pathlib import Path

from room_cases import OPTIONS, QUESTION, Socket, asked, in_process, opened, phone, run, slides
from tornado.httpclient import AsyncHTTPClient
from whyformer_book.teach.room import live, pages
from whyformer_book.teach.room.access import Limits
from whyformer_book.teach.room.opening import open_room


def test_a_lesson_of_three_hundred_phones(tmp_path: Path) -> None:
    draw = random.Random(41)
    first = [draw.randrange(3) for _ in range(300)]
    second = [draw.choice([one, 2]) for one in first]

    async def lesson() -> None:
        async with in_process(tmp_path) as (port, hall):
            teacher = await slides(port, hall.room.key)
            assert teacher.room["code"] == hall.room.code and teacher.room["question"] is None
            phones = await asyncio.gather(*(phone(port, hall.room.code) for _ in range(300)))
            assert len({one.you["token"] for one in phones}) == 300
            await teacher.hears(lambda me: me.room["here"] == 300)
            for number, chosen in enumerate((first, second), 1):
                await opened(teacher, "q", number)
                await asyncio.gather(*(one.hears(lambda me, n=number: asked(me).get("open") == n) for one in phones))
                assert not any(one.room["question"]["counts"] for one in phones)
                await asyncio.gather(
                    *(one.votes("q", number, option) for one, option in zip(phones, chosen, strict=True))
                )
                wanted = [Counter(chosen)[option] for option in range(3)]
                await teacher.hears(lambda me, n=number, w=wanted: me.room["votes"][n - 1] == w)
                await teacher.says(do="close", question="q", round=number)
            counts = teacher.room["votes"]
            await teacher.says(do="show", question="q", round=2)
            await teacher.says(do="answer", question="q", round=2, right=2, reasons=["not one", "not two", "three"])
            told = await asyncio.gather(
                *(one.hears(lambda me: asked(me).get("right") == 2 and me.room) for one in phones)
            )
            assert all(one["question"]["counts"] == counts for one in told)
            assert told[0]["question"]["reasons"][2] == "three" and "tickets" not in told[0] and "code" not in told[0]
            await opened(teacher, "q", 2)
            again = await phones[0].hears(lambda me: asked(me)["open"] == 2 and asked(me))
            assert (again["right"], again["reasons"], again["counts"]) == (-1, [], []), "a new vote knows the answer"

    run(lesson())


def test_the_latest_vote_counts_and_the_same_vote_again_is_well(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path) as (port, hall):
            teacher, one = await slides(port, hall.room.key), await phone(port, hall.room.code)
            await opened(teacher)
            for option in (0, 2, 1, 1):
                await one.votes("q", 1, option)
            written = hall.journal.end
            one.you = {}
            await one.votes("q", 1, 1)
            assert hall.journal.end == written, "what was known is written again"
            await teacher.hears(lambda me: me.room["votes"] == [[0, 1, 0], [0, 0, 0]])
            await teacher.says(do="close", question="q", round=1)
            await one.hears(lambda me: asked(me).get("open") == 0)
            one.you = {}
            await one.votes("q", 1, 1)  # its acknowledgement was lost
            await one.says(do="vote", question="q", round=1, option=2)
            await one.hears(lambda me: me.refused)
            assert one.refused[0]["why"] == "closed" and one.refused[0]["of"]["option"] == 2

    run(lesson())


def test_two_tabs_are_one_device(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path) as (port, hall):
            teacher, one = await slides(port, hall.room.key), await phone(port, hall.room.code)
            tab = await phone(port, "", one.you["token"])
            await opened(teacher)
            await one.votes("q", 1, 0)
            await tab.votes("q", 1, 2)
            await teacher.hears(lambda me: me.room["votes"][0] == [0, 0, 1] and me.room["here"] == 1)
            again = await phone(port, "", one.you["token"])
            assert again.you["votes"] == {"q": [2, None]}

    run(lesson())


def test_another_question_closes_the_one_before_and_old_ones_keep_their_votes(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path) as (port, hall):
            teacher, one = await slides(port, hall.room.key), await phone(port, hall.room.code)
            await opened(teacher, "q")
            await one.votes("q", 1, 0)
            await opened(teacher, "r")
            await one.says(do="vote", question="q", round=1, option=1)
            await one.hears(lambda me: me.refused)
            await one.votes("r", 1, 2)
            await teacher.says(do="show", question="q", round=1)
            await teacher.hears(lambda me: asked(me).get("id") == "q" and me.room["votes"][0] == [1, 0, 0])
            await teacher.says(do="open", question="q", round=1, **QUESTION | {"options": ["other", "options"]})
            await teacher.hears(lambda me: me.refused)
            assert "keeps its options" in teacher.refused[0]["sentence"]

    run(lesson())


def test_what_is_in_front_of_the_class_reaches_all(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path, Limits(commands=(1000, 1000))) as (port, hall):
            teacher, one = await slides(port, hall.room.key), await phone(port, hall.room.code)
            assert one.room["scene"] == {"do": "wait"} and one.room["left"] is None
            await teacher.says(do="timer", seconds=60)
            await one.hears(lambda me: 50 < (me.room["left"] or 0) <= 60)
            version = one.room["version"]
            for step in range(90):
                await teacher.says(do="follow", page="why", lab="why/scale", address=f"#scale:{step}")
            await one.hears(lambda me: me.room["scene"].get("address") == "#scale:89")
            assert one.room["version"] > version
            begun, version, heard = time.monotonic(), one.room["version"], 0
            for step in range(60):
                await teacher.says(do="follow", page="why", lab="why/scale", address=f"#again:{step}")
                await asyncio.sleep(0.01)
            while one.room["scene"]["address"] != "#again:59":
                await one.hears(lambda me, last=version: me.room["version"] > last)
                version, heard = one.room["version"], heard + 1
            assert heard <= (time.monotonic() - begun) / live.APART + 2, "snapshots come faster than ten a second"
            await teacher.says(do="ask", lesson="counting", text="One sentence?")
            await one.hears(lambda me: me.room["scene"]["do"] == "ask")
            await one.says(do="ticket", lesson="counting", text="=1+1 is a formula")
            await one.says(do="ticket", lesson="counting", text="=1+2 is a formula")
            await one.hears(lambda me: me.you["tickets"].get("counting", "").startswith("=1+2"))
            await teacher.hears(lambda me: me.room["tickets"] == ["=1+2 is a formula"])
            late = await phone(port, hall.room.code)
            assert late.room["scene"]["do"] == "ask"

    run(lesson())


def test_tables_and_the_door_are_the_teachers(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path) as (port, hall):
            teacher, one = await slides(port, hall.room.key), await phone(port, hall.room.code)
            await opened(teacher)
            await one.votes("q", 1, 2)
            await teacher.says(do="ask", lesson="counting", text="One sentence?")
            await one.hears(lambda me: me.room["scene"]["do"] == "ask")
            await one.says(do="ticket", lesson="counting", text="=SUM(A1)")
            await teacher.hears(lambda me: me.room["tickets"])
            client, key = AsyncHTTPClient(), {"Cookie": f"whyformer-key-{port}={hall.room.key}"}
            answers = {}
            for name in ("votes.csv", "tickets.csv", "numbers.csv", "door.svg", ""):
                address = f"http://127.0.0.1:{port}/teach/{name}"
                answers[name] = (await client.fetch(address, headers=key)).body.decode("utf-8-sig")
                for wrong in ({}, {"Cookie": f"whyformer-key-{port}={hall.room.key[:-1]}x"}, {"Cookie": "x=ü; ;="}):
                    refused = await client.fetch(address, headers=wrong, raise_error=False)
                    assert refused.code == 403 and b"link that the terminal printed" in refused.body
            rows = list(csv.DictReader(io.StringIO(answers["votes.csv"])))
            assert [[row[name] for name in ("lesson", "question", "round", "option", "text")] for row in rows] == [
                ["counting", "How many?", "1", "C", OPTIONS[2]]
            ]
            [ticket] = csv.DictReader(io.StringIO(answers["tickets.csv"]))
            assert (ticket["lesson"], ticket["sentence"]) == ("counting", "'=SUM(A1)")
            times = [datetime.strptime(row["time"], "%Y-%m-%d %H:%M:%S") for row in (rows[0], ticket)]
            assert all(abs((datetime.now() - each).total_seconds()) < 3600 for each in times)
            assert "<svg" in answers["door.svg"]
            assert answers[""] == "the first page"

    run(lesson())


def test_sentences_of_two_lessons_are_kept_apart(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path) as (port, hall):
            teacher, one = await slides(port, hall.room.key), await phone(port, hall.room.code)
            await one.says(do="ticket", lesson="never asked", text="Nobody wanted this.")
            await one.hears(lambda me: me.refused)
            assert one.refused[0]["why"] == "question" and not hall.room.tickets
            for name in ("first", "second"):
                await teacher.says(do="ask", lesson=name, text="One sentence?")
                await one.hears(lambda me, name=name: me.room["scene"].get("lesson") == name)
                assert name not in one.you["tickets"]
                await one.says(do="ticket", lesson=name, text=f"What I take from the {name}.")
                await one.hears(lambda me, name=name: name in me.you["tickets"])
                await teacher.hears(lambda me, name=name: me.room["tickets"] == [f"What I take from the {name}."])
            rows = pages.tickets(hall.room)[1:]
            wanted = [[name, f"What I take from the {name}."] for name in ("first", "second")]
            assert [[row[0], row[2]] for row in rows] == wanted

    run(lesson())
    room, journal, _ = open_room(tmp_path / "journal", anew=False)
    assert list(room.tickets) == ["first", "second"] and room.lesson == "second"
    journal.close()


def test_what_was_shown_can_be_hidden_again(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path) as (port, hall):
            teacher, one = await slides(port, hall.room.key), await phone(port, hall.room.code)
            await opened(teacher)
            await one.votes("q", 1, 1)
            told = {"do": "answer", "question": "q", "round": 1, "right": 1, "reasons": OPTIONS}
            for hidden in ({"do": "show", "question": "q", "round": 1}, {"do": "close", "question": "q", "round": 1}):
                await teacher.says(**told)
                await one.hears(lambda me: asked(me).get("right") == 1)
                await teacher.says(**hidden)
                await one.hears(lambda me: asked(me).get("right") == -1)
                assert asked(one)["reasons"] == [] and asked(one)["counts"] == [[0, 1, 0]] * (hidden["do"] == "show")
            written = hall.journal.end
            await teacher.says(**hidden)
            await teacher.says(do="timer", seconds=5)
            await teacher.hears(lambda me: me.room["left"])
            assert hall.journal.end == written, "what stands already is written again"

    run(lesson())


def test_numbers_are_kept_by_device_and_stand_in_a_table(tmp_path: Path) -> None:
    """The latest counts, phones hear of none but their own, and a restart finds them."""

    async def asks(port: int, key: str) -> Socket:
        teacher = await slides(port, key)
        await teacher.says(
            do="numbers", question="n", lesson="counting", text="=How many?", page="chapters/x", part="ex"
        )
        await teacher.hears(lambda me: me.room["scene"]["do"] == "numbers")
        return teacher

    async def first() -> str:
        async with in_process(tmp_path) as (port, hall):
            teacher = await asks(port, hall.room.key)
            one, other = [await phone(port, hall.room.code) for _ in range(2)]
            for each, value in ((one, 64), (one, 576), (other, 0.5)):
                await each.says(do="number", question="n", value=value)
                await each.hears(lambda me, value=value: me.you["numbers"] == {"n": value})
            await teacher.hears(lambda me: me.room["numbers"] == [0.5, 576])
            assert "numbers" not in one.room and "576" not in json.dumps(other.you | {"token": ""})
            return one.you["token"]

    async def second(token: str) -> None:
        async with in_process(tmp_path) as (port, hall):
            teacher = await asks(port, hall.room.key)
            await teacher.hears(lambda me: me.room["numbers"] == [0.5, 576])
            assert (await phone(port, hall.room.code, token)).you["numbers"] == {"n": 576}
            headers = {"Cookie": f"whyformer-key-{port}={hall.room.key}"}
            table = await AsyncHTTPClient().fetch(f"http://127.0.0.1:{port}/teach/numbers.csv", headers=headers)
            rows = list(csv.DictReader(io.StringIO(table.body.decode("utf-8-sig"))))
            assert [(row["lesson"], row["question"], row["device"], row["number"]) for row in rows] == [
                ("counting", "'=How many?", "1", "576"),
                ("counting", "'=How many?", "2", "0.5"),
            ]

    run(second(run(first())))
