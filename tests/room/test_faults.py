"""What goes wrong in a classroom: the server dies, the disk is full, the network is gone, phones do not listen."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from room_cases import QUESTION, Limits, Process, asked, connect, in_process, opened, phone, run, slides
from tornado.websocket import WebSocketClosedError
from whyformer_book.teach.room import live
from whyformer_book.teach.room.journal import Damaged, Journal, packed, whole_lines
from whyformer_book.teach.room.messages import Refused
from whyformer_book.teach.room.opening import Held, begin, open_room
from whyformer_book.teach.room.state import Room

OPEN = {"do": "open", "question": "q", "round": 1, **QUESTION}


def vote(device: str, option: int, number: int = 1) -> dict:
    return {"do": "vote", "question": "q", "round": number, "option": option, "device": device}


def test_killed_in_the_middle_of_a_vote_nothing_acknowledged_is_lost_and_nothing_counts_twice(tmp_path: Path) -> None:
    async def stubborn(served: Process, token: str, option: int, again: asyncio.Event, acknowledged: set[str]) -> None:
        """A phone's page: its vote is sent until it is acknowledged, over as many sockets as that takes."""
        for _ in range(3):
            try:
                one = await phone(served.port, "", token)
                await one.hears(lambda me: asked(me).get("open") == 1)
                await one.votes("q", 1, option)
                acknowledged.add(token)
                return
            except (WebSocketClosedError, AssertionError, OSError):
                await again.wait()

    async def lesson(served: Process) -> None:
        teacher = await slides(served.port, served.key)
        await opened(teacher)
        tokens = [one.you["token"] for one in [await phone(served.port, served.code) for _ in range(100)]]
        chosen = [number % 3 for number in range(100)]
        again, acknowledged = asyncio.Event(), set()
        voting = [
            asyncio.create_task(stubborn(served, token, option, again, acknowledged))
            for token, option in zip(tokens, chosen, strict=True)
        ]
        while len(acknowledged) < 10:
            await asyncio.sleep(0.001)
        served.kill()
        before, epoch = set(acknowledged), teacher.room["epoch"]
        kept = [line for line, _ in whole_lines(served.journal.read_bytes()) if line["do"] == "vote"]
        devices = {token.partition(".")[0] for token in before}
        assert devices <= {line["device"] for line in kept}, "an acknowledged vote is not in the journal"
        with served.journal.open("ab") as torn:
            torn.write(packed(vote("torn", 0))[:-9])
        served.start()
        again.set()
        await asyncio.wait_for(asyncio.gather(*voting), 30)
        teacher = await slides(served.port, served.key)
        assert teacher.room["epoch"] == epoch + 1 and "goes on" in served.said
        await teacher.hears(lambda me: me.room["votes"][0] == [chosen.count(option) for option in range(3)])
        assert len(acknowledged) == 100 and asked(teacher)["open"] == 1

    with Process(tmp_path) as served:
        run(lesson(served))
        assert oct(served.journal.stat().st_mode & 0o777) == "0o600"


def test_a_full_disk_is_said_and_no_vote_is_acknowledged_until_there_is_room(tmp_path: Path) -> None:
    most = 3000  # bytes of a file

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

    async def lesson(served: Process) -> None:
        teacher = await slides(served.port, served.key)
        await opened(teacher)
        phones = [await phone(served.port, served.code) for _ in range(60)]
        acknowledged = []
        for number, one in enumerate(phones):
            one.refused = []
            await one.says(do="vote", question="q", round=1, option=number % 3)
            await one.hears(lambda me: me.refused or me.you["votes"])
            acknowledged += [] if one.refused else [one]
        assert 0 < len(acknowledged) < 60
        assert all(one.refused[0]["why"] == "disk" for one in phones if one not in acknowledged)
        await teacher.hears(lambda me: "cannot be kept" in me.room["fault"])
        await phones[0].hears(lambda me: not me.room["keeps"])
        assert served.journal.stat().st_size <= most
        kept = [line for line, _ in whole_lines(served.journal.read_bytes()) if line["do"] == "vote"]
        assert len(kept) == len(acknowledged)
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        for number, one in enumerate(phones):
            await one.votes("q", 1, number % 3)
        await teacher.hears(lambda me: sum(me.room["votes"][0]) == 60 and not me.room["fault"])
        served.kill()
        assert (
            len({line["device"] for line, _ in whole_lines(served.journal.read_bytes()) if line["do"] == "vote"}) == 60
        )

    with Process(tmp_path, before=full) as served:
        run(lesson(served))


