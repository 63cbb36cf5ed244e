"""./yatzy verify_game ID: calculate every die of a stored game again, and compare."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.core.fair import blocks
from game.core.game_queries import games
from game.core.kind import kind_of
from game.models import Game
from game.pages.board.verification import Told, faults, story


class Command(BaseCommand):
    help = (
        "Calculate every die of a game again from its seed. Exit status: 0 if all dice agree,"
        " 1 if not, 2 if there is no such game."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("game", help="ID of the game, from the address of its page")

    def handle(self, *args: Any, **options: Any) -> None:
        game = games().filter(pk=options["game"]).first()
        if game is None:
            raise CommandError(f"there is no game {options['game']!r}", returncode=2)
        problems = faults(game)
        self.stdout.write("\n".join(_report(game)))
        if problems:
            raise CommandError(
                "\n".join(["the game differs from its recalculation:", *problems]), returncode=1
            )
        self.stdout.write(self.style.SUCCESS("Every die, decision and point agrees."))


def _report(game: Game) -> Iterator[str]:
    yield f"game        {game.pk}: {kind_of(game).label}, {_ending(game)}"
    yield f"rules       {game.rules.title}"
    yield from _source(game)
    yield from map(_format_event, story(game))


def _source(game: Game) -> Iterator[str]:
    if game.real_dice:
        yield "dice        rolled by hand and typed in"
    elif known := kind_of(game).dice_from:
        yield f"dice        {known}"
    else:
        yield f"commitment  {game.commitment}"
        seed = kind_of(game).shown_seed
        if game.key:
            yield f"key         {game.key if seed else 'not shown yet'}"
            yield f"added       {game.added}"
        yield f"seed        {seed or 'not shown yet'}"
        yield f"SHA-256     {blocks.commitment(game.key or game.seed)}"


def _ending(game: Game) -> str:
    if game.finished_at is not None:
        return f"finished with {game.final_score} points"
    return "under way" if game.abandoned_at is None else "given up"


def _format_event(event: Told) -> str:
    dice = " ".join(map(str, event.dice))
    return f"  turn {event.turn:>2}  roll {event.throw}  {dice}  {event.deed}".rstrip()
