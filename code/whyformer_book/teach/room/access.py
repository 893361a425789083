"""Who may come in: names of this machine, the room's code, tokens of devices, the teacher's key, and limits.

A page of another site can send a browser here: by a name that it lets point to this machine (so the ``Host`` has to be
one of ours), or from its own address (so the ``Origin`` has to be the very address that was asked).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address

MOST_BUCKETS = 5000  # addresses that are remembered


@dataclass(frozen=True)
class Limits:
    """How much one address and all together may ask for; a bucket is how many at once and how many a second."""

    connections: int = 1500  # of all
    of_address: int = 600  # a class behind one address, each with the six connections of a browser
    sockets: int = 200  # phones that one address may have; devices are not people, and the phone says so
    devices: tuple[float, float] = (200, 0.2)  # new tokens for one address
    guesses: tuple[float, float] = (10, 0.1)  # wrong codes from one address
    all_guesses: tuple[float, float] = (200, 2)
    messages: tuple[float, float] = (30, 5)  # from one phone
    commands: tuple[float, float] = (100, 20)  # from the slides, which say where the lab stands ten times a second


class Buckets:
    """How many a key may still have: so many at once, and so many a second after that."""

    def __init__(self, size: tuple[float, float], clock: Callable[[], float] = time.monotonic) -> None:
        self.most, self.a_second = size
        self.clock = clock
        self.left: dict[str, tuple[float, float]] = {}

    def level(self, key: str = "") -> float:
        """How many are left."""
        left, then = self.left.get(key, (self.most, 0.0))
        return min(self.most, left + (self.clock() - then) * self.a_second)

    def take(self, key: str = "") -> bool:
        """Take one; whether there was one."""
        left = self.level(key)
        if left < 1:
            return False
        if len(self.left) >= MOST_BUCKETS:  # of so many addresses the limit of all together is the one that holds
            self.left.clear()
        self.left[key] = (left - 1, self.clock())
        return True


def neighbour(address: str) -> str:
    """An address as limits count it: one machine has 2⁶⁴ of the sixth version."""
    try:
        one = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    mapped = one.ipv4_mapped if one.version == 6 else None
    return str(mapped or one) if mapped or one.version == 4 else one.exploded[:19]


def new_token(secret: str) -> str:
    """A token for a new device: its name, and a mark that only this room can make."""
    device = secrets.token_hex(8)
    return f"{device}.{_mark(secret, device)}"


def device_of(secret: str, token: str) -> str:
    """The device that a token was made for; nothing if this room did not make it."""
    device, _, mark = token.partition(".")
    return device if token.isascii() and hmac.compare_digest(mark, _mark(secret, device)) else ""


def _mark(secret: str, device: str) -> str:
    return hmac.new(bytes.fromhex(secret), device.encode(), hashlib.sha256).hexdigest()[:32]


def same(given: str, wanted: str) -> bool:
    """Whether two secrets are one, in a time that does not say how far they agree."""
    return hmac.compare_digest(given.encode(errors="replace"), wanted.encode())


class Names:
    """The names by which this machine may be asked. Networks come and go, so they are looked up anew."""

    def __init__(self, own: Callable[[], list[str]], asked_by: str | None = None) -> None:
        self.own, self.given = own, asked_by
        self.known: set[str] = set()
        self.until = 0.0

    def has(self, host: str) -> bool:
        """Whether ``host``, without its port, is one of them."""
        if time.monotonic() > self.until:
            name = socket.gethostname().lower()
            local = {"127.0.0.1", "localhost", "::1", name, f"{name.partition('.')[0]}.local"}
            self.known = local | {one.lower() for one in self.own()} | ({self.given.lower()} if self.given else set())
            self.until = time.monotonic() + 5
        return host.strip("[]") in self.known
