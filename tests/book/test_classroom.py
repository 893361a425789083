"""The book for a room: its files and its slide are given out, nothing else is, and nothing is taken in but votes."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import http.client
import os
import re
import socket
import subprocess
import sys
import time
import zlib
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from room_cases import in_process, run
from tornado.httpclient import AsyncHTTPClient
from whyformer_book.teach import classroom, static_files

COMMAND = [sys.executable, "-m", "whyformer_book.teach.classroom"]
LONG = "a long page, in which much stands more than once. " * 200
SCRIPT = 'console.log("a script");\r\n' * 20
FOR_GOOD = "public, max-age=31536000, immutable"


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port at which a small book is served; beside it lies a secret, and a link leads to it."""
    folder = tmp_path_factory.mktemp("room")
    book = folder / "html"
    (book / "chapters").mkdir(parents=True)
    (book / "index.html").write_text("the first page", encoding="utf-8")
    (book / "chapters/one.html").write_text("a chapter", encoding="utf-8")
    (book / "chapters/long.html").write_text(LONG, encoding="utf-8")
    (book / "script.js").write_bytes(SCRIPT.encode())
    (book / "noise.woff2").write_bytes(hashlib.shake_128(b"noise").digest(5000))
    (book / "404.html").write_text("not in the book", encoding="utf-8")
    (folder / "secret.txt").write_text("secret", encoding="utf-8")
    (folder / "html-other").mkdir()
    (folder / "html-other/secret.txt").write_text("secret", encoding="utf-8")
    (book / "way-out").symlink_to(folder)
    (book / "file-out.txt").symlink_to(folder / "secret.txt")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    served = subprocess.Popen(
        [*COMMAND, str(book), "--port", str(port), "--host", "127.0.0.1", "--journal", str(folder / "journal")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        for _ in range(200):
            with socket.socket() as attempt:
                if attempt.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield port
    finally:
        served.terminate()
        said = served.communicate(timeout=10)[0].decode()
    assert f"http://127.0.0.1:{port}/\n" in said and "Plain HTTP" in said and f"{port}/class" in said
    assert "GET" not in said, "it is logged who asked for what"


def fetch(port: int, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes, dict[str, str]]:
    """Status, body and headers; the path is sent as it is."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest(method, path, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    return answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()}


def ask(port: int, path: str, method: str = "GET") -> tuple[int, str, dict[str, str]]:
    """Status, text and headers."""
    status, body, headers = fetch(port, path, method)
    return status, body.decode(), headers


def test_pages_are_given_out(room: int) -> None:
    assert ask(room, "/")[:2] == (200, "the first page")
    assert ask(room, "/chapters/one.html?teach")[:2] == (200, "a chapter")
    assert ask(room, "/chapters/two.html")[:2] == (404, "not in the book")


@pytest.mark.parametrize(
    ("path", "status"), [("/", 200), ("/?v=1", 200), ("/two.html", 404), ("/file-out.txt", 403), ("/class", 200)]
)
def test_a_type_is_what_is_said_and_nothing_is_kept(room: int, path: str, status: int) -> None:
    found, _, headers = ask(room, path)
    assert (found, headers["x-content-type-options"], headers["cache-control"]) == (status, "nosniff", "no-cache")
    assert headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt", "/%2e%2e/secret.txt", "/chapters/../../secret.txt", "/..%2fsecret.txt", "/..\\secret.txt",
        "/way-out/secret.txt", "/file-out.txt", "/../html-other/secret.txt", "//etc/passwd", "/%2fetc/passwd",
        "/way-out", "/chapters",
    ],
)  # fmt: skip
def test_nothing_beside_the_book_is(room: int, path: str) -> None:
    status, text, _ = ask(room, path)
    assert status in (301, 400, 403, 404) and "secret" not in text.replace(path, "") and "root:" not in text


@pytest.mark.parametrize(
    "path",
    [
        "/%00", "/chapters/one.html%00", "/class%00", "/%00/../secret.txt", "/%0a", "/%ff", "/%ed%a0%80", "/%zz", "/%",
        "/..%5csecret.txt", "/%5c%5chost%5cshare", "/a%2f..%2f..%2fsecret.txt", "/" + 300 * "a", "/" + 2000 * "a/",
        "/class?at=%ff", "/index.html/one",
    ],
)  # fmt: skip
def test_an_odd_address_is_nothing_and_no_fault(room: int, path: str) -> None:
    status, text, _ = ask(room, path)
    assert status in (400, 403, 404) and "secret" not in text.replace(path, "")


def test_what_takes_less_room_compressed_is_sent_so_to_who_takes_it(room: int) -> None:
    status, packed, headers = fetch(room, "/chapters/long.html", Accept_Encoding="br, gzip;q=0.8")
    assert (status, headers["content-encoding"], headers["vary"]) == (200, "gzip", "Accept-Encoding")
    assert gzip.decompress(packed).decode() == LONG and len(packed) * 20 < len(LONG)
    assert int(headers["content-length"]) == len(packed)
    for refused in ("", "identity", "br", "gzip;q=0, br", "gzip; q=0.000"):
        _, plain, whole = fetch(room, "/chapters/long.html", Accept_Encoding=refused)
        assert plain.decode() == LONG and "content-encoding" not in whole and whole["vary"] == "Accept-Encoding"
    _, nothing, head = fetch(room, "/chapters/long.html", "HEAD", Accept_Encoding="gzip")
    assert not nothing and {**head, "date": ""} == {**headers, "date": ""}
    _, _, noise = fetch(room, "/noise.woff2", Accept_Encoding="gzip")
    assert "content-encoding" not in noise and "vary" not in noise and noise["content-length"] == "5000"


def test_each_form_has_a_mark_of_its_own_by_which_it_is_asked_for(room: int) -> None:
    path = "/chapters/long.html"
    forms: list[dict[str, str]] = [{}, {"Accept_Encoding": "gzip"}]
    marks = [fetch(room, path, **form)[2]["etag"] for form in forms]
    assert len(set(marks)) == 2
    for form, mark, other in zip(forms, marks, reversed(marks), strict=True):
        status, body, headers = fetch(room, path, If_None_Match=mark, **form)
        assert (status, body) == (304, b"")
        assert (headers["etag"], headers["vary"], headers["cache-control"]) == (mark, "Accept-Encoding", "no-cache")
        assert fetch(room, path, If_None_Match=other, **form)[0] == 200


def test_an_address_with_the_digest_of_what_is_there_is_kept_for_good(room: int) -> None:
    crc = f"{zlib.crc32(SCRIPT.replace(chr(13), '').encode()):08x}"  # as Sphinx makes it
    sha = hashlib.sha256(SCRIPT.encode()).hexdigest()[:8]  # as the book does
    for version, kept in ((crc, FOR_GOOD), (sha, FOR_GOOD), ("00000000", "no-cache"), ("", "no-cache")):
        for form in ({}, {"Accept_Encoding": "gzip"}):
            assert fetch(room, f"/script.js?v={version}", **form)[2]["cache-control"] == kept
    assert fetch(room, "/script.js")[2]["cache-control"] == "no-cache"
    assert fetch(room, "/none.js?v=00000000")[2]["cache-control"] == "no-cache"


def test_a_file_is_read_once_for_all_and_anew_when_it_has_changed(tmp_path: Path, monkeypatch) -> None:
    page, read = tmp_path / "page.html", []
    page.write_text("before")
    made = static_files.Body.read
    monkeypatch.setattr(static_files.Body, "read", lambda file: read.append(file) or made(file))

    async def class_of_thirty() -> None:
        bodies = static_files.Bodies(memory=100)
        assert {body.plain for body in await asyncio.gather(*(bodies.of(str(page)) for _ in range(30)))} == {b"before"}
        assert len(read) == 1
        page.write_text("after", encoding="utf-8")
        os.utime(page, ns=(1, 1))
        assert (await bodies.of(str(page))).plain == b"after" and len(read) == 2
        (tmp_path / "large").write_bytes(bytes(1000))
        assert len((await bodies.of(str(tmp_path / "large"))).plain) == 1000
        assert not bodies.kept, "more is kept than there is memory for"

    run(class_of_thirty())


def networks(monkeypatch: pytest.MonkeyPatch, found: dict[str, list[str]], routed: str, down: tuple[str, ...] = ()):
    """A machine with these interfaces."""
    Address, State = namedtuple("Address", "family address"), namedtuple("State", "isup")
    family = {True: socket.AF_INET6, False: socket.AF_INET}
    interfaces = {name: [Address(family[":" in one], one) for one in each] for name, each in found.items()}
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: interfaces)
    monkeypatch.setattr(psutil, "net_if_stats", lambda: {name: State(name not in down) for name in found})
    monkeypatch.setattr(classroom, "routed", lambda: routed)


def test_all_addresses_are_found_with_a_route_into_the_world_or_without(monkeypatch: pytest.MonkeyPatch) -> None:
    lo = {"lo": ["127.0.0.1", "::1"]}
    networks(monkeypatch, lo, "")
    assert classroom.own_addresses() == ["127.0.0.1"]
    networks(monkeypatch, {**lo, "hotspot": ["10.42.0.1", "fe80::1%hotspot"]}, "")
    assert classroom.own_addresses() == ["10.42.0.1"]
    several = {
        **lo,
        "odd": ["169.254.3.4"],
        "net": ["fd00::2", "192.0.2.7"],
        "hotspot": ["10.42.0.1"],
        "off": ["10.9.9.9"],
    }
    networks(monkeypatch, several, "192.0.2.7", down=("off",))
    assert classroom.own_addresses() == ["192.0.2.7", "10.42.0.1", "169.254.3.4", "fd00::2"]
    assert classroom.url("fd00::2", 8000) == "http://[fd00::2]:8000/"


def test_the_slide_offers_a_choice_of_addresses(tmp_path: Path) -> None:
    found = ["http://192.0.2.7:8000/", "http://10.42.0.1:8000/", "http://[fd00::2]:8000/"]

    async def slides(*queries: str) -> list[str]:
        async with in_process(tmp_path, found=found) as (port, _):
            client = AsyncHTTPClient()
            answers = [await client.fetch(f"http://127.0.0.1:{port}/class{query}") for query in queries]
            return [answer.body.decode() for answer in answers]

    first, second, strange = run(slides("", "?at=http://10.42.0.1:8000/", "?at=http://example.org/<b>"))
    assert re.findall(r'class="here" href="/">(.*?)<', first) == found[:1]
    assert re.findall(r'href="/class\?.*?">(.*?)<', first) == found[1:]
    assert 'href="/class?at=http%3A%2F%2F10.42.0.1%3A8000%2F"' in first
    assert re.findall(r'class="here" href="/">(.*?)<', second) == found[1:2]
    assert re.findall(r'href="/class\?.*?">(.*?)<', second) == [found[0], found[2]]
    assert strange == first
    codes = [re.search(r"<svg.*?</svg>", slide, re.DOTALL) for slide in (first, second)]
    assert codes[0] and codes[1] and codes[0][0] != codes[1][0]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_is_taken_in(room: int, method: str) -> None:
    assert ask(room, "/index.html", method)[0] == 405 and ask(room, "/class", method)[0] == 405


def test_the_slide_shows_the_address_as_words_and_as_a_code(room: int) -> None:
    status, text, _ = ask(room, "/class")
    assert status == 200 and f">http://127.0.0.1:{room}/<" in text and "Plain HTTP" in text
    assert re.search(r"<svg [^>]*viewBox", text) and "<script" not in text


def test_what_is_wrong_is_said(room: int, tmp_path: Path) -> None:
    nothing = subprocess.run([*COMMAND, str(tmp_path)], capture_output=True, text=True, timeout=60)
    assert nothing.returncode == 1 and "make book" in nothing.stderr
    (tmp_path / "index.html").write_text("x", encoding="utf-8")
    given = [*COMMAND, str(tmp_path), "--host", "127.0.0.1", "--journal", str(tmp_path / "journal"), "--port"]
    taken = subprocess.run([*given, str(room)], capture_output=True, text=True, timeout=60)
    assert taken.returncode == 1 and "no free port" in taken.stderr and "--port" in taken.stderr
    wild = subprocess.run([*given, "80"], capture_output=True, text=True, timeout=60)
    assert wild.returncode == 2 and "1024..65535" in wild.stderr
