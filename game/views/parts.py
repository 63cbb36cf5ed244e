"""The page of parts, for whoever changes the look: only where the site runs to be worked on."""

import re

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from game.board.parts import DesignGroup, DesignPart, groups
from game.models import Player
from game.web.forms import SettingsForm

THEMES = ("light", "dark")
TOKENS = {
    "ground": "what everything lies on",
    "card": "the pad, and pages",
    "felt": "the tray, and what a page is about",
    "felt-deep": "felt under a pointer",
    "ink": "what is said, and what is held",
    "ink-2": "what stands beside",
    "on-ink": "words on ink",
    "ink-side": "the side of a black block",
    "rule": "a thin line",
    "edge": "what is empty, or not now",
    "best": "the best there was",
    "played": "points that a move gave away, and nothing else",
    "mistake": "the same",
    "luck": "what the dice gave",
    "die": "a free die",
    "die-side": "its side",
    "die-line": "its line",
    "pip": "its pips",
    "held": "a die that stays",
    "held-side": "its side",
    "held-lit": "its edge in the light",
    "held-pip": "its pips",
    "cast": "the shadow of a die",
    "veil": "the page behind a dialog",
}
NAMED = re.compile(r' (?:for|aria-labelledby|aria-describedby|type="radio" name)="([\w-]+)"')


@require_safe
def parts(request: HttpRequest) -> HttpResponse:
    if not settings.DEBUG:
        raise Http404
    everything = (*groups(), DesignGroup("Forms and what is wrong in them", _forms()))
    shown = [
        (group, [(theme, _drawn(request, group, theme)) for theme in THEMES])
        for group in everything
    ]
    return render(request, "parts.html", {"groups": shown, "themes": THEMES, "tokens": TOKENS})


def _forms() -> tuple[DesignPart, ...]:
    filled = {"theme": "dark", "coach_threshold": "99", "language": "xx"}
    return (
        DesignPart("as it comes", "_form.html", {"form": SettingsForm(instance=Player())}, "form"),
        DesignPart(
            "refused", "_form.html", {"form": SettingsForm(filled, instance=Player())}, "form"
        ),
    )


def _drawn(request: HttpRequest, group: DesignGroup, theme: str) -> list[tuple[DesignPart, str]]:
    return [
        (part, apart(render_to_string(part.template, dict(part.values), request), f"{theme}-{at}"))
        for at, part in enumerate(group.parts)
    ]


def apart(drawn: str, mark: str) -> str:
    """What something is named by on a page on which it stands more than once."""
    for name in set(NAMED.findall(drawn)):
        where = rf'\b(id|for|name|aria-labelledby|aria-describedby)="{re.escape(name)}"'
        drawn = re.sub(where, rf'\1="{name}-{mark}"', drawn)
    return drawn
