"""A parser for rolls of real dice, in any unambiguous notation.

Faces are the digits 1 to 6 or the Unicode signs for dice. Separators are ignored and optional:
"13245", "1 3 2 4 5" and "1;3;2;4;5" are the same five dice. Letters and other digits are errors,
except in a heading, which is a first line of words. If the place in a roll identifies the die, each
line is one roll, and all rolls have the same number of dice.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from solver import Refusal
from solver.rules import MOST_DICE
from solver.rules.dice import FACES
from solver.statistics.fairness import DicePlaces

MOST_BYTES = 1_000_000
DIGITS = "".join(str(face) for face in range(1, FACES + 1))
SIGNS = str.maketrans("⚀⚁⚂⚃⚄⚅", DIGITS)
WORD = re.compile(r"[^\W_]+")
NO_FACE = re.compile(rf"(?![{DIGITS}])[^\W_]")
LONGEST = 20  # characters of a wrong word in an error message
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # byte order marks of UTF-16


class BadFaces(Refusal, ValueError):
    """The error for a text without valid rolls; its message gives the reason."""


class NoFaces(BadFaces):
    """The error for a text without dice."""


class NoText(BadFaces):
    """The error for a file that is not text."""


class NotAFace(BadFaces):
    """The error for a word with a character that is not the face of a die. ``line`` counts from 1."""

    def __init__(self, line: int, word: str) -> None:
        self.line, self.word = line, word[:LONGEST]
        super().__init__(f"line {line}: {self.word!r} is not made of faces from 1 to {FACES}")


class NotAThrow(BadFaces):
    """The error for a line that is not exactly one roll, although places identify dice."""

    def __init__(self, line: int, dice: int) -> None:
        self.line, self.dice = line, dice
        super().__init__(
            f"line {line} holds {dice} dice; if they have places, write one roll per line, always "
            f"of the same 2 to {MOST_DICE} dice"
        )


@dataclass(frozen=True, slots=True)
class Faces:
    """The counts of faces: dice[n][f] times, the die in place n + 1 showed face f + 1. If places
    identify no dice, all dice count as place 1."""

    dice: tuple[tuple[int, ...], ...]
    heading: str = ""  # the first line, if it has words instead of faces

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(map(sum, zip(*self.dice, strict=True)))


def parse_faces(text: str, places: DicePlaces = DicePlaces.ANY) -> Faces:
    lines = text.translate(SIGNS).splitlines()
    heading = _find_heading(lines)
    remaining = lines[:]
    if heading is not None:
        remaining[heading] = ""
    _check_faces(remaining)
    throws = [re.sub("[^1-6]", "", line) for line in remaining]
    if not any(throws):
        raise NoFaces("there are no dice in it: write the faces, such as 1 3 2 4 5")
    placed = ["".join(throws)] if places is DicePlaces.ANY else _group_by_place(throws)
    dice = tuple(tuple(faces.count(face) for face in DIGITS) for faces in placed)
    return Faces(dice, lines[heading].strip() if heading is not None else "")


def _group_by_place(throws: list[str]) -> list[str]:
    """Return a string per place in a roll, with the faces in that place of all rolls."""
    due = next(len(faces) for faces in throws if faces)
    for number, faces in enumerate(throws, start=1):
        if faces and (len(faces) != due or not 2 <= due <= MOST_DICE):
            raise NotAThrow(number, len(faces))
    return ["".join(column) for column in zip(*filter(None, throws), strict=True)]


def _find_heading(lines: list[str]) -> int | None:
    """Return the index of the heading, a first line of words before other lines, or None."""
    first = next((n for n, line in enumerate(lines) if WORD.search(line)), None)
    if first is None or not any(WORD.search(line) for line in lines[first + 1 :]):
        return None
    words = WORD.findall(lines[first])
    return first if all(any(map(str.isalpha, word)) for word in words) else None


def _check_faces(lines: list[str]) -> None:
    for number, line in enumerate(lines, start=1):
        if NO_FACE.search(line):
            wrong = next(word for word in WORD.findall(line) if NO_FACE.search(word))
            raise NotAFace(number, wrong)


def decode_text(data: bytes) -> str:
    """Return a file's text; it may begin with a byte order mark. Raise NoText if it is no text."""
    try:
        return data.decode("utf-16" if data[:2] in UTF_16 else "utf-8-sig")
    except UnicodeDecodeError:
        raise NoText("this is no text file; a spreadsheet can be saved as CSV") from None


def read(path: Path, places: DicePlaces = DicePlaces.ANY) -> Faces:
    """Return the counts of faces in a file. Error messages name the file."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadFaces(f"it is larger than {MOST_BYTES:,} bytes")
        return parse_faces(decode_text(path.read_bytes()), places)
    except OSError as error:
        raise BadFaces(f"{path} cannot be read: {error.strerror}") from None
    except BadFaces as wrong:
        raise BadFaces(f"{path}: {wrong}") from None
