"""./yatzy lab_prepare: store the lab's games of three players on the same dice."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.lab.same_value import MOST_GAMES, MOST_SEED
from solver.arena.facts import GAMES, SEED, choose_players, find_test_path, play_same_dice_test
from solver.cli.output import show_progress
from solver.rules import RULESETS, find_ruleset
from solver.study.published import RULES
from solver.tables import write_whole


class Command(BaseCommand):
    help = (
        "Let three bots play games on the same dice, for the lab's same-value page. Without this "
        "command, the page shows five games that come with the program."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "--ruleset",
            choices=list(RULESETS),
            default=RULES.id,
            help="ruleset of the games (default: %(default)s)",
        )
        add(
            "--same-value",
            type=int,
            default=GAMES,
            metavar="N",
            help=f"number of games on the same dice (default: {GAMES})",
        )
        add("--seed", type=int, default=SEED, help="seed of the dice (default: %(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        games, seed = options["same_value"], options["seed"]
        rules = find_ruleset(options["ruleset"])
        if not (1 <= games <= MOST_GAMES and 0 <= seed <= MOST_SEED):
            raise CommandError(f"--same-value must be from 1 to {MOST_GAMES}, --seed at least 0")
        path = find_test_path(seed, rules)
        with show_progress(f"{games} games on the same dice", quiet=False) as progress:
            facts = play_same_dice_test(rules, games, seed, progress=progress)
        try:
            write_whole(path, json.dumps(facts))
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}") from None
        self.stdout.write(
            f"Same dice, seed {seed}: {games} games of {len(choose_players(rules))} bots"
        )
