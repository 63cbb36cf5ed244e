"""./yatzy judge: judge decisions that were not judged because the value table was missing."""

from typing import Any

from django.core.management.base import BaseCommand

from game.core.judging import judge_games
from game.models import Game


class Command(BaseCommand):
    help = "Judge the finished games that were played before their rules had a value table."

    def handle(self, *args: Any, **options: Any) -> None:
        judged = judge_games(games=Game.objects.order_by("pk"))
        self.stdout.write(f"Games judged: {judged}")
