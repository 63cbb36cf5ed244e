"""Password hashers: argon2id with the memory that a small server can spare.

Django's default takes 100 MB per sign-in, and a process may work on sixteen sign-ins at once.
"""

from django.contrib.auth.hashers import Argon2PasswordHasher

HASHERS = [
    "yatzy_site.passwords.SmallArgon2",  # the next sign-in replaces an older hash by this one
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]


class SmallArgon2(Argon2PasswordHasher):
    """OWASP's recommended parameters for 19 MiB."""

    time_cost = 2
    memory_cost = 19_456  # KiB
    parallelism = 1
