"""Firefox and WebKit, driven by W3C WebDriver, with as much of Playwright's faces as ``driver.py`` needs.

Playwright brings patched builds of both; these are the browsers that a system has. Firefox answers WebDriver commands
itself (Marionette: JSON over a socket), WebKitGTK has a program that answers them over http.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

#: What a command is called: in a path of http, and by Firefox.
NAMES = {
    "url": "WebDriver:Navigate",
    "execute/async": "WebDriver:ExecuteAsyncScript",
    "actions": "WebDriver:PerformActions",
    "click": "WebDriver:ElementClick",
    "window/rect": "WebDriver:SetWindowRect",
}
KEYS = {"Enter": "\ue007", "End": "\ue010", "Home": "\ue011", "Backspace": "\ue003"}
KEYS |= {"ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
WINDOW = {"width": 1300, "height": 900}
PATIENCE = 60  # seconds until a browser that does not answer is given up
STARTS = 3  # times that it is started before it is given up
#: For a browser there is no host but this machine: all else is asked of a proxy, and nobody serves that.
NOBODY = "127.0.0.1:1"

#: Calls a function of the page, with what Playwright would give it, and waits for what it promises.
CALL = """const values = [...arguments], done = values.pop();
Promise.resolve().then(() => (%s)(...values)).then((value) => done({value: value ?? null}),
  (error) => done({error: `${error}\\n${error.stack}`}));"""

#: Sections far from the window get their real heights when they come near, so a page moves a little after a scroll.
#: WebKit's "center" goes to and fro by one pixel.
PLACE = """async (one) => {
  const frame = () => new Promise(requestAnimationFrame);
  for (let last = NaN, still = 0; still < 2; ) {
    one.scrollIntoView({block: "center", behavior: "instant"});
    await frame();
    const { y } = one.getBoundingClientRect();
    still = Math.abs(y - last) <= 1 ? still + 1 : 0;
    last = y;
  }
  return one.getBoundingClientRect().toJSON();
}"""


class Failed(Exception):
    """What the browser answered instead of a result."""


class Mouse:
    def __init__(self, page: Page) -> None:
        self.page, self.at = page, (0.0, 0.0)

    def _act(self, *actions: dict) -> None:
        pointer = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}
        self.page.command("actions", actions=[pointer])

    def move(self, x: float, y: float, steps: int = 1) -> None:
        (x0, y0), self.at = self.at, (x, y)
        ways = [(x0 + (x - x0) * i / steps, y0 + (y - y0) * i / steps) for i in range(1, steps + 1)]
        move = {"type": "pointerMove", "duration": 0, "origin": "viewport"}
        self._act(*({**move, "x": round(x), "y": round(y)} for x, y in ways))

    def down(self) -> None:
        self._act({"type": "pointerDown", "button": 0})

    def up(self) -> None:
        self._act({"type": "pointerUp", "button": 0})


class Keyboard:
    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, *keys: str) -> None:
        codes = [KEYS.get(key, key) for key in keys]
        actions = [{"type": kind, "value": code} for code in codes for kind in ("keyDown", "keyUp")]
        self.page.command("actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])


class Found:
    """Elements of a page, found once; what is done to them is done to the first."""

    def __init__(self, page: Page, references: list[str]) -> None:
        self.page, self.references = page, references

    def all(self) -> list[Found]:
        return [Found(self.page, [one]) for one in self.references]

    def count(self) -> int:
        return len(self.references)

    def nth(self, i: int) -> Found:
        return self.all()[i]

    @property
    def first(self) -> Found:
        return self.nth(0)

    def element_handle(self) -> Found:
        return self.first

    def evaluate(self, function: str, *values: Any) -> Any:
        return self.page.call(function, {ELEMENT: self.references[0]}, *values)

    def locator(self, css: str) -> Found:
        found = self.evaluate("(one, css) => [...one.querySelectorAll(css)]", css)
        return Found(self.page, [one[ELEMENT] for one in found])

    def query_selector(self, css: str) -> Found | None:
        found = self.locator(css)
        return found if found.count() else None

    def get_by_role(self, role: str, name: str) -> Found:
        return next(one for one in self.locator(role).all() if one.inner_text() == name)

    def get_attribute(self, name: str) -> str | None:
        return self.evaluate("(one, name) => one.getAttribute(name)", name)

    def inner_text(self) -> str:
        return self.evaluate("(one) => one.innerText")

    def is_visible(self) -> bool:
        return self.count() > 0 and self.evaluate("(one) => one.checkVisibility()")

    def bounding_box(self) -> dict[str, float]:
        """Where it stands in the window, once the page has come to rest."""
        return self.evaluate(PLACE)

    def focus(self) -> None:
        self.evaluate("(one) => one.focus()")

    def click(self) -> None:
        self.bounding_box()
        self.page.command("click", self.references[0])

    def press(self, key: str) -> None:
        self.focus()
        self.page.keyboard.press(key)

    def select_option(self, value: str) -> None:
        self.page.command("click", self.locator(f'option[value="{value}"]').references[0])

    def fill(self, text: str) -> None:
        self.evaluate("(one) => { one.focus(); one.select(); }")
        self.page.keyboard.press(*(text or ["Backspace"]))


class Page:
    """The one window of a browser."""

    def __init__(self) -> None:
        self.mouse, self.keyboard = Mouse(self), Keyboard(self)

    def command(self, name: str, element: str | None = None, **parameters: Any) -> Any:
        raise NotImplementedError

    def goto(self, url: str) -> None:
        self.command("url", url=url)

    def call(self, function: str, *values: Any) -> Any:
        answer = self.command("execute/async", script=CALL % function, args=values)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer["value"]

    def evaluate(self, function: str, value: Any = None) -> Any:
        return self.call(function, value)

    def locator(self, css: str) -> Found:
        found = self.call("(css) => [...document.querySelectorAll(css)]", css)
        return Found(self, [one[ELEMENT] for one in found])


def found(asked: str, names: tuple[str, ...], what: str, package: str) -> str:
    """The program that the variable ``asked`` names, else the first of ``names`` on the PATH; without one, fail."""
    path = os.environ.get(asked)
    for candidate in (path,) if path else names:
        if program := shutil.which(candidate):
            return program
    where = f"at {asked}={path!r}" if path else f"on the PATH ({', '.join(names)})"
    pytest.fail(f"No {what} {where}. Install it (Debian: apt-get install {package}), or set {asked}.", pytrace=False)


class Programs:
    """What a browser needs running: started with a home and a log in ``folder``, and all stopped in the end."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log, self.running = folder, folder / "log", []

    def start(self, *command: str, environment: dict[str, str] | None = None, **options: Any) -> subprocess.Popen:
        environment = {**os.environ, "HOME": str(self.folder), **(environment or {})}
        with self.log.open("ab") as log:
            output = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            program = subprocess.Popen(command, env=environment, start_new_session=True, **output, **options)
        self.running.append(program)
        return program

    def wait_for(self, ready: Callable[[], Any], program: subprocess.Popen) -> Any:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and program.poll() is None:
            if answer := ready():
                return answer
            time.sleep(0.02)
        said = self.log.read_text(encoding="utf-8", errors="replace")[-2000:]
        pytest.fail(f"{program.args[0]} does not start. It said:\n{said}", pytrace=False)

    def stop(self) -> None:
        """These, and what they started."""
        for program in reversed(self.running):
            if program.poll() is None:
                os.killpg(program.pid, signal.SIGTERM)
            try:
                program.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(program.pid, signal.SIGKILL)
                program.wait()


