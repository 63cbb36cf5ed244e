"""Checks of a site's settings for `./yatzy manage check`. Every message names a remedy."""

import os
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.core import checks
from django.db import connection

from solver.tables import TableError, open_table

# Top-level domains that exist only in a local network.
HERE = {"localhost", "local", "lan", "internal", "arpa", "test"}
REMOVED_SETTINGS = "OWN_RULES", "OWN_RULES_A_DAY", "OWN_RULES_MEGABYTES"
KEY_LENGTH, KEY_LETTERS = 50, 5  # Django's check warns of keys below these limits


@checks.register()
def check_value_table(**_: Any) -> list[checks.CheckMessage]:
    from game.models import Game  # models are loaded after the checks are registered

    try:
        open_table(Game().rules)
    except TableError as error:
        hint = "Players can play, but the coach cannot judge games until there is a value table."
        return [checks.Warning(str(error), hint=hint, id="game.W001")]
    return []


@checks.register()
def check_secret_key(**_: Any) -> list[checks.CheckMessage]:
    if settings.KEY_IS_EMPTY:
        hint = "Set SECRET_KEY, or remove it. Until then, the site uses its key in YATZY_VAR."
        return [checks.Warning("SECRET_KEY is set, but empty.", hint=hint, id="game.W002")]
    return []


@checks.register()
def check_shared_state(**_: Any) -> list[checks.CheckMessage]:
    if settings.PROCESSES < 2 or settings.REDIS_URL:
        return []
    hint = "Set REDIS_URL. Until then, pages miss moves, and each process counts limits separately."
    text = f"{settings.PROCESSES} processes serve the site without Redis."
    return [checks.Warning(text, hint=hint, id="game.W003")]


@checks.register()
def check_removed_settings(**_: Any) -> list[checks.CheckMessage]:
    hint = "Remove it from the settings: players can no longer have rules of their own."
    return [
        checks.Warning(
            f"{name} is set, but this version has no such setting.", hint, id="game.W005"
        )
        for name in REMOVED_SETTINGS
        if name in os.environ
    ]


@checks.register()
def check_public_settings(**_: Any) -> list[checks.CheckMessage]:
    texts = list_unsafe_settings(settings.ALLOWED_HOSTS)
    hint = "The server does not start with these settings."
    return [checks.Warning(text, hint=hint, id="game.W004") for text in texts]


def list_unsafe_settings(hosts: list[str]) -> list[str]:
    """Return the settings that a public site still needs, or [] if all host names are local."""
    public, missing = next(filter(is_public, hosts), None), list[str]()
    if public is None:
        return []
    if settings.DEBUG:
        missing.append("DEBUG=0, or remove it: DEBUG pages show everyone settings and source")
    if not settings.HTTPS:
        missing.append("HTTPS=1, behind a proxy with TLS: without TLS, others can read cookies")
    key = settings.SECRET_KEY
    if len(key) < KEY_LENGTH or len(set(key)) < KEY_LETTERS or key.startswith("django-insecure-"):
        missing.append(
            f"SECRET_KEY, with {KEY_LENGTH} random letters: the present key can be guessed"
        )
    elif settings.KEY_IS_MADE and connection.vendor != "sqlite":
        missing.append("SECRET_KEY: a shared database needs the same key on all machines")
    return [f"{text} ({public} is public)" for text in missing]


def is_public(host: str) -> bool:
    name = host.strip("[]").lower()
    try:
        return ip_address(name).is_global
    except ValueError:
        return name == "*" or ("." in name and name.rpartition(".")[2] not in HERE)
