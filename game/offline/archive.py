"""Backup and restore of a player's finished games as one file.

The rules replay each game before it is stored. The server did not roll the dice of a restored game,
so the game counts for no ranking and no estimate.
"""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from game.core.access import OwnGame, check_may_play, is_at_position
from game.core.accounts import create_player
from game.core.kind import list_modes
from game.core.refusals import Refused
from game.models import Coach, Game, Player
from game.offline.handing_in import SentGame, store_game
from game.offline.offline_views import MOST_HINTS, replay
from game.pages.exporting import list_decision_rows
from game.pages.requests.limits import check_upload, check_visit
from game.pages.requests.visitors import PlayRequest
from solver.advice import find_position
from solver.rules import PLAYED

SCHEMA = "yatzy-games-1"
NAME = re.compile(r"[a-z0-9]{12}")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
AT_ONCE = 500  # keys per query
STORED_AT_ONCE = 50  # games per transaction, so that other writes do not wait long


class NotRestored(Refused):
    status = 400


class ArchiveForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("A file you downloaded from this page"),
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
    )


def export_games(player: Player | None) -> dict[str, object]:
    """Return a player's finished games as data for a backup, without games of trials."""
    mine = Game.objects.filter(player=player, finished_at__isnull=False)
    mine = mine.exclude(mode__in=list_modes(lambda kind: kind.measured))
    mine = mine.exclude(mode__in=list_modes(lambda kind: kind.measured))
    ordered = mine.order_by("started_at").prefetch_related("decisions", "throws")
    finished = ordered.iterator(chunk_size=200) if player else ()
    return {"schema": SCHEMA, "games": [_export_game(game) for game in finished]}


def _export_game(game: Game) -> dict[str, object]:
    columns = ("mode", "ruleset", "coach", "hints", "final_score")
    moments = {name: getattr(game, name).isoformat() for name in ("started_at", "finished_at")}
    facts = {name: getattr(game, name) for name in columns}
    return {"game": game.pk, **facts, **moments, "turns": make_turns(list_decision_rows(game))}


def make_turns(decisions: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Convert a game's decisions, one per row, to turns with their rolls, their holds and a box."""
    turns = list[dict[str, Any]]()
    for row in decisions:
        dice = [int(face) for face in row["dice"].split()]
        if not dice:
            turns.append({"thrown": [], "held": [], "box": ""})
            continue
        turns[-1]["thrown"].append(dice)
        if row["category"]:
            turns[-1]["box"] = row["category"]
        else:
            kept = row["hold"].replace("-", "").split()
            turns[-1]["held"].append([dice[int(slot) - 1] for slot in kept])
    return turns


def restore_games(*, player: Player | None, text: str) -> tuple[Player | None, int, int]:
    """Store the games of a backup that are new, if all games are valid. Return the player, the
    number of games stored now, and the number stored before."""
    check_may_play(player)
    rows = _parse_finished_rows(text)
    sent = [_parse_game(row, number) for number, row in rows]
    names = [game.name for game in sent]
    known = {
        key
        for at in range(0, len(names), AT_ONCE)
        for key in Game.objects.filter(pk__in=names[at : at + AT_ONCE]).values_list("pk", flat=True)
    }
    new = {game.name: game for game in sent if game.name not in known}
    states = (state for game in new.values() for state, _action in game.moves if state.dice)
    if is_at_position(player, map(find_position, states)):
        raise Refused(str(OwnGame()))
    if not new:
        return player, 0, len(sent)
    owner, unknown = player or create_player(), list(new.values())
    for at in range(0, len(unknown), STORED_AT_ONCE):
        with transaction.atomic():
            for game in unknown[at : at + STORED_AT_ONCE]:
                store_game(player=owner, sent=game, id=game.name, mode=Game.Mode.IMPORT)
    return owner, len(new), len(sent) - len(new)


def _parse_finished_rows(text: str) -> list[tuple[int, Mapping[str, Any]]]:
    """Return a backup's finished games, except trial games, each with its position in the file."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        problem = _("Line %(line)s of the file is not valid JSON. Nothing was changed.")
        raise NotRestored(problem % {"line": getattr(error, "lineno", 1)}) from error
    rows = data.get("games") if isinstance(data, dict) else None
    if not isinstance(rows, list):
        raise NotRestored(_("There are no games in this file. Nothing was changed."))
    return [
        (number, row)
        for number, row in enumerate(rows, start=1)
        if not isinstance(row, dict) or (row.get("finished_at") and row.get("mode") != "trial")
    ]


def _parse_game(row: Mapping[str, Any], number: int) -> SentGame:
    """Parse a game of a backup and replay it; raise NotRestored if it breaks the rules."""
    try:
        turns = row["turns"] if "turns" in row else make_turns(row["decisions"])
        moves, end = replay(PLAYED[row["ruleset"]], turns)
        began, ended = (datetime.fromisoformat(row[at]) for at in ("started_at", "finished_at"))
        coach, hints, name = Coach(row["coach"]).value, row["hints"], row["game"]
        fits = NAME.fullmatch(name) and type(hints) is int and 0 <= hints <= MOST_HINTS
        # Comparing times without a time zone raises a TypeError.
        if not fits or min(began, ended) < EPOCH:
            raise ValueError(name, hints, began, ended)
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        problem = _(
            "Game %(number)s of the file is not a finished game by its rules. Nothing was changed."
        )
        raise NotRestored(problem % {"number": number}) from error
    if end.total != row.get("final_score"):
        problem = _(
            "Game %(number)s of the file adds up to %(points)s points. Nothing was changed."
        )
        raise NotRestored(problem % {"number": number, "points": end.total})
    return SentGame(name, moves, end, end.total, began, ended, coach, hints)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def archive(request: PlayRequest) -> HttpResponse:
    """Show the page for backup and restore, or with ``?file`` send the file."""
    player = request.visitor.player
    if request.method == "POST":
        return _restore_upload(request, player)
    if "file" not in request.GET:
        return render(request, "offline/archive.html", {"form": ArchiveForm()})
    response = JsonResponse(export_games(player), json_dumps_params={"separators": (",", ":")})
    name = f"yatzy-games-{timezone.now():%Y-%m-%d}.json"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _restore_upload(request: PlayRequest, player: Player | None) -> HttpResponse:
    form, status = ArchiveForm(request.POST, request.FILES), 400
    try:
        check_upload(request)
        check_visit(request, player)
        if form.is_valid():
            text = form.cleaned_data["file"].read().decode("utf-8-sig", "replace")
            owner, stored, known = restore_games(player=player, text=text)
            if owner is not None:
                request.visitor.become(owner)
            restored = ngettext(
                "%(count)s game was restored.", "%(count)s games were restored.", stored
            )
            kept = ngettext(
                "%(count)s game was already stored.", "%(count)s games were already stored.", known
            )
            messages.success(request, f"{restored % {'count': stored}} {kept % {'count': known}}")
            return redirect("archive")
    except Refused as refusal:
        form.add_error("file", refusal.message)
        status = refusal.status
    return render(request, "offline/archive.html", {"form": form}, status=status)
