"""Files with the dice of whole games, in the format of the study's data.

A row has the faces of one die in all rolls of one turn, including faces that the game does not
use. With five dice, 5 rows are a turn and 75 rows are a game of Yatzy.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from solver import Refusal
from solver.rules import Block, Ruleset
from solver.rules.dice import FACES

MOST_BYTES = 64_000_000


class BadDiceFile(Refusal, ValueError):
    """The error for a file without valid dice; its message names the file and the faulty line."""


def format_dice(blocks: Iterable[Block]) -> str:
    rows = [
        " ".join(str(throw[slot]) for throw in throws)
        for block in blocks
        for throws in block
        for slot in range(len(throws[0]))
    ]
    return "\n".join(rows) + "\n"


def read_dice(path: Path, rules: Ruleset) -> tuple[Block, ...]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadDiceFile(f"{path} is larger than {MOST_BYTES // 1_000_000} MB")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadDiceFile(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadDiceFile(f"{path} is not a text file") from None
    return parse_dice(text, str(path), rules)


def parse_dice(text: str, name: str, rules: Ruleset) -> tuple[Block, ...]:
    """Parse games; blanks, commas or semicolons separate numbers, and blank lines are skipped."""
    rows = [
        _parse_row(line, f"{name}, line {number}", rules.throws)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip()
    ]
    size = len(rules.categories) * rules.dice
    if not rows:
        numbers = f"{size} rows of {rules.throws} numbers"
        raise BadDiceFile(f"{name} holds no dice: it needs {numbers} per game")
    if len(rows) % size:
        raise BadDiceFile(f"{name} has {len(rows)} rows: a game is {size}, so some are missing")
    return tuple(_make_block(rows[at : at + size], rules.dice) for at in range(0, len(rows), size))


def _parse_row(line: str, where: str, throws: int) -> tuple[int, ...]:
    words = [word for word in re.split(r"[\s,;]+", line.strip()) if word]
    if len(words) != throws:
        raise BadDiceFile(f"{where}: a row is {throws} numbers, not {len(words)}")
    for word in words:
        if word not in {str(face) for face in range(1, FACES + 1)}:
            raise BadDiceFile(f"{where}: {word[:20]!r} is no face from 1 to {FACES}")
    return tuple(map(int, words))


def _make_block(rows: list[tuple[int, ...]], dice: int) -> Block:
    turns = [rows[at : at + dice] for at in range(0, len(rows), dice)]
    return tuple(tuple(zip(*turn, strict=True)) for turn in turns)
