"""The command playbook: rules that a person can remember, and the value of each."""

import argparse
import json
from pathlib import Path
from typing import Any

from solver.advice.wire import BadInput
from solver.cli.output import (
    add_json_option,
    add_path_option,
    add_ruleset_option,
    print_json,
    show_table,
)
from solver.players.playbook import SIZES, read_stored_books
from solver.players.playbook_play import collect_facts
from solver.players.playbook_rules import BookRule, Playbook
from solver.players.playbook_words import format_sentence, list_closing_notes
from solver.rules import Ruleset, find_ruleset


def add_commands(commands: Any) -> None:
    parser = commands.add_parser(
        "playbook",
        description=(
            "Print the rules of a playbook in order; the first rule that applies decides. For "
            "each rule, print when to learn it, the points that it then adds, and the points "
            "that forgetting it costs."
        ),
    )
    parser.add_argument(
        "--rules",
        type=int,
        choices=SIZES,
        default=10,
        help="number of rules in our playbook (default: 10)",
    )
    add_path_option(parser, "--file", "playbook file: rules, order of boxes (default: our own)")
    add_ruleset_option(parser)
    add_json_option(parser)
    parser.set_defaults(run=run_playbook)


def run_playbook(options: argparse.Namespace) -> None:
    rules = find_ruleset(options.ruleset)
    book_facts = (
        collect_facts(rules, _read_playbook(options.file, rules))
        if options.file
        else _find_stored_book(options)
    )
    _print_playbook(book_facts, rules, options)


def _print_playbook(
    book_facts: dict[str, Any], rules: Ruleset, options: argparse.Namespace
) -> None:
    if options.json:
        print_json({"ruleset": rules.id, **book_facts})
        return
    book, learned = (
        Playbook.of(book_facts),
        {lesson["rule"]: lesson for lesson in book_facts["lessons"]},
    )
    places = [lesson["rule"] for lesson in book_facts["lessons"]]
    rows = [
        [
            f"{number + 1}. {format_sentence(rule, rules)}",
            str(places.index(number) + 1),
            f"{learned[number]['earns']:.2f}",
            f"{learned[number]['costs']:.2f}",
        ]
        for number, rule in enumerate(book.rules)
    ]
    rows += [[text, "", "", ""] for text in list_closing_notes(rules, book.scratch)]
    title = f"{rules.title}: {book_facts['mean']:.9f}, bonus {book_facts['bonus_probability']:.2%}"
    show_table(title, ["rule", "learn", "earns", "costs"], rows)


def _find_stored_book(options: argparse.Namespace) -> dict[str, Any]:
    books = read_stored_books(options.ruleset)
    if not books:
        raise BadInput(f"{options.ruleset} has no playbook: name another ruleset")
    book: dict[str, Any] = books[str(options.rules)]
    return book


def _read_playbook(path: Path, rules: Ruleset) -> Playbook:
    try:
        book = Playbook.of(json.loads(path.read_text()))
        for rule in book.rules:
            BookRule.read(str(rule), rules)
        if sorted(book.scratch) != sorted(rules.index):
            raise ValueError("scratch must name every box once")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is no playbook of {rules.id}: {error}") from None
    return book
