"""Password hashers: argon2id, with an amount of memory that a small server has.

Django's default takes 100 MB per sign-in, and a process may handle sixteen sign-ins at once.
"""

from django.contrib.auth.hashers import Argon2PasswordHasher

HASHERS = [
    "yatzy_site.passwords.SmallArgon2",  # replaces other hashes when users next sign in
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]


class SmallArgon2(Argon2PasswordHasher):
    """The parameters that OWASP recommends for 19 MiB."""

    time_cost = 2
    memory_cost = 19_456  # KiB
    parallelism = 1
