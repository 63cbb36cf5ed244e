"""The workbench page: one player's holds combined with another's boxes, from stored exact means."""

from collections.abc import Iterator
from dataclasses import dataclass

from django import forms
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.words import phrases
from game.lab.labels import PLAYERS
from game.lab.players import format_percent
from game.pages.requests.visitors import PlayRequest
from solver.study.mixes import PERFECT, WAVERS, read_stored_mixes

SCORECARD, UPPER = "scorecard-based", "upper-first"
SAME = 1e-6  # points; smaller differences are rounding in the file


class WorkbenchForm(forms.Form):
    holds = forms.ChoiceField(label=gettext_lazy("Strategy for holds"))
    boxes = forms.ChoiceField(label=gettext_lazy("Strategy for boxes"))

    def __init__(self, chosen: dict[str, str], names: dict[str, Promise]) -> None:
        super().__init__(initial=chosen)
        for field in self.fields.values():
            field.choices = list(names.items())  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class MixFigures:
    mean: float
    deviation: float
    bonus: float

    def __str__(self) -> str:
        return phrases.format_points(self.mean, 2)

    @property
    def spread(self) -> str:
        return phrases.format_points(self.deviation, 2)

    @property
    def with_bonus(self) -> str:
        return format_percent(self.bonus)


@never_cache
@require_safe
def workbench(request: PlayRequest) -> HttpResponse:
    stored = read_stored_mixes()
    mixes = {
        holds: {boxes: MixFigures(*figures) for boxes, figures in row.items()}
        for holds, row in stored["mixes"].items()
    }
    holds, boxes = request.GET.get("holds", WAVERS), request.GET.get("boxes", PERFECT)
    if holds not in mixes or boxes not in mixes:
        raise Http404
    names = {player: PLAYERS[player].name for player in mixes}
    context = {
        "form": WorkbenchForm({"holds": holds, "boxes": boxes}, names),
        "mix": mixes[holds][boxes],
        "unmixed": [
            (names[player], mixes[player][player]) for player in dict.fromkeys((holds, boxes))
        ],
        "names": names.values(),
        "rows": [(names[player], row.values()) for player, row in mixes.items()],
        "wishes": list(_describe_untried(mixes, stored["every_second"])),
    }
    return render(request, "lab/workbench.html", context)


def _describe_untried(
    mixes: dict[str, dict[str, MixFigures]], every_second: float
) -> Iterator[str]:
    """Yield sentences about strategies that the study suggested but did not try."""
    dice, card, upper = (mixes[name] for name in (WAVERS, SCORECARD, UPPER))
    yield _(
        "The study called the dice-based strategy a strong competitor, if only it calculated "
        "some chances. The dice-based strategy scores %(own)s points. It would score %(boxes)s"
        " with perfect boxes, %(holds)s with perfect holds, and %(half)s with every second "
        "decision perfect."
    ) % {
        "own": dice[WAVERS],
        "boxes": dice[PERFECT],
        "holds": mixes[PERFECT][WAVERS],
        "half": phrases.format_points(every_second, 2),
    }
    yield _(
        "The study expected the dice-based strategy to rival the scorecard-based strategy if "
        "it aimed at the upper boxes. With that aim, it scores %(upper)s; the scorecard-based "
        "strategy scores %(card)s. Scorecard-based holds with the boxes of the aimed strategy "
        "score %(both)s."
    ) % {"upper": upper[UPPER], "card": card[SCORECARD], "both": card[UPPER]}
    if abs(dice[SCORECARD].mean - dice[WAVERS].mean) < SAME:
        yield _(
            "The study asked why its strategies score differently. The dice-based and the "
            "scorecard-based strategy fill the same boxes. Their difference of %(points)s "
            "points comes only from the holds."
        ) % {"points": phrases.format_points(card[SCORECARD].mean - dice[WAVERS].mean, 2)}
