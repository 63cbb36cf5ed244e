"""./yatzy lab_prepare: work out what the pages of the lab show, and keep it."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.lab.same_value import MOST_GAMES, MOST_SEED
from solver.arena.results import exact, path_of, stored
from solver.cli.output import progress_bar
from solver.making.same_dice import SEED, make_test, path_of_test, players_of
from solver.players import PLAYERS, PlayerEntry
from solver.rules import RULESETS, Ruleset, find_ruleset
from solver.study.published import RULES


class Command(BaseCommand):
    help = (
        "Calculate and store the exact distributions of all players for the lab; with "
        "--same-value, also games of three players on the same dice."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--ruleset", choices=list(RULESETS), default=RULES.id)
        parser.add_argument(
            "--same-value",
            type=int,
            default=0,
            metavar="N",
            help=("number of games on the same dice (default: 0)"),
        )
        parser.add_argument(
            "--seed", type=int, default=SEED, help=("seed of the dice of these games (default: 1)")
        )

    def handle(self, *args: Any, **options: Any) -> None:
        games, seed = options["same_value"], options["seed"]
        rules = find_ruleset(options["ruleset"])
        if not (0 <= games <= MOST_GAMES and 0 <= seed <= MOST_SEED):
            raise CommandError(f"--same-value is from 0 to {MOST_GAMES}, --seed not negative")
        for player in PLAYERS.values():
            if player.plays(rules):
                self.prepare(player, rules)
        if games:
            self.prepare_same_value(games, seed, rules)

    def prepare(self, player: PlayerEntry, rules: Ruleset) -> None:
        with progress_bar(player.title, quiet=False) as progress:
            mean = exact(player, rules, progress=progress).distribution.mean
        if stored(player, rules) is None:
            raise CommandError(f"{path_of(player, rules)} cannot be written")
        self.stdout.write(f"{player.title}: mean {mean:.2f}")

    def prepare_same_value(self, games: int, seed: int, rules: Ruleset) -> None:
        path = path_of_test(seed, rules)
        try:
            with progress_bar(f"{games} games on the same dice", quiet=False) as progress:
                make_test(rules, games, seed, progress=progress)
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}") from None
        self.stdout.write(
            f"Same dice, seed {seed}: {games} games of {len(players_of(rules))} players"
        )
