"""make faults [ONLY=word,word]: what can go wrong with a server is done to real ones.

People play by pages and sockets, a program asks the API and newcomers begin games, before the
fault, meanwhile and afterwards. Every answer is looked at, and in the end every decision that was
acknowledged is looked for in the database. The status is 1 if anything was lost, if an answer was
no proper page, or if somebody could not play on. What a machine cannot do is listed as not tried.
"""

import argparse
import sys

from solver.cli.prepare import solve_where_missing
from solver.rules import YATZY
from tests.faults.catalogue import FAULTS
from tests.faults.outcome import markdown, table


def main() -> None:
    options = parsed()
    solve_where_missing(YATZY, quiet=False)  # a program asks the coach
    words = [word.strip() for word in options.only.split(",") if word.strip()]
    outcomes = []
    for fault in FAULTS:
        if not words or any(word in fault.name for word in words):
            sys.stderr.write(f"{fault.name} ...\n")
            outcomes.append(fault.outcome())
            for text in outcomes[-1].wrong:
                sys.stderr.write(f"    {text}\n")
    sys.stdout.write(f"{(markdown if options.markdown else table)(outcomes)}\n")
    raise SystemExit(not all(outcome.good for outcome in outcomes))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--only", default="", help="words of the names of faults, by commas")
    parser.add_argument("--markdown", action="store_true", help="as in docs/reliability.md")
    return parser.parse_args()


main()
