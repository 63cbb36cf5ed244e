"""``yatzy``: one name for everything that can be asked on a command line.

The commands of the site are Django's (``python manage.py play`` is ``yatzy play``), all others are
the solver's (``python -m solver solve`` is ``yatzy solve``).
"""

import os
import sys
from collections.abc import Sequence
from pkgutil import iter_modules

from game.management import commands
from solver.cli import main as solver_main
from solver.cli import summaries
from yatzy_site.manage import run

MANAGE = "manage"
WIDTH = 16


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in {"-h", "--help", "help"}:
        sys.stdout.write(overview())
        return 0
    if given[0] == MANAGE:
        return _django(given[1:] or ["help"])
    return _django(given) if given[0] in site_commands() else solver_main(given, prog="yatzy")


def site_commands() -> list[str]:
    return sorted(module.name for module in iter_modules(commands.__path__))


def overview() -> str:
    """Every command with what it does."""
    import django
    from django.core.management import load_command_class

    _settings()
    django.setup()
    site = {name: load_command_class("game", name).help for name in site_commands()}
    site[MANAGE] = "Every other command of Django, such as createsuperuser."
    lines = ["usage: yatzy COMMAND [options] (yatzy COMMAND --help explains each)"]
    for title, told in (("The site", site), ("The solver", summaries())):
        lines += ["", f"{title}:", *(f"  {name:<{WIDTH}} {_first(told[name])}" for name in told)]
    return "\n".join(lines) + "\n"


def _first(text: str) -> str:
    """A sentence: ``--help`` of the command has the rest."""
    return text.partition(". ")[0].rstrip(".")


def _django(given: list[str]) -> int:
    run(["yatzy", *given])
    return 0


def _settings() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "yatzy_site.settings")
