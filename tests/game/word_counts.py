"""Count the coach's words in whole games of perfect, careful and careless players and beginners.

    nice .venv/bin/python -m tests.game.word_counts 10000 var/word_counts.txt

A game is a line of the file: the player, the words at the end, and the moves after which the coach
says 0, 1, 2 ... 12 or more than 12 words. A later run continues after the last line.
"""

import sys
from collections import Counter
from pathlib import Path
from statistics import fmean

import tests.game.transcript  # noqa: F401  # isort: skip
from game.core.worth.severity import find_grade
from game.models import Game
from game.pages.board.ending import build_ending
from solver.advice import Advisor
from solver.rules import RULESETS, apply_action
from tests.conftest import with_all_tables
from tests.game.test_worth_saying import ERRING, MOST, feedbacks
from tests.known import known

PLAYERS = ("perfect", "careful", "careless", "beginner")


def count_words(coach: Advisor, seed: int) -> list[int]:
    moves, said = zip(*feedbacks(coach, seed), strict=True)
    grade = find_grade(sum(known(move.entry).regret for move in moves), coach.rules)
    lengths = Counter(min(MOST + 1, len(feedback.aloud.split())) for feedback in said)
    game, over = Game(ruleset=coach.rules.id), apply_action(moves[-1].state, moves[-1].action)
    end = build_ending(game, over, moves, best_of=None, grade=grade)
    lines = [end.headline, *(moment.says for moment in end.moments)]
    lines.append(end.points_lost * (PLAYERS[seed % len(ERRING)] != "beginner"))
    return [len(" ".join(lines).split()), *(lengths[number] for number in range(MOST + 2))]


def main(number: str, file: str) -> None:
    path, coaches = Path(file), [with_all_tables(rules) for rules in RULESETS.values()]
    path.touch()
    with path.open("a+", buffering=1) as lines:
        lines.seek(0)
        for seed in range(len(list(lines)), int(number)):
            coach = coaches[seed // len(ERRING) % len(coaches)]
            print(seed % len(ERRING), *count_words(coach, seed), file=lines)
    rows = [tuple(map(int, line.split())) for line in path.read_text().splitlines()]
    for kind, name in enumerate(PLAYERS):
        ends, *columns = zip(*(row[1:] for row in rows if row[0] == kind), strict=True)
        moves = sum(map(sum, columns))
        shares = [f"{words}: {sum(c) / moves:.2%}" for words, c in enumerate(columns) if sum(c)]
        text = f"{name}, {len(ends)} games. Words after a move: {', '.join(shares)}."
        sys.stdout.write(f"{text} At the end: mean {fmean(ends):.1f}, most {max(ends)}.\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
