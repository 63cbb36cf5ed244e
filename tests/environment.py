"""Settings that keep the files of a test run in var/test, apart from the games of the user."""

import os
from pathlib import Path
from urllib.parse import urlsplit

os.environ["YATZY_VAR"] = str(Path(__file__).resolve().parent.parent / "var" / "test")
# Dice follow from this key. If each checkout had a key, each would roll other dice.
os.environ["SECRET_KEY"] = "another-key-than-that-of-the-checkout-so-other-dice-1"
os.environ["YATZY_SETTINGS"] = ""  # independent of the settings of this checkout
os.environ["MAKE_TABLES"] = "off"  # a test makes its own tables, or tests a game without tables
LIMITS = "STARTS_A_MINUTE", "PLAYERS_A_MINUTE", "LOGIN_FAILURES", "API_REQUESTS_A_MINUTE"
for limit in LIMITS:
    os.environ[limit] = "1000000"  # all tests have one address; tests of limits set their own
os.environ["DUEL_BOTS"] = "off"  # a test asks for the bots' moves itself
os.environ.pop("YATZY_TABLES", None)
# These matrices are small: threads that wait for each other would cost several times the work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if os.environ.get("REDIS_URL"):
    # A test worker empties its Redis database between tests, so each worker has its own number.
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw-1").removeprefix("gw")) + 1
    os.environ["REDIS_URL"] = urlsplit(os.environ["REDIS_URL"])._replace(path=f"/{worker}").geturl()
