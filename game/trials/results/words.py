"""Sentences about the figures of a trial."""

from collections.abc import Sequence

from game.core.words.phrases import add_percent_sign, format_percent, format_points, format_signed
from game.trials.analysis.describe import Description, DiceFigures, MeanOfPeople
from game.trials.analysis.power import Power
from game.trials.analysis.primary import (
    A_DECISION,
    COST,
    DIFFERENT,
    EQUIVALENT,
    SCORE,
    TOO_FEW,
    Estimand,
    PairAnswer,
)
from game.trials.models import Trial, TrialGame
from game.trials.results.data import Conditions, GameCounts
from solver.statistics.inference import Interval

OUTCOMES = {
    COST: "Points lost per game",
    A_DECISION: "Points lost per decision",
    SCORE: "Final score",
}
MEASURED = {name: words[0].lower() + words[1:] for name, words in OUTCOMES.items()}
DIGITS = {COST: 1, A_DECISION: 3, SCORE: 1}
PHASES = {"": "All games"} | {phase.value: str(phase.label) for phase in TrialGame.Phase}
FOUR_IN_FIVE = 2.8 / 1.96  # half-widths of the interval that a difference with 80 % power has
DOUBT = 0.05


def format_p_value(p: float) -> str:
    """Format a p-value for a sentence; no-break spaces keep it on one line."""
    text = f"p = {format_points(p, 3)}" if p >= 0.001 else f"p < {format_points(0.001, 3)}"
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def format_interval(
    interval: Interval | None, *, start: float | None = None, digits: int = 1
) -> str:
    """Format an interval as text; return "" for None. Negative ends become 0. If ``start`` is
    given, the interval is for a cost. Then format the interval of the skill estimate, which is
    ``start`` minus the cost, or return "" if the interval is wider than ``start``."""
    if interval is None:
        return ""
    low, high = max(interval.low, 0.0), interval.high
    if start is not None:
        if high - low > start:
            return ""
        low, high = max(start - high, 0.0), start - low
    return f"{format_points(low, digits)} to {format_points(high, digits)}"


def describe_power(power: Power, effect: float) -> list[str]:
    if power.half is None:
        return ["There are too few people for a verdict: an arm needs at least six."]
    sentences = []
    if power.power is not None and power.any_power is not None:
        any_arm = f", and for at least one arm in {_format_share(power, power.any_power)}"
        any_arm = any_arm if power.power != power.any_power else ""
        sentences.append(
            f"This plan finds a difference of {format_points(effect)} points in"
            f" {_format_share(power, power.power)} of {power.trials} simulated trials{any_arm}."
        )
    return [
        *sentences,
        "If the arms do not differ, this plan finds a difference in"
        f" {_format_share(power, power.false_findings)}.",
        f"The 95 % confidence interval of the difference is ± {format_points(power.half)} points."
        " Four of five trials find a difference of"
        f" {format_points(power.half * FOUR_IN_FIVE)} points.",
    ]


def _format_share(power: Power, probability: float) -> str:
    margin = format_points(100 * power.calculate_margin(probability))
    return f"{format_percent(probability)} (± {add_percent_sign(margin)})"


def describe_pair(estimand: Estimand, pair: PairAnswer) -> list[str]:
    arms = f"“{pair.arm}” minus “{pair.reference}”"
    if pair.estimate is None or pair.p is None:
        return [f"{arms}: there are too few people for a verdict ({TOO_FEW})."]
    digits = DIGITS[estimand.measure]
    sentences = [
        f"{arms}, {MEASURED[estimand.measure]}: {format_signed(pair.estimate, digits)}"
        f" (95 % confidence interval: {_format_ends(pair.low, pair.high, digits)};"
        f" {format_p_value(pair.p)}). Verdict: {pair.verdict}."
    ]
    if pair.verdict == DIFFERENT or estimand.smallest is None:
        return sentences
    smallest = format_points(estimand.smallest, digits)
    inside = f"The 90 % confidence interval is {_format_ends(pair.low_90, pair.high_90, digits)}"
    if pair.verdict == EQUIVALENT:
        return [*sentences, f"{inside}, so the arms differ by less than {smallest} points."]
    return [*sentences, f"{inside}, so a difference of {smallest} points is not ruled out."]


def _format_ends(low: float | None, high: float | None, digits: int) -> str:
    ends = [None if end is None else format_signed(end, digits) for end in (low, high)]
    if None not in ends:
        return f"{ends[0]} to {ends[1]}"
    return f"at least {ends[0]}" if ends[0] else f"at most {ends[1]}" if ends[1] else "open"


