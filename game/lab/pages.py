"""The lab's pages about strategies and their scores. They show only stored results, because a
calculation would load a compiler into the web process."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import comb
from pathlib import Path
from types import MappingProxyType

import numpy as np
from django import forms
from django.contrib.staticfiles import finders
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.coach.score_charts import draw_chart, read_perfect_scores
from game.core.words import labels, phrases
from game.core.words.speech import say
from game.lab.labels import (
    CSV,
    JSON,
    SITE,
    SVG,
    find_lab_rules,
    format_percent,
    make_file_response,
    make_lab_url,
    make_rules_context,
    whole,
)
from game.lab.labels import PLAYERS as WORDS
from game.lab.learners import (
    draw_loss_by_turn,
    list_learners,
    make_learner_tables,
    make_loss_context,
    make_simplified_table,
)
from game.pages.requests.visitors import PlayRequest
from solver.arena.learners import read_simplified, read_stored_report
from solver.arena.results import Exact, rank_players, read_result
from solver.charts import Chart, make_histograms, pad_to_longest
from solver.exact.distribution import Distribution
from solver.players import PLAYERS, PlayerEntry
from solver.players.playbook import read_stored_books
from solver.pocket import collect_facts
from solver.rules import Ruleset
from solver.rules.dice import FACES
from solver.study import charts
from solver.study.answers import draw_smallest_curve
from solver.study.chapter import make_slip_table
from solver.study.html import Folded, TextTable, render_parts
from solver.study.mixes import PERFECT, WAVERS, read_stored_mixes
from solver.study.published import Published, find_published, measure_distance
from solver.study.slips import DRAFT_SLIPS

DOWNLOADS = {"csv": "distribution", "json": "distribution", "svg": "scores", "svg_tens": "tens"}
RARE = 5e-5  # share of games; tables leave out rarer groups of ten points, except published groups
SHOWN = {"optimal", "playbook-10", "greedy", "dice-based", "random"}  # players in the first chart
PROGRAM = "pocket/float64.wasm"
SCORECARD, UPPER = "scorecard-based", "upper-first"
SAME = 1e-6  # points; smaller differences come from rounding in the file


@dataclass(frozen=True, slots=True)
class Figures:
    mean: str
    deviation: str
    median: int
    bonus: str


@dataclass(frozen=True, slots=True)
class LabPlayer:
    player: PlayerEntry
    rules: Ruleset
    exact: Exact
    published: Published | None

    @property
    def pk(self) -> str:
        return self.player.id

    @property
    def url(self) -> str:
        return make_lab_url("lab_player", self.rules, self.pk)

    @property
    def files(self) -> dict[str, str]:
        """The URLs of the player's downloads, by kind of file."""
        return {
            kind: make_lab_url("lab_file", self.rules, self.pk, f"{name}.{kind.partition('_')[0]}")
            for kind, name in DOWNLOADS.items()
        }

    @property
    def name(self) -> Promise:
        return WORDS[self.pk].name

    @property
    def summary(self) -> Promise:
        return WORDS[self.pk].summary

    @property
    def reading(self) -> Promise | None:
        return WORDS[self.pk].reading

    @property
    def figures(self) -> Figures:
        distribution = self.exact.distribution
        bonus = format_percent(distribution.bonus_probability)
        mean, deviation = (
            phrases.format_points(distribution.mean, 2),
            phrases.format_points(distribution.deviation, 2),
        )
        return Figures(mean, deviation, distribution.median, bonus)

    @property
    def distance(self) -> str:
        """The difference from the study's scores: the percentage of games that would have to move
        to another group of ten points. "" if the study has no scores of this player."""
        if self.published is None:
            return ""
        return format_percent(
            measure_distance(self.exact.distribution.group_in_tens(), self.published.shares)
        )


def find_lab_player(player_id: str, rules: Ruleset) -> LabPlayer | None:
    player = PLAYERS[player_id]
    exact = read_result(player, rules) if player.plays(rules) else None
    return LabPlayer(player, rules, exact, find_published(player_id, rules)) if exact else None


def list_lab_players(rules: Ruleset) -> list[LabPlayer]:
    """Return the players with results. If two players play alike in solo games, leave out one."""
    players = [find_lab_player(player.id, rules) for player in PLAYERS.values() if not player.alone]
    return [player for player in players if player]


