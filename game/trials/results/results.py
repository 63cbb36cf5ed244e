"""The results of a trial and their charts, for the page and the export."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from django.utils import timezone
from django.utils.functional import cached_property

from game.coach.score_charts import HEIGHT, WIDTH, read_perfect_scores
from game.core.words.phrases import format_percent, format_points
from game.core.words.times import LONG, format_day
from game.trials.analysis.describe import (
    Description,
    DiceFigures,
    GameResult,
    PersonFigures,
    PhaseFigures,
    describe_games,
    group_values,
    list_phase_figures,
)
from game.trials.analysis.primary import (
    ANALYSIS,
    COST,
    ArmPerson,
    Estimand,
    PrimaryAnswer,
    compare_arms,
)
from game.trials.design.masking import MET, is_rule_met
from game.trials.design.phases import PHASES, TRAINING
from game.trials.design.reading import build_design
from game.trials.files.export_queries import STAYED
from game.trials.files.export_table import format_time
from game.trials.models import Preregistration, Trial, TrialEvent
from game.trials.results import words
from game.trials.results.data import (
    Conditions,
    GameCounts,
    ResultRow,
    count_dice,
    count_games,
    find_conditions,
    find_outcome_phase,
    list_result_rows,
    make_usual_estimand,
    map_arm_people,
)
from game.trials.results.exclusions import EXCLUSIONS, find_excluded
from game.trials.results.flow import Flow, build_flow
from game.trials.results.preregistration import (
    DESCRIPTION,
    SettingChange,
    describe_stopping,
    list_changes,
)
from solver.charts import REFERENCE, Axis, Chart, Layer, Line, Points, Rule, make_histograms
from solver.exact.distribution import Distribution
from solver.statistics.chi_squared import Ten
from solver.statistics.inference import subtract_from
from solver.study.published import HUMANS, Published, find_published

MOST_NAMED = 12  # maximum number of participants with names under a chart
FEW = 4  # fewest games on an axis, so that the axis has whole steps
MOST_ARMS = 6  # number of arms with different colours
APART = 0.14  # distance between arms, as a share of the width of a phase


class Drawing(NamedTuple):
    """A chart. ``name`` is the stem of its file; ``svg`` is for the page, ``alone`` for a file."""

    name: str
    chart: Chart

    @property
    def title(self) -> str:
        return self.chart.title

    @property
    def svg(self) -> str:
        return replace(self.chart, show_title=False).draw_for_page()

    @property
    def alone(self) -> str:
        return self.chart.svg()


def _draw(
    name: str, title: str, description: str, layers: Sequence[Layer], x: Axis, y: Axis
) -> Drawing:
    return Drawing(name, Chart(title, layers, x, y, description, WIDTH, HEIGHT))


def _draw_tens(
    games: Description, perfect: Distribution | None, study: Published | None
) -> Drawing:
    """Draw the scores in groups of ten points, next to those of perfect play and, if known, of a
    published study."""
    counts = np.zeros(games.tens[-1].low // 10 + 1)
    for ten in games.tens:
        counts[ten.low // 10] += ten.share
    shares = [("this trial", counts)]
    if perfect:
        shares.append(("perfect play", perfect.group_in_tens()))
    if study:
        shares.append(("the published study's people", study.shares))
    mean = games.score.mean if games.score else 0.0
    rule = Rule(x=mean, label=f"mean {format_points(mean)}", series=1)
    return _draw(
        "scores-in-tens",
        "Scores in bands of ten",
        f"The mean of this trial is {format_points(mean)}.",
        [*make_histograms(shares), rule],
        Axis("final score"),
        Axis("games", low=0.0, percent=True),
    )


def _draw_skills(people: Sequence[PersonFigures], value_start: float) -> Drawing:
    """Draw a bar per participant or, if there are many, a line through the sorted values."""
    spans = [
        (person.participant, subtract_from(value_start, person.interval))
        for person in people
        if person.interval
    ]
    best = max(spans, key=lambda pair: pair[1].mean)
    x, layers = Axis(), list[Layer]()
    if len(spans) <= MOST_NAMED:
        names = tuple(name for name, _span in spans)
        for at, (_name, span) in enumerate(spans):
            layers.append(Line([at, at], [span.low, span.high], series=1, bands=names))
        means = [span.mean for _name, span in spans]
        layers.append(Points(list(range(len(spans))), means, series=1, bands=names))
    else:
        x = Axis("participants, sorted by estimate")
        ordered = sorted((span for _name, span in spans), key=lambda span: span.mean)
        ranks = [float(rank) for rank in range(1, len(ordered) + 1)]
        band = ([span.high for span in ordered], [span.low for span in ordered])
        layers.append(Line(ranks, [span.mean for span in ordered], band=band, series=1))
    return _draw(
        "skill",
        "Skill estimates of participants, with 95 % confidence intervals",
        f"{best[0]} has the best estimate: {format_points(best[1].mean)}.",
        [*layers, Rule(y=value_start, label="perfect play", series=REFERENCE)],
        x,
        Axis("points per game"),
    )


def _draw_learning(games: Description) -> Drawing:
    numbers = [float(step.number) for step in games.learning]
    costs = [step.cost for step in games.learning]
    first, last = format_points(costs[0]), format_points(costs[-1])
    return _draw(
        "learning",
        "Points lost, game by game",
        f"Lost: {first} points in the first game, {last} in the last.",
        [Points(numbers, costs, label="mean of all participants", series=1)],
        Axis("game", high=max(numbers[-1], numbers[0] + FEW)),
        Axis("points lost per game", low=0.0),
    )


def _draw_phases(phases: Sequence[PhaseFigures], measure: str) -> Drawing:
    bands = tuple(dict.fromkeys(words.PHASES[row.phase] for row in phases))
    arms = list(dict.fromkeys(row.arm for row in phases))[:MOST_ARMS]
    layers: list[Layer] = []
    for number, name in enumerate(arms):
        off = APART * (number - (len(arms) - 1) / 2)
        rows = [row for row in phases if row.arm == name]
        places = [bands.index(words.PHASES[row.phase]) + off for row in rows]
        layers.append(
            Points(places, [row.mean for row in rows], label=name, series=number + 1, bands=bands)
        )
    parts = [
        f"{row.arm or 'everyone'} {format_points(row.mean, words.DIGITS[measure])}"
        for row in phases[-len(arms) :]
    ]
    return _draw(
        "arms-phases",
        "Arms by phase: means over people",
        f"{bands[-1]}: {', '.join(parts)}.",
        layers,
        Axis(),
        Axis(words.MEASURED[measure], low=0.0),
    )


@dataclass(frozen=True, slots=True)
class Unmasking:
    """The unblinding of a trial, with the state of its stopping ``rule`` at that time. ``reason``
    is the staff's reason, or "" if the trial was unblinded by closing it."""

    at: datetime
    stopping_rule: str
    reason: str = ""

    @property
    def words(self) -> str:
        day = format_day(self.at, LONG)
        if self.reason:
            return (
                f"An owner unblinded the trial on {day}, before its end, so these figures could"
                f" influence when it was closed. The reason: {self.reason}"
            )
        if self.stopping_rule == MET:
            return f"Unblinded on {day}, when the trial was closed as its preregistration says."
        return f"Unblinded on {day}, when the trial was closed. No stopping rule had been locked."


