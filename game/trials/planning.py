"""The planner of a trial: the form, and the results that the command prints.

For a trial with arms, simulated trials go through the analysis of real results
(``game.trials.analysis.power``). For a trial without arms, formulas give the interval widths.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import sqrt
from typing import Any

import numpy as np
from django import forms
from django.db.models import Exists, OuterRef
from django.utils.functional import cached_property

from game.core.words.labels import list_ruleset_choices
from game.core.words.phrases import format_points
from game.models import Coach
from game.trials.analysis.power import (
    PlannedTrial,
    Power,
    Spread,
    calculate_half_widths,
    simulate_power,
)
from game.trials.analysis.primary import COST, SCORE, Estimand
from game.trials.design.phases import AFTER, TRAINING
from game.trials.models import Trial, TrialGame
from game.trials.models.trial import MOST_GAMES, MOST_PLACES
from game.trials.results.words import describe_power
from game.trials.road.form import MOST_ARMS
from solver.rules import PLAYED, find_ruleset
from solver.statistics.chi_squared import Floats

PEOPLE, GAMES = 60, 5
GAMES_OFFERED = (1, 2, 5, 10, 25, 50, 100)
MINUTES_A_TURN = 0.5
LEAST_PEOPLE = 6  # fewest people in closed trials for estimating standard deviations
OUTCOMES = {COST: "Points lost per game", SCORE: "Final score"}


def _make_integer_field(least: int, most: int, *, needed: bool = False) -> forms.IntegerField:
    return forms.IntegerField(min_value=least, max_value=most, required=needed)


def _make_points_field(least: float = 0.01, most: float = 1000) -> forms.FloatField:
    return forms.FloatField(min_value=least, max_value=most, required=False)


class PlanForm(forms.Form):
    people = _make_integer_field(2, MOST_PLACES, needed=True)
    games = _make_integer_field(1, MOST_GAMES, needed=True)
    ruleset = forms.ChoiceField(choices=list_ruleset_choices)
    outcome = forms.ChoiceField(choices=list(OUTCOMES.items()))
    arms = _make_integer_field(2, MOST_ARMS)
    effect = _make_points_field()
    baseline = _make_integer_field(0, MOST_GAMES)
    test = _make_integer_field(0, MOST_GAMES)
    dropouts = _make_points_field(0, 0.9)
    design = forms.ChoiceField(choices=Trial.Kind.choices)
    between = _make_points_field()
    change = _make_points_field()
    within = _make_points_field()
    from_trials = forms.BooleanField(required=False)
    minutes = _make_points_field()

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        arms = data.get("arms")
        both = data.get("design") == Trial.Kind.WITHIN
        if not arms and (both or any(data.get(name) for name in ("baseline", "test", "dropouts"))):
            self.add_error("arms", "Enter the number of arms.")
        elif both and arms != 2:
            self.add_error("design", "Everyone can play all arms only if there are two arms.")
        return data


def plan_form(data: Mapping[str, Any]) -> PlanForm:
    usual = {
        "people": PEOPLE,
        "games": GAMES,
        "outcome": COST,
        "ruleset": Trial().ruleset,
        "design": Trial.Kind.BETWEEN.value,
    }
    sent = {name: data.get(name) for name in PlanForm.base_fields if data.get(name)}
    return PlanForm(usual | sent)


@dataclass(frozen=True)
class PlanPage:
    data: Mapping[str, Any]
    spread: Spread
    source: str

    @cached_property
    def plan(self) -> PlannedTrial | None:
        """The trial to simulate; None for a trial without arms."""
        data = self.data
        if not data["arms"]:
            return None
        within, after = self.within, data["test"] or 0
        phase = AFTER if after and not within else TRAINING
        names = tuple(str(arm) for arm in range(data["arms"]))
        return PlannedTrial(
            Estimand(names, phase, data["outcome"], within=within),
            data["people"],
            after if phase == AFTER else data["games"],
            data["baseline"] or 0,
            self.spread,
            data["effect"] or 0.0,
            data["dropouts"] or 0.0,
        )

    @cached_property
    def power(self) -> Power | None:
        return simulate_power(self.plan) if self.plan else None

    @property
    def within(self) -> bool:
        return bool(self.data["design"] == Trial.Kind.WITHIN)

    @property
    def games(self) -> int:
        trained: int = self.data["games"] * (2 if self.within else 1)
        return trained + (self.data["baseline"] or 0) + (self.data["test"] or 0)

    @property
    def same_play(self) -> list[tuple[int, int, str, str]]:
        """Other ways to divide the same number of games among people, as (people, games per person,
        half the interval's width for the same people, half its width for similar people)."""
        play = self.data["people"] * self.data["games"]
        return [
            (
                play // games,
                games,
                *map(_format_half_width, calculate_half_widths(play // games, games, self.spread)),
            )
            for games in sorted({*GAMES_OFFERED, self.data["games"]})
            if play // games >= 2 and play % games == 0
        ]

    @property
    def sentences(self) -> list[str]:
        minutes = self.data["minutes"] or MINUTES_A_TURN * len(
            find_ruleset(self.data["ruleset"], PLAYED).categories
        )
        hours = format_points(minutes * self.games * self.data["people"] / 60, 0)
        return [
            *(
                describe_power(self.power, self.plan.effect)
                if self.power and self.plan
                else self._describe_means()
            ),
            f"Each person plays for about {format_points(minutes * self.games, 0)} minutes,"
            f" and all people together for {hours} hours.",
            self.source,
            f"The standard deviations, in points per game, are {format_points(self.spread.between)}"
            f" between people, {format_points(self.spread.change)} between their changes, and"
            f" {format_points(self.spread.within)} between games of one person.",
        ]

    def _describe_means(self) -> list[str]:
        people, games = self.data["people"], self.data["games"]
        these, others = calculate_half_widths(people, games, self.spread)
        return [
            f"{people} × {games} games give a 95 % confidence interval of "
            f"{_format_half_width(others)} points"
            f" per game for people like these, and of {_format_half_width(these)} for these people."
        ]

    def facts(self) -> dict[str, Any]:
        these, others = calculate_half_widths(self.data["people"], self.data["games"], self.spread)
        return {
            "people": self.data["people"],
            "games": self.games,
            "these_people": these,
            "people_like_these": others,
            "power": self.power.facts() if self.power else None,
            "plan": asdict(self.plan) if self.plan else None,
            "spread": asdict(self.spread),
            "sentences": self.sentences,
        }


def _format_half_width(half: float | None) -> str:
    return "–" if half is None else f"± {format_points(half)}"


def plan_page(data: Mapping[str, Any]) -> PlanPage:
    """Return the planner's page. Standard deviations in the form replace the estimated values."""
    spread = Spread.find_usual(data["ruleset"], data["outcome"])
    source = "The spread comes from bots that err as people do. People may differ more or less."
    if data["from_trials"]:
        known = estimate_spread(data["ruleset"], data["outcome"])
        source = (
            f"The spread comes from {known[1]} people in closed trials."
            if known
            else (
                "Fewer than six people have played two games without a coach in closed trials,"
                " so the spread comes from bots."
            )
        )
        spread = known[0] if known else spread
    chosen = {name: data[name] for name in ("between", "change", "within") if data[name]}
    return PlanPage(data, replace(spread, **chosen), source)


def estimate_spread(ruleset: str, outcome: str) -> tuple[Spread, int] | None:
    """Return the standard deviations of people in closed trials with these rules, and the number of
    people. Only games before a person's first coached game count. Return None if too few people
    have two such games."""
    trials = Trial.objects.filter(
        ruleset=ruleset, rehearsal=False, closed_at__isnull=False, unmasked_at__isnull=False
    )
    coached = TrialGame.objects.filter(
        participant=OuterRef("participant"), number__lte=OuterRef("number")
    ).exclude(game__coach=Coach.OFF)
    name = "game__final_score" if outcome == SCORE else "game__regret"
    games = TrialGame.objects.filter(
        ~Exists(coached),
        participant__trial__in=trials,
        participant__withdrawn_at__isnull=True,
        game__finished_at__isnull=False,
        game__ruleset=ruleset,
        **{f"{name}__isnull": False},
    )
    people: dict[tuple[int, int], list[float]] = {}
    rows = games.order_by("number").values_list("participant__trial", "participant", name)
    for trial, participant, value in rows:
        people.setdefault((trial, participant), []).append(float(value))
    played = {who: np.array(costs) for who, costs in people.items() if len(costs) > 1}
    by_trial = [
        [costs for who, costs in played.items() if who[0] == at]
        for at in {who[0] for who in played}
    ]
    by_trial = [group for group in by_trial if len(group) > 1]
    everybody = [costs for group in by_trial for costs in group]
    if len(everybody) < LEAST_PEOPLE:
        return None
    spare = sum(len(costs) - 1 for costs in everybody)
    within = sum(float(costs.var()) * len(costs) for costs in everybody) / spare
    between = _calculate_variance(
        by_trial, within, lambda costs: (float(costs.mean()), 1 / len(costs))
    )
    change = _calculate_variance(by_trial, within, _compare_halves)
    return Spread(sqrt(between), sqrt(change), sqrt(within)), len(everybody)


def _compare_halves(costs: Floats) -> tuple[float, float]:
    """Return the mean cost of the second half of games minus the mean cost of the first half, and
    the factor that turns the variance of one game into the variance of this difference."""
    half = len(costs) // 2
    return float(costs[half:].mean() - costs[:half].mean()), 1 / half + 1 / (len(costs) - half)


def _calculate_variance(
    groups: Sequence[Sequence[Floats]],
    within: float,
    measure: Callable[[Floats], tuple[float, float]],
) -> float:
    """Return the variance between people, without the variance that single games add. ``measure``
    returns a person's value and a factor: multiplied by ``within``, the variance of a game, it
    gives the variance that the person's games add to the value."""
    square = noise = spare = 0.0
    for group in groups:
        values, factors = zip(*map(measure, group), strict=True)
        square += float(np.var(values)) * len(values)
        noise += (len(values) - 1) * within * float(np.mean(factors))
        spare += len(values) - 1
    return max(0.0, (square - noise) / spare)
