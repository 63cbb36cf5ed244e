"""A browser in which somebody has signed in: who guesses at that account elsewhere does not lock it
out of here. Its cookie names the account to this site alone, and lets nobody in."""

import secrets
from unicodedata import normalize

from django.core import signing
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

COOKIE = "known"
SALT = "game.known"


def said(text: str) -> str:
    """What is counted or kept elsewhere, as only this site can read it."""
    return salted_hmac("game.web.limits", text, algorithm="sha256").hexdigest()


def name_said(name: str) -> str:
    """However it is typed: the form takes full-width letters and spaces around it for the same."""
    return said(normalize("NFKC", name).strip().casefold())


def cookie_of_known(name: str) -> str:
    return signing.Signer(salt=SALT).sign(f"{secrets.token_hex(8)}.{name_said(name)}")


def browser_known(request: HttpRequest, name: str) -> str:
    """What this browser is called, where it knows this name; otherwise nothing."""
    try:
        browser, known = signing.Signer(salt=SALT).unsign(request.COOKIES[COOKIE]).split(".")
    except (KeyError, signing.BadSignature):
        return ""
    return browser if known == name_said(name) else ""
