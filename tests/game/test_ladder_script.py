"""docs/bots/ladder.py: two bots of the manual meet on a site that runs."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.browser import server

BOTS = Path(__file__).parents[2] / "docs" / "bots"
TOKEN = """
from django.contrib.auth.models import User
from game import services
owner = services.player_of_user(user=User.objects.create_user("{0}"))
print(services.program_make(owner=owner, name="Bot of {0}", asks=False)[1])
"""


def test_the_manual_shows_what_the_script_does() -> None:
    manual = (BOTS.parent / "bots.md").read_text(encoding="utf-8")
    shown = [
        code for code in re.findall(r"```python\n(.*?)```", manual, re.DOTALL) if "ask(" in code
    ]
    assert len(shown) == 1
    assert (BOTS / "ladder.py").read_text(encoding="utf-8").endswith(shown[0])


@pytest.mark.nightly
def test_two_bots_of_the_manual_play_a_game_on_the_ladder(tmp_path: Path) -> None:
    server.prepare(tmp_path)
    running, address = server.start(tmp_path, API_REQUESTS_A_MINUTE="1000000")
    try:
        tokens = [server.manage(tmp_path, "shell", "-c", TOKEN.format(n)) for n in ("ann", "bo")]
        played = [sys.executable, str(BOTS / "ladder.py"), address]
        bot = [sys.executable, str(BOTS / "bot.py")]
        bots = [
            subprocess.Popen(
                [*played, token.split()[-1], *bot], stdout=subprocess.PIPE, env={"PAUSE": "0.2"}
            )
            for token in tokens
        ]
        said = [one.communicate(timeout=900)[0].decode().split() for one in bots]
        with urlopen(f"{address}/ladder/") as page:
            ladder = page.read().decode()
    finally:
        running.terminate()
        running.wait(timeout=20)
    # The same bot on the same dice: nobody is better, whatever falls.
    (one, score, other), (two, same, another) = said
    assert (one, two) == ("tied", "tied")
    assert len({score, other, same, another}) == 1
    assert ladder.count("Bot of") == 2
