"""The result of a daily game, as its board, the page of its day and a shared link show it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.utils import timezone
from django.utils.dates import WEEKDAYS, WEEKDAYS_ABBR
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.core.access import may_show_costs
from game.core.counting import format_help_note
from game.core.fair import blocks, days
from game.core.game_queries import Move, Played, Rank, find_daily_rank, replay_game
from game.core.kind import find_kind
from game.core.words import labels, phrases
from game.core.worth.tables import ask_advisor
from game.models import Game
from game.pages import rulesets
from game.pages.board import sharing
from game.pages.board.sharing import Shared
from game.pages.daily.daily_queries import PlayerDays, derive_day_seed
from game.pages.daily.streaks import (
    StreakText,
    calculate_better_share,
    describe_daily_streak,
    find_monday,
)
from solver.advice import Advisor
from solver.arena.match import make_block_roller, play_out
from solver.players.plain import Advised
from solver.rules import Ruleset

MOST = 5_000  # number of cached days, which are a few numbers each
FEW = 20  # other players; with fewer, the page shows their number instead of a percentage
WEEK = 7


@dataclass(frozen=True, slots=True)
class PerfectDay:
    """The card of perfect play. ``boxes`` are the points per box, in the order of the rules."""

    total: int
    boxes: tuple[int, ...]
    bonus: int
    chips: int


_known: dict[tuple[date, str], PerfectDay] = {}


def build_perfect_day(day: date, rules: Ruleset) -> PerfectDay | None:
    """Return the card of perfect play, or None before the day ends, or without tables."""
    if not days.is_closed(day):
        return None
    key = (day, rules.id)
    if key not in _known:
        card = ask_advisor(rules, lambda coach: _play_perfectly(coach, day))
        if card is None:
            return None
        if len(_known) >= MOST:
            _known.clear()
        _known[key] = card
    return _known[key]


def _play_perfectly(coach: Advisor, day: date) -> PerfectDay:
    rules = coach.rules
    block = blocks.block(derive_day_seed(day, rules.id), rules)
    end = play_out(Advised(coach), rules, make_block_roller(block)).end
    points = tuple(box.points if box else 0 for box in end.boxes)
    return PerfectDay(end.total, points, end.bonus, end.chips)


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
    """Return a text on how many of the other players on these dice scored less, or ""."""
    share = calculate_better_share(rank.worse, rank.players) if rank else None
    if rank is None or share is None:
        return ""
    others = rank.players - 1
    if others >= FEW:
        text = (
            _("You beat %(share)s %% of the other guests and new accounts.")
            if rank.guests
            else _("You beat %(share)s %% of the other players.")
        )
        return phrases.keep_on_one_line(text % {"share": share})
    text = (
        ngettext(
            "You beat %(worse)s of %(others)s other guest or new account that has finished.",
            "You beat %(worse)s of %(others)s other guests and new accounts that have finished.",
            others,
        )
        if rank.guests
        else ngettext(
            "You beat %(worse)s of %(others)s other player who has finished.",
            "You beat %(worse)s of %(others)s other players who have finished.",
            others,
        )
    )
    return text % {"worse": rank.worse, "others": others}


@dataclass(frozen=True, slots=True)
class DayEnd:
    """The end of a daily game, as its player sees it. ``countdown`` is None after the day."""

    day: date
    squares: str
    better: str
    streak: StreakText
    shared: Shared | None
    countdown: Countdown | None
    later: bool
    day_url: str
    five_url: str
    five_done: bool


def make_day_end(
    game: Game, rank: Rank | None, moves: Sequence[Move], shared: Shared | None, mine: PlayerDays
) -> DayEnd | None:
    """Return the end of a daily game; None if the game is unfinished or has no day."""
    if game.day is None or game.finished_at is None:
        return None
    today, five_url = game.day == days.today(), rulesets.make_five_url(game.rules)
    return DayEnd(
        day=game.day,
        squares=sharing.format_game_squares(game, moves),
        better=format_better_than(rank),
        streak=describe_daily_streak(mine.daily, five_url),
        shared=shared,
        countdown=make_countdown() if today else None,
        later=days.is_late_start(game.day, game.started_at),
        day_url=rulesets.make_daily_url(game.rules, None if today else game.day),
        five_url=five_url,
        five_done=days.today() in mine.fives,
    )


@dataclass(frozen=True, slots=True)
class BesidePerfect:
    """The points per box on the same dice: the player's, and those of perfect play."""

    perfect: PerfectDay
    lines: tuple[tuple[str, int, int], ...]
    total: int


