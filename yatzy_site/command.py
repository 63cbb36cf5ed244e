"""``./yatzy`` runs every command of the checkout: commands of the site (``play``), of the solver
(``solver solve``) and of Django (``manage migrate``).

It first reads the settings of the service, and writes files as the user of the service.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from pkgutil import iter_modules

from game.management import releases
from yatzy_site import settings_file

APPS = ("game", "game.lab", "game.trials")
MANAGE, SOLVER = "manage", "solver"
UPDATE = "update"
HELP = {"-h", "--help"}
WIDTH = 16


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    settings_file.read()
    if given[:1] == [UPDATE] and not HELP & set(given):
        if version := releases.read_version(given[1:]):
            releases.exchange(version)
            return 0
        releases.renew()
    become_the_service()
    if not given or given[0] in {*HELP, "help"}:
        sys.stdout.write(format_overview())
        return 0
    if given[0] == MANAGE:
        return _run_django(given[1:] or ["help"])
    if given[0] == SOLVER:
        return _run_solver(given[1:] or ["--help"])
    return _run_django(given) if given[0] in map_site_commands() else _run_solver(given)


def become_the_service() -> None:
    """Change from root to the owner of YATZY_VAR: the service cannot read files of root."""
    folder = Path(os.environ.get("YATZY_VAR", ""))
    if os.geteuid() or folder == Path() or not folder.exists():
        return
    owner = folder.stat()
    if owner.st_uid:
        os.setgroups([])
        os.setgid(owner.st_gid)
        os.setuid(owner.st_uid)
        os.environ["HOME"] = str(folder)


def map_site_commands() -> dict[str, str]:
    """Return the site's commands with their apps, without loading a command."""
    root = Path(__file__).resolve().parents[1]
    folders = {app: root.joinpath(*app.split("."), "management", "commands") for app in APPS}
    return {
        module.name: app
        for app, folder in folders.items()
        for module in iter_modules([str(folder)])
    }


def format_overview() -> str:
    import django
    from django.core.management import load_command_class

    from solver.cli import COMMANDS

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "yatzy_site.settings")
    django.setup()
    commands = sorted(map_site_commands().items())
    site = {name: load_command_class(app, name).help for name, app in commands}
    site[MANAGE] = "Every other command of Django, such as createsuperuser."
    lines = ["usage: ./yatzy COMMAND [options] (./yatzy COMMAND --help explains each)"]
    solver = {name: line for name, (_, line) in COMMANDS.items()}
    for title, lines_by_name in (("The site", site), ("The solver", solver)):
        lines += [
            "",
            f"{title}:",
            *(
                f"  {name:<{WIDTH}} {text.partition('. ')[0].rstrip('.')}"  # the first sentence
                for name, text in lines_by_name.items()
            ),
        ]
    return "\n".join(lines) + "\n"


def _run_django(given: list[str]) -> int:
    from yatzy_site.manage import run

    run(["yatzy", *given])
    return 0


def _run_solver(given: list[str]) -> int:
    from solver.cli import main as solver_main

    return solver_main(given, prog="yatzy")
