"""playbook: rules that a person can say aloud, and what each of them is worth."""

import argparse
import json
from pathlib import Path
from typing import Any

from solver.advice.wire import BadInput
from solver.cli.output import add_json_option, add_ruleset_option, print_json, say, show_table
from solver.cli.players import number_from, whole_from, write_file
from solver.players.playbook import SIZES, stored_books
from solver.players.playbook_lessons import facts
from solver.players.playbook_rules import BookRule, Playbook
from solver.players.playbook_search import improved
from solver.players.playbook_words import JOKER, OTHERWISE, scratching, sentence
from solver.rules import Ruleset, find_ruleset


def add_commands(commands: Any) -> None:
    parser = commands.add_parser(
        "playbook",
        help="rules that a person can say aloud, with what each is worth",
        description="Print the sentences of a playbook in order, the first that applies decides: "
        "what each earns when they are learned one after another, and what it costs to forget it.",
    )
    parser.add_argument("--rules", type=int, choices=SIZES, default=10, help="how many (10)")
    parser.add_argument(
        "--file", type=Path, metavar="F.json", help="work out this one: its rules, and its scratch"
    )
    add_ruleset_option(parser)
    add_json_option(parser)
    parser.set_defaults(run=run_playbook)
    _add_search(parser.add_subparsers(title="parts", metavar="PART"))


def _add_search(parts: Any) -> None:
    search = parts.add_parser(
        "search",
        help="a better one, from this one on",
        description="Look for a better playbook of so many rules: one is changed, put in, left out "
        "or moved, again and again, and what is worth more, exactly, is kept. The same seed and "
        "steps find the same. What is said of the playbook stands before this word.",
    )
    search.add_argument("--seed", type=whole_from(0, 2**63 - 1), default=1, help="(1)")
    search.add_argument(
        "--steps", type=whole_from(1, 10**9), default=10**9, metavar="N", help="end after so many"
    )
    search.add_argument(
        "--seconds",
        type=number_from(0, 10**6),
        default=600.0,
        metavar="S",
        help="or so many of the processor (600)",
    )
    search.add_argument("--out", type=Path, metavar="F.json", help="write each that is better")
    search.set_defaults(run=run_search)


def run_playbook(options: argparse.Namespace) -> None:
    rules = find_ruleset(options.ruleset)
    found = facts(rules, _read(options.file, rules)) if options.file else _stored(options)
    _print(found, rules, options)


def run_search(options: argparse.Namespace) -> None:
    rules = find_ruleset(options.ruleset)
    start = _read(options.file, rules) if options.file else Playbook.of(_stored(options))
    every = improved(
        rules, start, options.rules, options.seed, steps=options.steps, seconds=options.seconds
    )
    for found in every:
        say(f"step {found.step}: {len(found.book.rules)} rules, {found.worth.mean:.9f}")
        if options.out:
            write_file(options.out, json.dumps(found.book.as_data()) + "\n")
    _print(facts(rules, found.book), rules, options)


def _print(found: dict[str, Any], rules: Ruleset, options: argparse.Namespace) -> None:
    if options.json:
        print_json({"ruleset": rules.id, **found})
        return
    book, learned = Playbook.of(found), {one["rule"]: one for one in found["lessons"]}
    places = [one["rule"] for one in found["lessons"]]
    rows = [
        [
            f"{number + 1}. {sentence(rule, rules)}",
            str(places.index(number) + 1),
            f"{learned[number]['earns']:.2f}",
            f"{learned[number]['costs']:.2f}",
        ]
        for number, rule in enumerate(book.rules)
    ]
    rows += [[text, "", "", ""] for text in (OTHERWISE, scratching(book.scratch))]
    if rules.joker:
        rows.append([JOKER, "", "", ""])
    title = f"{rules.title}: {found['mean']:.9f}, bonus {found['bonus_probability']:.2%}"
    show_table(title, ["rule", "learn", "earns", "costs"], rows)


def _stored(options: argparse.Namespace) -> dict[str, Any]:
    books = stored_books(options.ruleset)
    if not books:
        raise BadInput(f"there is no playbook for {options.ruleset}")
    found: dict[str, Any] = books[str(options.rules)]
    return found


def _read(path: Path, rules: Ruleset) -> Playbook:
    try:
        book = Playbook.of(json.loads(path.read_text()))
        for rule in book.rules:
            BookRule.read(str(rule), rules)
        if sorted(book.scratch) != sorted(rules.index):
            raise ValueError("it scratches every box once")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is no playbook of {rules.id}: {error}") from None
    return book
