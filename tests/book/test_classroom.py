"""The book for a room: its files and its slide are given out, nothing else is, and nothing is taken in."""

from __future__ import annotations

import http.client
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from book_cases import ROOT

COMMAND = [sys.executable, "-m", "whyformer.book.classroom"]


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port at which a small book is served; beside it lies a secret, and a link leads to it."""
    folder = tmp_path_factory.mktemp("room")
    book = folder / "html"
    (book / "chapters").mkdir(parents=True)
    (book / "index.html").write_text("the first page", encoding="utf-8")
    (book / "chapters/one.html").write_text("a chapter", encoding="utf-8")
    (book / "404.html").write_text("not in the book", encoding="utf-8")
    (folder / "secret.txt").write_text("secret", encoding="utf-8")
    (folder / "html-other").mkdir()
    (folder / "html-other/secret.txt").write_text("secret", encoding="utf-8")
    (book / "way-out").symlink_to(folder)
    (book / "file-out.txt").symlink_to(folder / "secret.txt")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    served = subprocess.Popen([*COMMAND, str(book), "--port", str(port), "--host", "127.0.0.1"], stdout=subprocess.PIPE)
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


def ask(port: int, path: str, method: str = "GET") -> tuple[int, str, dict[str, str]]:
    """Status, text and headers; the path is sent as it is."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest(method, path, skip_accept_encoding=True)
    connection.endheaders()
    answer = connection.getresponse()
    return answer.status, answer.read().decode(), {name.lower(): value for name, value in answer.getheaders()}


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
    given = [*COMMAND, str(tmp_path), "--host", "127.0.0.1", "--port"]
    taken = subprocess.run([*given, str(room)], capture_output=True, text=True, timeout=60)
    assert taken.returncode == 1 and "no free port" in taken.stderr and "--port" in taken.stderr
    wild = subprocess.run([*given, "80"], capture_output=True, text=True, timeout=60)
    assert wild.returncode == 2 and "1024..65535" in wild.stderr


def test_a_room_starts_with_one_command() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^class: .*\n(\t.*\n)*\t.*whyformer\.book\.classroom", makefile, re.MULTILINE)
