"""The result of a daily game: on its board, on the page of its day, and for friends."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.core.access import may_show_costs
from game.core.counting import format_help_note
from game.core.fair import days
from game.core.game_queries import Move, Played, Rank, find_daily_rank, replay_game
from game.core.kind import find_kind
from game.core.words import labels, phrases
from game.models import Game
from game.pages.board import choices, sharing
from game.pages.board.sharing import Shared
from game.pages.daily.daily_queries import PlayerDays
from game.pages.daily.perfect_day import PerfectDay, build_perfect_day
from game.pages.daily.streaks import StreakTold, calculate_better_share, describe_daily_streak
from solver.rules import State

FEW = 20  # other players; with fewer, the page shows a count instead of a percentage


@dataclass(frozen=True, slots=True)
class Countdown:
    until: datetime
    pattern: str
    text: str


def make_countdown() -> Countdown:
    return count_down_to(datetime.combine(days.today() + timedelta(days=1), time(), UTC))


def count_down_to(until: datetime) -> Countdown:
    minutes = max(0, -(-(until - timezone.now()) // timedelta(minutes=1)))
    facts = {"hours": minutes // 60, "minutes": minutes % 60}
    pattern = _("%(hours)s h %(minutes)s min")
    return Countdown(until, pattern, pattern % facts)


def format_better_than(rank: Rank | None) -> str:
    """Return the share of other players on these dice who scored less, as text; empty without other
    players."""
    share = calculate_better_share(rank.worse, rank.players) if rank else None
    if rank is None or share is None:
        return ""
    others = rank.players - 1
    if others >= FEW:
        text = (
            _("Better than %(share)s %% of the other guests and new accounts.")
            if rank.guests
            else _("Better than %(share)s %% of the other players.")
        )
        return phrases.keep_on_one_line(text % {"share": share})
    text = (
        ngettext(
            "Better than %(worse)s of %(others)s other guest or new account that has finished.",
            "Better than %(worse)s of %(others)s other guests and new accounts that have finished.",
            others,
        )
        if rank.guests
        else ngettext(
            "Better than %(worse)s of %(others)s other player who has finished.",
            "Better than %(worse)s of %(others)s other players who have finished.",
            others,
        )
    )
    return text % {"worse": rank.worse, "others": others}


@dataclass(frozen=True, slots=True)
class DayEnd:
    """The end of a daily game, for its player; ``countdown`` is None after the day."""

    day: date
    squares: str
    better: str
    streak: StreakTold
    shared: Shared | None
    countdown: Countdown | None
    later: bool
    day_url: str
    five_url: str
    five_done: bool


def make_day_end(
    game: Game, rank: Rank | None, moves: Sequence[Move], shared: Shared | None, mine: PlayerDays
) -> DayEnd | None:
    if game.day is None or game.finished_at is None:
        return None
    today, five_url = game.day == days.today(), choices.make_five_url(game.rules)
    return DayEnd(
        day=game.day,
        squares=sharing.format_game_squares(game, moves),
        better=format_better_than(rank),
        streak=describe_daily_streak(mine.daily, five_url),
        shared=shared,
        countdown=make_countdown() if today else None,
        later=days.is_late_start(game.day, game.started_at),
        day_url=choices.make_daily_url(game.rules, None if today else game.day),
        five_url=five_url,
        five_done=days.today() in mine.fives,
    )


@dataclass(frozen=True, slots=True)
class BesidePerfect:
    """Two cards on the same dice: the player's boxes, and the boxes of perfect play."""

    perfect: PerfectDay
    lines: tuple[tuple[str, int, int], ...]
    total: int


def compare_with_perfect(played: Played | None) -> BesidePerfect | None:
    """Return both cards; None until the game and its day are over, or without a value table."""
    if played is None or played.game.finished_at is None or played.game.day is None:
        return None
    perfect = build_perfect_day(played.game.day, played.game.rules)
    if perfect is None:
        return None
    return BesidePerfect(perfect, tuple(_list_lines(played.state, perfect)), played.state.total)


def _list_lines(state: State, perfect: PerfectDay) -> list[tuple[str, int, int]]:
    rules = state.rules
    lines = [
        (labels.find_category_name(category), box.points if box else 0, theirs)
        for category, box, theirs in zip(rules.categories, state.boxes, perfect.boxes, strict=True)
    ]
    lines.append((_("Bonus"), state.bonus, perfect.bonus))
    if rules.joker:
        lines.append((labels.name_chip_bonus(rules.joker), state.chips, perfect.chips))
    return lines


@dataclass(frozen=True, slots=True)
class LeftOpen:
    day: date
    game: str
    until: Countdown


def find_left_open(mine: PlayerDays | None) -> LeftOpen | None:
    day = mine.left_open if mine else None
    if day is None:
        return None
    return LeftOpen(day.day, day.game, count_down_to(days.find_closing_time(day.day)))


@dataclass(frozen=True, slots=True)
class DayResult:
    """A finished game, without the card, for anyone with its link."""

    game: Game
    name: str
    title: str
    squares: str
    place: str
    better: str


def make_day_result(game: Game) -> DayResult:
    rank = None if game.among_guests else find_daily_rank(game)
    moves = replay_game(game).moves if may_show_costs(game) else ()
    return DayResult(
        game,
        labels.format_player(game.player),
        find_kind(game).title,
        sharing.format_game_squares(game, moves),
        format_rank(rank),
        format_help_note(game) or format_better_than(rank),
    )


def format_rank(rank: Rank | None) -> str:
    if rank is None:
        return ""
    return _("rank %(place)s of %(players)s") % {"place": rank.place, "players": rank.players}