@dataclass(frozen=True, slots=True)
class LockedPlan:
    preregistration: Preregistration
    analysis: str | None  # None in a plan that an earlier version locked
    program: str
    left_out: Mapping[str, Sequence[str]]
    stopping: str
    stopped: bool
    changes: Sequence[SettingChange]

    @property
    def here(self) -> bool:
        """True if this version of the program can calculate the locked analysis."""
        return self.analysis in (ANALYSIS, DESCRIPTION)

    @property
    def left_out_words(self) -> list[tuple[str, Sequence[str]]]:
        numbers = self.preregistration.exclusions
        return [
            (EXCLUSIONS[name].format_sentence(numbers[name]), who)
            for name, who in self.left_out.items()
        ]

    def facts(self) -> dict[str, Any]:
        return {
            "sha256": self.preregistration.digest,
            "analysis": self.analysis,
            "left_out": [{"rule": name, "people": who} for name, who in self.left_out.items()],
            "stopping_rule_met": self.stopped,
            "changed_since": [asdict(change) for change in self.changes],
            "everything_else": "exploratory",
        }


class ComparisonLine(NamedTuple):
    name: str
    games: str = ""
    mean: str = ""
    median: str = ""
    deviation: str = ""
    range: str = ""
    bonus: str = ""


@dataclass(frozen=True, slots=True)
class AnalysedData:
    """The data of the analysis: finished games, everyone with an arm, the people whom each locked
    rule excludes, and the seed of the permutation test. Keys are participants' keys."""

    rows: Sequence[ResultRow]
    lock: Preregistration | None
    by_rule: Mapping[str, set[int]]
    left_out: Mapping[int, Sequence[str]]
    estimand: Estimand | None
    orders: Mapping[int, tuple[str, tuple[int, ...]]]
    arms: Mapping[int, ArmPerson]
    seed: int

    @property
    def measure(self) -> str:
        return self.estimand.measure if self.estimand else COST

    @property
    def counted(self) -> list[ResultRow]:
        return [row for row in self.rows if row.key not in self.left_out]


