"""Write the golden transcript: what the coach says of 300 positions, in five languages.

    python -m tests.game.transcript      writes tests/game/transcript.txt

Each position has a hint (by all tables), a verdict (by values alone, as in a browser) and the
reason of a review. A changed word shows in the diff of that file.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import django

import tests.environment  # noqa: F401

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "yatzy_site.settings")
django.setup()

from django.utils import translation  # noqa: E402

from game.coach.hints import choose_best_move  # noqa: E402
from game.coach.panel import Feedback  # noqa: E402
from game.coach.reasons import explain_best, make_verdict  # noqa: E402
from game.core.words import phrases  # noqa: E402
from game.core.worth.severity import find_severity  # noqa: E402
from solver.advice import Advisor, Option, Position  # noqa: E402
from solver.rules import RULESETS  # noqa: E402
from tests.conftest import with_all_tables  # noqa: E402
from tests.solver.test_advice import random_position  # noqa: E402

TEXT = Path(__file__).with_suffix(".txt")
LANGUAGES = ("en", "sv", "nb", "da", "fi")
EACH = 75  # positions of a ruleset


def asked_of(advisor: Advisor) -> Iterator[tuple[Position, Option]]:
    random = Random(advisor.rules.id)
    for position in [random_position(advisor.rules, random) for _ in range(EACH)]:
        options = advisor.advise(position).options
        yield position, random.choice((options[0], random.choice(options)))


def said_of(advisor: Advisor) -> Iterator[str]:
    for number, (position, played) in enumerate(asked_of(advisor), 1):
        with translation.override("en"):
            rules = position.rules
            left = [
                phrases.name_box(rules, rules.categories[box].id)
                for box in rules.open(position.filled)
            ]
            yield (
                f"\n{rules.id} {number}: {phrases.format_dice(position.dice)};"
                f" rolls left: {position.rolls_left}; upper boxes: {position.upper};"
                f" open: {', '.join(left)}\n"
                f"played: {phrases.describe_option(rules, played)}"
            )
        for language in LANGUAGES:
            with translation.override(language):
                yield from (f"{language} {line}" for line in _lines(advisor, position, played))


def _lines(advisor: Advisor, position: Position, played: Option) -> Iterator[str]:
    advice = advisor.advise(position, outlook=True)
    best = phrases.describe_option(advisor.rules, advice.best)
    yield f"hint: {best}. {explain_best(advisor, position, advice)}"
    alone = Advisor(advisor.values, advisor.rules)
    for name, coach, told in (
        ("verdict", alone, alone.advise(position)),
        ("review", advisor, advice),
    ):
        done = same(told.options, played)
        judged = make_verdict(done.regret).says
        if name == "verdict":
            forced = not position.throws_left and len(position.rules.open(position.filled)) == 1
            move = phrases.describe_option(advisor.rules, choose_best_move(told, advisor.rules))
            grade, cost = find_severity(done.regret), phrases.format_cost(done.regret)
            judged = Feedback(grade, done.regret, "", cost, "", False, forced, best=move).aloud
        yield f"{name}: {judged} {explain_best(coach, position, told, done)}"


def same(options: Sequence[Option], played: Option) -> Option:
    wanted = played.category, played.dice
    return next(one for one in options if (one.category, one.dice) == wanted)


def main() -> None:
    told = (line for rules in RULESETS.values() for line in said_of(with_all_tables(rules)))
    TEXT.write_text("\n".join(told).lstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
