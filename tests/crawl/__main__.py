"""Prints who may see, hear and change what: addresses down, everybody across."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "yatzy_site.settings")
django.setup()

from tests.crawl.addresses import addresses  # noqa: E402
from tests.crawl.roles import ROLES  # noqa: E402
from tests.crawl.seen import SOCKETS, decided, rows  # noqa: E402
from tests.crawl.written import WRITES  # noqa: E402

WIDE = 74


def main() -> None:
    for role, who in ROLES.items():
        print(f"{role:12} {who}")
    seen = {row[:2]: row.statuses for found in decided(addresses()).values() for row in found}
    _table("Looking: the status of the answer", [(*what, told) for what, told in seen.items()])
    heard = [(*row[:2], row.statuses) for row in rows(SOCKETS)]
    _table("Listening: 200, or the code with which the socket is closed", heard)
    written = [
        (one.address, one.things, {role: "yes" if role in one.by else "-" for role in ROLES})
        for one in WRITES
    ]
    _table("Changing: for whom something is stored", written)


def _table(title: str, found: list[tuple[str, tuple[str, ...], dict[str, str]]]) -> None:
    print(f"\n{title}\n\n{'':{WIDE}}" + " ".join(f"{role[:5]:5}" for role in ROLES))
    for address, things, cells in found:
        what = f"/{address} {'(' + ', '.join(things) + ')' if things else ''}"
        print(f"{what:{WIDE}}" + " ".join(f"{cells[role]:5}" for role in ROLES))


if __name__ == "__main__":
    main()
