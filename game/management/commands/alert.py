"""./yatzy alert TEXT: send a text to ALERT_URL. The failure of a systemd unit runs this command."""

from argparse import ArgumentParser
from typing import Any
from urllib.request import Request, urlopen

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

PATIENCE = 20  # seconds


class Command(BaseCommand):
    help = "Send a text to ALERT_URL by POST. Without this setting, do nothing."
    requires_system_checks = ()  # a site with errors must still be able to send an alert

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("text", help="text to send")

    def handle(self, *args: Any, text: str, **options: Any) -> None:
        if not settings.ALERT_URL:
            self.stdout.write("Not sent: ALERT_URL is not set.")
            return
        sent = Request(settings.ALERT_URL, text.encode(), {"Content-Type": "text/plain"})  # noqa: S310
        try:
            with urlopen(sent, timeout=PATIENCE):  # noqa: S310
                pass
        except OSError as error:
            raise CommandError(f"Not sent to ALERT_URL: {error}") from error
