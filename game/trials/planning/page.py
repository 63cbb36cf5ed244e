"""A plan as it is shown: figures by design, the same play otherwise, a picture, sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.utils.functional import cached_property

from game.coach.score_charts import HEIGHT, WIDTH
from game.core.words.phrases import percent, points
from game.trials.planning.forms import simulated_trial
from game.trials.planning.one_trial import SimulatedTrial
from game.trials.planning.stored import Known, known
from solver.charts import Axis, Chart, Layer, Line, Rule
from solver.rules import PLAYED, find_ruleset
from solver.statistics.planning import (
    COMPARISONS,
    Design,
    Plan,
    Spread,
    Sureness,
    as_much_play,
    people_needed,
    sureness,
    surenesses,
)

STEPS = 60
DRAWN = (Design.LIKE_THESE, Design.THESE, Design.TWO_ARMS, Design.BEFORE_AFTER)


def drawn(
    plan: Plan,
    spread: Spread,
    names: Mapping[Design, str],
    asked: str,
    told: Sequence[str],
) -> str:
    """``asked`` stands at the plan itself, ``told`` is what the picture says in words."""
    people = _people(plan.people)
    curves = [
        Line(*curve, label=str(names[design]), series=series)
        for series, design in enumerate(DRAWN, start=1)
        if (curve := _curve(plan, spread, design, people))[0]
    ]
    layers: list[Layer] = [*curves, Rule(x=float(plan.people), label=asked)]
    title = "How sure would it be? By the number of people"
    x, y = Axis("people"), Axis("± points a game", low=0.0)
    chart = Chart(title, layers, x, y, " ".join(told), WIDTH, HEIGHT, show_title=False)
    return chart.for_page()


def _people(asked: int) -> list[int]:
    """Around what was asked for; with very few people all curves would be walls."""
    least = max(4, asked // 4)
    most = max(2 * asked, least + 8)
    return sorted({round(least + (most - least) * step / STEPS) for step in range(STEPS + 1)})


def _curve(
    plan: Plan, spread: Spread, design: Design, people: Sequence[int]
) -> tuple[list[float], list[float]]:
    found = ((count, sureness(replace(plan, people=count), spread, design)) for count in people)
    known = [(float(count), one.half) for count, one in found if one]
    return [count for count, _half in known], [half for _count, half in known]


GAMES_BESIDE = (1, 2, 5, 10, 25, 50, 100)
FIGURES = (
    *("people", "games", "outcome", "shared_dice", "ruleset", "effect", "minutes", "from_trials"),
    *("between", "within", "change"),
)
MANY, FEW = 50, 5  # games each: the other way to divide the same play that the sentence names
NAMES = {
    Design.THESE: "These people",
    Design.LIKE_THESE: "People like these",
    Design.TWO_ARMS: "Two arms",
    Design.BEFORE_AFTER: "Before and after",
    Design.GAINS: "Gains of two arms",
}
MEANINGS = {
    Design.THESE: "the mean of those who play, over endless games",
    Design.LIKE_THESE: "the mean of the people they were drawn from",
    Design.TWO_ARMS: "half of the people each: the difference of their means",
    Design.BEFORE_AFTER: "half of the games each: the change within the same people, nobody "
    "for comparison",
    Design.GAINS: "half of the people each, half of the games before: the difference of their "
    "changes",
}


@dataclass(frozen=True, slots=True)
class DesignLine:
    """``needed``: how many people find the difference that was asked for four times in five."""

    id: str
    name: str
    meaning: str
    half: str
    smallest: str
    power: str
    needed: str


@dataclass(frozen=True, slots=True)
class PlayLine:
    people: int
    games: int
    asked: bool
    halves: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class PlanPage:
    plan: Plan
    known: Known
    effect: float | None
    simulated: SimulatedTrial | None = None

    @cached_property
    def found(self) -> Mapping[Design, Sureness | None]:
        return surenesses(self.plan, self.known.spread)

    @property
    def headings(self) -> list[str]:
        return [NAMES[design] for design in Design]

    @cached_property
    def lines(self) -> list[DesignLine]:
        return [self._line(design) for design in Design]

    def _line(self, design: Design) -> DesignLine:
        found, compares = self.found[design], design in COMPARISONS
        return DesignLine(
            id=design.value,
            name=NAMES[design],
            meaning=MEANINGS[design],
            half=_half(found),
            smallest=points(found.smallest) if found and compares else "–",
            power=percent(found.power(self.effect)) if found and compares and self.effect else "–",
            needed=self._needed(design),
        )

    def _needed(self, design: Design) -> str:
        if not self.effect or design not in COMPARISONS:
            return "–"
        found = people_needed(self.plan, self.known.spread, design, self.effect)
        return str(found) if found else "no number is enough"

    @property
    def divided(self) -> list[Plan]:
        return as_much_play(self.plan, GAMES_BESIDE)

    @cached_property
    def same_play(self) -> list[PlayLine]:
        return [
            PlayLine(
                plan.people,
                plan.games,
                plan == self.plan,
                [
                    (NAMES[design], _half(found))
                    for design, found in surenesses(plan, self.known.spread).items()
                ],
            )
            for plan in self.divided
        ]

    @property
    def sentences(self) -> list[str]:
        return [*self._tells(), *self._effects(), self._time()]

    def _tells(self) -> list[str]:
        these, like = self.found[Design.THESE], self.found[Design.LIKE_THESE]
        told = []
        if like:
            text = "%(plan)s tell ± %(half)s points a game about people like these."
            told.append(text % {"plan": _named(self.plan), "half": points(like.half)})
        if like and (other := self._other()):
            plan, found = other
            text = "%(plan)s, as much play, tell ± %(half)s."
            told.append(text % {"plan": _named(plan), "half": points(found.half)})
        if these:
            text = "About these people alone: ± %(half)s."
            told.append(text % {"half": points(these.half)})
        return told

    def _other(self) -> tuple[Plan, Sureness] | None:
        """Return the same play by few people with many games, or by many with few."""
        games = MANY if self.plan.games < MANY / 2 else FEW
        plan = Plan(round(self.plan.played / games), games, self.plan.shared_dice)
        found = sureness(plan, self.known.spread, Design.LIKE_THESE) if plan.people > 1 else None
        return (plan, found) if found else None

    def _effects(self) -> list[str]:
        found = self.found[Design.TWO_ARMS]
        if found is None:
            return []
        if self.effect is None:
            text = (
                "A difference between two arms is found four times in five from %(points)s"
                " points a game on."
            )
            return [text % {"points": points(found.smallest)}]
        text = (
            "A difference of %(points)s points a game between two arms is found in %(power)s"
            " of such trials."
        )
        return [text % {"points": points(self.effect), "power": percent(found.power(self.effect))}]

    def _time(self) -> str:
        minutes = self.known.minutes
        return (
            f"Each plays for about {points(minutes * self.plan.games, 0)} minutes, all "
            f"together for "
            f"{points(minutes * self.plan.played / 60, 0 if self.plan.played > 100 else 1)} hours."
        )

    @property
    def origin(self) -> list[str]:
        """The sources of the figures on which the plan is based."""
        own = ["Figures of your own take the place of some of it."] if self.known.own else []
        return [_source(self.known), *own, self._spreads(), _time_source(self.known)]

    def _spreads(self) -> str:
        of = self.known.spread
        return (
            f"As standard deviations: people differ by {points(of.between)} points a game, the "
            "games of"
            f" one person by {points(of.within)}, and from before to after people change "
            "differently by"
            f" {points(of.change)}. Of what differs between games {percent(of.dice)} is the dice."
        )

    @cached_property
    def chart(self) -> str:
        return drawn(self.plan, self.known.spread, NAMES, _named(self.plan), self._tells())


def planned(data: Mapping[str, Any]) -> PlanPage:
    """From what the form has cleaned; with arms everybody plays the games of all their phases."""
    page = plan_page(**{name: data[name] for name in FIGURES})
    trial = simulated_trial(data, page.known.spread)
    if trial is None:
        return page
    return replace(page, plan=replace(page.plan, games=len(trial.order)), simulated=trial)


def plan_page(
    *,
    people: int,
    games: int,
    outcome: str,
    shared_dice: bool,
    ruleset: str,
    effect: float | None = None,
    minutes: float | None = None,
    from_trials: bool = False,
    **own: float | None,
) -> PlanPage:
    """Return the page of a plan; own figures replace stored ones."""
    found = known(find_ruleset(ruleset, PLAYED), outcome, from_trials=from_trials)
    given = {name: value for name, value in own.items() if value is not None}
    if given:
        found = replace(found, spread=Spread(**asdict(found.spread) | given), own=tuple(given))
    if minutes is not None:
        found = replace(found, minutes=minutes, timed=True)
    return PlanPage(Plan(people, games, shared_dice), found, effect)


def _half(found: Sureness | None) -> str:
    return f"± {points(found.half)}" if found else "–"


def _named(plan: Plan) -> str:
    return f"{plan.people} × {plan.games} games"


def _source(of: Known) -> str:
    if of.source == "bots" and not of.asked:
        return (
            "Here bots stand in for people: they err as people do, at levels from grandmaster to"
            " casual. People may differ more or less than that."
        )
    if of.source == "bots":
        return (
            "No trial with at least six people has been closed here, so bots stand in for them:"
            " they err as people do, at levels from grandmaster to casual. People may differ more"
            " or less than that."
        )
    trials = "trial" if of.trials == 1 else "trials"
    return (
        f"The spread is that of {of.people} people in {of.trials} closed {trials} of this site, in"
        " games that no coach came before."
    )


def _time_source(of: Known) -> str:
    facts = {"minutes": points(of.minutes)}
    if of.timed:
        return "A game takes {minutes} minutes.".format(**facts)
    return "A game is assumed to take {minutes} minutes, half a minute a turn.".format(**facts)
