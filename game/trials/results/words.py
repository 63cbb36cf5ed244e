"""A trial's figures in plain sentences."""

from collections.abc import Sequence

from game.core.words.phrases import percent, points, share, signed
from game.models import Game, Trial
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
    TippingPoint,
)
from game.trials.results.data import Conditions, TakingPart
from solver.statistics.inference import Interval

OUTCOMES = {
    COST: "Points lost per game",
    A_DECISION: "Points lost per decision",
    SCORE: "Final score",
}
MEASURED = {name: words[0].lower() + words[1:] for name, words in OUTCOMES.items()}
DIGITS = {COST: 1, A_DECISION: 3, SCORE: 1}
PHASES = {"": "All games"} | {phase.value: str(phase.label) for phase in Game.Phase}
FOUR_IN_FIVE = 2.8 / 1.96  # a difference that is found so often, in half widths
DOUBT = 0.05


def p_value(p: float) -> str:
    """Format a p, without a line break."""
    text = f"p = {points(p, 3)}" if p >= 0.001 else f"p < {points(0.001, 3)}"
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def span(of: Interval | None, *, start: float | None = None, digits: int = 1) -> str:
    """Format an interval; with ``start`` that of the skill estimate. Nobody loses less than
    nothing, so an end stops there; one that is wider than all that is possible is left out."""
    if of is None:
        return ""
    low, high = max(of.low, 0.0), of.high
    if start is not None:
        if high - low > start:
            return ""
        low, high = max(start - high, 0.0), start - low
    return f"{points(low, digits)} to {points(high, digits)}"


def power_words(of: Power, effect: float) -> list[str]:
    """Describe a simulated plan."""
    if of.half is None:
        return ["These are too few people for a verdict: an arm needs at least six."]
    told = []
    if of.power is not None and of.any_power is not None:
        any_arm = f", and at least one arm in {_share(of, of.any_power)}"
        told.append(
            f"This trial finds a difference of {points(effect)} points in {_share(of, of.power)} of"
            f" {of.trials} simulated trials{any_arm if of.power != of.any_power else ''}."
        )
    return [
        *told,
        f"If the arms do nothing, it finds one in {_share(of, of.false_findings)}.",
        f"The 95 % confidence interval of the difference is ± {points(of.half)} points."
        f" Four of five trials find a difference of about {points(of.half * FOUR_IN_FIVE)}.",
    ]


def _share(of: Power, found: float) -> str:
    return f"{percent(found)} (± {share(points(100 * of.margin(found)))})"


def pair_words(of: Estimand, pair: PairAnswer) -> list[str]:
    """Describe the answer about a further arm and the first."""
    arms = f"“{pair.arm}” minus “{pair.reference}”"
    if pair.estimate is None or pair.p is None:
        return [f"{arms}: these are too few people for a verdict ({TOO_FEW})."]
    digits = DIGITS[of.measure]
    told = [
        f"{arms}, {MEASURED[of.measure]}: {signed(pair.estimate, digits)} (95 % confidence"
        f" interval: {_ends(pair.low, pair.high, digits)}; {p_value(pair.p)})."
        f" Verdict: {pair.verdict}."
    ]
    if pair.verdict == DIFFERENT or of.smallest is None:
        return told
    smallest = points(of.smallest, digits)
    inside = f"The 90 % confidence interval is {_ends(pair.low_90, pair.high_90, digits)}"
    if pair.verdict == EQUIVALENT:
        return [*told, f"{inside}: the arms surely differ by less than {smallest} points."]
    return [*told, f"{inside}, so a difference of {smallest} points is not ruled out."]


def _ends(low: float | None, high: float | None, digits: int) -> str:
    ends = [None if end is None else signed(end, digits) for end in (low, high)]
    if None not in ends:
        return f"{ends[0]} to {ends[1]}"
    return f"at least {ends[0]}" if ends[0] else f"at most {ends[1]}" if ends[1] else "open"


