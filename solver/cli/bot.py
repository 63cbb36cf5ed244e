"""bot: what is there for programs that play."""

from typing import Any

from solver.cli.tournament import add_fight


def add_commands(commands: Any) -> None:
    bot = commands.add_parser("bot", help="programs of your own that play, in any language")
    actions = bot.add_subparsers(title="commands", required=True, metavar="COMMAND")
    add_fight(actions)
