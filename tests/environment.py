"""Everything a test run writes stays in var/test, apart from the games and tables of the user.

Loaded as a plugin before the settings are, which read the environment.
"""

import os
from pathlib import Path
from urllib.parse import urlsplit

os.environ["YATZY_VAR"] = str(Path(__file__).resolve().parent.parent / "var" / "test")
# Dice follow from this key: with a key per checkout, each checkout would roll other dice.
os.environ["SECRET_KEY"] = "another-key-than-that-of-the-checkout-so-other-dice-1"
os.environ["YATZY_SETTINGS"] = ""  # independent of the settings of this checkout
os.environ["MAKE_TABLES"] = "off"  # a test makes its own tables, or tests a game without tables
LIMITS = "STARTS_A_MINUTE", "PLAYERS_A_MINUTE", "LOGIN_FAILURES", "API_REQUESTS_A_MINUTE"
for limit in LIMITS:
    os.environ[limit] = "1000000"  # all tests are one client; tests of limits set their own
os.environ["DUEL_BOTS"] = "off"  # a test requests the bots' moves itself
os.environ.pop("YATZY_TABLES", None)
# Small products of matrices: threads that wait for each other cost several times the work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if os.environ.get("REDIS_URL"):
    # A worker empties its Redis between tests, so it has one: gw0 takes the database 1, and so on.
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw-1").removeprefix("gw")) + 1
    os.environ["REDIS_URL"] = urlsplit(os.environ["REDIS_URL"])._replace(path=f"/{worker}").geturl()
