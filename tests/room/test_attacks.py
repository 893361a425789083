"""Who means no good: messages that are none, other sites, guessed codes and keys, too much of everything."""

from __future__ import annotations

import asyncio
import http.client
import json
from pathlib import Path

import pytest
from room_cases import OPTIONS, QUESTION, asked, connect, in_process, opened, phone, run, slides
from tornado.httpclient import HTTPClientError
from whyformer_book.teach.room import messages
from whyformer_book.teach.room.access import Buckets, Limits, Names, device_of, neighbour, new_token
from whyformer_book.teach.room.state import Room, new_room

TICKET = {"do": "ticket", "lesson": "counting", "text": "What I take."}
VOTE = {"do": "vote", "question": "q", "round": 1, "option": 0}
HOSTILE: list[str | bytes] = [
    "", "{", "null", "[]", "3", '"hi"', "NaN", "[" * 3000, '{"do":' * 500, "{" + '"a":1,' * 400 + '"do":"vote"}',
    b"\x00\xff", json.dumps(VOTE).encode(), '{"do": ["vote"]}', '{"do": {}}', '{"do": null}', '{"do": "open"}',
    json.dumps({"do": "open", "question": "q", "round": 1, **QUESTION}),
    json.dumps({"do": "close", "question": "q", "round": 1}),
    json.dumps({"do": "answer", "question": "q", "round": 1, "right": 1, "reasons": OPTIONS}), '{"do": "start"}',
    '{"do": "room"}', json.dumps(TICKET | {"lesson": ""}), json.dumps(TICKET | {"lesson": "x" * 121}),
    json.dumps(TICKET | {"lesson": "never asked"}),
    json.dumps(VOTE | {"option": -1}), json.dumps(VOTE | {"option": 3}), json.dumps(VOTE | {"option": 6}),
    json.dumps(VOTE | {"option": True}), json.dumps(VOTE | {"option": 1.0}), json.dumps(VOTE | {"option": "1"}),
    json.dumps(VOTE | {"option": None}), json.dumps(VOTE | {"option": 10**400}), json.dumps(VOTE).replace("0}", "NaN}"),
    json.dumps(VOTE).replace("0}", "1e999}"), json.dumps(VOTE | {"round": 0}), json.dumps(VOTE | {"round": 2}),
    json.dumps(VOTE | {"round": 3}), json.dumps(VOTE | {"question": "other"}), json.dumps(VOTE | {"question": ""}),
    json.dumps(VOTE | {"question": "x" * 121}), json.dumps(VOTE | {"question": ["q"]}),
    json.dumps(VOTE | {"question": "\ud800"}),
    json.dumps(VOTE | {"question": "q\u0000"}), json.dumps(VOTE | {"device": "another"}), '{"do": "vote"}',
    json.dumps(TICKET | {"text": ""}), json.dumps(TICKET | {"text": "x" * 281}),
    json.dumps(TICKET | {"text": "a\ud83d"}), json.dumps(TICKET | {"text": "a\nb"}),
    json.dumps(TICKET | {"text": {"html": "<b>"}}), json.dumps({"do": "ticket"}), '{"do": "hi"}',
    json.dumps({"do": "hi", "code": "x" * 13, "token": ""}), json.dumps({"do": "hi", "code": "", "token": "\udfff"}),
    json.dumps({"do": "hi", "code": "", "token": 5}), json.dumps({"do": "hi", "code": "ß" * 12, "token": "ü.ü"}),
]  # fmt: skip


def test_a_table_of_hostile_messages_is_refused_in_words_and_changes_nothing(tmp_path: Path) -> None:
    async def lesson() -> None:
        limits = Limits(messages=(1000, 1000), guesses=(1000, 1000))
        async with in_process(tmp_path, limits) as (port, hall):
            teacher, one = await slides(port, hall.room.key), await phone(port, hall.room.code)
            await opened(teacher)
            await one.votes("q", 1, 1)
            written, token = hall.journal.end, one.you["token"]
            for number, sent in enumerate(HOSTILE, 1):
                await one.wire.write_message(sent, binary=isinstance(sent, bytes))
                await one.hears(lambda me, number=number: len(me.refused) == number)
                said = one.refused[-1]["sentence"]
                assert 10 < len(said) < 200 and said.isprintable(), (sent, said)
            assert hall.journal.end == written and hall.room.questions["q"].counts() == [[0, 1, 0], [0, 0, 0]]
            assert one.you["token"] == token and not hall.room.tickets
            await one.votes("q", 1, 2)  # it is still served

    run(lesson())


