"""Browsers in which a user has signed in. In these browsers, the user can still sign in after wrong
passwords were typed in others.

A cookie identifies the account. Only this site can read it, and it does not sign the user in.
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
KNOWN = timedelta(days=1)  # after this time, limits count an account instead of its address
SALT = "game.known"


def hash_text(text: str) -> str:
    """Return a keyed hash. Only this site can calculate it."""
    return salted_hmac("game.web.limits", text, algorithm="sha256").hexdigest()


def hash_name(name: str) -> str:
    """Return the hash of a name. Full-width letters, which sign-in accepts, give the same hash."""
    return hash_text(normalize("NFKC", name).strip().casefold())


def make_known_cookie(name: str, before: str) -> str:
    """Return a signed cookie: a random id, the hashed name, and the time of the first sign-in."""
    account, earlier = hash_name(name), _read(before)
    since = earlier.since if earlier.account == account else int(time())
    value = f"{secrets.token_hex(8)}.{account}.{since}"
    return signing.Signer(salt=SALT).sign(value)


def find_known_browser(request: HttpRequest, name: str) -> str:
    """Return the id of this browser if this user has signed in here, else ""."""
    cookie = _read(request.COOKIES.get(COOKIE, ""))
    return cookie.browser if cookie.account == hash_name(name) else ""


def find_known_account(cookie: str) -> str:
    """Return the hash of the account that signed in here first, if that was at least a day ago;
    else "". A newer account does not count, because anyone can make one."""
    mark = _read(cookie)
    return mark.account if 0 < mark.since <= time() - KNOWN.total_seconds() else ""


class _Known(NamedTuple):
    browser: str = ""
    account: str = ""
    since: int = 0  # Unix time in seconds; older cookies have 0


def _read(cookie: str) -> _Known:
    try:
        browser, account, *since = signing.Signer(salt=SALT).unsign(cookie).split(".")
    except signing.BadSignature:
        return _Known()
    return _Known(browser, account, *map(int, since))


HOUSEHOLD = 64  # number of bits in the IPv6 prefix of a home network


def identify_client(address: str) -> str:
    """Return an IPv4 address, the network of an IPv6 address, or any other text unchanged."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(ip, IPv6Address):
        return str(ip)
    if ip.ipv4_mapped:
        return str(ip.ipv4_mapped)
    return f"{int(ip) >> 128 - HOUSEHOLD:016x}/{HOUSEHOLD}"
