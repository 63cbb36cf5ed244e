"""Saves all data of one player in a file, and restores them from this file.

The readable part of the file is JSON. Its last entry has the stored rows, encrypted and signed with
the site's key, because they contain the seeds of dice. Only the same site can restore them.
"""

import json
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.db.models import AutoField, Model, Q, QuerySet
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from game.core.access import check_may_play
from game.core.accounts import move_to_account
from game.core.game_queries import replay_games
from game.core.kind import list_modes
from game.core.refusals import Refused
from game.core.spent_tickets import mark_spent
from game.models import (
    Decision,
    DrillAttempt,
    DrillCard,
    DuelSeat,
    FiveAnswer,
    Game,
    KeptPosition,
    Party,
    PartySeat,
    Player,
    PositionList,
    Throw,
)
from game.pages.exporting import collect_own_data, list_decision_rows
from game.pages.requests.forms import SettingsForm
from game.pages.requests.limits import check_rate, check_visit
from game.pages.requests.visitors import PlayRequest

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

SCHEMA = "yatzy-archive-1"
AT_ONCE = 50  # games per query
ONCE = timedelta(days=365)  # within this time, only one archive of a player can be restored
SETTINGS = tuple(SettingsForm.base_fields)
PROFILE = ("nickname_barred", "dice_seen")
NAME = ("nickname", "nickname_key", "created_at")


class NotRestored(Refused):
    status = 400


class ArchiveForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("A file you downloaded from this page"),
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
    )


def build_archive(player: Player | None) -> dict[str, object]:
    """Return a player's data for a backup, without unfinished games and without games of trials."""
    if player is None:
        return {"schema": SCHEMA, "games": []}
    finished = _list_finished(player).prefetch_related("decisions", "throws")
    games = finished.iterator(chunk_size=200)
    document = {"schema": SCHEMA} | collect_own_data(player, games, _export_game)
    rows = {query.model.__name__: _dump(query) for query in _list_tables(player)}
    stored = {
        "code": player.code,
        "name": player.user.get_username() if player.user else "",
        "player": {name: getattr(player, name) for name in (*SETTINGS, *PROFILE, *NAME)},
        "seats": list(
            DuelSeat.objects.filter(player=player, game__in=_list_finished(player)).values_list(
                "duel__token", "number", "game_id"
            )
        ),
        "rows": rows,
    }
    packed = zlib.compress(json.dumps(stored, default=str).encode())
    return document | {"restore": open_seal().encrypt(packed).decode()}


def _list_finished(player: Player) -> QuerySet[Game]:
    over = Q(finished_at__isnull=False) | Q(abandoned_at__isnull=False)
    games = Game.objects.filter(over, player=player).order_by("started_at")
    return games.exclude(mode__in=list_modes(lambda kind: kind.measured))


def _list_tables(player: Player) -> list[QuerySet[Any]]:
    """Return the player's rows by table. A table comes after all tables to which it refers."""
    games = _list_finished(player)
    parties = Party.objects.filter(host=player).exclude(
        seats__game__in=Game.objects.filter(finished_at=None, abandoned_at=None)
    )
    return [
        games,
        Decision.objects.filter(game__in=games),
        Throw.objects.filter(game__in=games),
        parties,
        PartySeat.objects.filter(party__in=parties),
        DrillCard.objects.filter(player=player),
        DrillAttempt.objects.filter(card__player=player),
        FiveAnswer.objects.filter(player=player),
        PositionList.objects.filter(player=player).order_by("pk"),
        KeptPosition.objects.filter(kept_in__player=player),
    ]


def _dump(query: QuerySet[Any]) -> dict[str, object]:
    names = [field.attname for field in query.model._meta.concrete_fields]
    return {"names": names, "rows": list(query.values_list(*names))}


def open_seal() -> "Fernet":
    from cryptography.fernet import Fernet

    key = sha256(b"yatzy archive:" + settings.SECRET_KEY.encode()).digest()
    return Fernet(urlsafe_b64encode(key))


def _export_game(game: Game, hidden: Collection[str]) -> dict[str, object]:
    columns = ("mode", "ruleset", "coach", "hints", "final_score", "started_at", "finished_at")
    facts = {name: getattr(game, name) for name in columns}
    return {"game": game.pk, **facts, "turns": make_turns(list_decision_rows(game))}


