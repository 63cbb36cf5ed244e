"""What a device sends of a game that it played by itself."""

from datetime import UTC, datetime
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from game.models import Game
from game.models.player import WISHES
from game.services import SentGame
from game.words.game_text import games_of_text
from solver.rules import DEFAULT

LONGEST = 4000  # characters of a game; one of fifteen turns has about a thousand
MOST_HINTS = 999
LATEST = 2**42  # milliseconds since 1970: a device's clock may be wrong, but has a date


class SentGameForm(forms.Form):
    """``sent`` is there where all of it could be read. The text names its rules."""

    name = forms.UUIDField()
    text = forms.CharField(max_length=LONGEST)
    total = forms.IntegerField(min_value=0)
    began = forms.IntegerField(min_value=0, max_value=LATEST)
    ended = forms.IntegerField(min_value=0, max_value=LATEST)
    coach = forms.ChoiceField(choices=WISHES, required=False)
    hints = forms.IntegerField(min_value=0, max_value=MOST_HINTS, required=False)

    sent: SentGame

    def clean(self) -> dict[str, Any]:
        found = self.cleaned_data
        if self.errors:
            return found
        games, faults = games_of_text(found["text"], DEFAULT)
        if faults:
            self.add_error("text", f"{faults[0].line}: {faults[0].told}")
        elif len(games) != 1:
            self.add_error("text", _("Send one game at a time, please."))
        else:
            began, ended = (
                datetime.fromtimestamp(found[at] / 1000, UTC) for at in ("began", "ended")
            )
            coach, hints = found["coach"] or Game.Coach.OFF.value, found["hints"] or 0
            name, total = str(found["name"]), found["total"]
            self.sent = SentGame(name, games[0], total, began, ended, coach, hints)
        return found