NUMBER = {"do": "number", "question": "n", "value": 0}
NO_NUMBERS = [
    json.dumps(NUMBER | {"value": value}) for value in (True, None, "576", "<b>5</b>", [5], {}, 1.1e12, -2e12, 10**400)
] + [
    *(json.dumps(NUMBER).replace("0}", f"{value}}}") for value in ("NaN", "1e999", "-1e999", "Infinity", "")),
    json.dumps(NUMBER | {"question": "never asked"}), json.dumps(NUMBER | {"device": "another"}), '{"do": "number"}',
    json.dumps({"do": "numbers", "question": "m", "lesson": "l", "text": "t", "page": "p", "part": ""}),
]  # fmt: skip


def test_what_is_no_number_within_bounds_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path, Limits(messages=(1000, 1000))) as (port, hall):
            teacher, one = await slides(port, hall.room.key), await phone(port, hall.room.code)
            await teacher.says(do="numbers", question="n", lesson="l", text="How many?", page="chapters/x", part="ex")
            await one.hears(lambda me: me.room["scene"].get("question") == "n")
            written = hall.journal.end
            for number, sent in enumerate(NO_NUMBERS, 1):
                await one.wire.write_message(sent)
                await one.hears(lambda me, number=number: len(me.refused) == number)
                assert 10 < len(one.refused[-1]["sentence"]) < 200
            assert hall.journal.end == written and not hall.room.numbers["n"].of_device
            await one.says(**NUMBER | {"value": -1e12})  # it is still served, up to the bound
            await one.hears(lambda me: me.you["numbers"] == {"n": -1e12})

    run(lesson())


@pytest.mark.parametrize(
    "sent", [each for each in HOSTILE if '"vote"' not in str(each) and '"ticket"' not in str(each)]
)
def test_the_same_from_the_teachers_side_is_refused(sent: str | bytes) -> None:
    for allowed in (messages.PHONE, messages.TEACHER):
        try:
            line = messages.read(sent, allowed)
        except messages.Refused as refused:
            assert refused.why == "wrong" and str(refused)
        else:
            assert line["do"] in allowed  # what is well said by the one and refused to the other
    assert not (set(messages.PHONE) & set(messages.TEACHER))


def test_what_the_teacher_says_is_read_as_strictly(tmp_path: Path) -> None:
    one = {"do": "open", "question": "q", "round": 1, **QUESTION}
    wrong = [
        one | {"options": ["one"]}, one | {"options": ["x"] * 7}, one | {"options": ["a", "\ud800"]},
        one | {"options": "ab"},
        one | {"options": ["a", ""]}, one | {"text": "x" * 1001}, {"do": "timer", "seconds": -1},
        {"do": "timer", "seconds": 3601},
        {"do": "answer", "question": "q", "round": 1, "right": 0, "reasons": ["only one"]},
        {"do": "follow", "page": "p", "lab": "l", "address": "x" * 2001}, {"do": "wait", "more": 1},
    ]  # fmt: skip
    for each in wrong:
        with pytest.raises(messages.Refused, match="texts of|letters|whole number|exactly"):
            messages.read(json.dumps(each), messages.TEACHER)
    room = Room()
    room.apply(one)
    for each in ({"right": 3, "reasons": OPTIONS}, {"right": 0, "reasons": ["a", "b"]}):
        with pytest.raises(messages.Refused, match="3 options"):
            room.apply({"do": "answer", "question": "q", "round": 1, **each})


