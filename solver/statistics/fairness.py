"""Tests of the fairness of dice: of their mean, and of their six counts (chi-squared).

If a place in the roll always has the same die, each die also has a separate test, because one die
may show a face too often and another die too seldom. Several tests raise the chance of a false
alarm, so Holm's method adjusts their p-values. It controls the family-wise error even if the tests
depend on each other. In a game they do, because all dice together decide which die is rolled again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil, sqrt
from pathlib import Path

import numpy as np

from solver import Refusal
from solver.rules import MOST_DICE
from solver.rules.dice import FACES
from solver.statistics.chi_squared import ChiSquared, calculate_uniform_p
from solver.statistics.inference import adjust_by_holm

VIRTUAL_DICE = 3_000_000
FAIR_SHARE = 1 / FACES
FAIR_MEAN = (1 + FACES) / 2
FAIR_DEVIATION = sqrt((FACES**2 - 1) / 12)
# A measure of bias (the noncentrality). At this value, the chi-squared test with 5 degrees of
# freedom gives p < 0.05 in 8 of 10 tests.
NOTICED = 12.8276
WEIGHT = FACES * (1 + 1 / (FACES - 1))  # converts a squared excess share to chi-squared per die
MOST_BYTES = 1_000_000
DIGITS = "".join(str(face) for face in range(1, FACES + 1))
SIGNS = str.maketrans("⚀⚁⚂⚃⚄⚅", DIGITS)
WORD = re.compile(r"[^\W_]+")
NO_FACE = re.compile(rf"(?![{DIGITS}])[^\W_]")
LONGEST = 20  # maximum length of a wrong word that an error message quotes
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # the byte order marks with which UTF-16 files begin


@dataclass(frozen=True, slots=True)
class DiceTest:
    title: str
    counts: tuple[int, ...]  # number of rolls of each face, from 1 to 6
    fit: ChiSquared
    exact: bool  # False if p is an approximation
    apart: "tuple[OneDie, ...]" = ()  # a test of each die, if its place in the roll identifies it

    @property
    def dice(self) -> int:
        return sum(self.counts)

    @property
    def expected(self) -> float:
        return self.dice * FAIR_SHARE

    @property
    def mean(self) -> float:
        return sum(face * count for face, count in enumerate(self.counts, start=1)) / self.dice

    @property
    def mean_error(self) -> float:
        return FAIR_DEVIATION / sqrt(self.dice)

    @property
    def noticeable(self) -> float | None:
        """The smallest share of one face that 8 of 10 tests with this many dice detect at p < 0.05.
        All other faces have equal shares. None if even dice with a single face would often pass."""
        share = FAIR_SHARE + sqrt(NOTICED / (self.dice * WEIGHT))
        return share if share < 1 else None


@dataclass(frozen=True, slots=True)
class OneDie:
    """The test of one of several dice. ``number`` is its place in the roll, from 1. It is 0 for all
    dice that have no fixed place. ``p`` is the family-wise p-value."""

    number: int
    test: DiceTest
    p: float


class DicePlaces(StrEnum):
    """The places in a roll that always show the same die."""

    ANY = ""  # no place always shows the same die
    FIRST = "first"  # only the first place does, for example for a die of another colour
    EACH = "each"  # every place does


def find_z_score(mean: float, dice: int) -> float:
    """Return how far a mean is from that of fair dice, in standard errors."""
    return (mean - FAIR_MEAN) / (FAIR_DEVIATION / sqrt(dice))


def count_needed_dice(share: float) -> int:
    """Return how many dice detect a face with this share, as ``DiceTest.noticeable`` defines it."""
    return ceil(NOTICED / (WEIGHT * (share - FAIR_SHARE) ** 2))


def check_fairness(title: str, counts: Sequence[int]) -> DiceTest:
    due = sum(counts) / FACES
    statistic = sum((count - due) ** 2 for count in counts) / due
    p, exact = calculate_uniform_p(counts)
    return DiceTest(title, tuple(counts), ChiSquared(statistic, FACES - 1, p), exact)


def check_fairness_apart(title: str, dice: Sequence[Sequence[int]], places: DicePlaces) -> DiceTest:
    """Test all dice together, and each identified die; dice[n] has the counts of place n + 1."""
    together = check_fairness(title, [sum(counts) for counts in zip(*dice, strict=True)])
    tested = {DicePlaces.ANY: 0, DicePlaces.FIRST: 1, DicePlaces.EACH: len(dice)}[places]
    parts = dict(enumerate(dice[:tested], start=1))
    if places is DicePlaces.FIRST:
        parts[0] = [sum(counts) for counts in zip(*dice[1:], strict=True)]
    tests = {n: check_fairness(title, counts) for n, counts in parts.items() if sum(counts)}
    family = adjust_by_holm({number: test.fit.p for number, test in tests.items()})
    apart = tuple(OneDie(number, test, family[number]) for number, test in tests.items())
    return replace(together, apart=apart)


def check_virtual_dice(dice: int = VIRTUAL_DICE, seed: int = 1) -> DiceTest:
    faces = np.random.default_rng(seed).integers(FACES, size=dice, dtype=np.uint8)
    counts = np.bincount(faces, minlength=FACES)
    return check_fairness(f"{dice:,} virtual dice", [int(count) for count in counts])


class BadFaces(Refusal, ValueError):
    """The error for a text without valid rolls. The message gives the reason."""


class NoFaces(BadFaces):
    """The error for a text without dice."""


class NoText(BadFaces):
    """The error for a file that is not text."""


class NotAFace(BadFaces):
    """The error for a word with a character that is not a face of a die. ``line`` counts from 1."""

    def __init__(self, line: int, word: str) -> None:
        self.line, self.word = line, word[:LONGEST]
        super().__init__(f"line {line}: {self.word!r} is not made of faces from 1 to {FACES}")


class NotAThrow(BadFaces):
    """The error for a line that is not exactly one roll, although places identify the dice."""

    def __init__(self, line: int, dice: int) -> None:
        self.line, self.dice = line, dice
        super().__init__(
            f"line {line} holds {dice} dice; if they have places, write one roll per line, always "
            f"of the same 2 to {MOST_DICE} dice"
        )


@dataclass(frozen=True, slots=True)
class Faces:
    """The counts of faces. dice[n][f] is the number of rolls in which the die in place n + 1 showed
    face f + 1. If places do not identify the dice, all dice count as place 1."""

    dice: tuple[tuple[int, ...], ...]
    heading: str = ""  # the first line of the file, if it has words instead of faces

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(map(sum, zip(*self.dice, strict=True)))


def parse_faces(text: str, places: DicePlaces = DicePlaces.ANY) -> Faces:
    lines = text.translate(SIGNS).splitlines()
    first = next((n for n, line in enumerate(lines) if WORD.search(line)), None)
    if first is None or not any(WORD.search(line) for line in lines[first + 1 :]):
        heading = None
    else:
        words = WORD.findall(lines[first])
        heading = first if all(any(map(str.isalpha, word)) for word in words) else None
    remaining = lines[:]
    if heading is not None:
        remaining[heading] = ""
    for number, line in enumerate(remaining, start=1):
        if NO_FACE.search(line):
            wrong = next(word for word in WORD.findall(line) if NO_FACE.search(word))
            raise NotAFace(number, wrong)
    throws = [re.sub("[^1-6]", "", line) for line in remaining]
    if not any(throws):
        raise NoFaces("there are no dice in it: write the faces, such as 1 3 2 4 5")
    placed = ["".join(throws)]  # for each place in the roll: the faces that were rolled there
    if places is not DicePlaces.ANY:
        due = next(len(faces) for faces in throws if faces)
        for number, faces in enumerate(throws, start=1):
            if faces and (len(faces) != due or not 2 <= due <= MOST_DICE):
                raise NotAThrow(number, len(faces))
        placed = ["".join(column) for column in zip(*filter(None, throws), strict=True)]
    dice = tuple(tuple(faces.count(face) for face in DIGITS) for faces in placed)
    return Faces(dice, lines[heading].strip() if heading is not None else "")


def decode_text(data: bytes) -> str:
    """Return a file's text, which may begin with a byte order mark. Raise NoText for other data."""
    try:
        return data.decode("utf-16" if data[:2] in UTF_16 else "utf-8-sig")
    except UnicodeDecodeError:
        raise NoText("this is no text file; a spreadsheet can be saved as CSV") from None


def read(path: Path, places: DicePlaces = DicePlaces.ANY) -> Faces:
    """Return the counts of faces in a file. Error messages include the name of the file."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadFaces(f"it is larger than {MOST_BYTES:,} bytes")
        return parse_faces(decode_text(path.read_bytes()), places)
    except OSError as error:
        raise BadFaces(f"{path} cannot be read: {error.strerror}") from None
    except BadFaces as wrong:
        raise BadFaces(f"{path}: {wrong}") from None