def make_turns(decisions: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Convert a game's decisions, one per row, to turns with rolls, holds and a box."""
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


def restore_archive(*, player: Player | None, text: str) -> tuple[Player, int]:
    """Store everything in an archive of this site. Return the player and the number of games.
    Refuse an archive if its player still exists, or has restored an archive within a year."""
    check_may_play(player)
    from cryptography.fernet import InvalidToken

    try:
        packed = open_seal().decrypt(json.loads(text)["restore"])
    except (ValueError, TypeError, LookupError, RecursionError, InvalidToken) as error:
        problem = _("This file is not an archive of this site. Nothing was changed.")
        raise NotRestored(problem) from error
    stored = json.loads(zlib.decompress(packed))
    name = player.user.get_username() if player and player.user else ""
    owner = Player.objects.filter(code=stored["code"]).first()
    if name and stored["name"] not in ("", name):
        raise NotRestored(_("This archive belongs to another account. Nothing was changed."))
    games = stored["rows"]["Game"]
    known = Game.objects.in_bulk([row[games["names"].index("id")] for row in games["rows"]])
    with transaction.atomic():
        is_first = mark_spent(stored["code"], timezone.now() + ONCE, "archive")
        if owner is not None or known or not is_first:  # a double click sends the file twice
            raise NotRestored(_("The data of this file are already here, or were restored before."))
        guest = _restore_player(stored["player"])
        _restore_rows(guest, stored["rows"])
        games = list(guest.games.order_by("pk"))
        for at in range(0, len(games), AT_ONCE):
            for played in replay_games(games[at : at + AT_ONCE]):
                if played.game.finished_at and played.state.total != played.game.final_score:
                    raise NotRestored(
                        _("A game in this file breaks the rules. Nothing was changed.")
                    )
        for token, number, game in stored["seats"]:
            seat = DuelSeat.objects.filter(duel__token=token, number=number, player=None)
            seat.update(player=guest, game=game)
        if player is None:
            return guest, len(games)
        for field in SETTINGS:
            setattr(player, field, getattr(guest, field))
        player.save(update_fields=SETTINGS)
        move_to_account(guest, player)
        return player, len(games)


def _restore_player(facts: Mapping[str, Any]) -> Player:
    """Create a guest with the archived settings, and with the nickname if it is free."""
    guest = Player(**{name: facts[name] for name in (*SETTINGS, *PROFILE) if name in facts})
    if not Player.objects.filter(nickname_key=facts["nickname_key"]).exclude(nickname="").exists():
        guest.nickname, guest.nickname_key = facts["nickname"], facts["nickname_key"]
    guest.save(force_insert=True)
    Player.objects.filter(pk=guest.pk).update(created_at=facts["created_at"])
    return guest


def _restore_rows(guest: Player, tables: Mapping[str, Any]) -> None:
    """Store the rows of every table under new keys. Only a game keeps its key."""
    keys = dict[tuple[type[Model], Any], Any]()
    for query in _list_tables(guest):
        model, table = query.model, tables[query.model.__name__]
        facts = [dict(zip(table["names"], row, strict=True)) for row in table["rows"]]
        columns = {field.attname for field in model._meta.concrete_fields} & {*table["names"]}
        made = [model(**{name: row[name] for name in columns}) for row in facts]
        before = [row.pk for row in made]
        if model is Game:
            older = Game.objects.filter(pk__in=[row.rematch_of_id for row in made])
            keys = {(model, key): key for key in (*before, *older.values_list("pk", flat=True))}
        relations = [field for field in model._meta.concrete_fields if field.is_relation]
        for row in made:
            for field in relations:
                known = guest.pk if field.related_model is Player else None
                key = (field.related_model, getattr(row, field.attname))
                setattr(row, field.attname, keys.get(key, known))
            if isinstance(model._meta.pk, AutoField):
                row.pk = None
        model.objects.bulk_create(made, batch_size=AT_ONCE)
        keys |= {(model, old): row.pk for old, row in zip(before, made, strict=True)}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def archive(request: PlayRequest) -> HttpResponse:
    """Show the page for backup and restoration. With ``?file`` in the address, send the file."""
    player = request.visitor.player
    if request.method == "POST":
        return _restore_upload(request, player)
    if "file" not in request.GET:
        return render(request, "offline/archive.html", {"form": ArchiveForm()})
    response = JsonResponse(build_archive(player), json_dumps_params={"separators": (",", ":")})
    name = f"yatzy-archive-{timezone.now():%Y-%m-%d}.json"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _restore_upload(request: PlayRequest, player: Player | None) -> HttpResponse:
    form, status = ArchiveForm(request.POST, request.FILES), 400
    try:
        check_rate(request, "upload")
        check_visit(request, player)
        if form.is_valid():
            text = form.cleaned_data["file"].read().decode("utf-8-sig", "replace")
            owner, count = restore_archive(player=player, text=text)
            request.visitor.become(owner)
            text = ngettext("%(count)s game was restored.", "%(count)s games were restored.", count)
            messages.success(request, text % {"count": count})
            return redirect("archive")
    except Refused as refusal:
        form.add_error("file", refusal.message)
        status = refusal.status
    return render(request, "offline/archive.html", {"form": form}, status=status)
