"""Devices that are told when it is somebody's turn: asked for, given back, due."""

from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from game.core.duel_awaited_queries import turns_awaited
from game.core.refusals import Refused
from game.models import Player, Reminder

MOST_DEVICES = 10  # of a player; the oldest go


class UnknownPushService(Refused):
    def __init__(self) -> None:
        super().__init__(_("This site does not know the push service of this browser."))


def reminder_keep(*, player: Player, endpoint: str, site: str) -> Reminder:
    """A device belongs to whoever asked last on it; asked again it goes on as it was."""
    if not _is_known(endpoint):
        raise UnknownPushService
    with transaction.atomic():
        facts = {"player": player, "site": site}
        reminder, _made = Reminder.objects.update_or_create(endpoint=endpoint, defaults=facts)
        kept = player.reminders.order_by("-created_at", "-pk").values_list("pk", flat=True)
        player.reminders.exclude(pk__in=list(kept[:MOST_DEVICES])).delete()
        return reminder


def _is_known(endpoint: str) -> bool:
    """A server sends nothing to addresses that anybody may name."""
    try:
        address = urlsplit(endpoint)
        host, port = address.hostname or "", address.port
    except ValueError:
        return False
    known = any(host == one or host.endswith(f".{one}") for one in settings.PUSH_SERVICES)
    return known and address.scheme == "https" and port in (None, 443) and len(endpoint) <= 500


def reminder_stop(*, player: Player, endpoint: str) -> None:
    player.reminders.filter(endpoint=endpoint).delete()


def reminders_due() -> list[Reminder]:
    """Each once, whichever process looks."""
    players = Reminder.objects.filter(player__in_duels=True).select_related("player")
    return list(filter(_look, players))


def _look(reminder: Reminder) -> bool:
    """Whether there is a turn that was there before, and was not told."""
    now = set(turns_awaited(reminder.player))
    due = now & set(reminder.seen.split()) - set(reminder.told.split())
    seen, told = _words(now), _words(due | now & set(reminder.told.split()))
    if (seen, told) == (reminder.seen, reminder.told):
        return False
    same = Reminder.objects.filter(pk=reminder.pk, seen=reminder.seen, told=reminder.told)
    return bool(same.update(seen=seen, told=told)) and bool(due)


def _words(turns: set[str]) -> str:
    return " ".join(sorted(turns))


def reminder_gone(*, endpoint: str) -> None:
    """Its push service says that there is no such device any more."""
    Reminder.objects.filter(endpoint=endpoint).delete()