def test_a_message_has_its_length_and_a_socket_its_number(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path, Limits(messages=(20, 0.001))) as (port, hall):
            teacher = await slides(port, hall.room.key)
            await opened(teacher)
            one = await phone(port, hall.room.code)
            await one.wire.write_message(" " * 5000)
            await one.hears(lambda me: me.closed)
            assert one.wire.close_code == 1009
            other = await phone(port, hall.room.code)
            for option in range(30):
                await other.says(do="vote", question="q", round=1, option=option % 3)
            await other.hears(lambda me: me.closed)
            assert other.wire.close_code == 1008 and "many" in other.wire.close_reason
            long = "e" * 30_000
            await teacher.says(do="ask", lesson="counting", text=long)
            await teacher.hears(lambda me: me.refused)
            await teacher.wire.write_message("x" * 70_000)
            await teacher.hears(lambda me: me.closed)
            assert teacher.wire.close_code == 1009

    run(lesson())


def test_codes_cannot_be_guessed_and_one_address_has_no_thousand_devices(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path, Limits(guesses=(5, 0.001), devices=(3, 0.001))) as (port, hall):
            known = [await phone(port, hall.room.code.lower()) for _ in range(3)]
            one = await connect(port)
            await one.says(do="hi", code=hall.room.code, token="")
            await one.hears(lambda me: me.refused)
            assert one.refused[0]["why"] == "wait" and "devices" in one.refused[0]["sentence"]
            for guess in range(6):
                await one.says(do="hi", code=f"AAAAA{guess}", token=known[0].you["token"][:-1] + "x")
            await one.hears(lambda me: len(me.refused) == 7)
            assert [each["why"] for each in one.refused[1:]] == ["code"] * 5 + ["wait"]
            assert (await phone(port, "", known[1].you["token"])).you["token"] == known[1].you["token"]
            await one.says(**VOTE)
            await one.hears(lambda me: len(me.refused) == 8)
            assert not one.room and "hi" in one.refused[-1]["sentence"]

    run(lesson())


def test_a_token_is_of_one_room_and_limits_count_a_machine_once() -> None:
    ours, theirs = new_room()["secret"], new_room()["secret"]
    token = new_token(ours)
    assert device_of(ours, token) == token.partition(".")[0] and not device_of(theirs, token)
    for wrong in (
        "",
        ".",
        token[:-1],
        token + "0",
        token.upper(),
        f"x{token}",
        token.replace(".", ""),
        "é.é",
        "\ud800.",
    ):
        assert not device_of(ours, wrong)
    assert neighbour("::ffff:192.0.2.7") == neighbour("192.0.2.7") == "192.0.2.7"
    assert neighbour("fd00:1:2:3::4") == neighbour("fd00:1:2:3:5:6:7:8") != neighbour("fd00:1:2:4::4")
    assert neighbour("fe80::1%lan") == neighbour("fe80::2") and neighbour("odd") == "odd"


def test_a_bucket_fills_again_and_there_are_not_more_than_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    bucket = Buckets((2, 0.5), lambda: now[0])
    assert [bucket.take("a") for _ in range(3)] == [True, True, False] and bucket.take("b")
    now[0] += 2
    assert [bucket.take("a") for _ in range(2)] == [True, False]
    for number in range(12_000):
        bucket.take(str(number))
    assert len(bucket.left) <= 5000 and bucket.take("new")


