"""Conclusions from a trial's numbers, people and dice, in plain sentences."""

from math import isclose
from typing import Protocol

from game.core.words.phrases import points, signed
from game.trials.results.reading import Counted
from solver.advice import is_mistake
from solver.statistics.fairness import DiceTest
from solver.statistics.inference import Interval, Significance
from solver.statistics.trial import DOUBT, Analysis, Conditions, Estimate
from solver.study.dice import sentences_apart
from solver.study.html import Words


def scores(of: Analysis, conditions: Conditions) -> list[str]:
    if of.raw is None:
        return ["No game is finished yet, so there is nothing to tell."]
    told = [_means(of, of.raw), *_raw_range(of, of.raw)]
    if conditions.shared_dice and of.raw.these_people:
        told.append(
            "All played the same dice, whose luck is therefore in everybody's mean; "
            "the ranges allow for that."
        )
    return told


def _means(of: Analysis, raw: Estimate) -> str:
    if not of.unequal:
        return f"The mean score is {points(raw.mean)}."
    return (
        f"The mean of the participants' own means is {points(raw.of_people)}, that of all "
        f"games {points(raw.mean)}: some "
        "have played more games than others, and count more in the second. The ranges here are "
        "around the first."
    )


def _raw_range(of: Analysis, raw: Estimate) -> list[str]:
    if raw.these_people_alike is None:
        return ["That is too few games to tell how far it may be from a mean over many games."]
    told = [_going_on(of) % ends(raw.these_people_alike)]
    others = raw.people_like_these
    if len(of.people) < 2:
        told.append("One participant alone says nothing about other people.")
    elif others:
        told.append(
            "The mean of people like these lies somewhere from {low} to {high}.".format(
                **ends(others)
            )
        )
    else:
        told.append(_too_few())
    return told


def _too_few() -> str:
    return "These are too few people for a range of people like these."


def _going_on(of: Analysis) -> str:
    """Say what would happen if these people went on playing."""
    if of.learning and of.learning.shows:
        return (
            "Over many games played as these were, it would settle somewhere from %(low)s to "
            "%(high)s. That is about the games played, not about the next ones: what decisions "
            "cost has changed from game to game."
        )
    return (
        "If these participants went on playing as they did in these games, their mean would "
        "settle somewhere from %(low)s to %(high)s."
    )


def skill(of: Analysis, conditions: Conditions) -> list[str]:
    if not of.games:
        return []
    if of.skill is None or of.lost is None or conditions.value_start is None:
        return ["The decisions of these games were not judged, so skill and luck stay mixed."]
    start, skill = conditions.value_start, of.skill.first
    # Each figure is rounded by itself: no reader of a study wants one that was made to fit.
    told = [
        f"Perfect play averages {points(start, 2)}, and their decisions cost "
        f"{points(start - skill, 2)} points a game. That leaves {points(skill, 2)}: what they were "
        "good for in these games, whatever dice they had."
    ]
    return told + _skill_range(of) + _unjudged(of)


def _skill_range(of: Analysis) -> list[str]:
    if of.skill is None or of.skill.these_people_alike is None:
        return []
    told = ["It lies somewhere from {low} to {high}.".format(**ends(of.skill.these_people_alike))]
    if of.narrower and of.narrower > 1:
        facts = {
            "times": points(of.narrower),
            "games": points(round(of.games * of.narrower**2, -1), 0),
        }
        told.append(
            (
                "For these people this range is {times} times as narrow as that of the mean "
                "score, for it has no luck in it: scores alone would take about {games} games "
                "of theirs to be as sure."
            ).format(**facts)
        )
    return told + _others_like_these(of)


def _others_like_these(of: Analysis) -> list[str]:
    if of.skill is None or len(of.people) < 2:
        return []
    if of.skill.people_like_these is None:
        return [_too_few()]
    told = [
        "People like these are good for {low} to {high}.".format(**ends(of.skill.people_like_these))
    ]
    if of.narrower_like_these and of.narrower and of.narrower > 1:
        told.append(
            f"That range is {points(of.narrower_like_these)} times as narrow as the one by "
            "scores: how far people lie "
            "apart is in both, and only more people make it much narrower."
        )
    return told


def _unjudged(of: Analysis) -> list[str]:
    missing = of.games - of.judged
    if not missing:
        return []
    text = (
        "%(games)s game was not judged from its first decision on; it counts for scores alone."
        if missing == 1
        else (
            "%(games)s games were not judged from their first decision on; they count for scores "
            "alone."
        )
    )
    return [text % {"games": missing}]


def perfect(of: Analysis, conditions: Conditions) -> list[str]:
    told = []
    if of.raw and of.raw_against_perfect and conditions.value_start is not None:
        test = of.raw_against_perfect
        facts = {
            "start": points(conditions.value_start),
            "errors": points(abs(test.statistic)),
            "p": p_value(test),
        }
        told.append(_against_perfect(test) % facts)
        if test.statistic > 0:
            told += _luck_in_it(of)
    return told + _mistakes(of)


