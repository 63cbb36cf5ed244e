"""./yatzy verify_game ID: calculate every die of a stored game again, and compare the results."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.core.fair import blocks
from game.core.game_queries import query_games
from game.core.kind import find_kind
from game.pages.board.verification import find_faults, list_rolls


class Command(BaseCommand):
    help = (
        "Calculate every die of a game again from its seed. Exit status: 0 if all dice agree,"
        " 1 if not, 2 if there is no such game."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("game", help="ID of the game, from the address of its page")

    def handle(self, *args: Any, **options: Any) -> None:
        game = query_games().filter(pk=options["game"]).first()
        if game is None:
            raise CommandError(f"there is no game {options['game']!r}", returncode=2)
        problems = find_faults(game)
        ending = "under way" if game.abandoned_at is None else "given up"
        if game.finished_at is not None:
            ending = f"finished with {game.final_score} points"
        kind = find_kind(game)
        report = [f"game        {game.pk}: {kind.label}, {ending}"]
        report.append(f"rules       {game.rules.title}")
        if game.real_dice:
            report.append("dice        rolled by hand and typed in")
        elif kind.dice_from:
            report.append(f"dice        {kind.dice_from}")
        else:
            report.append(f"commitment  {game.commitment}")
            seed = kind.shown_seed
            if game.key:
                report.append(f"key         {game.key if seed else 'not shown yet'}")
                report.append(f"added       {game.added}")
            report.append(f"seed        {seed or 'not shown yet'}")
            report.append(f"SHA-256     {blocks.hash_seed(game.key or game.seed)}")
        for event in list_rolls(game):
            dice = " ".join(map(str, event.dice))
            line = f"  turn {event.turn:>2}  roll {event.throw}  {dice}  {event.deed}"
            report.append(line.rstrip())
        self.stdout.write("\n".join(report))
        if problems:
            raise CommandError(
                "\n".join(["the game differs from its recalculation:", *problems]), returncode=1
            )
        self.stdout.write(self.style.SUCCESS("Every die, decision and point agrees."))
