"""yatzy doctor: what the site needs to go on, piece by piece."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.management.doctor import ERROR, WARNING, examine

WIDTH = 20


class Command(BaseCommand):
    help = (
        "Look whether all is there that the site needs to go on. Exit: 1 where there is an error."
    )
    requires_system_checks = ()  # they are one of the pieces

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="for programs")

    def handle(self, *args: Any, **options: Any) -> None:
        found = list(examine())
        faults = [one.name for one in found if one.state == ERROR]
        if options["json"]:
            told = {"ok": not faults, "pieces": [asdict(one) for one in found]}
            self.stdout.write(json.dumps(told, indent=2))
        else:
            style = {ERROR: self.style.ERROR, WARNING: self.style.WARNING}
            for one in found:
                state = style.get(one.state, self.style.SUCCESS)(f"{one.state:<8}")
                self.stdout.write(f"{state} {one.name:<{WIDTH}} {one.text}")
        if faults:
            raise CommandError(f"to be put right: {', '.join(faults)}")