def compare_with_perfect(played: Played | None) -> BesidePerfect | None:
    """Return both cards. Return None before the game and its day have ended, or without a table."""
    if played is None or played.game.finished_at is None or played.game.day is None:
        return None
    perfect = build_perfect_day(played.game.day, played.game.rules)
    if perfect is None:
        return None
    rules = played.state.rules
    lines = [
        (labels.find_category_name(category), box.points if box else 0, theirs)
        for category, box, theirs in zip(
            rules.categories, played.state.boxes, perfect.boxes, strict=True
        )
    ]
    lines.append((_("Bonus"), played.state.bonus, perfect.bonus))
    if rules.joker:
        lines.append((labels.name_chip_bonus(rules.joker), played.state.chips, perfect.chips))
    return BesidePerfect(perfect, tuple(lines), played.state.total)


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
    """A finished game without its card, for anyone with its link."""

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
        ""
        if rank is None
        else _("rank %(place)s of %(players)s") % {"place": rank.place, "players": rank.players},
        format_help_note(game) or format_better_than(rank),
    )


@dataclass(frozen=True, slots=True)
class CalendarDay:
    """A day of the calendar. ``mark`` is played, repaired, later, open or empty; ``url`` is empty
    for a future day."""

    day: date
    number: int
    url: str
    mark: str
    five: bool
    words: str
    shown: bool


@dataclass(frozen=True, slots=True)
class Month:
    """A month in weeks that begin on Monday. None stands for a day of another month."""

    first: date
    weeks: tuple[tuple[CalendarDay | None, ...], ...]
    before: str
    after: str

    @property
    def title(self) -> str:
        return date_format(self.first, "YEAR_MONTH_FORMAT")

    @property
    def weekdays(self) -> list[tuple[str, str]]:
        return [(str(WEEKDAYS_ABBR[day]), str(WEEKDAYS[day])) for day in range(WEEK)]

    @property
    def marks(self) -> set[str]:
        days = [day for week in self.weeks for day in week if day]
        return {day.mark for day in days} | ({"five"} if any(day.five for day in days) else set())


def build_month(first: date, shown: date, rules: Ruleset, mine: PlayerDays | None) -> Month:
    """Return a month's calendar. ``mine`` is None without a player, or if a trial hides it."""
    weeks = []
    start = find_monday(first)
    while start < _find_next_month(first):
        week = (start + timedelta(days=number) for number in range(WEEK))
        weeks.append(tuple(_make_calendar_day(day, first, shown, rules, mine) for day in week))
        start += timedelta(days=WEEK)
    before = (first - timedelta(days=1)).replace(day=1)
    return Month(
        first,
        tuple(weeks),
        before=_make_month_url(before if before >= days.FIRST.replace(day=1) else None, rules),
        after=_make_month_url(_find_next_month(first), rules),
    )


def _make_calendar_day(
    day: date, first: date, shown: date, rules: Ruleset, mine: PlayerDays | None
) -> CalendarDay | None:
    """Return a day of the calendar, or None if it is not in the month of ``first``."""
    if day.month != first.month:
        return None
    there = days.FIRST <= day <= days.today()
    game = mine.played.get(day) if mine else None
    repaired = mine is not None and day in mine.daily.repaired
    five = mine is not None and day in mine.fives
    if game is not None and game.in_time:
        mark = "played"
    elif repaired:
        mark = "repaired"
    elif game is None or game.given_up:
        mark = ""
    else:
        mark = "open" if game.open else "later" if game.finished_at else ""
    # The text is cached for all players, so it has no points.
    words = {
        "": "",
        "played": _("played"),
        "repaired": _("repaired"),
        "later": _("played later"),
        "open": _("begun"),
    }[mark]
    if five:
        words = ", ".join(filter(None, (words, _("completed five a day"))))
    return CalendarDay(
        day,
        day.day,
        url=rulesets.make_daily_url(rules, None if day == days.today() else day) if there else "",
        mark=mark,
        five=five,
        words=": ".join(filter(None, (labels.format_whole_day(day), words))),
        shown=day == shown,
    )


def _find_next_month(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)


def _make_month_url(first: date | None, rules: Ruleset) -> str:
    if first is None or first > days.today():
        return ""
    return f"{rulesets.make_daily_url(rules)}?month={first:%Y-%m}#calendar"
