"""The lab: what different ways to play are worth. It only shows what is stored."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game import lab_charts, lab_pages
from game.coach.blinding import check_not_blinded
from game.exports.lab import distribution_csv, distribution_json, same_value_csv
from game.lab_pages import Told
from game.lab_same_value import COMMAND, path_of_test, stored_test
from game.visitors import PlayRequest
from solver.distribution import Distribution
from solver.players import PLAYERS

SVG, CSV, JSON = "image/svg+xml", "text/csv; charset=utf-8", "application/json"
MOST_SEED = 2**63 - 1


@never_cache
@require_safe
def lab(request: PlayRequest) -> HttpResponse:
    check_not_blinded(request.visitor.player)
    players = lab_pages.everybody()
    context = {
        "players": players,
        "missing": any(one.exact is None for one in players),
        "command": lab_pages.COMMAND,
        "chart": _overview(players, alone=False),
    }
    return render(request, "lab/lab.html", context)


@never_cache
@require_safe
def lab_chart(request: PlayRequest) -> HttpResponse:
    check_not_blinded(request.visitor.player)
    return _file("yatzy-players.svg", SVG, _overview(lab_pages.everybody(), alone=True))


@never_cache
@require_safe
def lab_player(request: PlayRequest, player_id: str) -> HttpResponse:
    check_not_blinded(request.visitor.player)
    told = _told(player_id)
    context = {"told": told, "command": lab_pages.COMMAND}
    if told.exact:
        context |= {
            "chart": _scores(told, alone=False),
            "tens_chart": _tens(told, alone=False),
            "tens": list(lab_pages.tens(told.exact.distribution, _beside(told), told.published)),
        }
    return render(request, "lab/player.html", context)


@never_cache
@require_safe
def lab_file(request: PlayRequest, player_id: str, name: str) -> HttpResponse:
    check_not_blinded(request.visitor.player)
    told = _told(player_id)
    if name not in FILES or told.exact is None:
        raise Http404
    content_type, write = FILES[name]
    return _file(f"yatzy-{told.pk}-{name}", content_type, write(told))


@never_cache
@require_safe
def same_value(request: PlayRequest) -> HttpResponse:
    """Players side by side on the same dice, one game at a time."""
    check_not_blinded(request.visitor.player)
    seed, number = _whole(request.GET.get("seed")), _whole(request.GET.get("game"))
    test = stored_test(seed)
    context: dict[str, object] = {"seed": seed, "test": test, "command": COMMAND % seed}
    if test:
        if not 1 <= number <= len(test.games):
            raise Http404
        context |= {"game": test.game(number), "chart": lab_charts.totals(test)}
    return render(request, "lab/same_value.html", context)


@never_cache
@require_safe
def same_value_file(request: PlayRequest, seed: int, name: str) -> HttpResponse:
    check_not_blinded(request.visitor.player)
    test = stored_test(seed) if seed <= MOST_SEED else None
    if test is None or name not in {"test.json", "test.csv"}:
        raise Http404
    if name == "test.csv":
        return _file(f"yatzy-same-dice-{seed}.csv", CSV, same_value_csv(test))
    return _file(f"yatzy-same-dice-{seed}.json", JSON, path_of_test(seed).read_text() + "\n")


def _whole(text: str | None) -> int:
    """A whole number of an address; 1 where there is none."""
    if text is None:
        return 1
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and int(text) <= MOST_SEED):
        raise Http404
    return int(text)


def _told(player_id: str) -> Told:
    if player_id not in PLAYERS:
        raise Http404
    return lab_pages.told(player_id)


def _overview(players: list[Told], *, alone: bool) -> str:
    known = {str(one.name): one.exact.distribution for one in players if one.exact}
    title = _("The chance of every final score, player by player")
    return lab_charts.overlaid(title, known, alone=alone) if known else ""


def _beside(told: Told) -> Distribution | None:
    return None if told.pk == "optimal" else lab_pages.perfect()


def _scores(told: Told, *, alone: bool) -> str:
    assert told.exact is not None  # noqa: S101
    title = _("The chance of every final score: %(name)s") % {"name": told.name}
    shown = {str(told.name): told.exact.distribution}
    best = _beside(told)
    if best is not None:
        shown[_("Perfect play")] = best
    return lab_charts.overlaid(title, shown, alone=alone)


def _tens(told: Told, *, alone: bool) -> str:
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


FILES: Mapping[str, tuple[str, Callable[[Told], str]]] = MappingProxyType(
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