class Firefox(Page):
    """Firefox, without a window and with a profile of its own, by Marionette."""

    def __init__(self, programs: Programs) -> None:
        super().__init__()
        program = found("FIREFOX", ("firefox-esr", "firefox"), "Firefox", "firefox-esr")
        settings = {"marionette.port": 0, "services.settings.server": "data:,", "app.normandy.enabled": False}
        host, number = NOBODY.split(":")
        proxy = {"type": 1, "http": host, "http_port": int(number), "ssl": host, "ssl_port": int(number)}
        settings |= {f"network.proxy.{name}": value for name, value in proxy.items()}
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in settings.items()]
        profile = programs.folder / "profile"
        profile.mkdir()
        (profile / "user.js").write_text("".join(lines), encoding="utf-8")
        browser = programs.start(program, "--headless", "--marionette", "--no-remote", "--profile", str(profile))
        port = profile / "MarionetteActivePort"
        number = programs.wait_for(lambda: port.is_file() and port.read_text(encoding="utf-8"), browser)
        self.socket = socket.create_connection(("127.0.0.1", int(number)), PATIENCE)
        self.answers = self.socket.makefile("rb")
        self._hear()
        self.sent = 0
        self._ask("WebDriver:NewSession", {})

    def _hear(self) -> Any:
        size = b""
        while not size.endswith(b":"):
            byte = self.answers.read(1)
            if not byte:
                raise Failed("Firefox has gone")
            size += byte
        return json.loads(self.answers.read(int(size[:-1])))

    def _ask(self, name: str, parameters: dict) -> Any:
        self.sent += 1
        message = json.dumps([0, self.sent, name, parameters]).encode()
        self.socket.sendall(b"%d:%b" % (len(message), message))
        _, _, error, result = self._hear()
        if error:
            raise Failed(f"{name}: {error['error']}: {error['message']}")
        return result

    def command(self, name: str, element: str | None = None, **parameters: Any) -> Any:
        return self._ask(NAMES[name], parameters | ({"id": element} if element else {})).get("value")


