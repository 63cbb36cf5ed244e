"""Hashes of passwords and recovery codes: argon2id, with what a small server can spare.

Django's own setting takes 100 MB for each sign-in; a process may work on sixteen of them at once.
"""

from django.contrib.auth.hashers import Argon2PasswordHasher

HASHERS = [
    "yatzy_site.passwords.SmallArgon2",  # at the next sign-in the others become this one
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]


class SmallArgon2(Argon2PasswordHasher):
    """OWASP's first choice for 19 MiB."""

    time_cost = 2
    memory_cost = 19_456  # KiB
    parallelism = 1
