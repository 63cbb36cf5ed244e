"""Browsers in which a user has signed in: wrong passwords in other browsers do not lock this user
out of them.

The cookie identifies the account to this site only, and does not sign anyone in.
"""

import secrets
from datetime import timedelta
from ipaddress import IPv6Address, ip_address
from time import time
from typing import NamedTuple
from unicodedata import normalize

from django.core import signing
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

COOKIE = "known"
KNOWN = timedelta(days=1)  # age from which an account counts as a separate client
SALT = "game.known"


def hash_text(text: str) -> str:
    """Return a keyed hash, which only this site can compute."""
    return salted_hmac("game.web.limits", text, algorithm="sha256").hexdigest()


def hash_name(name: str) -> str:
    """Return the hash of a name, the same for full-width letters, which sign-in accepts."""
    return hash_text(normalize("NFKC", name).strip().casefold())


def make_known_cookie(name: str, before: str) -> str:
    """Return a signed cookie: a random id, the hashed name, and the time of its first sign-in."""
    account, earlier = hash_name(name), _read(before)
    since = earlier.since if earlier.account == account else int(time())
    value = f"{secrets.token_hex(8)}.{account}.{since}"
    return signing.Signer(salt=SALT).sign(value)


def find_known_browser(request: HttpRequest, name: str) -> str:
    """Return this browser's id if this user has signed in here, else empty."""
    cookie = _read(request.COOKIES.get(COOKIE, ""))
    return cookie.browser if cookie.account == hash_name(name) else ""


def find_known_account(cookie: str) -> str:
    """Return the hash of the account that first signed in here at least a day ago, else empty; a
    new account does not count, because anyone can make one."""
    mark = _read(cookie)
    return mark.account if 0 < mark.since <= time() - KNOWN.total_seconds() else ""


class _Known(NamedTuple):
    browser: str = ""
    account: str = ""
    since: int = 0  # Unix time in seconds; 0 for older cookies


def _read(cookie: str) -> _Known:
    try:
        browser, account, *since = signing.Signer(salt=SALT).unsign(cookie).split(".")
    except signing.BadSignature:
        return _Known()
    return _Known(browser, account, *map(int, since))


HOUSEHOLD = 64  # bits of the IPv6 prefix of a home network


def identify_client(address: str) -> str:
    """Return the IPv4 address, the IPv6 network, or the text itself if it is neither."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(ip, IPv6Address):
        return str(ip)
    if ip.ipv4_mapped:
        return str(ip.ipv4_mapped)
    return f"{int(ip) >> 128 - HOUSEHOLD:016x}/{HOUSEHOLD}"