class WebKit(Page):
    """WebKitGTK's own small browser, on a screen of its own that nobody sees, by WebKitWebDriver."""

    def __init__(self, programs: Programs) -> None:
        super().__init__()
        program = found("WEBKIT", ("WebKitWebDriver",), "WebKitWebDriver", "webkit2gtk-driver xvfb")
        screen = found("XVFB", ("Xvfb",), "Xvfb, the screen for WebKit,", "xvfb")
        reading, writing = os.pipe()
        size = ("-screen", "0", f"{WINDOW['width']}x{WINDOW['height']}x24", "-nolisten", "tcp")
        programs.start(screen, "-displayfd", str(writing), *size, pass_fds=[writing])
        os.close(writing)
        with os.fdopen(reading) as said:
            display = said.readline().strip()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        environment = {"DISPLAY": f":{display}", "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1"}
        environment |= {"WEBKIT_DISABLE_COMPOSITING_MODE": "1"}  # without a graphics card it takes half of the time
        driver = programs.start(program, f"--port={port}", environment=environment)
        programs.wait_for(lambda: self._answers(port), driver)
        self.base = f"http://127.0.0.1:{port}/session"
        proxy = {"proxyType": "manual", "httpProxy": NOBODY, "sslProxy": NOBODY, "noProxy": ["127.0.0.1"]}
        made = self._ask("", {"capabilities": {"alwaysMatch": {"proxy": proxy}}})
        self.base += f"/{made['sessionId']}/"

    @staticmethod
    def _answers(port: int) -> bool:
        with socket.socket() as attempt:
            return attempt.connect_ex(("127.0.0.1", port)) == 0

    def _ask(self, path: str, parameters: dict) -> Any:
        data, kind = json.dumps(parameters).encode(), {"Content-Type": "application/json"}
        try:
            with urllib.request.urlopen(
                urllib.request.Request(self.base + path, data, kind), timeout=PATIENCE
            ) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as refused:
            value = json.load(refused)["value"]
            raise Failed(f"{path}: {value['error']}: {value['message']}") from None

    def command(self, name: str, element: str | None = None, **parameters: Any) -> Any:
        return self._ask(f"element/{element}/{name}" if element else name, parameters)


BROWSERS = {"firefox": Firefox, "webkit": WebKit}


@contextmanager
def browse(name: str) -> Iterator[Page]:
    """The browser of that name, open. WebKit's driver now and then waits for ever for a browser that it has started
    (seen on a busy machine): such a start is given up and made again, twice at most."""
    with ExitStack() as opened:
        for attempt in range(STARTS):
            folder = opened.enter_context(TemporaryDirectory(ignore_cleanup_errors=True))
            programs = Programs(Path(folder))
            opened.callback(programs.stop)
            try:
                page = BROWSERS[name](programs)
                page.command("window/rect", x=0, y=0, **WINDOW)
                break
            except TimeoutError:
                programs.stop()
                if attempt + 1 == STARTS:
                    raise
        yield page
