"""What a test of dice allows one to say, and how it is shown."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.coach.scores import HEIGHT, WIDTH
from game.lab.players import percent
from game.lab.study_words import whole
from game.words import phrases
from solver.charts import Axis, Bars, Chart, Line
from solver.rules import MOST_DICE
from solver.rules.dice import FACES
from solver.statistics.faces import LONGEST, BadFaces, NoFaces, NotAFace, NotAThrow, NoText
from solver.statistics.fairness import FAIR_MEAN, FAIR_SHARE, DiceTest, dice_to_notice

HINT, PROOF, HARDLY_EVER = 0.05, 0.01, 0.001  # chances of so uneven counts with fair dice
FEW = 30  # dice; with fewer, even a loaded one is seldom found out
SMALL_SHARES = (0.2, 0.18)  # of one face: biases that it takes many dice to notice


@dataclass(frozen=True, slots=True)
class FaceRow:
    face: int
    count: str
    expected: str
    difference: str


@dataclass(frozen=True, slots=True)
class DiceShown:
    """A test as its page shows it."""

    title: str
    test: DiceTest

    @property
    def rows(self) -> list[FaceRow]:
        due = self.test.expected
        return [
            FaceRow(face, whole(count), phrases.points(due), phrases.signed(count - due))
            for face, count in enumerate(self.test.counts, start=1)
        ]

    @property
    def dice(self) -> str:
        return whole(self.test.dice)

    @property
    def mean(self) -> str:
        return phrases.points(self.test.mean, 3)

    @property
    def fair_mean(self) -> str:
        return phrases.points(FAIR_MEAN)

    @property
    def mean_error(self) -> str:
        return phrases.points(self.test.mean_error, 3)

    @property
    def chi_squared(self) -> str:
        return phrases.points(self.test.fit.statistic, 2)

    @property
    def p(self) -> str:
        return p_value(self.test.fit.p)

    @property
    def sentences(self) -> list[str]:
        return [verdict(self.test), *limits(self.test)]

    @property
    def chart(self) -> str:
        return chart(self.test)


def p_value(p: float) -> str:
    if p < HARDLY_EVER:
        return _("< %(p)s") % {"p": phrases.points(HARDLY_EVER, 3)}
    return phrases.points(p, 3)


def verdict(test: DiceTest) -> str:
    facts = {"chance": percent(test.fit.p)}
    if test.fit.p >= HINT:
        return (
            _(
                "This says nothing against fair dice: they would be at least as uneven in "
                "%(chance)s of such tests."
            )
            % facts
        )
    if test.fit.p >= PROOF:
        return (
            _(
                "Fair dice would be so uneven in only %(chance)s of such tests. That is a hint, "
                "no proof: throw again, and test the new throws alone."
            )
            % facts
        )
    if test.fit.p >= HARDLY_EVER:
        return (
            _(
                "Fair dice would be so uneven in only %(chance)s of such tests. That speaks "
                "against these dice, if no throw was left out or written down wrong."
            )
            % facts
        )
    return _(
        "Fair dice would hardly ever be so uneven. These are not fair, or not all of their throws "
        "are here as they fell."
    )


def limits(test: DiceTest) -> Iterator[str]:
    """What so many dice cannot show."""
    if test.dice < FEW or test.noticeable is None:
        yield ngettext(
            "%(dice)s die tells little: even a loaded one would mostly go unnoticed.",
            "%(dice)s dice tell little: even loaded ones would mostly go unnoticed.",
            test.dice,
        ) % {"dice": whole(test.dice)}
        return
    yield _(
        "With %(dice)s dice, about 8 of 10 tests notice one face that falls %(share)s of the time "
        "instead of %(fair)s; what is less uneven is mostly missed."
    ) % {
        "dice": whole(test.dice),
        "share": percent(test.noticeable),
        "fair": percent(FAIR_SHARE),
    }
    share = next((share for share in SMALL_SHARES if share < test.noticeable), None)
    if share is not None:
        yield _("To notice one that falls %(share)s of the time takes about %(dice)s dice.") % {
            "share": phrases.percent(share),
            "dice": whole(round(dice_to_notice(share), -2)),
        }


def chart(test: DiceTest) -> str:
    """The six counts over what fair dice are expected to show."""
    bands = tuple(str(face) for face in range(1, FACES + 1))
    due = phrases.points(test.expected)
    label = _("expected %(count)s") % {"count": due}
    ends, heights = (-0.5, FACES - 0.5), (test.expected, test.expected)
    told = _("Faces 1 to 6 fell %(counts)s times; %(expected)s are expected of each.")
    return Chart(
        _("How often each face fell"),
        [Bars(bands, test.counts), Line(ends, heights, label, dashed=True)],
        x=Axis(_("face")),
        y=Axis(_("dice"), low=0.0),
        description=told % {"counts": ", ".join(map(whole, test.counts)), "expected": due},
        width=WIDTH,
        height=HEIGHT,
        show_title=False,
    ).for_page()


def problem(wrong: BadFaces) -> str:
    """What is wrong with throws, in the reader's language."""
    if isinstance(wrong, NotAFace):
        return _(
            "Line %(line)s: “%(word)s” is not made of faces from 1 to 6. Mend it and test again."
        ) % {"line": wrong.line, "word": wrong.word}
    if isinstance(wrong, NotAThrow):
        return _(
            "Line %(line)s holds %(dice)s dice. With places every line is a throw, of the same 2 "
            "to %(most)s dice."
        ) % {"line": wrong.line, "dice": wrong.dice, "most": MOST_DICE}
    if isinstance(wrong, NoFaces):
        return _("There are no dice in it. Write their faces, such as 13245 or 1 3 2 4 5.")
    if isinstance(wrong, NoText):
        return _("This is no text file. A spreadsheet can be saved as CSV.")
    return str(wrong)


def heading(line: str) -> str:
    told = _("The first line was taken for a heading and left out: %(line)s")
    return told % {"line": line if len(line) <= 3 * LONGEST else f"{line[: 3 * LONGEST]}…"}
