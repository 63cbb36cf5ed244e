"""The lab's pages about strategies and their scores. They show only stored results."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import comb
from pathlib import Path
from types import MappingProxyType

from django import forms
from django.contrib.staticfiles import finders
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.coach.score_charts import read_perfect_scores
from game.core.words import labels, phrases
from game.core.words.speech import say
from game.lab import players as lab_players
from game.lab.labels import (
    CSV,
    JSON,
    SITE,
    SVG,
    find_lab_rules,
    make_file_response,
    make_lab_url,
    make_rules_context,
)
from game.lab.labels import PLAYERS as WORDS
from game.lab.learners import (
    draw_loss_by_turn,
    list_learners,
    make_learner_tables,
    make_loss_context,
    make_simplified_table,
)
from game.lab.players import LabPlayer, format_percent
from game.pages.board.choices import list_rules_choices
from game.pages.requests.visitors import PlayRequest
from solver.arena.learners import read_simplified, read_stored_report
from solver.exact.distribution import Distribution
from solver.players import PLAYERS
from solver.players.playbook import read_stored_books
from solver.pocket import collect_facts
from solver.rules import RULESETS, Ruleset
from solver.rules.dice import FACES
from solver.study.answers import draw_smallest_curve
from solver.study.chapter import make_slip_table
from solver.study.html import render_parts
from solver.study.mixes import PERFECT, WAVERS, read_stored_mixes
from solver.study.slips import DRAFT_SLIPS

SHOWN = {"optimal", "playbook-10", "greedy", "dice-based", "random"}  # players in the first chart
PROGRAM = "pocket/float64.wasm"
SCORECARD, UPPER = "scorecard-based", "upper-first"
SAME = 1e-6  # points; smaller differences are rounding in the file


@never_cache
@require_safe
def lab(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    rules = find_lab_rules(ruleset)
    players = lab_players.list_lab_players(rules)
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
    chart = _draw_overview(lab_players.list_lab_players(rules), alone=True)
    return make_file_response(f"{rules.id}-players.svg", SVG, chart)


@never_cache
@require_safe
def tournament(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    rules = find_lab_rules(ruleset)
    context = {
        **make_rules_context("lab_tournament", rules),
        "tables": lab_players.make_standing_tables(rules),
        "lab_url": make_lab_url("lab", rules),
    }
    return render(request, "lab/tournament.html", context)


@never_cache
@require_safe
def learners(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    rules = find_lab_rules(ruleset)
    simplified, title = read_simplified(), _("Contradictions within two drafts")
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
        "tens": lab_players.draw_tens_table(player, _read_perfect_play(player)),
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
    player = lab_players.find_lab_player(player_id, rules) if player_id in PLAYERS else None
    if player is None:
        raise Http404
    return player


def _draw_overview(players: list[LabPlayer], *, alone: bool) -> str:
    """Return the chart of the players in SHOWN; "" if none of them has stored results."""
    shown = [player for player in players if player.pk in SHOWN]
    known = {str(player.name): player.exact.distribution for player in shown}
    title = _("The chance of every final score, player by player")
    best = next((str(player.name) for player in players if player.pk == "optimal"), "")
    return lab_players.draw_distributions(title, known, best, alone=alone) if known else ""


def _read_perfect_play(player: LabPlayer) -> Distribution | None:
    return None if player.pk == "optimal" else read_perfect_scores(player.rules)


def _draw_scores(player: LabPlayer, *, alone: bool) -> str:
    title = _("The chance of every final score: %(name)s") % {"name": player.name}
    shown = {str(player.name): player.exact.distribution}
    best = _read_perfect_play(player)
    if best is not None:
        shown[_("Perfect play")] = best
    reference = str(player.name) if best is None else _("Perfect play")
    return lab_players.draw_distributions(title, shown, reference, alone=alone)


def _draw_tens(player: LabPlayer, *, alone: bool) -> str:
    if player.published is None:
        return ""
    title = _("%(name)s: calculated and published scores in bands of ten") % {"name": player.name}
    exact = player.exact.distribution
    return lab_players.draw_against_published(title, exact, player.published, alone=alone)


FILES: Mapping[str, tuple[str, Callable[[LabPlayer], str]]] = MappingProxyType(
    {
        "distribution.csv": (CSV, lambda player: lab_players.make_distribution_csv(player.exact)),
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
    context = {
        "game_name": labels.find_ruleset_name(rules),
        "choices": list_rules_choices(
            rules, lambda other: make_lab_url("solve_here", other), RULESETS
        ),
        "facts_url": make_lab_url("solve_here_facts", rules),
        "lab_url": make_lab_url("lab", rules),
        "size": _format_size(),
        "levels": [(filled, comb(boxes, filled)) for filled in range(boxes, -1, -1)],
        "words": _make_words(rules),
    }
    return render(request, "lab/solve_here.html", context)


@require_safe
def facts(request: PlayRequest, ruleset: str = "") -> JsonResponse:
    return JsonResponse(collect_facts(find_lab_rules(ruleset)))


@cache
def _format_size() -> str:
    program = Path(finders.find(PROGRAM) or "")
    return f"{round(program.stat().st_size / 1000)}{phrases.NO_BREAK}kB"


def _make_words(rules: Ruleset) -> dict[str, object]:
    """Return the page's text patterns for moves; its script fills in dice, boxes and points."""
    places = {"points": "%(points)s", "name": "%(name)s"}
    return {
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
    }


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
    """Yield sentences about strategies that the study suggested but did not try."""
    dice, card, upper = (mixes[name] for name in (WAVERS, SCORECARD, UPPER))
    yield _(
        "The study called the dice-based strategy a strong competitor, if only it calculated "
        "some chances. The dice-based strategy scores %(own)s points. It would score %(boxes)s"
        " with perfect boxes, %(holds)s with perfect holds, and %(half)s with every second "
        "decision perfect."
    ) % {
        "own": dice[WAVERS],
        "boxes": dice[PERFECT],
        "holds": mixes[PERFECT][WAVERS],
        "half": phrases.format_points(every_second, 2),
    }
    yield _(
        "The study expected the dice-based strategy to rival the scorecard-based strategy if "
        "it aimed at the upper boxes. With that aim, it scores %(upper)s; the scorecard-based "
        "strategy scores %(card)s. Scorecard-based holds with the boxes of the aimed strategy "
        "score %(both)s."
    ) % {"upper": upper[UPPER], "card": card[SCORECARD], "both": card[UPPER]}
    if abs(dice[SCORECARD].mean - dice[WAVERS].mean) < SAME:
        yield _(
            "The study asked why its strategies score differently. The dice-based and the "
            "scorecard-based strategy fill the same boxes. Their difference of %(points)s "
            "points comes only from the holds."
        ) % {"points": phrases.format_points(card[SCORECARD].mean - dice[WAVERS].mean, 2)}
