"""A player's finished games: their list and its filters."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.db.models.functions import Coalesce
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.core.counting import format_help_note
from game.core.duel_record_queries import list_records
from game.core.kind import find_kind
from game.core.words import labels
from game.models import Game, Player
from game.pages.board.target import describe_target
from game.pages.requests.forms import set_choices
from game.pages.requests.visitors import PlayRequest
from game.pages.rulesets import ALL, FIELD, list_rules_links
from solver.rules import Ruleset


@dataclass(frozen=True, slots=True)
class Wanted:
    """The filters of the list. An empty one excludes nothing. Days are in the page's time zone."""

    rules: Ruleset | None = None
    mode: str = ""
    since: date | None = None
    until: date | None = None
    least: int | None = None
    most: int | None = None
    opponent: str = ""  # the player code of an opponent


def query_past_games(player: Player, wanted: Wanted) -> QuerySet[Game]:
    """Return the player's finished games that pass the filters, the latest first. If the filter
    names an opponent, include duels that one of the two players left."""
    games = Game.objects.filter(player=player)
    if wanted.opponent:
        games = games.filter(seat__duel__seats__player__code=wanted.opponent)
        over = games.annotate(over_at=Coalesce("finished_at", "abandoned_at"))
        return _filter_games(over, wanted, "over_at").order_by("-over_at")
    return _filter_games(games, wanted, "finished_at").order_by("-finished_at")


def _filter_games(games: QuerySet[Game], wanted: Wanted, moment: str) -> QuerySet[Any]:
    """Return the games that pass the filters and have the time ``moment``, a column."""
    day_after = wanted.until and wanted.until + timedelta(days=1)
    conditions = {
        "ruleset": wanted.rules and wanted.rules.id,
        "mode": wanted.mode or None,
        f"{moment}__gte": wanted.since and _start_of_day(wanted.since),
        f"{moment}__lt": day_after and _start_of_day(day_after),
        "final_score__gte": wanted.least,
        "final_score__lte": wanted.most,
    }
    wishes = {name: value for name, value in conditions.items() if value is not None}
    return games.filter(**{f"{moment}__isnull": False}, **wishes)


def _start_of_day(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time()))


MOST_POINTS = 9999  # points; more than any card holds
LAST_DAY = date(9998, 12, 31)  # the last accepted day; the day after must exist


class WholeNumber(forms.IntegerField):
    """A text field for a whole number. A number field of HTML would lose invalid input."""

    def __init__(self, *, label: Any) -> None:
        typed = forms.TextInput({"inputmode": "numeric"})
        super().__init__(
            label=label, required=False, min_value=0, max_value=MOST_POINTS, widget=typed
        )


class HistoryForm(forms.Form):
    """The filters of the list. An invalid field shows its error, and does not filter."""

    mode = forms.ChoiceField(
        label=gettext_lazy("Kind of game"),
        required=False,
        error_messages={"invalid_choice": gettext_lazy("You have no games of this kind.")},
    )
    opponent = forms.ChoiceField(
        label=gettext_lazy("Played with"),
        required=False,
        error_messages={"invalid_choice": gettext_lazy("You have no duels with this player.")},
    )
    since = forms.DateField(
        label=gettext_lazy("From"),
        required=False,
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
    )
    until = forms.DateField(
        label=gettext_lazy("Until"),
        required=False,
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
    )
    least = WholeNumber(label=gettext_lazy("Minimum points"))
    most = WholeNumber(label=gettext_lazy("Maximum points"))

    def __init__(
        self, query: QueryDict, modes: Collection[str], rivals: Collection[Player]
    ) -> None:
        super().__init__(query)
        everything = ("", _("All"))
        names = dict(Game.Mode.choices)
        set_choices(self, "mode", [everything, *((mode, str(names[mode])) for mode in modes)])
        set_choices(
            self,
            "opponent",
            [everything, *((rival.code, labels.format_player(rival)) for rival in rivals)],
        )

    def clean_until(self) -> date | None:
        until: date | None = self.cleaned_data["until"]
        return min(until, LAST_DAY) if until else None

    def clean(self) -> dict[str, Any]:
        """Report an error if the upper limit is below the lower limit, which still filters."""
        cleaned = super().clean() or {}
        for low, high, text in (
            ("since", "until", _("The last day is before the first day.")),
            ("least", "most", _("The minimum is above the maximum.")),
        ):
            first, last = cleaned.get(low), cleaned.get(high)
            if first is not None and last is not None and first > last:
                self.add_error(high, text)
        return cleaned

    def read_filters(self, rules: Ruleset | None) -> Wanted:
        self.is_valid()
        return Wanted(rules=rules, **self.cleaned_data)

    @property
    def asked(self) -> dict[str, str]:
        """The values that the browser sent, without empty values; they may be invalid."""
        sent = {name: str(self.data.get(name, "")).strip() for name in self.fields}
        return {name: value for name, value in sent.items() if value}


ON_A_PAGE = 10


def games_context(request: PlayRequest, player: Player, rules: Ruleset | None) -> dict[str, Any]:
    """Return the template context of the list of a player's games, with its filters."""
    rivals = [record.rival for record in list_records(player)]
    played = set(Game.objects.filter(player=player).values_list("mode", flat=True).distinct())
    form = HistoryForm(request.GET, [mode for mode in Game.Mode.values if mode in played], rivals)
    games = query_past_games(player, form.read_filters(rules))
    page: Page[Any] = Paginator(games, ON_A_PAGE).get_page(request.GET.get("page"))
    page.object_list = [make_past_game(game) for game in page.object_list]
    named = {FIELD: rules.id if rules else ALL}
    return {
        "page": page,
        "form": form,
        "rules_field": named,
        "every": f"?{urlencode({FIELD: ALL} | form.asked)}",
        "every_is_current": rules is None,
        "choices": list_rules_links(rules, form.asked),
        "address": urlencode(named | form.asked),
    }


@dataclass(frozen=True, slots=True)
class PastGame:
    pk: str
    url: str
    mode_label: str
    game_name: str
    started: datetime
    finished: datetime | None
    abandoned: datetime | None
    bonus: int | None
    chips: int | None
    final_score: int | None
    came_to: str  # text on whether the player reached the target; empty without a target
    helped: str  # text on the coach's help; empty for a game without help

    @property
    def over(self) -> datetime | None:
        return self.finished or self.abandoned


def make_past_game(game: Game) -> PastGame:
    return PastGame(
        pk=game.pk,
        url=reverse("game", args=[game.pk]),
        mode_label=find_kind(game).label,
        game_name=labels.find_ruleset_name(game.rules),
        started=game.started_at,
        finished=game.finished_at,
        abandoned=game.abandoned_at,
        bonus=game.bonus,
        chips=game.chips,
        final_score=game.final_score,
        came_to=describe_target(game),
        helped=format_help_note(game),
    )