def _against_perfect(test: Significance) -> str:
    above, seldom = test.statistic > 0, test.p < DOUBT
    if above and seldom:
        return (
            "The mean score is %(errors)s standard errors above that of perfect play, %(start)s "
            "(%(p)s). Nobody can play better than that in the long run, so skill does not explain "
            "it: luck does, or which games were kept, or how they were written down."
        )
    if above:
        return (
            "The mean score is %(errors)s standard errors above that of perfect play, %(start)s "
            "(%(p)s): no more than luck often brings. Nobody can play better than that in the "
            "long run."
        )
    if seldom:
        return (
            "The mean score is %(errors)s standard errors below that of perfect play, %(start)s "
            "(%(p)s): more than bad luck explains. These participants play less well than it."
        )
    return (
        "The mean score is %(errors)s standard errors below that of perfect play, %(start)s "
        "(%(p)s). Scores alone cannot tell these participants from perfect play."
    )


def study(test: Significance | None) -> list[str]:
    """Compare the mean of the published study's people."""
    if test is None:
        return []
    return [
        (
            f"The mean of the published study's people is {points(test.statistic)} standard "
            "errors above that of "
            f"perfect play ({p_value(test)}), which skill alone cannot be."
        )
    ]


def _luck_in_it(of: Analysis) -> list[str]:
    if of.luck is None or of.lost is None:
        return []
    facts = {"luck": signed(of.luck.mean), "lost": points(of.lost.mean)}
    text = "By the ledger, dice brought %(luck)s points a game and decisions cost %(lost)s."
    return [text % facts]


def _mistakes(of: Analysis) -> list[str]:
    if of.lost is None:
        return []
    if not is_mistake(of.lost.mean):
        return ["No decision cost anything: every one of these games was played perfectly."]
    text = (
        (
            "Of %(games)s judged game, %(flawless)s was without a mistake; perfect play makes none "
            "in any."
        )
        if of.judged == 1
        else (
            "Of %(games)s judged games, %(flawless)s were without a mistake; perfect play "
            "makes none "
            "in any."
        )
    )
    return [text % {"games": of.judged, "flawless": of.lost.flawless}]


def p_value(test: Significance) -> str:
    """Format how often chance alone gives as much, without a line break."""
    text = "p < %(p)s" if test.p < 0.001 else "p = %(p)s"
    return (text % {"p": points(max(test.p, 0.001), 3)}).replace(" ", "\N{NO-BREAK SPACE}")


def spread(span: Interval | None) -> str:
    """Beside its mean: how far it reaches, or, where one end is cut off, from where to where."""
    if span is None:
        return ""
    if isclose(span.mean - span.low, span.high - span.mean):
        return f"±\N{NO-BREAK SPACE}{points(span.half)}"
    return "{low} to {high}".format(**ends(span))


class HasRange(Protocol):
    """Whatever goes from one number to another."""

    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float: ...


def ends(span: HasRange, digits: int = 1) -> dict[str, str]:
    return {"low": points(span.low, digits), "high": points(span.high, digits)}


def learning(of: Analysis) -> list[str]:
    if of.learning is None:
        return []
    slope, test = of.learning.slope, of.learning.test
    if slope is None or test is None:
        return ["These are too few games to tell whether anybody learns."]
    facts = {
        "change": points(abs(slope.mean), 2),
        "low": signed(slope.low, 2),
        "high": signed(slope.high, 2),
        "p": p_value(test),
    }
    return [
        _learnt(slope, test) % facts,
        (
            "Everybody is compared with themselves, by a straight line through all of their "
            "games. Learning that is soon over shows as less than it was."
        ),
    ]


def _learnt(slope: Interval, test: Significance) -> str:
    if test.p >= DOUBT:
        return (
            "No learning shows: from one game to the next, what decisions cost changes by "
            "%(low)s to %(high)s points, which may be nothing (%(p)s)."
        )
    if slope.mean < 0:
        return (
            "They learn: from one game to the next, decisions cost %(change)s points less "
            "(%(low)s to %(high)s, %(p)s)."
        )
    return (
        "They get worse: from one game to the next, decisions cost %(change)s points more "
        "(%(low)s to %(high)s, %(p)s). Haste or tiredness would look like this."
    )


def people(of: Analysis) -> list[str]:
    return [*_apart(of), *_beside_others(of), *_beside_perfect(of)]


def _apart(of: Analysis) -> list[str]:
    """Describe how far the estimates are apart."""
    known = [(one.estimate, one.participant) for one in of.people if one.estimate is not None]
    if len(known) < 2:
        return []
    (low, worst), (high, best) = min(known), max(known)
    facts = {"low": points(low), "high": points(high), "worst": worst, "best": best}
    return [
        "Their skill estimates lie from {low} ({worst}) to {high} ({best}).".format(**facts),
        (
            "With as many ranges as participants, about one in twenty misses what it is about; "
            "anyone who came first or last was also helped or hurt by accident."
        ),
    ]


def _beside_others(of: Analysis) -> list[str]:
    """Describe how many differ from the others on the same dice."""
    spans = [person.against_others for person in of.people if person.against_others]
    if not spans:
        return []
    better, worse = sum(span.low > 0 for span in spans), sum(span.high < 0 for span in spans)
    return [
        (
            f"On the same dice, {better} of {len(spans)} participants scored more than the others "
            f"and {worse} less, by more than accident explains."
        )
    ]


def _beside_perfect(of: Analysis) -> list[str]:
    span = of.against_perfect
    if span is None:
        return []
    text = (
        "Their scores differ from what perfect play scores on the very same dice by %(mean)s "
        "points a game (%(low)s to %(high)s)."
    )
    facts = {"mean": span.mean, "low": span.low, "high": span.high}
    return [text % {name: signed(value) for name, value in facts.items()}]


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
        return told + (list(sentences_apart(test, Words())) or ["They are tested together alone."])
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
