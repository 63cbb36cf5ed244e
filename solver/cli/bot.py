"""The command bot: an example bot, and a check of bots against docs/bots.md."""

import argparse
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

from solver.advice.wire import BadInput
from solver.arena.programs import is_program_name, open_named
from solver.arena.programs.check import examine_program
from solver.arena.programs.process import split
from solver.cli.output import add_json_option, add_ruleset_option, print_json, show_table
from solver.cli.parser import say
from solver.cli.players import write_file
from solver.cli.tournament import add_fight, add_sandbox_option, choose_limits
from solver.rules import find_ruleset

EXAMPLES = Path(__file__).parents[2] / "docs" / "bots"
# For each language: the example, the command that builds it in folder {0}, and its start command.
NEW = {
    "python": ("bot.py", "", "python3 {0}/bot.py"),
    "js": ("bot.js", "", "node {0}/bot.js"),
    "rust": ("bot.rs", "rustc --edition 2021 -O -o {0}/bot {0}/bot.rs", "{0}/bot"),
    "java": ("Bot.java", "javac -d {0} {0}/Bot.java", "java -cp {0} Bot"),
    "c": ("bot.c", "cc -O2 -o {0}/bot {0}/bot.c", "{0}/bot"),
}


def add_commands(commands: Any) -> None:
    bot = commands.add_parser("bot")
    actions = bot.add_subparsers(title="commands", required=True, metavar="COMMAND")
    new = actions.add_parser(
        "new",
        help="copy a small working bot that you can change",
        description=(
            "Copy the example bot of docs/bots.md into a folder, and print what to do next. "
            "The bot holds the most common face."
        ),
    )
    new.add_argument(
        "language",
        choices=NEW,
        metavar="LANGUAGE",
        help=f"programming language of the bot: {', '.join(NEW)}",
    )
    new.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="FOLDER",
        help="folder for the bot (default: the current folder)",
    )
    new.set_defaults(run=run_new)
    check = actions.add_parser(
        "check",
        help="check that a bot follows the protocol",
        description=(
            "Let a bot play, send it broken messages on purpose, and time it. Exit status: 0 "
            "if the bot passes, 1 if it fails, 2 if it does not start."
        ),
    )
    check.add_argument(
        "program",
        metavar="PROGRAM",
        help=(
            'command that starts the bot, such as "python3 bot.py"; "contest:COMMAND" for a bot '
            "of the Yahtzee AI contest"
        ),
    )
    add_ruleset_option(check)
    add_sandbox_option(check)
    add_json_option(check)
    check.set_defaults(run=run_check)
    add_fight(actions)


def run_new(options: argparse.Namespace) -> None:
    example, build, start = NEW[options.language]
    path = options.folder / example
    if path.exists():
        raise BadInput(f"{path} exists already: name another folder")
    write_file(path, (EXAMPLES / example).read_text(encoding="utf-8"))
    say(f"Wrote {path}. Then:")
    build, start = (command.format(shlex.quote(str(options.folder))) for command in (build, start))
    check = f"./yatzy solver bot check {shlex.quote(start)} --ruleset yahtzee --trust"
    fight = f"./yatzy solver bot fight greedy {shlex.quote(f'cmd:{start}')} --games 20 --trust"
    for line in filter(None, (build, check, fight)):
        say(f"  {line}")


def run_check(options: argparse.Namespace) -> int:
    rules = find_ruleset(options.ruleset)
    name = options.program if is_program_name(options.program) else f"cmd:{options.program}"
    split(name.partition(":")[2])  # raises an error if the command is invalid
    report = examine_program(lambda: open_named(name, rules, choose_limits(options)), rules)
    if options.json:
        facts = {"program": options.program, "ruleset": rules.id, "passed": report.passed}
        print_json(facts | asdict(report))
    else:
        rows = [
            ["yes" if finding.passed else "NO", finding.check, finding.detail]
            for finding in report.findings
        ]
        show_table(report.name or "A program", ["", "it", ""], rows, left=3)
        if report.times:
            usual, longest = report.times.median * 1000, report.times.longest * 1000
            say(f"An answer took {usual:.2f} ms as a rule and {longest:.1f} ms at the longest")
        if report.last_words:
            say(f"It wrote to standard error:\n{report.last_words}")
    return 0 if report.passed else 1
