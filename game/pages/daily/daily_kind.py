"""The daily game: the same dice for all players, one game each, without a coach."""

from datetime import date, datetime, timedelta

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from game.core.fair import days
from game.core.game_queries import find_player_daily
from game.core.kind import Kind, StartedKind, Wish
from game.core.refusals import Refused
from game.core.words import labels
from game.models import Game, Player
from game.pages import rulesets
from game.pages.board import sharing
from game.pages.daily import daily_dice
from game.pages.daily.daily_queries import derive_day_seed
from game.pages.daily.daily_views import daily_page
from game.pages.presentation import Presentation
from game.pages.requests.forms import StartForm
from game.pages.requests.visitors import PlayRequest

# Younger accounts are ranked among guests, because one player could make many accounts.
SETTLED = timedelta(days=7)


class DayRuns(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(
            _("Other players can read the review of a daily game when its day is over.")
        )


class OnDaysDice(Kind):
    @property
    def open_day(self) -> date | None:
        day = self.game.day
        return day if day is not None and not days.is_closed(day) else None

    @property
    def dice_withheld(self) -> PermissionDenied | None:
        return DayRuns() if self.open_day else self.withheld

    def make_share_url(self, *, owner: bool) -> str:
        """Return a link to the page of the day. A link to the card would show the dice."""
        if self.game.day is None:
            return super().make_share_url(owner=owner)
        return rulesets.make_daily_url(self.game.rules, self.game.day)


class DailyKind(OnDaysDice, StartedKind):
    mode = Game.Mode.DAILY
    ranked = True
    compared = True
    fields = {
        "day": forms.DateField(required=False),
        "later": forms.BooleanField(required=False),
    }

    @property
    def label(self) -> str:
        if self.later:
            return _("Daily game of %(day)s, played later") % {"day": self._day}
        return _("Daily game of %(day)s") % {"day": self._day}

    @property
    def title(self) -> str:
        facts = {"game": labels.find_ruleset_name(self.game.rules), "day": self._day}
        if self.later:
            return _("%(game)s, daily game of %(day)s, played later") % facts
        return _("%(game)s, daily game of %(day)s") % facts

    @property
    def later(self) -> bool:
        day = self.game.day
        return day is not None and days.is_late_start(day, self.game.started_at)

    @property
    def _day(self) -> str:
        return date_format(self.game.day) if self.game.day else ""

    @property
    def results_url(self) -> str:
        return rulesets.make_daily_url(self.game.rules)

    def make_share_url(self, *, owner: bool) -> str:
        return sharing.make_result_url(self.game) if owner else super().make_share_url(owner=owner)

    def react_to_finish(self, now: datetime) -> None:
        """Exclude a late game from the ranking. Rank guests and new accounts in a separate list."""
        if self.game.day is not None and now >= days.find_closing_time(self.game.day):
            self.game.unranked = True
        user = self.game.player.user
        self.game.among_guests = user is None or now - user.date_joined < SETTLED

    @classmethod
    def check(cls, wish: Wish) -> None:
        """Refuse a past day unless the player chose it: the page may be from yesterday."""
        shown = wish.more.get("day")
        if wish.more.get("later"):
            if shown is None or shown < days.FIRST or not days.is_closed(shown):
                raise Refused(_("You cannot play that day's game now. Here are today's dice."))
        elif shown is not None and shown != days.today():
            raise Refused(_("A new day began while this page was open. Here are today's dice."))

    @classmethod
    def card(cls, owner: Player | None, wish: Wish) -> Game:
        later = bool(wish.more.get("later"))
        day = wish.more["day"] if later else days.today()
        game = Game(mode=cls.mode, nonce=wish.nonce, day=day)
        game.ruleset = wish.ruleset or game.ruleset
        seen = owner is not None and owner.has_seen(day, game.ruleset)
        game.unranked = seen or bool(wish.more.get("unranked"))
        game.seed = derive_day_seed(day, game.ruleset)
        return find_player_daily(owner, day, game.rules) or game


def _show_refused_start(request: PlayRequest, form: StartForm, refusal: Refused) -> HttpResponse:
    messages.warning(request, refusal.message)
    return daily_page(request, form.rules or Game().rules, status=refusal.status)


KIND = DailyKind
PAGES = Presentation(
    sent=lambda request, form: {"unranked": daily_dice.has_seen_dice(request, form.rules)},
    begun=daily_dice.set_seen_cookie,
    not_begun=_show_refused_start,
)