def ask(port: int, path: str, **headers: str) -> tuple[int, bytes, dict[str, str]]:
    """Status, body and headers, of a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest("GET", path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()}
    connection.close()
    return found


REBOUND = [
    "evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}",
    "0.0.0.0:{port}", "127.0.0.2", "[::2]:{port}", "localhost.",
]  # fmt: skip
PATHS = [
    "/", "/class", "/room", "/room/phone.js", "/live", "/enter?key=x", "/teach/", "/teach/live", 
    "/teach/votes.csv", "/none",
]  # fmt: skip


def test_a_name_that_another_site_lets_point_here_is_refused_everywhere(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path) as (port, hall):
            key = f"whyformer-key-{port}={hall.room.key}"
            for path in PATHS:
                for host in REBOUND:
                    found = await asyncio.to_thread(ask, port, path, Host=host.format(port=port), Cookie=key)
                    assert found[0] == 421 and b"first page" not in found[1], (path, host)
            for host in ("127.0.0.1", "LOCALHOST:80", f"[::1]:{port}"):
                assert (await asyncio.to_thread(ask, port, "/", Host=host))[0] == 200

    run(lesson())


ORIGINS = ["http://evil.example", "null", "http://127.0.0.1", "http://localhost:1", "http://127.0.0.1:1.evil.example"]


def test_only_our_own_pages_open_sockets(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path) as (port, hall):
            key = f"whyformer-key-{port}={hall.room.key}"
            for path in ("/live", "/teach/live"):
                for origin in (*ORIGINS, f"http://127.0.0.1:{port + 1}", f"https://127.0.0.1:{port}"):
                    with pytest.raises(HTTPClientError, match="403"):
                        await connect(port, path, Origin=origin, Cookie=key)
                await connect(port, path, Origin=f"http://127.0.0.1:{port}", Cookie=key)
            for cookie in (
                "",
                f"whyformer-key-{port}=",
                f"whyformer-key-{port}={'0' * 48}",
                f"whyformer-key-1={hall.room.key}",
            ):
                with pytest.raises(HTTPClientError, match="403"):
                    await connect(port, "/teach/live", Cookie=cookie)

    run(lesson())


def test_the_key_becomes_a_cookie_that_no_script_and_no_other_site_has(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path) as (port, hall):
            status, body, headers = await asyncio.to_thread(ask, port, f"/enter?key={hall.room.key}")
            assert status == 302 and headers["location"] == "/teach/" and hall.room.key.encode() not in body
            assert headers["referrer-policy"] == "no-referrer"
            for wrong in ("", "x", "%ff", hall.room.key[:-1]):
                status, body, headers = await asyncio.to_thread(ask, port, f"/enter?key={wrong}")
                assert status in (400, 403) and "set-cookie" not in headers
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            await asyncio.to_thread(connection.request, "GET", f"/enter?key={hall.room.key}")
            cookies = (await asyncio.to_thread(connection.getresponse)).msg.get_all("Set-Cookie")
            connection.close()
            (own,) = [each for each in cookies if hall.room.key in each]
            assert all(
                word in own for word in ("HttpOnly", "SameSite=Strict", "Path=/teach/", f"whyformer-key-{port}=")
            )

    run(lesson())


def test_the_phones_page_loads_its_own_and_nothing_else(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path) as (port, hall):
            status, body, headers = await asyncio.to_thread(ask, port, "/room")
            assert status == 200 and b"phone.js" in body and hall.room.code.encode() not in body
            assert (
                "default-src 'none'" in headers["content-security-policy"]
                and headers["x-frame-options"] == "SAMEORIGIN"
            )
            for path in (
                "/room/../server.py",
                "/room/labs.js",
                "/room/phone.js%00",
                "/teach/%00",
                "/teach/..%2fjournal",
            ):
                key = f"whyformer-key-{port}={hall.room.key}"
                assert (await asyncio.to_thread(ask, port, path, Cookie=key))[0] in (400, 403, 404)

    run(lesson())


def test_a_request_that_is_too_long_or_has_a_body_is_refused(tmp_path: Path) -> None:
    async def lesson() -> None:
        async with in_process(tmp_path) as (port, hall):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX: {'x' * 20_000}\r\n\r\n".encode())
            assert b"200 OK" not in await asyncio.wait_for(reader.read(), 10)
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 999999\r\n\r\n".encode())
            assert b"200 OK" not in await asyncio.wait_for(reader.read(), 10)
            assert (await phone(port, hall.room.code)).room["question"] is None and not asked(
                await phone(port, hall.room.code)
            )

    run(lesson())


def test_names_of_this_machine_are_looked_up_and_one_can_be_given() -> None:
    names = Names(lambda: ["192.0.2.7", "fd00::2"], "Room.Test")
    assert all(map(names.has, ("192.0.2.7", "[fd00::2]", "localhost", "127.0.0.1", "[::1]", "room.test")))
    assert not any(map(names.has, ("", "evil.example", "192.0.2.8", "room.test.evil.example")))
