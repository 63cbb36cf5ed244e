"""The lab: what different ways to play are worth. It only shows what is stored."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.board.choices import choices
from game.coach.blinding import check_not_blinded
from game.coach.scores import perfect
from game.coach.waiting import coming
from game.fair import tickets
from game.lab import charts as lab_charts
from game.lab import players as lab_players
from game.lab.addresses import lab_rules, lab_url
from game.lab.files import (
    distribution_csv,
    distribution_json,
    same_value_csv,
    same_value_json,
)
from game.lab.learners import (
    kinds,
    learners_of,
    lost_by_turn,
    profiles,
    simplified_curve,
    simplified_lines,
)
from game.lab.lost import lost_by
from game.lab.play import DiceInPlay, with_own
from game.lab.players import LabPlayer
from game.lab.reading import LabGames, lab_games
from game.lab.same_value import MOST_SEED, SameDice, stored_test
from game.lab.standing import standing_rows
from game.lab.study_words import slips
from game.web.visitors import PlayRequest
from game.words import labels, phrases
from solver.arena.learners import stored_report, stored_simplified
from solver.charts import MOST_LINES
from solver.exact.distribution import Distribution
from solver.making import LAB
from solver.making.same_dice import SEED
from solver.players import PLAYERS
from solver.players.playbook import stored_books
from solver.rules import RULESETS, Ruleset
from solver.study.drafts import draft_slips

SVG, CSV, JSON = "image/svg+xml", "text/csv; charset=utf-8", "application/json"


@never_cache
@require_safe
def lab(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    rules = lab_rules(ruleset)
    players = lab_players.everybody(rules)
    context = {
        **_about("lab", rules),
        "players": players,
        "missing": any(one.exact is None for one in players),
        "studied": any(one.published for one in players),
        "chart": _overview(players, alone=False),
        "chart_url": lab_url("lab_chart", rules),
        "same_value_url": lab_url("same_value", rules),
        "tournament_url": lab_url("lab_tournament", rules),
        "learners_url": lab_url("lab_learners", rules),
        "solve_here_url": lab_url("solve_here", rules),
        "playbook_url": lab_url("playbook", rules) if stored_books(rules.id) else "",
    }
    return render(request, "lab/lab.html", context)


@never_cache
@require_safe
def lab_chart(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    rules = lab_rules(ruleset)
    chart = _overview(lab_players.everybody(rules), alone=True)
    return _file(f"{rules.id}-players.svg", SVG, chart)


@never_cache
@require_safe
def tournament(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    """Everybody against everybody, as far as their distributions are stored."""
    rules = lab_rules(ruleset)
    rows = standing_rows(rules)
    context = {
        **_about("lab_tournament", rules),
        "rows": rows,
        "missing": any(one.exact is None for one in lab_players.everybody(rules)),
        "lab_url": lab_url("lab", rules),
    }
    return render(request, "lab/tournament.html", context)


@never_cache
@require_safe
def learners(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    """Who learned these rules: what they are worth, and what they misplay."""
    rules = lab_rules(ruleset)
    simplified = stored_simplified()
    context = {
        **_about("lab_learners", rules),
        "simplified": simplified_lines(simplified),
        "simplified_chart": simplified_curve(simplified),
        "slips": list(slips(draft_slips())),
        "lab_url": lab_url("lab", rules),
    }
    report = stored_report(rules)
    if report:
        told = learners_of(rules, report)
        context |= {
            "learners": told,
            "optimum": phrases.points(report["optimum"], 2),
            "kinds": kinds(rules),
            "profiles": profiles(rules, report),
            "shown": [(one, lost_by_turn(one)) for one in told],
        }
    return render(request, "lab/learners.html", context)


@never_cache
@require_safe
def lab_player(request: PlayRequest, player_id: str, ruleset: str = "") -> HttpResponse:
    rules = lab_rules(ruleset)
    told = _told(player_id, rules)
    context: dict[str, object] = {
        "told": told,
        "waiting": coming(rules, LAB),
        "lab_url": lab_url("lab", rules),
        "game_name": labels.ruleset_name(rules),
        **lost_by(player_id, rules),
    }
    if told.exact:
        context |= {
            "chart": _scores(told, alone=False),
            "tens_chart": _tens(told, alone=False),
            "tens": list(lab_players.tens(told.exact.distribution, _beside(told), told.published)),
        }
    return render(request, "lab/player.html", context)


@never_cache
@require_safe
def lab_file(request: PlayRequest, player_id: str, name: str, ruleset: str = "") -> HttpResponse:
    rules = lab_rules(ruleset)
    told = _told(player_id, rules)
    if name not in FILES or told.exact is None:
        raise Http404
    content_type, write = FILES[name]
    return _file(f"{rules.id}-{told.pk}-{name}", content_type, write(told))


@never_cache
@require_safe
def same_value(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    """Players side by side on the same dice, one game at a time."""
    seed, number = _whole(request.GET.get("seed")), _whole(request.GET.get("game"))
    return same_value_page(request, lab_rules(ruleset), seed, number)


def same_value_page(
    request: PlayRequest, rules: Ruleset, seed: int, number: int, *, status: int = 200
) -> HttpResponse:
    """Also the answer to whoever wanted to play there and may not."""
    player = request.visitor.player
    check_not_blinded(player)
    test, own = stored_test(seed, rules), lab_games(player, rules, seed)
    context = {**_about("same_value", rules), "lab_url": lab_url("lab", rules)}
    context |= {"seed": seed, "number": number}
    if seed != SEED:  # only those of one seed are made by themselves
        context["waiting"] = None
    if test:
        if not 1 <= number <= len(test.games):
            raise Http404
        context |= _same_dice(with_own(test, own), own, number)
    return render(request, "lab/same_value.html", context, status=status)


def _same_dice(test: SameDice, own: LabGames, number: int) -> dict[str, object]:
    """The turns of a game that the person is playing are not shown: they tell its dice."""
    under_way = own.under_way.get(number)
    return {
        "test": test,
        "chart": lab_charts.totals(test),
        "under_way": under_way,
        "game": None if under_way else test.game(number),
        "finished": own.finished.get(number),
        "dice_were_known": number in own.known,
        "has_files": not own.under_way,
        "nonce": tickets.issue().signed if test.can_be_played(number) else "",
    }


@never_cache
@require_safe
def same_value_file(request: PlayRequest, seed: int, name: str, ruleset: str = "") -> HttpResponse:
    player, rules = request.visitor.player, lab_rules(ruleset)
    test = stored_test(seed, rules) if seed <= MOST_SEED else None
    if test is None or name not in TEST_FILES:
        raise Http404
    own = lab_games(player, rules, seed)
    if own.under_way:
        raise DiceInPlay
    content_type, write = TEST_FILES[name]
    ending = name.partition(".")[2]
    text = write(with_own(test, own, best=True))
    return _file(f"{rules.id}-same-dice-{seed}.{ending}", content_type, text)


def _whole(text: str | None) -> int:
    """A whole number of an address; 1 where there is none."""
    if text is None:
        return 1
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and int(text) <= MOST_SEED):
        raise Http404
    return int(text)


def _about(page: str, rules: Ruleset) -> dict[str, object]:
    """Which game the page is about, and where it is about another."""
    return {
        "rules": rules,
        "game_name": labels.ruleset_name(rules),
        "choices": choices(rules, partial(lab_url, page), RULESETS),
        "waiting": coming(rules, LAB),
    }


def _told(player_id: str, rules: Ruleset) -> LabPlayer:
    if player_id not in PLAYERS or not PLAYERS[player_id].plays(rules):
        raise Http404
    return lab_players.told(player_id, rules)


def _overview(players: list[LabPlayer], *, alone: bool) -> str:
    """Of as many as can be told apart; the table has everybody."""
    worked_out = [(str(one.name), one.exact.distribution) for one in players if one.exact]
    known = dict(worked_out[:MOST_LINES])
    title = _("The chance of every final score, player by player")
    best = next((str(one.name) for one in players if one.pk == "optimal"), "")
    return lab_charts.overlaid(title, known, best, alone=alone) if known else ""


def _beside(told: LabPlayer) -> Distribution | None:
    return None if told.pk == "optimal" else perfect(told.rules)


def _scores(told: LabPlayer, *, alone: bool) -> str:
    assert told.exact is not None  # noqa: S101
    title = _("The chance of every final score: %(name)s") % {"name": told.name}
    shown = {str(told.name): told.exact.distribution}
    best = _beside(told)
    if best is not None:
        shown[_("Perfect play")] = best
    reference = str(told.name) if best is None else _("Perfect play")
    return lab_charts.overlaid(title, shown, reference, alone=alone)


def _tens(told: LabPlayer, *, alone: bool) -> str:
    if told.exact is None or told.published is None:
        return ""
    title = _("Scores in tens, exact and published: %(name)s") % {"name": told.name}
    exact = told.exact.distribution
    return lab_charts.against_published(title, exact, told.published, alone=alone)


def _file(name: str, content_type: str, text: str) -> HttpResponse:
    if not text:
        raise Http404
    response = HttpResponse(text, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


FILES: Mapping[str, tuple[str, Callable[[LabPlayer], str]]] = MappingProxyType(
    {
        "distribution.csv": (CSV, lambda told: distribution_csv(told.exact) if told.exact else ""),
        "distribution.json": (
            JSON,
            lambda told: distribution_json(told.exact) if told.exact else "",
        ),
        "scores.svg": (SVG, lambda told: _scores(told, alone=True)),
        "tens.svg": (SVG, lambda told: _tens(told, alone=True)),
    }
)
TEST_FILES: Mapping[str, tuple[str, Callable[[SameDice], str]]] = MappingProxyType(
    {"test.csv": (CSV, same_value_csv), "test.json": (JSON, same_value_json)}
)
