"""What the page of a day says to somebody who comes back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.board import choices, sharing
from game.board.sharing import Shared
from game.coach.blinding import tells_worth
from game.coach.perfect_day import perfect_score
from game.fair import days
from game.judgement.streaks import Streak, better_than
from game.kind import kind_of
from game.models import Game, Player
from game.selectors.daily import PastDay, daily_past, daily_streak
from game.selectors.games import Rank, daily_rank, game_played
from game.words import labels, phrases
from solver.rules import Ruleset

FIRST_DAY = date(2025, 1, 1)
PAST = 7  # days


@dataclass(frozen=True, slots=True)
class PastRow:
    """``perfect`` is what perfect play made of the same dice, once the day is over."""

    past: PastDay
    url: str
    perfect: int | None


@dataclass(frozen=True, slots=True)
class DayMark:
    """Whether one played on a day, among the latest seven."""

    day: date
    played: bool


@dataclass(frozen=True, slots=True)
class Countdown:
    """To the next day's dice; a script counts on from what the page says."""

    until: datetime
    pattern: str
    text: str


def countdown() -> Countdown:
    until = datetime.combine(days.today() + timedelta(days=1), time(), UTC)
    minutes = max(0, -(-(until - timezone.now()) // timedelta(minutes=1)))
    facts = {"hours": minutes // 60, "minutes": minutes % 60}
    pattern = _("%(hours)s h %(minutes)s min")
    return Countdown(until, pattern, pattern % facts)


def day_shared(game: Game | None, rank: Rank | None, *, blinded: bool) -> Shared | None:
    """As its owner may show it; None until it is finished. In a trial its moves tell nothing."""
    if game is None or game.finished_at is None:
        return None
    moves = game_played(game).moves if not blinded else ()
    return sharing.shared(game, rank, moves, owner=True)


def streak_words(found: Streak | None) -> str:
    if found is None or not found.days:
        return ""
    text = ngettext("%(days)s day in a row", "%(days)s days in a row", found.days)
    return text % {"days": found.days}


def better_words(rank: Rank | None) -> str:
    share = better_than(rank.worse, rank.players) if rank else None
    if share is None:
        return ""
    return phrases.unbroken(_("Better than %(share)s %% of the others.") % {"share": share})


def coming_back(
    player: Player | None, day: date, rules: Ruleset, *, blinded: bool
) -> dict[str, object]:
    """Nothing for who takes part in a trial: it would tell how others play."""
    if blinded:
        return {"blinded": True}
    streak = daily_streak(player, rules) if player else None
    past = daily_past(player, rules, day, PAST, FIRST_DAY)
    return {
        "streak": streak,
        "streak_words": streak_words(streak),
        "week": _week(past, streak, day),
        "perfect": perfect_score(day, rules),
        "past": [_row(one, rules) for one in past],
        "countdown": countdown(),
        "five_url": choices.five_url(rules),
        "leaders_url": choices.leaders_url(rules),
    }


def _week(past: Sequence[PastDay], streak: Streak | None, day: date) -> list[DayMark]:
    before = [DayMark(one.day, one.mine is not None) for one in past[: PAST - 1]]
    return [*before[::-1], DayMark(day, streak is not None and streak.today)]


def _row(one: PastDay, rules: Ruleset) -> PastRow:
    return PastRow(one, choices.daily_url(rules, one.day), perfect_score(one.day, rules))


@dataclass(frozen=True, slots=True)
class DayResult:
    """What anybody who was sent it may see of a finished game, without its card."""

    game: Game
    name: str
    title: str
    squares: str
    place: str
    better: str


def day_result(game: Game) -> DayResult:
    rank = None if game.among_guests else daily_rank(game)
    moves = game_played(game).moves if tells_worth(game) else ()
    return DayResult(
        game,
        labels.player(game.player),
        kind_of(game).title,
        sharing.game_squares(game, moves),
        _place(rank),
        better_words(rank),
    )


def _place(rank: Rank | None) -> str:
    if rank is None:
        return ""
    return _("place %(place)s of %(players)s") % {"place": rank.place, "players": rank.players}