def describe_tipping(estimand: Estimand, pair: PairAnswer) -> list[str]:
    point = pair.tipping_point
    if point is None:
        nobody = pair.estimate is not None and sum(pair.missing) == 0
        return ["Everyone who was given one of these arms finished a game."] if nobody else []
    digits = DIGITS[estimand.measure]
    sentences = (
        f"“{pair.arm}” and “{pair.reference}”: with {point.filled} missing"
        f" value{'s' * (point.filled > 1)} predicted from the baseline games, the difference is"
        f" {format_signed(point.estimate, digits)} ({format_p_value(point.p)})."
    )
    if pair.verdict != DIFFERENT:
        return [sentences]
    if point.worse is None:
        return [sentences, "However bad the missing values were, the finding would stay."]
    worse = format_points(point.worse, digits)
    return [
        sentences,
        f"The finding goes away if the missing values in the better arm are {worse} points worse.",
    ]


def describe_games(games: Description, conditions: Conditions) -> list[str]:
    if games.scores is None or games.score is None:
        return ["No game is finished yet."]
    sentences = [
        f"The mean score is {format_points(games.score.mean)}.{_format_intervals(games.score)}"
    ]
    start = conditions.value_start
    if games.cost is not None:
        cost = games.cost
        sentences.append(
            f"Decisions cost {format_points(cost.mean)} points per game.{_format_intervals(cost)}"
        )
        if start is not None:
            sentences.append(
                f"Perfect play averages {format_points(start, 2)}, so the skill estimate is"
                f" {format_points(start - cost.mean)}.{_format_intervals(cost, start)}"
            )
        sentences.append(f"{games.flawless} of {games.judged} judged games are without a mistake.")
    if (test := games.against_perfect) is not None:
        side = "above" if test.statistic > 0 else "below"
        sentences.append(
            f"The mean score is {format_points(abs(test.statistic))} standard"
            f" errors {side} that of perfect play ({format_p_value(test.p)})."
        )
        if test.statistic > 0 and games.luck is not None:
            sentences.append("No one beats perfect play in the long run, so this is luck.")
    if games.luck is not None:
        sentences.append(
            f"Luck brought {format_signed(games.luck)} points per game; luck averages 0."
        )
    if games.slope is not None and games.slope_p is not None:
        sentences.append(
            "From game to game, the cost per game changes by"
            f" {format_signed(games.slope.mean, 2)} points"
            f" ({format_signed(games.slope.low, 2)} to {format_signed(games.slope.high, 2)};"
            f" {format_p_value(games.slope_p)})."
        )
    return sentences


def _format_intervals(mean: MeanOfPeople, start: float | None = None) -> str:
    intervals = {
        "these people": format_interval(mean.these_people, start=start),
        "people like these": format_interval(mean.people_like_these, start=start),
    }
    shown = ", ".join(f"{ends} for {people}" for people, ends in intervals.items() if ends)
    return f" 95 % confidence interval: {shown}." if shown else ""


def describe_dice(dice: Sequence[DiceFigures]) -> list[str]:
    if not dice:
        return []
    whole = dice[0]
    fair = (
        "are consistent with fair dice"
        if whole.p >= DOUBT
        else "are more uneven than fair dice usually are"
    )
    sentences = [
        f"The {format_points(sum(whole.counts), 0)} real dice that were typed in {fair}"
        f" ({format_p_value(whole.p)})."
    ]
    apart = [f"die {die.die}: {format_p_value(die.p)}" for die in dice[1:]]
    return [*sentences, f"Each die separately: {', '.join(apart)}."] if apart else sentences


def list_caveats(trial: Trial, counts: GameCounts, games: Description, *, arms: bool) -> list[str]:
    """Return what the numbers do not show, in at most six sentences."""
    sentences = []
    if trial.rehearsal:
        sentences.append("This is a rehearsal: bots played, and nothing here is about people.")
    if trial.is_open:
        sentences.append(
            "The trial is open and the figures change with every game: stop when you planned to,"
            " not when you like the figures."
        )
    if (missing := counts.planned - games.games - counts.elsewhere) > 0:
        sentences.append(
            f"{missing} planned game{'s are' if missing > 1 else ' is'} unfinished or excluded."
            " If people stopped because of how their games went, the means are biased."
        )
    if counts.elsewhere:
        sentences.append(
            f"Finished games of arms with other rules or dice ({counts.elsewhere}) count only in"
            " the comparison of arms, which then does not show what a coach changes."
        )
    sentences.append(
        "“People like these” are people who would have come to this trial in the same way. The"
        " results may not apply to other people."
    )
    sentences.append(
        "Only differences between arms have a known cause, because only the arms were randomised."
        if arms
        else "Nothing was randomised, so no difference here has a known cause."
    )
    return sentences[:6]
