"""./yatzy update: prepare the site for a new version, until its server can start.

Before this module is loaded, game/management/releases.py updates packages and translations.
"""

from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from game.management.commands.serve import list_refusals
from game.management.copies import FAULTS
from game.management.preparing import prepare_site


class Command(BaseCommand):
    help = (
        "Copy the database, then bring packages, database, static files and tables to this version."
        " With VERSION, switch to that version, and switch back if it is not ready."
    )
    requires_system_checks = ()  # ./yatzy doctor runs these checks at the end

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "version",
            nargs="?",
            help="commit, tag or branch to build in a new folder (default: this checkout); needs "
            "the link `current`, see docs/small-host.md",
        )
        parser.add_argument(
            "--no-copy",
            action="store_true",
            help="skip the copy of the database, if you have another copy",
        )

    def handle(self, *args: Any, version: str | None, no_copy: bool, **options: Any) -> None:
        if version:
            raise CommandError(f"Run `./yatzy update {version}`: only ./yatzy can switch versions.")
        try:
            prepare_site(self.stdout.write, copy=not no_copy)
        except FAULTS as error:
            raise CommandError(
                f"The update stopped: {type(error).__name__}: {error}. No game is lost: fix the "
                "cause and run `./yatzy update` again."
            ) from error
        try:
            call_command("doctor", stdout=self.stdout)
        except CommandError as faults:  # a site with some faults can still be served
            self.stderr.write(str(faults))
        if wrong := list_refusals([]):
            raise CommandError("\n  ".join(("The server cannot start:", *wrong)))
        self.stdout.write("Restart the server: systemctl restart yatzy")
