"""The command dice-test: a test whether dice are fair, for rolls by hand or by the lab."""

import argparse
from pathlib import Path
from typing import Any

from solver.advice.wire import BadInput
from solver.arena.facts import make_dice_facts
from solver.cli.output import add_json_option, print_json, show_report
from solver.cli.parser import say
from solver.cli.players import MOST_GAMES, add_count_option, add_seed
from solver.rules.dice import FACES
from solver.statistics.fairness import (
    VIRTUAL_DICE,
    DicePlaces,
    check_fairness,
    check_fairness_apart,
    check_virtual_dice,
    read,
)
from solver.study.html import Heading, Words
from solver.study.published import check_real_dice
from solver.study.same_value import report_test


def add_commands(commands: Any) -> None:
    parser = commands.add_parser(
        "dice-test",
        description=(
            "Test the lab's virtual dice and the study's real dice for fairness, or test your own "
            "dice. A file of rolls has lines such as 13245, 1 3 2 4 5 or 1,3,2,4,5."
        ),
    )
    add_count_option(parser, "--dice", 1, MOST_GAMES, "virtual dice to roll", default=VIRTUAL_DICE)
    add_seed(parser)
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--file", type=Path, metavar="F", help="file with rolls of your dice")
    source.add_argument(
        "--counts",
        metavar="N,N,N,N,N,N",
        help="number of times your dice showed 1, 2, 3, 4, 5 and 6",
    )
    add_places(parser)
    add_json_option(parser)
    parser.set_defaults(run=run_dice_test)


def add_places(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--places",
        type=DicePlaces,
        choices=[DicePlaces.FIRST, DicePlaces.EACH],
        default=DicePlaces.ANY,
        help=(
            "test single dice too; each line of the file is a roll. first: each line begins with "
            "the same die; each: every place in a line is one die (default: test no single dice)"
        ),
    )


def run_dice_test(options: argparse.Namespace) -> None:
    if options.counts is not None and not options.places:
        tests = [check_fairness("your dice", parse_counts(options.counts))]
    elif options.file is not None:
        faces = read(options.file, options.places)
        if faces.heading:
            say(f"taken for a heading: {faces.heading[:60]}")
        tests = [check_fairness_apart("your dice", faces.dice, options.places)]
    else:
        if options.places:
            raise BadInput("--places says how the throws of a --file stand: add --file")
        tests = [check_virtual_dice(options.dice, options.seed), check_real_dice()]
    if options.json:
        print_json([make_dice_facts(test) for test in tests])
        return
    for test in tests:
        show_report([Heading(test.title), *report_test(test, Words())])


def parse_counts(text: str) -> list[int]:
    words = [word.strip() for word in text.split(",")]
    if len(words) != FACES or not all(word.isdecimal() for word in words):
        raise BadInput(f"counts are {FACES} whole numbers, such as 76,84,84,91,90,85")
    counts = [int(word) for word in words]
    if not sum(counts):
        raise BadInput("a test needs at least one die")
    if sum(counts) > MOST_GAMES:
        raise BadInput(f"the counts add up to more than {MOST_GAMES:,} dice")
    return counts