def tipping_words(of: Estimand, pair: PairAnswer) -> list[str]:
    point: TippingPoint | None = pair.tipping_point
    if point is None:
        nobody = pair.estimate is not None and sum(pair.missing) == 0
        return ["Nobody who was given these arms is without a finished game."] if nobody else []
    digits = DIGITS[of.measure]
    told = (
        f"“{pair.arm}” and “{pair.reference}”: with {point.filled} missing"
        f" value{'s' * (point.filled > 1)} filled in as the games before predict, the difference is"
        f" {signed(point.estimate, digits)} ({p_value(point.p)})."
    )
    if pair.verdict != DIFFERENT:
        return [told]
    if point.worse is None:
        return [told, "However bad they were, the finding would stay."]
    worse = points(point.worse, digits)
    return [told, f"The finding goes away if those in the better arm are {worse} points worse."]


def game_words(of: Description, conditions: Conditions) -> list[str]:
    """Describe what all games together tell."""
    if of.scores is None or of.score is None:
        return ["No game is finished yet."]
    told = [f"The mean score is {points(of.score.mean)}.{_intervals(of.score)}"]
    start = conditions.value_start
    if of.cost is not None:
        cost = of.cost
        told.append(f"Decisions cost {points(cost.mean)} points per game.{_intervals(cost)}")
        if start is not None:
            these, others = (
                span(one, start=start) for one in (cost.these_people, cost.people_like_these)
            )
            ends = _both(these, others)
            told.append(
                f"Perfect play averages {points(start, 2)}, so the skill estimate is"
                f" {points(start - cost.mean)}.{ends}"
            )
        told.append(f"{of.flawless} of {of.judged} judged games are without a mistake.")
    if of.against_perfect is not None and start is not None:
        side = "above" if of.against_perfect.statistic > 0 else "below"
        told.append(
            f"The mean score is {points(abs(of.against_perfect.statistic))} standard errors {side}"
            f" that of perfect play ({p_value(of.against_perfect.p)})."
        )
        if of.against_perfect.statistic > 0 and of.luck is not None:
            told.append("Nobody plays better than that in the long run, so it is luck.")
    if of.luck is not None:
        told.append(f"The dice brought {signed(of.luck)} points per game; luck averages 0.")
    if of.slope is not None and of.slope_p is not None:
        told.append(
            f"From one game to the next, what decisions cost changes by {signed(of.slope.mean, 2)}"
            f" points ({signed(of.slope.low, 2)} to {signed(of.slope.high, 2)};"
            f" {p_value(of.slope_p)})."
        )
    return told


def _intervals(of: MeanOfPeople) -> str:
    return _both(span(of.these_people), span(of.people_like_these))


def _both(these: str, others: str) -> str:
    ends = [
        f"{these} for these people" if these else "",
        f"{others} for people like these" if others else "",
    ]
    told = ", ".join(filter(None, ends))
    return f" 95 % confidence interval: {told}." if told else ""


def dice_words(of: Sequence[DiceFigures]) -> list[str]:
    if not of:
        return []
    whole = of[0]
    fair = (
        "say nothing against fair dice"
        if whole.p >= DOUBT
        else "are seldom so uneven with fair dice"
    )
    told = [
        f"The {points(sum(whole.counts), 0)} real dice that were typed in {fair}"
        f" ({p_value(whole.p)})."
    ]
    apart = [f"die {one.die}: {p_value(one.p)}" for one in of[1:]]
    return [*told, f"Each die by itself: {', '.join(apart)}."] if apart else told


def caveats(trial: Trial, people: TakingPart, of: Description, *, arms: bool) -> list[str]:
    """Say what the numbers do not tell, in at most six sentences."""
    told = []
    if trial.rehearsal:
        told.append("This is a rehearsal: bots played, and nothing here is about people.")
    if trial.is_open:
        told.append(
            "The trial is open and the figures move with every game: stop when you planned to, not"
            " when they please."
        )
    if people.planned > of.games + people.elsewhere:
        missing = people.planned - of.games - people.elsewhere
        told.append(
            f"{missing} planned game{'s are' if missing > 1 else ' is'} not finished, or left out."
            " If people stopped because of how their games went, the means are off."
        )
    if people.elsewhere:
        told.append(
            f"Finished games of arms with other rules or dice ({people.elsewhere}) count only in"
            " the comparison of arms, which then says nothing about a coach."
        )
    told.append(
        "People like these are those who would have come to this trial in the same way; whether"
        " others play alike, it cannot tell."
    )
    told.append(
        "Only what lies between the arms has a cause here, because only the arms were randomised."
        if arms
        else "Nothing was randomised, so no difference here has a known cause."
    )
    return told[:6]
