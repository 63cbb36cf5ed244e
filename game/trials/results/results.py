"""The results of a trial and their charts, for the page and the export."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from django.utils import timezone
from django.utils.functional import cached_property

from game.coach.score_charts import HEIGHT, WIDTH, read_perfect_scores
from game.coach.score_charts import draw_chart as drawn_scores
from game.core.words.phrases import format_percent, format_points
from game.core.words.times import LONG, format_day
from game.trials.analysis.describe import (
    Description,
    DiceFigures,
    GameResult,
    PersonFigures,
    PhaseFigures,
    describe_games,
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
from game.trials.files.export_table import format_time
from game.trials.models import Participant, Preregistration, Trial, TrialEvent
from game.trials.reading import STAYED
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
from solver.rules import Ruleset
from solver.statistics.chi_squared import Ten
from solver.statistics.inference import subtract_from
from solver.study.published import HUMANS, find_published

MOST_NAMED = 12  # maximum number of participants with names under a chart
FEW = 4  # fewest games on an axis, so that the axis has whole steps
MOST_ARMS = 6  # number of arms with different colours
APART = 0.14  # distance between arms, as a share of the width of a phase


@dataclass(frozen=True)
class Drawing:
    """A chart. ``name`` is the stem of its file; ``svg`` is for the page, ``alone`` for a file."""

    name: str
    title: str
    draw: Callable[[str, bool], str]

    @cached_property
    def svg(self) -> str:
        return self.draw(self.title, False)

    @cached_property
    def alone(self) -> str:
        return self.draw(self.title, True)


def _draw_tens(rules: Ruleset, games: Description, perfect: Distribution | None) -> Drawing:
    """Draw the scores in groups of ten points, next to those of perfect play and, if known, of a
    published study."""
    counts = np.zeros(games.tens[-1].low // 10 + 1)
    for ten in games.tens:
        counts[ten.low // 10] += ten.share
    layers = [("this trial", counts)]
    if perfect:
        layers.append(("perfect play", perfect.group_in_tens()))
    study = find_published(HUMANS, rules)
    if study:
        layers.append(("the published study's people", study.shares))
    mean = games.score.mean if games.score else 0.0
    description = f"The mean of this trial is {format_points(mean)}."

    def draw(title: str, alone: bool) -> str:
        rule = Rule(x=mean, label=f"mean {format_points(mean)}", series=1)
        drawn: list[Layer] = [*make_histograms(layers), rule]
        return drawn_scores(Chart(title, drawn), description, alone=alone)

    return Drawing("scores-in-tens", "Scores in bands of ten", draw)


def _draw_skills(people: Sequence[PersonFigures], value_start: float) -> Drawing:
    """Draw a bar per participant or, if there are many, a line through the sorted values."""
    spans = [
        (person.participant, subtract_from(value_start, person.interval))
        for person in people
        if person.interval
    ]
    layers: list[Layer] = []
    if len(spans) <= MOST_NAMED:
        names, x = tuple(name for name, _span in spans), Axis()
        layers += (
            Line([at, at], [span.low, span.high], series=1, bands=names)
            for at, (_name, span) in enumerate(spans)
        )
        means = [span.mean for _name, span in spans]
        layers.append(Points(list(range(len(spans))), means, series=1, bands=names))
    else:
        x = Axis("participants, sorted by estimate")
        ordered = sorted((span for _name, span in spans), key=lambda span: span.mean)
        ranks = [float(rank) for rank in range(1, len(ordered) + 1)]
        band = ([span.high for span in ordered], [span.low for span in ordered])
        layers.append(Line(ranks, [span.mean for span in ordered], band=band, series=1))
    layers.append(Rule(y=value_start, label="perfect play", series=REFERENCE))
    best = max(spans, key=lambda pair: pair[1].mean)
    description = f"{best[0]} has the best estimate: {format_points(best[1].mean)}."
    title = "Skill estimates of participants, with 95 % confidence intervals"
    return Drawing("skill", title, make_drawer(layers, description, x, Axis("points per game")))


def _draw_learning(games: Description) -> Drawing:
    numbers = [float(step.number) for step in games.learning]
    costs = [step.cost for step in games.learning]
    layers: list[Layer] = [Points(numbers, costs, label="mean of all participants", series=1)]
    first, last = format_points(costs[0]), format_points(costs[-1])
    description = f"Lost: {first} points in the first game, {last} in the last."
    x = Axis("game", high=max(numbers[-1], numbers[0] + FEW))
    y = Axis("points lost per game", low=0.0)
    return Drawing("learning", "Points lost, game by game", make_drawer(layers, description, x, y))


def make_drawer(
    layers: Sequence[Layer], description: str, x: Axis, y: Axis
) -> Callable[[str, bool], str]:
    def draw(title: str, alone: bool) -> str:
        chart = Chart(title, layers, x, y, description, WIDTH, HEIGHT, show_title=alone)
        return chart.svg() if alone else chart.draw_for_page()

    return draw


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
        for row in phases
    ]
    description = f"{bands[-1]}: {', '.join(parts[-len(arms) :])}."
    y = Axis(words.MEASURED[measure], low=0.0)
    return Drawing(
        "arms-phases",
        "Arms by phase: means over people",
        make_drawer(layers, description, Axis(), y),
    )


@dataclass(frozen=True, slots=True)
class Unmasking:
    """The unblinding of a trial, with the state of its stopping ``rule`` at that time. ``reason``
    is the staff's reason, or "" if the trial was unblinded by closing it."""

    at: datetime
    rule: str
    reason: str

    @property
    def words(self) -> str:
        day = format_day(self.at, LONG)
        if self.reason:
            return (
                f"An owner unblinded the trial on {day}, before its end, so these figures could"
                f" influence when it was closed. The reason: {self.reason}"
            )
        if self.rule == MET:
            return f"Unblinded on {day}, when the trial was closed as its preregistration says."
        return f"Unblinded on {day}, when the trial was closed. No stopping rule had been locked."

    def facts(self) -> dict[str, Any]:
        return {"at": format_time(self.at), "stopping_rule": self.rule, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class LockedPlan:
    preregistration: Preregistration
    stopping: str
    stopped: bool
    changes: Sequence[SettingChange]
    left_out: Mapping[str, Sequence[str]]

    @property
    def here(self) -> bool:
        """True if this version of the program can calculate the locked analysis."""
        return self.preregistration.locked.get("analysis") in (ANALYSIS, DESCRIPTION)

    @property
    def program(self) -> str:
        return str(self.preregistration.locked.get("program", "an earlier version"))

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
            "analysis": self.preregistration.locked.get("analysis"),
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


@dataclass(frozen=True)
class Results:
    trial: Trial
    counts: GameCounts
    conditions: Conditions
    data: "AnalysedData"
    games: Description
    measure: str
    primary: PrimaryAnswer | None
    phases: Sequence[PhaseFigures]
    dice: Sequence[DiceFigures]
    perfect: Distribution | None
    flow: Flow
    lock: LockedPlan | None
    unmasking: Unmasking | None

    @cached_property
    def sentences(self) -> Mapping[str, list[str]]:
        pairs = (
            [(self.primary.estimand, pair) for pair in self.primary.pairs] if self.primary else []
        )
        return {
            "primary": [text for pair in pairs for text in words.describe_pair(*pair)],
            "tipping": [text for pair in pairs for text in words.describe_tipping(*pair)],
            "games": words.describe_games(self.games, self.conditions),
            "dice": words.describe_dice(self.dice),
            "caveats": words.list_caveats(self.trial, self.counts, self.games, arms=bool(pairs)),
        }

    @property
    def outcome(self) -> str:
        return words.OUTCOMES[self.measure]

    @cached_property
    def drawings(self) -> list[Drawing]:
        charts, games, start = [], self.games, self.conditions.value_start
        if any(phase.people > 1 for phase in self.phases):
            charts.append(_draw_phases(self.phases, self.measure))
        if games.games:
            charts.append(_draw_tens(self.trial.rules, games, self.perfect))
        if any(person.interval for person in games.people) and start is not None:
            charts.append(_draw_skills(games.people, start))
        if len(games.learning) > 1:
            charts.append(_draw_learning(games))
        return charts

    @cached_property
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
                format_points(scores.deviation, 2) if scores.deviation is not None else "",
                f"{scores.least} to {scores.most}",
                format_percent(scores.bonus_share),
            )
        if start is not None:
            apart = self.conditions.deviation
            deviation = format_points(apart, 2) if apart is not None else ""
            yield ComparisonLine("Perfect play", mean=format_points(start, 2), deviation=deviation)
        study = find_published(HUMANS, self.trial.rules)
        if study is not None:
            yield ComparisonLine(
                "The published study's people",
                format_points(study.stated, 0),
                format_points(study.mean, 2),
                format_points(study.median, 0),
                format_points(study.deviation_of_counts, 2),
                f"{study.least} to {study.most}",
            )

    @property
    def tens(self) -> Iterator[tuple[Ten, float | None, float | None]]:
        """Each group of ten points, with the shares of perfect play and of the published study."""
        study = find_published(HUMANS, self.trial.rules)
        perfect = self.perfect.group_in_tens() if self.perfect else None
        for ten in self.games.tens:
            share, other = (
                None if shares is None else float(sum(shares[ten.low // 10 :][:1]))
                for shares in (perfect, study.shares if study else None)
            )
            yield ten, share, other

    @property
    def persons(self) -> Iterator[tuple[PersonFigures, float | None, str]]:
        """Each person with the skill estimate, and its confidence interval in words."""
        start = self.conditions.value_start
        for person in self.games.people:
            skill = start - person.cost if start is not None and person.cost is not None else None
            known = skill is not None
            yield (
                person,
                skill,
                words.format_interval(person.interval, start=start) if known else "",
            )

    @property
    def phase_rows(self) -> list[tuple[str, PhaseFigures]]:
        return [(words.PHASES[row.phase], row) for row in self.phases]

    @property
    def digits(self) -> int:
        return words.DIGITS[self.measure]

    def facts(self) -> dict[str, Any]:
        """Return all figures of the results, without the sentences that explain them."""
        trial = self.trial
        return {
            "trial": {
                "slug": trial.slug,
                "title": trial.title,
                "state": trial.state,
                "rehearsal": trial.rehearsal,
                "places": trial.places,
                "games_each": trial.games_each,
                "ruleset": trial.ruleset,
                "dice": trial.dice,
                "shared_dice": trial.shared_dice,
                "within": trial.within,
                "outcome_phase": find_outcome_phase(build_design(trial)),
            },
            "conditions": asdict(self.conditions),
            "flow": self.flow.facts(),
            "lock": self.lock.facts() if self.lock else None,
            "unmasked": self.unmasking.facts() if self.unmasking else None,
            "primary": self.primary.facts() if self.primary else None,
            "phases": [asdict(row) for row in self.phases],
            "games": self.games.facts(),
            "dice": [asdict(row) for row in self.dice],
        }


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


def collect_data(trial: Trial, until: datetime) -> AnalysedData:
    """Return the data of the analysis. For a blinded trial, omit exclusions and people's values."""
    rows = list_result_rows(trial, until)
    assigned = trial.participants.filter(STAYED, arm__isnull=False, assigned_at__lte=until)
    orders = {person.pk: (person.label, person.order) for person in assigned.order_by("number")}
    lock = Preregistration.objects.filter(trial=trial, locked_at__lte=until).first()
    by_rule = find_excluded(trial, until, lock.exclusions) if lock and not trial.masked else {}
    left_out: dict[int, list[str]] = {}
    for name, keys in by_rule.items():
        for key in keys:
            left_out.setdefault(key, []).append(name)
    ours = None
    if lock and lock.locked.get("analysis") == ANALYSIS:  # older versions locked other analyses
        ours = Estimand.from_facts(lock.locked["estimand"])
    estimand = ours or make_usual_estimand(trial)
    people = {}
    if estimand and not trial.masked:
        people = map_arm_people(orders, estimand, rows, left_out)
    seed = int(lock.digest[:8], 16) if lock and ours else 0
    return AnalysedData(rows, lock, by_rule, left_out, estimand, orders, people, seed)


def calculate_results(
    trial: Trial, until: datetime | None = None, data: AnalysedData | None = None
) -> Results:
    until = until or timezone.now()
    data, conditions = data or collect_data(trial, until), find_conditions(trial)
    counted = [row for row in data.rows if row.key not in data.left_out]
    measure = data.estimand.measure if data.estimand else COST
    primary, lock = None, data.lock
    if data.estimand:
        primary = compare_arms(data.estimand, list(data.arms.values()), data.seed)
    people = Participant.objects.filter(trial=trial)
    unblinded = trial.events.filter(kind=TrialEvent.Kind.UNMASKED, at__lte=until)
    return Results(
        trial=trial,
        counts=count_games(trial, until),
        conditions=conditions,
        data=data,
        games=describe_games(
            [row.game for row in counted if row.alike],
            start=conditions.value_start,
            deviation=conditions.deviation,
            shared_dice=conditions.shared_dice,
        ),
        measure=measure,
        primary=primary,
        phases=_list_phases(trial, counted, dict(data.orders.values()), measure),
        dice=count_dice(trial, until) if trial.real_dice else (),
        perfect=read_perfect_scores(trial.rules),
        flow=build_flow(trial, until),
        lock=LockedPlan(
            lock,
            left_out={
                name: [person.label for person in people.order_by("number") if person.pk in keys]
                for name, keys in data.by_rule.items()
            },
            stopping=describe_stopping(lock),
            stopped=is_rule_met(lock, until),
            changes=list_changes(lock),
        )
        if lock
        else None,
        unmasking=Unmasking(event.at, event.detail["stopping_rule"], event.detail.get("reason", ""))
        if (event := unblinded.first())
        else None,
    )


def _list_phases(
    trial: Trial, rows: Sequence[ResultRow], orders: Mapping[str, tuple[int, ...]], measure: str
) -> list[PhaseFigures]:
    """Return the figures of every arm in every phase. People count in their assigned arm. If
    everyone plays all arms, each training game counts in the arm of that game."""
    design = build_design(trial)
    if design.plain:
        return []
    names = [arm.name for arm in design.arms]

    games: list[tuple[GameResult, int | None]] = []  # each game, and the arm in which it counts
    for game in (row.game for row in rows):
        arm = game.arm if design.within else orders.get(game.participant, (None,))[0]
        everyone = not names or (design.within and game.phase != TRAINING)
        games.append((game, 0 if everyone else arm))
    figures: list[PhaseFigures] = []
    for phase in PHASES:
        arms = names if names and (phase == TRAINING or not design.within) else [""]
        figures += list_phase_figures(games, arms, measure, phase, within=design.within)
    return figures
