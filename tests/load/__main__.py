"""make load PEOPLE=200 SECONDS=60 THINK=3: whole games over real pages and sockets.

Every answer is compared with the rules, and in the end every stored game with what was
acknowledged. The server has a folder of its own and SQLite, or DATABASE_URL and REDIS_URL where
they are set. People come one after the other and stay. They are on the same
machine, so part of it is theirs: people_cpu_ms_a_request. The last line is JSON. With --watchers
it measures how late everybody sees the moves of one game.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import quantiles
from typing import Any

from tests.browser.server import surroundings
from tests.load.person import Person, Record
from tests.load.servers import Servers, serving
from tests.load.stored import compare
from tests.load.watchers import lateness

SERVICES = ("DATABASE_URL", "REDIS_URL")


def main() -> None:
    options = parsed()
    more = {name: os.environ[name] for name in SERVICES if os.environ.get(name)}
    with tempfile.TemporaryDirectory(prefix="yatzy-load-") as name:
        folder = Path(name)
        with serving(folder, options.processes, more) as servers:
            record, used = asyncio.run(measured(servers, options))
        os.environ.update(surroundings(folder) | more, DJANGO_SETTINGS_MODULE="yatzy_site.settings")
        kept = compare(record.acknowledged, record.totals)
        record.errors.extend(kept["wrong"])
        told = report(record, kept["stored"]) | used
        said = servers.log.read_text()
    show(told, record.errors, said)
    raise SystemExit(bool(record.errors))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--people", type=int, default=200, help="who play at once (200)")
    parser.add_argument("--seconds", type=float, default=60, help="for how long (60)")
    parser.add_argument("--think", type=float, default=3, help="seconds before a move (3)")
    parser.add_argument(
        "--arrive", type=float, help="seconds in which they come (four times as long as a move)"
    )
    parser.add_argument("--watchers", type=int, default=0, help="of one game, and nothing else")
    parser.add_argument("--processes", type=int, default=1, help="of the server (1)")
    options = parser.parse_args()
    if options.arrive is None:
        options.arrive = 4 * options.think
    return options


async def measured(servers: Servers, options: argparse.Namespace) -> tuple[Record, dict[str, Any]]:
    if options.watchers:
        return await lateness(servers, options.watchers)
    return await crowd(servers, options)


async def crowd(servers: Servers, options: argparse.Namespace) -> tuple[Record, dict[str, Any]]:
    record, until = Record(), time.monotonic() + options.seconds
    cpu, ours = servers.cpu_seconds, time.process_time()

    def over() -> bool:
        return bool(time.monotonic() > until)

    people = [
        Person(servers.address, number, record, options.think, options.arrive, over)
        for number in range(1, options.people + 1)
    ]
    await asyncio.gather(*(person.play() for person in people))
    each = 1000 / max(1, len(record.seconds))
    return record, {
        "requests_per_second": round(len(record.seconds) / options.seconds, 1),
        "arrive_seconds": options.arrive,
        "cpu_ms_a_request": round(each * (servers.cpu_seconds - cpu), 2),
        "people_cpu_ms_a_request": round(each * (time.process_time() - ours), 2),
        "megabytes": round(servers.megabytes),
    }


def report(record: Record, stored: int) -> dict[str, Any]:
    cut = quantiles(record.seconds, n=100, method="inclusive")
    return {
        "requests": len(record.seconds),
        "p50_ms": round(1000 * cut[49], 1),
        "p99_ms": round(1000 * cut[98], 1),
        "errors": len(record.errors),
        "acknowledged": sum(map(len, record.acknowledged.values())),
        "stored": stored,
        "games_finished": len(record.totals),
        "pushes": record.pushes,
        "repeated": record.repeated,
    }


def show(told: dict[str, Any], errors: list[str], said: str) -> None:
    lines = [f"{errors.count(error)} x {error}" for error in sorted(set(errors))[:20]]
    lines += ["the server said:", said[-2000:]] if said.strip() else []
    lines += [f"{name:>20} {value}" for name, value in told.items()]
    sys.stdout.write("\n".join([*lines, json.dumps(told), ""]))


main()
