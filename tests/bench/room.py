"""The room: 300 phones without pages against one server, over the loopback. Phones and server share the machine."""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path

import psutil
from room_cases import QUESTION, Process, asked, phone, slides
from tornado.httpclient import AsyncHTTPClient

from bench.common import PAGE, SITE, Rows, p95

PHONES = 300
STEPS, APART = 50, 0.1  # moves of the lab, and seconds between them, as slides send them
SPREAD = 10  # seconds in which a class votes
PAGES = 120  # chapters that are asked for at once


class Reader:
    """A phone whose messages are noted with the time at which they came."""

    def __init__(self, one) -> None:
        self.wire, self.token = one.wire, one.you["token"]
        self.lab: dict[str, float] = {}
        self.kept: dict[str, float] = {}
        self.heard = asyncio.Event()
        self.reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        while (message := await self.wire.read_message()) is not None:
            said, now = json.loads(message), time.perf_counter()
            if said["is"] == "room":
                self.lab.setdefault(said["scene"].get("address", ""), now)
            elif said["is"] == "you":
                for question in said["votes"]:
                    self.kept.setdefault(question, now)
                self.heard.set()

    async def vote(self, question: str, option: int, after: float = 0.0) -> float:
        """Vote after so many seconds; milliseconds until it is acknowledged."""
        await asyncio.sleep(after)
        begun = time.perf_counter()
        vote = {"do": "vote", "question": question, "round": 1, "option": option}
        await self.wire.write_message(json.dumps(vote))
        while question not in self.kept:
            self.heard.clear()
            await self.heard.wait()
        return 1000 * (self.kept[question] - begun)


async def _votes(teacher, phones: list[Reader], question: str, spread: float) -> tuple[list[float], float]:
    """Acknowledgements, and when the teacher has counted all, in milliseconds after the last vote was sent."""
    await teacher.says(do="open", question=question, round=1, **QUESTION)
    await teacher.hears(lambda me: asked(me).get("id") == question)
    last = time.perf_counter() + spread
    votes = [one.vote(question, n % 3, spread * n / len(phones)) for n, one in enumerate(phones)]
    counted = asyncio.create_task(teacher.hears(lambda me: sum(me.room["votes"][0]) == len(phones), 60))
    acknowledged = await asyncio.gather(*votes)
    await counted
    return acknowledged, 1000 * (time.perf_counter() - last)


async def _measure(server: Process, rows: Rows) -> None:
    watched = psutil.Process(server.process.pid)
    teacher = await slides(server.port, server.key)
    phones = [Reader(await phone(server.port, server.code)) for _ in range(PHONES)]
    watched.cpu_percent()
    sent = {}
    for step in range(STEPS):
        sent[f"#scale:{step}"] = time.perf_counter()
        await teacher.says(do="follow", page="p", lab="l", address=f"#scale:{step}")
        await teacher.hears(lambda me, step=step: me.room["scene"].get("address") == f"#scale:{step}")
        await asyncio.sleep(max(0.0, APART - (time.perf_counter() - sent[f"#scale:{step}"])))
    used = watched.cpu_percent()
    moves = [1000 * (now - sent[at]) for one in phones for at, now in one.lab.items() if at in sent]
    rows.add(f"room: state at {PHONES} phones, p50", statistics.median(moves), "ms", None)
    rows.add(f"room: state at {PHONES} phones, p95", p95(moves), "ms", 200)
    rows.add("room: of one core meanwhile", used, "%", None)
    acknowledged, counted = await _votes(teacher, phones, "spread~1", SPREAD)
    rows.add(f"room: vote acknowledged, over {SPREAD} s, p95", p95(acknowledged), "ms", 100)
    acknowledged, counted = await _votes(teacher, phones, "once~1", 0)
    rows.add("room: vote acknowledged, all at once, p95", p95(acknowledged), "ms", 100)
    rows.add("room: all counted for the teacher, all at once", counted, "ms", 150)
    client = AsyncHTTPClient(force_instance=True, max_clients=PAGES)
    address = f"http://127.0.0.1:{server.port}/{PAGE}"
    pages = [
        client.fetch(address, decompress_response=False, headers={"Accept-Encoding": "gzip"}) for _ in range(PAGES)
    ]
    rush = asyncio.gather(*pages)
    acknowledged, _ = await _votes(teacher, phones, "rush~1", 0)
    await rush
    rows.add(f"room: vote acknowledged while {PAGES} fetch a chapter, p95", p95(acknowledged), "ms", 300)
    for one in phones:
        one.wire.close()
    await asyncio.gather(*(one.reading for one in phones))
    begun = time.perf_counter()
    await asyncio.gather(*(phone(server.port, "", one.token) for one in phones))
    rows.add("room: all gone, all back at once", time.perf_counter() - begun, "s", 3)
    rows.add("room: memory", watched.memory_info().rss / 2**20, "MB", 80)


def measure(rows: Rows) -> None:
    with tempfile.TemporaryDirectory() as folder, Process(Path(folder), html=SITE) as server:
        asyncio.run(_measure(server, rows))