def collect_data(trial: Trial, until: datetime) -> AnalysedData:
    """Return the data of the analysis. For a blinded trial, omit exclusions and people's values."""
    rows, estimand, seed = list_result_rows(trial, until), make_usual_estimand(trial), 0
    assigned = trial.participants.filter(STAYED, arm__isnull=False, assigned_at__lte=until)
    orders = {person.pk: (person.label, person.order) for person in assigned.order_by("number")}
    lock = Preregistration.objects.filter(trial=trial, locked_at__lte=until).first()
    by_rule = find_excluded(trial, until, lock.exclusions) if lock and not trial.masked else {}
    left_out = group_values((key, name) for name, keys in by_rule.items() for key in keys)
    if lock and lock.locked.get("analysis") == ANALYSIS:  # older versions locked other analyses
        estimand, seed = Estimand.from_facts(lock.locked["estimand"]), int(lock.digest[:8], 16)
    people = {}
    if estimand and not trial.masked:
        people = map_arm_people(orders, estimand, rows, left_out)
    return AnalysedData(rows, lock, by_rule, left_out, estimand, orders, people, seed)


@dataclass(frozen=True)
class Results:
    trial: Trial
    data: AnalysedData
    counts: GameCounts
    conditions: Conditions
    games: Description
    primary: PrimaryAnswer | None
    phases: Sequence[PhaseFigures]
    dice: Sequence[DiceFigures]
    flow: Flow
    lock: LockedPlan | None
    unmasking: Unmasking | None

    @cached_property
    def perfect(self) -> Distribution | None:
        return read_perfect_scores(self.trial.rules)

    @cached_property
    def study(self) -> Published | None:
        return find_published(HUMANS, self.trial.rules)

    @cached_property
    def sentences(self) -> Mapping[str, list[str]]:
        answer = self.primary
        pairs = [(answer.estimand, pair) for pair in answer.pairs] if answer else []
        return {
            "primary": [text for pair in pairs for text in words.describe_pair(*pair)],
            "tipping": [text for pair in pairs for text in words.describe_tipping(*pair)],
            "games": words.describe_games(self.games, self.conditions),
            "dice": words.describe_dice(self.dice),
            "caveats": words.list_caveats(self.trial, self.counts, self.games, arms=bool(pairs)),
        }

    @property
    def outcome(self) -> str:
        return words.OUTCOMES[self.data.measure]

    @cached_property
    def drawings(self) -> list[Drawing]:
        charts, games, start = [], self.games, self.conditions.value_start
        if any(phase.people > 1 for phase in self.phases):
            charts.append(_draw_phases(self.phases, self.data.measure))
        if games.games:
            charts.append(_draw_tens(games, self.perfect, self.study))
        if any(person.interval for person in games.people) and start is not None:
            charts.append(_draw_skills(games.people, start))
        if len(games.learning) > 1:
            charts.append(_draw_learning(games))
        return charts

    @property
    def charts(self) -> Mapping[str, Drawing]:
        return {drawing.name.replace("-", "_"): drawing for drawing in self.drawings}

    @property
    def comparison(self) -> Iterator[ComparisonLine]:
        scores, start = self.games.scores, self.conditions.value_start
        if scores is not None:
            yield ComparisonLine(
                self.trial.title,
                format_points(self.games.games, 0),
                format_points(scores.mean, 2),
                format_points(scores.median, 0 if scores.median % 1 == 0 else 1),
                _format_deviation(scores.deviation),
                f"{scores.least} to {scores.most}",
                format_percent(scores.bonus_share),
            )
        if start is not None:
            deviation = _format_deviation(self.conditions.deviation)
            yield ComparisonLine("Perfect play", mean=format_points(start, 2), deviation=deviation)
        if study := self.study:
            yield ComparisonLine(
                "The published study's people",
                format_points(study.stated, 0),
                format_points(study.mean, 2),
                format_points(study.median, 0),
                _format_deviation(study.deviation_of_counts),
                f"{study.least} to {study.most}",
            )

    @property
    def tens(self) -> Iterator[tuple[Ten, float | None, float | None]]:
        """Each group of ten points, with the shares of perfect play and of the published study."""
        perfect = self.perfect.group_in_tens() if self.perfect else None
        for ten in self.games.tens:
            share, other = (
                None if shares is None else float(sum(shares[ten.low // 10 :][:1]))
                for shares in (perfect, self.study.shares if self.study else None)
            )
            yield ten, share, other

    @property
    def persons(self) -> Iterator[tuple[PersonFigures, float | None, str]]:
        """Each person with the skill estimate, and its confidence interval in words."""
        start = self.conditions.value_start
        for person in self.games.people:
            if start is None or person.cost is None:
                yield person, None, ""
            else:
                interval = words.format_interval(person.interval, start=start)
                yield person, start - person.cost, interval

    @property
    def phase_rows(self) -> list[tuple[str, PhaseFigures]]:
        return [(words.PHASES[row.phase], row) for row in self.phases]

    @property
    def digits(self) -> int:
        return words.DIGITS[self.data.measure]

    def facts(self) -> dict[str, Any]:
        """Return all figures of the results, without the sentences that explain them."""
        settings = (
            *("slug", "title", "state", "rehearsal", "places", "games_each"),
            *("ruleset", "dice", "shared_dice", "within"),
        )
        phase = find_outcome_phase(build_design(self.trial))
        return {
            "trial": {
                **{name: getattr(self.trial, name) for name in settings},
                "outcome_phase": phase,
            },
            "conditions": asdict(self.conditions),
            "flow": self.flow.facts(),
            "lock": self.lock.facts() if self.lock else None,
            "unmasked": asdict(self.unmasking) | {"at": format_time(self.unmasking.at)}
            if self.unmasking
            else None,
            "primary": asdict(self.primary) if self.primary else None,
            "phases": [asdict(row) for row in self.phases],
            "games": asdict(self.games),
            "dice": [asdict(row) for row in self.dice],
        }


def _format_deviation(deviation: float | None) -> str:
    return "" if deviation is None else format_points(deviation, 2)


def calculate_results(
    trial: Trial, until: datetime | None = None, data: AnalysedData | None = None
) -> Results:
    until = until or timezone.now()
    data, conditions = data or collect_data(trial, until), find_conditions(trial)
    estimand, lock, people = data.estimand, data.lock, trial.participants.order_by("number")
    event = trial.events.filter(kind=TrialEvent.Kind.UNMASKED, at__lte=until).first()
    return Results(
        trial=trial,
        data=data,
        counts=count_games(trial, until),
        conditions=conditions,
        games=describe_games(
            [row.game for row in data.counted if row.alike],
            start=conditions.value_start,
            deviation=conditions.deviation,
            shared_dice=conditions.shared_dice,
        ),
        primary=compare_arms(estimand, list(data.arms.values()), data.seed) if estimand else None,
        phases=_list_phases(trial, data),
        dice=count_dice(trial, until) if trial.real_dice else (),
        flow=build_flow(trial, until),
        lock=LockedPlan(
            lock,
            lock.locked.get("analysis"),
            lock.locked.get("program", "an earlier version"),
            left_out={
                name: [person.label for person in people if person.pk in keys]
                for name, keys in data.by_rule.items()
            },
            stopping=describe_stopping(lock),
            stopped=is_rule_met(lock, until),
            changes=list_changes(lock),
        )
        if lock
        else None,
        unmasking=Unmasking(event.at, event.detail["stopping_rule"], event.detail.get("reason", ""))
        if event
        else None,
    )


def _list_phases(trial: Trial, data: AnalysedData) -> list[PhaseFigures]:
    """Return the figures of every arm in every phase. People count in their assigned arm. If
    everyone plays all arms, each training game counts in the arm of that game."""
    design, orders = build_design(trial), dict(data.orders.values())
    figures: list[PhaseFigures] = []
    for phase in () if design.plain else PHASES:
        games: list[tuple[GameResult, int | None]] = []  # each game, and its arm
        apart = phase == TRAINING or not design.within
        names = [arm.name for arm in design.arms] if apart else []
        for game in (row.game for row in data.counted):
            arm = game.arm if design.within else orders.get(game.participant, (None,))[0]
            games.append((game, arm if names else 0))
        figures += list_phase_figures(
            games, names or [""], data.measure, phase, within=design.within
        )
    return figures
