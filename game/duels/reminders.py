"""Reminders by web push: which devices want them, when they are due, and how they are sent."""

import hashlib
import json
import logging
from base64 import urlsafe_b64encode
from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from time import time
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from django.conf import settings
from django.db import transaction
from django.http import HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from game.core.access import check_not_in_trial
from game.core.duel_awaited_queries import list_awaited_turns
from game.core.refusals import NotUnderstood, Refused
from game.models import Player, Reminder
from game.pages.requests.visitors import PlayRequest

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

logger = logging.getLogger(__name__)
PATIENCE = 10.0  # seconds to wait for the push service
KEPT = 24 * 60 * 60  # seconds for which the push service stores a reminder while a device is off
SIGNED = 12 * 60 * 60  # seconds for which a signature is valid
GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE, HTTPStatus.FORBIDDEN)
HALF = 32  # bytes of half a signature
# The order of the curve P-256.
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def send_reminder(endpoint: str, site: str) -> bool:
    """Send a reminder. Return False if the device is gone, or belongs to another server key."""
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
    from cryptography.hazmat.primitives.hashes import SHA256

    service = urlsplit(endpoint)
    claims = {
        "aud": f"{service.scheme}://{service.netloc}",
        "exp": int(time()) + SIGNED,
        "sub": site,
    }
    token = ".".join(
        _encode_base64(json.dumps(part).encode()) for part in ({"alg": "ES256"}, claims)
    )
    halves = decode_dss_signature(_derive_key().sign(token.encode(), ECDSA(SHA256())))
    signature = b"".join(half.to_bytes(HALF) for half in halves)
    headers = {
        "TTL": str(KEPT),
        "Topic": "turn",
        "Authorization": f"vapid t={token}.{_encode_base64(signature)}, k={make_public_key()}",
    }
    try:
        with urlopen(Request(endpoint, b"", headers), timeout=PATIENCE):  # noqa: S310
            return True
    except HTTPError as refusal:
        if refusal.code not in GONE:
            logger.warning("a push service answered with status %d", refusal.code)
        return refusal.code not in GONE
    except OSError as error:
        logger.warning("a push service does not answer: %r", error)
        return True


def make_public_key() -> str:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    point = _derive_key().public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return _encode_base64(point)


@cache
def _derive_key() -> "EllipticCurvePrivateKey":
    # imported here, because a server without reminders does not need it
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, derive_private_key

    seed = hashlib.sha512(b"yatzy push:" + settings.SECRET_KEY.encode()).digest()
    return derive_private_key(1 + int.from_bytes(seed) % (ORDER - 1), SECP256R1())


def _encode_base64(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


MOST_DEVICES = 10  # devices per player; the oldest are removed


class UnknownPushService(Refused):
    def __init__(self) -> None:
        super().__init__(_("This site does not support the push service of this browser."))


def store_reminder(*, player: Player, endpoint: str, site: str) -> Reminder:
    """Store the device for this player only. If there are too many, delete the player's oldest.
    Raise UnknownPushService unless a known push service has this address."""
    try:
        address = urlsplit(endpoint)
        host, port = address.hostname or "", address.port
    except ValueError as error:
        raise UnknownPushService from error
    known = any(
        host == service or host.endswith(f".{service}") for service in settings.PUSH_SERVICES
    )
    is_safe = address.scheme == "https" and port in (None, 443) and len(endpoint) <= 500
    if not (known and is_safe):
        raise UnknownPushService
    with transaction.atomic():
        facts = {"player": player, "site": site}
        reminder, _made = Reminder.objects.update_or_create(endpoint=endpoint, defaults=facts)
        kept = player.reminders.order_by("-created_at", "-pk").values_list("pk", flat=True)
        player.reminders.exclude(pk__in=list(kept[:MOST_DEVICES])).delete()
        return reminder


def claim_due_reminders() -> list[Reminder]:
    """Return the reminders to send. A reminder is due if one of the turns that wait also waited at
    the last call. Of several processes, only one gets each reminder."""
    claimed = []
    for reminder in Reminder.objects.filter(player__in_duels=True).select_related("player"):
        waiting, reminded = set(list_awaited_turns(reminder.player)), set(reminder.told.split())
        due = waiting & set(reminder.seen.split()) - reminded
        before = {"seen": reminder.seen, "told": reminder.told}
        known = " ".join(sorted(due | waiting & reminded))
        after = {"seen": " ".join(sorted(waiting)), "told": known}
        unchanged = Reminder.objects.filter(pk=reminder.pk, **before)
        if after != before and unchanged.update(**after) and due:
            claimed.append(reminder)
    return claimed


@never_cache
@require_POST
def keep(request: PlayRequest) -> HttpResponse:
    site = request.build_absolute_uri(reverse("play"))
    return _change_devices(
        request,
        lambda player, endpoint: store_reminder(player=player, endpoint=endpoint, site=site),
    )


@never_cache
@require_POST
def stop(request: PlayRequest) -> HttpResponse:
    return _change_devices(
        request, lambda player, endpoint: player.reminders.filter(endpoint=endpoint).delete()
    )


def _change_devices(request: PlayRequest, change: Callable[[Player, str], object]) -> HttpResponse:
    """Change the player's devices. Return an empty response, or the reason why this is refused."""
    try:
        player, endpoint = request.visitor.player, request.POST.get("endpoint", "")
        if player is None or not endpoint:
            raise NotUnderstood
        check_not_in_trial(player)
        change(player, endpoint)
    except Refused as refusal:
        return HttpResponse(refusal.message, status=refusal.status, content_type="text/plain")
    return HttpResponse(status=204)


@never_cache
@require_safe
def waiting(request: PlayRequest) -> HttpResponse:
    """Return the reminder's text to a device that a push message has woken."""
    awaited = request.visitor.awaited
    text = _("No one is waiting for you any more.")
    if awaited:
        text = ngettext(
            "Other players are waiting for your move in %(duels)s duel.",
            "Other players are waiting for your move in %(duels)s duels.",
            len(awaited),
        ) % {"duels": len(awaited)}
    alone = len(awaited) == 1
    address = reverse("duel", args=awaited) if alone else reverse("duels")
    title = _("It is your turn") if awaited else _("Yatzy")
    return JsonResponse({"title": title, "body": text, "address": address})