def draw_tens_table(player: LabPlayer, best: Distribution | None) -> str:
    """Return an HTML table with the share of games per group of ten points, except rare groups."""
    nothing, theirs = np.zeros(0), player.published
    ideal, printed = (
        best.group_in_tens() if best else nothing,
        theirs.counts.astype(float) if theirs else nothing,
    )
    ours, ideal, printed = pad_to_longest(player.exact.distribution.group_in_tens(), ideal, printed)
    so_far, shown = ours.cumsum(), (np.maximum(ours, ideal) > RARE) | (printed > 0)
    head = [_("Score"), _("Exact"), _("Cumulative share")]
    head += [_("Perfect play")] if best else []
    head += [_("Published"), _("Published games")] if theirs else []
    rows = []
    for n in np.flatnonzero(shown).tolist():
        row = [_("%(low)s to %(high)s") % {"low": 10 * n, "high": 10 * n + 9}]
        row += [format_percent(float(ours[n])), format_percent(float(so_far[n]))]
        row += [format_percent(float(ideal[n]))] if best else []
        if theirs:
            row += [format_percent(float(printed[n] / theirs.games)), whole(int(printed[n]))]
        rows.append(row)
    return render_parts(
        [
            Folded(
                _("Show the numbers behind the charts"),
                [TextTable(_("Scores in bands of ten"), head, rows)],
            )
        ]
    )


def draw_distributions(
    title: str, distributions: Mapping[str, Distribution], reference: str, *, alone: bool = False
) -> str:
    """Draw exact distributions as one SVG chart. ``alone`` adds the title, for a separate file."""
    lines = [
        _("%(name)s: mean %(mean)s")
        % {"name": name, "mean": phrases.format_points(distribution.mean)}
        for name, distribution in distributions.items()
    ]
    chart = charts.draw_distributions(title, dict(distributions), reference)
    return draw_chart(chart, "; ".join(lines), alone=alone)


GAMES = 1000  # games; the page shows the tournament points expected in this number of games


