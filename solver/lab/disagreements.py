"""Where the study's own numbers disagree, worked out from its data."""

from collections.abc import Iterator
from dataclasses import dataclass

from solver.lab.histograms import HUMANS, KEYS, published
from solver.lab.published import reported
from solver.players.values import par
from solver.rules import YATZY


@dataclass(frozen=True, slots=True)
class Disagreement:
    where: str
    says: str
    but: str


def disagreements() -> Iterator[Disagreement]:
    yield from _dice()
    yield from _humans()
    yield from _appendix()
    yield from _ranges()
    yield _optimal()
    yield _yatzy()
    yield Disagreement(
        "Section 2.1, Table 2.1",
        "the bonus is for more than 63 points",
        "the text below the table gives it for 63 or more, which is the rule",
    )


def _dice() -> Iterator[Disagreement]:
    real = reported()["real_dice_test"]
    counts = {int(face): count for face, count in real["counts"].items()}
    dice, pips = sum(counts.values()), sum(face * count for face, count in counts.items())
    yield Disagreement(
        "Table 4.5",
        f"{real['throws']} throws of {real['dice']} dice, {real['reported_total']} in all",
        f"its counts add up to {dice}, and its percentages to {100 * dice / 500:.0f} %",
    )
    yield Disagreement(
        "Section 4.2.1",
        f"the mean of the real dice is {real['reported_mean']}",
        f"{pips} pips on {dice} dice are {pips / dice:.2f}; only over 500 they are {pips / 500}",
    )


def _humans() -> Iterator[Disagreement]:
    theirs = published(HUMANS)
    assert theirs is not None  # noqa: S101
    yield Disagreement(
        "Appendix B",
        f"{reported()[HUMANS]['games']} games of people; the discussion speaks of 200",
        f"the counts add up to {theirs.games}",
    )


def _appendix() -> Iterator[Disagreement]:
    games = reported()["performance_test"]["games"]
    for name in KEYS:
        theirs = published(name)
        if theirs and theirs.games != games:
            says = f"{games:,} games of {name}"
            yield Disagreement("Appendix A", says, f"the counts add up to {theirs.games:,}")


def _ranges() -> Iterator[Disagreement]:
    ranges = {name: p.most - p.least for name in KEYS if (p := published(name))}
    least = min(ranges, key=lambda name: ranges[name])
    yield Disagreement(
        "Section 5.3.1",
        f"dice-based has the least range of scores, {ranges['dice-based']}",
        f"{least} has {ranges[least]}",
    )


def _optimal() -> Disagreement:
    theirs, humans = published("optimal"), published(HUMANS)
    assert theirs is not None  # noqa: S101
    assert humans is not None  # noqa: S101
    return Disagreement(
        "Sections 4.1.1 and 4.2.2",
        f"the optimal algorithm averages {theirs.mean}, and people {humans.mean}",
        "perfect play averages 248.44, and nobody can do better in the long run",
    )


def _yatzy() -> Disagreement:
    chance = float(par()[YATZY.index["yatzy"]]) / 50
    return Disagreement(
        "Section 5.3.1",
        "the chance of Yatzy in three throws is 1 in 29",
        f"a player who goes for nothing else gets it once in {1 / chance:.1f} turns ({chance:.2%})",
    )
