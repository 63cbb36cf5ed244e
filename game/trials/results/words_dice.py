"""What luck and the dice of a trial allow one to conclude."""

from game.lab.dice_apart import told_apart
from game.trials.results.reading import Counted
from game.trials.results.words import p_value
from game.words.phrases import points, signed
from solver.statistics.fairness import DiceTest
from solver.statistics.inference import Significance
from solver.statistics.trial_figures import DOUBT, Analysis


def luck(of: Analysis, *, real: bool) -> list[str]:
    if of.luck is None:
        return []
    told = [
        f"The dice brought {signed(of.luck.mean)} points a game. On average that is 0, whoever "
        "plays."
    ]
    return told + (_surprise(of.luck.test, real=real) if of.luck.test else [])


def _surprise(test: Significance, *, real: bool) -> list[str]:
    facts = {"p": p_value(test)}
    if test.p >= DOUBT:
        return ["So much luck, good or bad, is nothing unusual ({p}).".format(**facts)]
    told = ["So much luck, good or bad, is seldom ({p}).".format(**facts)]
    if real:
        return [*told, "Look at how the dice fall, and at how they were typed in."]
    return [
        *told,
        (
            "The dice of this site are fixed before the first throw. So it is a rare chance, or "
            "lucky and unlucky games were not finished equally often."
        ),
    ]


def dice(test: DiceTest, counted: Counted, *, real: bool) -> list[str]:
    told = [_thrown(test, counted) if real else _dealt(test, counted)]
    facts = {"p": p_value(Significance(test.fit.statistic, test.fit.p))}
    fair = test.fit.p >= DOUBT
    text = (
        "These counts say nothing against fair dice (%(p)s)."
        if fair
        else "Fair dice are seldom so uneven (%(p)s)."
    )
    told.append(text % facts)
    if real:
        return told + (list(told_apart(test)) or ["They are tested together alone."])
    return told if fair else [*told, _virtual()]


def _virtual() -> str:
    return (
        "The dice of this site are fixed before the first throw and hang on nobody's decisions, so "
        "it is such a chance, as one test in twenty finds; the seeds in the export let anybody "
        "throw them again."
    )


def _thrown(test: DiceTest, counted: Counted) -> str:
    text = (
        (
            "%(dice)s dice were thrown in %(games)s game, as they were typed in; dice that "
            "were held "
            "are not counted again."
        )
        if counted.games == 1
        else (
            "%(dice)s dice were thrown in %(games)s games, as they were typed in; dice that "
            "were held "
            "are not counted again."
        )
    )
    return text % {"dice": points(test.dice, 0), "games": points(counted.games, 0)}


def _dealt(test: DiceTest, counted: Counted) -> str:
    facts = {"dice": points(test.dice, 0), "games": points(counted.games, 0)}
    if counted.games < counted.of:
        text = "Counted are the %(dice)s dice that were thrown on %(games)s of %(of)s cards."
        return text % {**facts, "of": points(counted.of, 0)}
    text = (
        "Counted are the %(dice)s dice that were thrown on %(games)s card."
        if counted.games == 1
        else "Counted are the %(dice)s dice that were thrown on %(games)s cards, each die once."
    )
    return text % facts