def test_a_write_that_ends_early_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = Room()
    journal = Journal(tmp_path / "j.journal", room.apply)

    async def lesson() -> None:
        await journal.keep(OPEN)
        end, write = journal.end, os.write
        monkeypatch.setattr(os, "write", lambda where, data: write(where, data[: len(data) // 2]))
        with pytest.raises(Refused, match="disk is full"):
            await journal.keep(vote("a", 1))
        assert (tmp_path / "j.journal").stat().st_size == end == journal.end and not room.questions["q"].votes[0]
        monkeypatch.setattr(os, "write", write)
        monkeypatch.setattr(os, "fsync", lambda where: (_ for _ in ()).throw(OSError(5, "Input/output error")))
        with pytest.raises(Refused, match="Input/output error"):
            await journal.keep(vote("a", 1))
        monkeypatch.setattr(os, "write", lambda where, data: write(where, data[:-3]))
        works, truncate = [True], os.ftruncate
        monkeypatch.setattr(os, "ftruncate", lambda *given: truncate(*given) if works and works.pop() else os.close(-1))
        with pytest.raises(OSError, match="Bad file"):
            journal.write([vote("a", 1)])
        assert (tmp_path / "j.journal").stat().st_size > end, "what is half written cannot be cut off, and stays"
        monkeypatch.undo()
        await asyncio.gather(*(journal.keep(vote(str(one), one % 3)) for one in range(50)))
        assert journal.fault == "" and len(room.questions["q"].votes[0]) == 50
        assert len(list(whole_lines((tmp_path / "j.journal").read_bytes()))) == 51

    run(lesson())
    journal.close()


def test_what_came_together_is_synced_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced, sync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda where: synced.append(where) or sync(where))
    room = Room()
    journal = Journal(tmp_path / "j.journal", room.apply)

    async def lesson() -> None:
        await journal.keep(OPEN)
        await asyncio.gather(*(journal.keep(vote(str(one), one % 3)) for one in range(300)))

    run(lesson())
    journal.close()
    assert len(synced) <= 4 and room.questions["q"].counts()[0] == [100, 100, 100]


def test_a_torn_end_is_cut_off_and_damage_in_the_middle_is_said(tmp_path: Path) -> None:
    lines = [packed(one) for one in ({"do": "start"}, OPEN, vote("a", 0), vote("a", 2), vote("b", 1))]
    content = b"".join(lines)
    for cut in range(len(content)):
        ends = [end for _, end in whole_lines(content[:cut])]
        assert ends == [sum(map(len, lines[:n])) for n in range(1, 6) if sum(map(len, lines[:n])) <= cut]
    with pytest.raises(Damaged, match="line 3 cannot be read.*--new"):
        list(whole_lines(content.replace(b'"option":0', b'"option":1')))
    file = tmp_path / "2026.journal"
    file.write_bytes(content[:-5] + bytes(50))
    room = Room()
    journal = Journal(file, room.apply)
    assert file.read_bytes() == content[: -len(lines[-1])] and room.questions["q"].votes[0] == {"a": 2}
    journal.close()


def test_a_vote_that_was_written_after_the_end_counts_neither_then_nor_later(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path) as (port, hall):
            await hall.journal.keep(OPEN)
            end = {"do": "close", "question": "q", "round": 1}
            said = await asyncio.gather(hall.do(end), hall.do(vote("late", 1)), return_exceptions=True)
            assert said[0] is None and said[1].why == "closed"

    run(lesson())
    room, journal, _ = open_room(tmp_path / "journal", anew=False)
    assert room.questions["q"].counts()[0] == [0, 0, 0] and room.epoch == 1
    journal.close()


def test_one_journal_has_one_server_which_is_named_and_an_old_or_refused_one_is_left(tmp_path: Path) -> None:
    first, one, file = open_room(tmp_path, anew=False)
    begin(first, one, 8001)
    with pytest.raises(Held, match=rf"{first.code} is open in another process: {os.getpid()}, at port 8001.*--new"):
        open_room(tmp_path, anew=False)
    second, two, other = open_room(tmp_path, anew=True)
    assert other != file and first.code != second.code
    begin(second, two, 8002)
    one.close()
    two.close()
    again, three, same = open_room(tmp_path, anew=False)
    assert same == other and again.code == second.code and again.key == second.key and again.port == 8002
    begin(again, three, 8002)
    assert again.epoch == 2
    three.close()
    os.utime(other, (0, 0))
    anew, four, _ = open_room(tmp_path, anew=False)
    four.close()
    assert len({first.code, second.code, anew.code}) == 3 and len(list(tmp_path.glob("*.journal"))) == 3


def test_a_room_goes_on_at_its_port_or_says_who_has_it(tmp_path: Path) -> None:
    folder = ["--journal", str(tmp_path / "journal"), "--host", "127.0.0.1"]
    with Process(tmp_path) as served:
        command = [sys.executable, "-m", "whyformer_book.teach.classroom", str(served.html), *folder]
        other = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        assert other.returncode == 1
        assert (
            f"room {served.code} is open in another process: {served.process.pid}, at port {served.port}"
            in other.stderr
        )
        served.kill()
        with socket.create_server(("127.0.0.1", served.port)):
            other = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
            assert other.returncode == 1 and f"{served.code} was at port {served.port}" in other.stderr
        code = served.code
        served.start(port=None)
        assert served.code == code and f":{served.port}/room#{code}" in served.said


def test_all_gone_at_once_and_all_back(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path) as (port, hall):
            teacher = await slides(port, hall.room.key)
            await opened(teacher)
            phones = await asyncio.gather(*(phone(port, hall.room.code) for _ in range(300)))
            await asyncio.gather(*(one.votes("q", 1, number % 3) for number, one in enumerate(phones)))
            await teacher.hears(lambda me: me.room["here"] == 300)
            for one in phones:
                one.wire.close()
            await teacher.hears(lambda me: me.room["here"] == 0)
            assert not hall.phones
            back = await asyncio.gather(*(phone(port, "", one.you["token"]) for one in phones))
            await teacher.hears(lambda me: me.room["here"] == 300)
            assert [one.you["votes"]["q"][0] for one in back] == [number % 3 for number in range(300)]
            await asyncio.gather(*(one.votes("q", 1, number % 3) for number, one in enumerate(back)))
            assert hall.room.questions["q"].counts()[0] == [100, 100, 100]

    run(lesson())


def test_who_does_not_read_has_one_snapshot_waiting_and_is_dropped(tmp_path: Path) -> None:
    async def deaf(port: int, code: str) -> socket.socket:
        """A phone that greets, and never reads again; its system takes little in advance."""
        loop = asyncio.get_running_loop()
        one = socket.socket()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.setblocking(False)
        await loop.sock_connect(one, ("127.0.0.1", port))
        await loop.sock_sendall(one, (
            f"GET /live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode())  # fmt: skip
        hello = json.dumps({"do": "hi", "code": code, "token": ""}).encode()
        await loop.sock_sendall(one, bytes([0x81, 0x80 | len(hello), 0, 0, 0, 0]) + hello)  # a mask of noughts
        return one

    async def lesson() -> None:
        long = {"question": "q", "lesson": "l", "text": "x" * 900, "options": ["y" * 500] * 6}
        limits = Limits(sockets=500, devices=(500, 1), commands=(10_000, 10_000))
        async with in_process(tmp_path, limits, ping=1, buffer=4096) as (port, hall):
            teacher = await slides(port, hall.room.key)
            good = await phone(port, hall.room.code)
            silent = [await deaf(port, hall.room.code) for _ in range(20)]
            await teacher.hears(lambda me: me.room["here"] == 21)
            await teacher.says(do="open", round=1, **long)
            most = 0
            for step in range(40):
                await teacher.says(do="follow", page="p", lab="l", address=f"{step}" + "z" * 1900)
                await good.hears(lambda me, step=step: me.room["scene"].get("address", "").strip("z") == str(step))
                await teacher.hears(lambda me, step=step: me.room["scene"].get("address", "").strip("z") == str(step))
                held = [waiting(one) for one in hall.phones if one.ws_connection]
                assert max(held) < 40_000, "more than the newest is kept for one who does not read"
                most = max(most, *held)
            assert most > 1000, "they took it all"
            for _ in range(200):
                if len(hall.phones) == 1:
                    break
                await teacher.says(do="timer", seconds=0)
                await good.hears(lambda me: me.room["version"] == hall.public)
                await teacher.hears(lambda me: me.room["version"] == hall.private)
                await asyncio.sleep(0.1)
            assert {one.device for one in hall.phones} == {good.you["token"].partition(".")[0]}
            for one in silent:
                one.close()

    def waiting(one) -> int:
        """Bytes that the server holds for a socket."""
        return one.ws_connection.stream._total_write_index - one.ws_connection.stream._total_write_done_index

    run(lesson())


def test_a_storm_of_connections_takes_its_share_and_no_more(tmp_path: Path) -> None:
    async def lesson() -> None:
        limits = Limits(connections=60, of_address=40, sockets=10, devices=(500, 1))
        async with in_process(tmp_path, limits) as (port, hall):
            teacher, one = await slides(port, hall.room.key), await phone(port, hall.room.code)
            await opened(teacher)
            storm = []
            for _ in range(300):
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                storm.append(writer)
            await one.votes("q", 1, 1)
            await teacher.hears(lambda me: me.room["votes"][0] == [0, 1, 0])
            held = [each for each in psutil.Process().net_connections("tcp") if each.laddr.port == port and each.raddr]
            assert len([each for each in held if each.status == "ESTABLISHED"]) <= 40
            for writer in storm:
                writer.close()
            for _ in range(100):
                try:
                    other = await phone(port, hall.room.code)
                    break
                except (OSError, WebSocketClosedError):
                    await asyncio.sleep(0.1)
            await other.votes("q", 1, 2)
            for _ in range(8):
                await phone(port, hall.room.code)
            many = await connect(port)
            await many.says(do="hi", code=hall.room.code, token="")
            assert await many.wire.read_message() is None and many.wire.close_code == 1013

    run(lesson())


def test_a_room_in_which_nothing_happens_gives_signs_of_life(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path, beat=0.05) as (port, hall):
            one, teacher = await phone(port, hall.room.code), await slides(port, hall.room.key)
            for each in (one, teacher):
                said = [json.loads(await asyncio.wait_for(each.wire.read_message(), 8)) for _ in range(5)]
                assert {"is": "beat", "epoch": 1} in said
            stranger = await connect(port)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(stranger.wire.read_message(), 0.3)
            assert live.BEAT == 4

    run(lesson())


assert sys.platform.startswith("linux"), "these tests limit and stop a process as Linux does"