@never_cache
@require_safe
def lab(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    rules = find_lab_rules(ruleset)
    players = list_lab_players(rules)
    context = {
        **make_rules_context("lab", rules),
        "players": players,
        "studied": any(player.published for player in players),
        "chart": _draw_overview(players, alone=False),
        "chart_url": make_lab_url("lab_chart", rules),
        "same_value_url": make_lab_url("same_value", rules),
        "tournament_url": make_lab_url("lab_tournament", rules),
        "learners_url": make_lab_url("lab_learners", rules),
        "solve_here_url": make_lab_url("solve_here", rules),
        "playbook_url": make_lab_url("playbook", rules) if read_stored_books(rules.id) else "",
    }
    return render(request, "lab/lab.html", context)


@never_cache
@require_safe
def lab_chart(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    rules = find_lab_rules(ruleset)
    chart = _draw_overview(list_lab_players(rules), alone=True)
    return make_file_response(f"{rules.id}-players.svg", SVG, chart)


@never_cache
@require_safe
def tournament(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    """Show a tournament of all players, and each player's chance to beat each other player."""
    rules = find_lab_rules(ruleset)
    exact, tables = rank_players(rules), None
    names = [str(WORDS[name].name) for name in exact.names]
    if names:
        together = [
            [name, phrases.format_points(GAMES * float(points), 1), phrases.format_points(mean, 2)]
            for name, points, mean in zip(names, exact.points, exact.means, strict=True)
        ]
        pairs = [
            [name, *("–" if n == at else format_percent(float(p)) for n, p in enumerate(wins))]
            for at, (name, wins) in enumerate(zip(names, exact.wins, strict=True))
        ]
        head = [_("Player"), _("Points in 1,000 games"), _("Mean")]
        title = _("Head to head: the chance to score higher")
        tables = (
            render_parts([TextTable(_("All players in one game"), head, together)]),
            render_parts([TextTable(title, [_("Player"), *names], pairs)]),
        )
    context = {
        **make_rules_context("lab_tournament", rules),
        "tables": tables,
        "lab_url": make_lab_url("lab", rules),
    }
    return render(request, "lab/tournament.html", context)


@never_cache
@require_safe
def learners(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    rules = find_lab_rules(ruleset)
    simplified, title = read_simplified(), _("Contradictions in two drafts")
    context = {
        **make_rules_context("lab_learners", rules),
        "simplified": make_simplified_table(simplified),
        "simplified_chart": render_parts([draw_smallest_curve(simplified, SITE)], on_page=True),
        "slips": render_parts([make_slip_table(DRAFT_SLIPS, title, SITE)], on_page=True),
        "lab_url": make_lab_url("lab", rules),
    }
    report = read_stored_report(rules)
    if report:
        ranked = list_learners(rules, report)
        worth, by_kind = make_learner_tables(rules, report)
        context |= {
            "worth": worth,
            "by_kind": by_kind,
            "optimum": phrases.format_points(report["optimum"], 2),
            "shown": [(learner, draw_loss_by_turn(learner)) for learner in ranked],
        }
    return render(request, "lab/learners.html", context)


@never_cache
@require_safe
def lab_player(request: PlayRequest, player_id: str, ruleset: str = "") -> HttpResponse:
    rules = find_lab_rules(ruleset)
    player = _get_player_or_404(player_id, rules)
    context: dict[str, object] = {
        "lab_player": player,
        "lab_url": make_lab_url("lab", rules),
        "game_name": labels.find_ruleset_name(rules),
        **make_loss_context(player_id, rules),
        "chart": _draw_scores(player, alone=False),
        "tens_chart": _draw_tens(player, alone=False),
        "tens": draw_tens_table(player, _read_perfect_play(player)),
    }
    return render(request, "lab/player.html", context)


@never_cache
@require_safe
def lab_file(request: PlayRequest, player_id: str, name: str, ruleset: str = "") -> HttpResponse:
    rules = find_lab_rules(ruleset)
    player = _get_player_or_404(player_id, rules)
    if name not in FILES:
        raise Http404
    content_type, write = FILES[name]
    return make_file_response(f"{rules.id}-{player.pk}-{name}", content_type, write(player))


def _get_player_or_404(player_id: str, rules: Ruleset) -> LabPlayer:
    player = find_lab_player(player_id, rules) if player_id in PLAYERS else None
    if player is None:
        raise Http404
    return player


def _draw_overview(players: list[LabPlayer], *, alone: bool) -> str:
    shown = [player for player in players if player.pk in SHOWN]
    known = {str(player.name): player.exact.distribution for player in shown}
    title = _("The chance of every final score, player by player")
    best = next((str(player.name) for player in players if player.pk == "optimal"), "")
    return draw_distributions(title, known, best, alone=alone) if known else ""


def _read_perfect_play(player: LabPlayer) -> Distribution | None:
    return None if player.pk == "optimal" else read_perfect_scores(player.rules)


def _draw_scores(player: LabPlayer, *, alone: bool) -> str:
    title = _("The chance of every final score: %(name)s") % {"name": player.name}
    shown = {str(player.name): player.exact.distribution}
    best = _read_perfect_play(player)
    if best is not None:
        shown[_("Perfect play")] = best
    reference = str(player.name) if best is None else _("Perfect play")
    return draw_distributions(title, shown, reference, alone=alone)


def _draw_tens(player: LabPlayer, *, alone: bool) -> str:
    if player.published is None:
        return ""
    title = _("%(name)s: calculated and published scores in bands of ten") % {"name": player.name}
    exact = player.exact.distribution
    layers = [(_("exact"), exact.group_in_tens()), (_("published"), player.published.shares)]
    means = {
        "ours": phrases.format_points(exact.mean),
        "theirs": phrases.format_points(player.published.mean, 0),
    }
    description = _("The exact mean is %(ours)s; the published mean is %(theirs)s.") % means
    return draw_chart(Chart(title, make_histograms(layers)), description, alone=alone)


def _make_distribution_csv(player: LabPlayer) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["score", "probability"])
    writer.writerows(enumerate(player.exact.distribution.probabilities.tolist()))
    return text.getvalue()


FILES: Mapping[str, tuple[str, Callable[[LabPlayer], str]]] = MappingProxyType(
    {
        "distribution.csv": (CSV, _make_distribution_csv),
        "distribution.json": (JSON, lambda player: json.dumps(player.exact.facts()) + "\n"),
        "scores.svg": (SVG, lambda player: _draw_scores(player, alone=True)),
        "tens.svg": (SVG, lambda player: _draw_tens(player, alone=True)),
    }
)


@never_cache
@require_safe
def solve_here(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    rules = find_lab_rules(ruleset)
    boxes = len(rules.categories)
    places = {"points": "%(points)s", "name": "%(name)s"}
    context = {
        **make_rules_context("solve_here", rules),
        "facts_url": make_lab_url("solve_here_facts", rules),
        "lab_url": make_lab_url("lab", rules),
        "size": _format_size(),
        "levels": [(filled, comb(boxes, filled)) for filled in range(boxes, -1, -1)],
        "words": {
            "nothing": phrases.describe_hold((), rules),
            "all": phrases.describe_hold((1,) * rules.dice, rules),
            "hold": say("hold", dice="%(dice)s"),
            "score": [say("scored", number, **places) for number in (1, 2)],
            "cross_out": say("crossed_out", name="%(name)s"),
            "boxes": {
                category.id: labels.find_category_name(category) for category in rules.categories
            },
            "best": say("best"),
            "dice": rules.dice,
            "faces": FACES,
            "rolls_left": rules.throws - 1,
        },
    }
    return render(request, "lab/solve_here.html", context)


@require_safe
def facts(request: PlayRequest, ruleset: str = "") -> JsonResponse:
    return JsonResponse(collect_facts(find_lab_rules(ruleset)))


@cache
def _format_size() -> str:
    program = Path(finders.find(PROGRAM) or "")
    return f"{round(program.stat().st_size / 1000)}{phrases.NO_BREAK}kB"


class WorkbenchForm(forms.Form):
    holds = forms.ChoiceField(label=gettext_lazy("Strategy for holds"))
    boxes = forms.ChoiceField(label=gettext_lazy("Strategy for boxes"))

    def __init__(self, chosen: dict[str, str], names: dict[str, Promise]) -> None:
        super().__init__(initial=chosen)
        for field in self.fields.values():
            field.choices = list(names.items())  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class MixFigures:
    mean: float
    deviation: float
    bonus: float

    def __str__(self) -> str:
        return phrases.format_points(self.mean, 2)

    @property
    def spread(self) -> str:
        return phrases.format_points(self.deviation, 2)

    @property
    def with_bonus(self) -> str:
        return format_percent(self.bonus)


@never_cache
@require_safe
def workbench(request: PlayRequest) -> HttpResponse:
    stored = read_stored_mixes()
    mixes = {
        holds: {boxes: MixFigures(*figures) for boxes, figures in row.items()}
        for holds, row in stored["mixes"].items()
    }
    holds, boxes = request.GET.get("holds", WAVERS), request.GET.get("boxes", PERFECT)
    if holds not in mixes or boxes not in mixes:
        raise Http404
    names = {player: WORDS[player].name for player in mixes}
    context = {
        "form": WorkbenchForm({"holds": holds, "boxes": boxes}, names),
        "mix": mixes[holds][boxes],
        "unmixed": [
            (names[player], mixes[player][player]) for player in dict.fromkeys((holds, boxes))
        ],
        "names": names.values(),
        "rows": [(names[player], row.values()) for player, row in mixes.items()],
        "wishes": list(_describe_untried(mixes, stored["every_second"])),
    }
    return render(request, "lab/workbench.html", context)


def _describe_untried(
    mixes: dict[str, dict[str, MixFigures]], every_second: float
) -> Iterator[str]:
    """Yield sentences about strategies that the study suggested, but did not try."""
    dice, card, upper = (mixes[name] for name in (WAVERS, SCORECARD, UPPER))
    yield _(
        "The study suggested that the dice-based strategy would be a strong competitor if it "
        "calculated some chances. The dice-based strategy scores %(own)s points. It would score "
        "%(boxes)s with perfect boxes, %(holds)s with perfect holds, and %(half)s if every second "
        "decision were perfect."
    ) % {
        "own": dice[WAVERS],
        "boxes": dice[PERFECT],
        "holds": mixes[PERFECT][WAVERS],
        "half": phrases.format_points(every_second, 2),
    }
    yield _(
        "The study expected the dice-based strategy to match the scorecard-based strategy if it "
        "aimed for the upper boxes. With that aim, the dice-based strategy scores %(upper)s "
        "points; the scorecard-based strategy scores %(card)s. A player with the holds of the "
        "scorecard-based strategy and the boxes of this aim scores %(both)s."
    ) % {"upper": upper[UPPER], "card": card[SCORECARD], "both": card[UPPER]}
    if abs(dice[SCORECARD].mean - dice[WAVERS].mean) < SAME:
        yield _(
            "The study asked why its strategies score differently. The dice-based and the "
            "scorecard-based strategy fill the same boxes. Their difference of %(points)s "
            "points comes only from the holds."
        ) % {"points": phrases.format_points(card[SCORECARD].mean - dice[WAVERS].mean, 2)}
