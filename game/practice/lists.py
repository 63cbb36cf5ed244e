"""Own lists of positions: what is kept in them, and what becomes of them."""

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from game.core.accounts import player_create
from game.core.refusals import Refused
from game.core.words.names import visible
from game.models import KeptPosition, Player, PositionList
from game.models.drill import LONGEST_LIST_NAME, MOST_KEPT, MOST_LISTS, position_fields
from solver.advice import Position


class NoSuchList(Http404):
    """Also somebody else's, to whoever would change it."""

    def __init__(self) -> None:
        super().__init__(_("There is no such list."))


def position_keep(
    *, player: Player | None, position: Position, needed: int = 0, name: str = ""
) -> KeptPosition:
    """In the list of this name, which is made where there is none; without a name in the one that
    was used last. A visitor without a player becomes one here."""
    name = visible(name, LONGEST_LIST_NAME)
    with transaction.atomic():
        owner = _locked(player or player_create())
        kept_in = _list_of_name(owner, name)
        fields = position_fields(position, needed)
        kept = kept_in.positions.filter(**fields).first()
        if kept is not None:
            return kept
        if kept_in.positions.count() >= MOST_KEPT:
            raise Refused(
                _("This list is full: it holds %(most)s positions.") % {"most": MOST_KEPT}
            )
        kept_in.used_at = timezone.now()
        kept_in.save(update_fields=["used_at"])
        return KeptPosition.objects.create(kept_in=kept_in, **fields)


def position_remove(*, player: Player | None, token: str, kept: int) -> PositionList:
    found = _own(player, token)
    found.positions.filter(pk=kept).delete()
    return found


def list_rename(*, player: Player | None, token: str, name: str) -> PositionList:
    """An empty name leaves the old one."""
    found, name = _own(player, token), visible(name, LONGEST_LIST_NAME)
    if name:
        found.name = name
        found.save(update_fields=["name"])
    return found


def list_delete(*, player: Player | None, token: str) -> None:
    _own(player, token).delete()


def _locked(owner: Player) -> Player:
    """Two pages at once make neither a list too many nor a position."""
    return Player.objects.select_for_update().get(pk=owner.pk)


def _list_of_name(owner: Player, name: str) -> PositionList:
    own: QuerySet[PositionList] = owner.position_lists.all()
    found = own.filter(name=name).first() if name else own.first()
    if found is not None:
        return found
    if own.count() >= MOST_LISTS:
        raise Refused(
            _("You have %(most)s lists: delete one of them first.") % {"most": MOST_LISTS}
        )
    return PositionList.objects.create(
        player=owner, name=name or _("Kept positions"), used_at=timezone.now()
    )


def _own(player: Player | None, token: str) -> PositionList:
    found = PositionList.objects.filter(player=player, token=token).first() if player else None
    if found is None:
        raise NoSuchList
    return found
