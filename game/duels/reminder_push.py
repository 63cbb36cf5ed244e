"""Wakes a device by its push service, as RFC 8030 and 8292 say. Nothing of anybody is sent: the
device asks this site what there is to say.

Services know a site by a key. It follows from the site's own, so that there is nothing to keep; by
another they let nobody be woken, and pages ask them anew.
"""

import hashlib
import json
import logging
from base64 import urlsafe_b64encode
from functools import cache
from http import HTTPStatus
from time import time
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from django.conf import settings

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

logger = logging.getLogger(__name__)
PATIENCE = 10.0  # seconds
KEPT = 24 * 60 * 60  # seconds for a device that is off
SIGNED = 12 * 60 * 60  # seconds
GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE, HTTPStatus.FORBIDDEN)
HALF = 32  # bytes of a signature
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256


def push(endpoint: str, site: str) -> bool:
    """False where there is no such device any more, or it was promised to another key."""
    headers = {"TTL": str(KEPT), "Topic": "turn", "Authorization": authorization(endpoint, site)}
    try:
        with urlopen(Request(endpoint, b"", headers), timeout=PATIENCE):  # noqa: S310
            return True
    except HTTPError as refusal:
        if refusal.code not in GONE:
            logger.warning("a push service answered %d", refusal.code)
        return refusal.code not in GONE
    except OSError as error:
        logger.warning("a push service does not answer: %r", error)
        return True


def authorization(endpoint: str, site: str) -> str:
    """VAPID: who asks for it, at which service, until when."""
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
    from cryptography.hazmat.primitives.hashes import SHA256

    service = urlsplit(endpoint)
    claims = {
        "aud": f"{service.scheme}://{service.netloc}",
        "exp": int(time()) + SIGNED,
        "sub": site,
    }
    told = ".".join(_coded(json.dumps(one).encode()) for one in ({"alg": "ES256"}, claims))
    halves = decode_dss_signature(_key().sign(told.encode(), ECDSA(SHA256())))
    signature = b"".join(half.to_bytes(HALF) for half in halves)
    return f"vapid t={told}.{_coded(signature)}, k={public_key()}"


def public_key() -> str:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    point = _key().public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return _coded(point)


@cache
def _key() -> "EllipticCurvePrivateKey":
    # Imported here: a server of which nobody wants to be reminded has no use for it.
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, derive_private_key

    seed = hashlib.sha512(b"yatzy push:" + settings.SECRET_KEY.encode()).digest()
    return derive_private_key(1 + int.from_bytes(seed) % (ORDER - 1), SECP256R1())


def _coded(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")
