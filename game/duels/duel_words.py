"""Sentences about a duel: which players must move, how it ended, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.timesince import timeuntil
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.core.words import phrases
from game.core.words.equation import Equation
from game.models import Duel, DuelSeat


@dataclass(frozen=True, slots=True)
class SeatEnd:
    name: str
    points: int
    exit: str = ""
    luck: float | None = None
    regret: float | None = None

    @property
    def equation(self) -> Equation | None:
        """The score equation below the result, or None if no decision was judged."""
        if self.luck is None or self.regret is None:
            return None
        return Equation.from_game(self.points, self.luck, self.regret)


def format_clock(minutes: int) -> str:
    if not minutes:
        return _("without a clock")
    text = ngettext("%(count)s minute per player", "%(count)s minutes per player", minutes)
    return phrases.keep_on_one_line(text % {"count": minutes})


def describe_pace(duel: Duel, people: int) -> str:
    parts = [format_clock(duel.minutes)]
    if people > 1 and not duel.minutes:
        text = ngettext("%(count)s day per move", "%(count)s days per move", duel.days)
        parts.append(phrases.keep_on_one_line(text % {"count": duel.days}))
    if people > 1 and not duel.lockstep:
        parts.append(_("each at their own pace"))
    return ", ".join(parts)


def format_time_left(until: datetime, now: datetime) -> str:
    """Return the time left in its largest unit, rounded down. Add a minute first, so that a move
    with three days begins with "3 days left"."""
    if until <= now:
        return _("time is up")
    return _("%(time)s left") % {"time": timeuntil(until + timedelta(minutes=1), now, depth=1)}


def format_title(game: str, outcome: str) -> str:
    """Return the title of the page. It begins with the reader's result, because tabs are narrow."""
    page = _("Duel: %(game)s") % {"game": game}
    outcomes = {
        "won": _("You won"),
        "lost": _("You lost"),
        "tied": _("A draw"),
        "given-up": _("You gave up"),
        "off": _("Called off"),
    }
    return f"{outcomes[outcome]} · {page}" if outcome else page


def describe_deleted_card() -> str:
    return _("A card of this duel was deleted: the winner is unknown.")


def describe_end(seats: Sequence[SeatEnd], me: int | None) -> str:
    """Return a sentence on how the duel ended, for the player ``me`` or, if None, for watchers."""
    return phrases.keep_on_one_line(_describe_end(seats, me))


def _describe_end(seats: Sequence[SeatEnd], me: int | None) -> str:
    """Return who won and why, to the player at index ``me`` or, if None, to watchers."""
    staying = [seat for seat in seats if not seat.exit]
    if not staying:
        return describe_deleted_card()
    if me is not None and seats[me].exit:
        names = {"names": _find_winner(staying).name}
        if seats[me].exit == DuelSeat.Exit.TIME:
            return _("Your time ran out: %(names)s won.") % names
        return _("You gave up: %(names)s won.") % names
    if len(staying) == 1:
        return _explain_win_by_exits(staying[0], seats, me)
    first, second = sorted(staying, key=lambda seat: -seat.points)[:2]
    if me is None:
        facts = _make_facts(first, second) | {"winner": first.name}
        if first.points == second.points:
            return _("A draw at %(by)s.") % facts
        if _measure_edge(first, second) < 0:
            text = _(
                "%(winner)s won with %(luck)s more points of luck, though %(name)s played better."
            )
            return text % facts
        return _("%(winner)s won by %(by)s.") % facts
    mine = seats[me]
    if mine.points < first.points:
        return _compare_results(mine, _find_winner(staying))
    return _compare_results(mine, second if mine is first else first)


@dataclass(frozen=True, slots=True)
class DuelReason:
    points: str
    text: str


def list_reasons(seats: Sequence[SeatEnd], me: int | None) -> list[DuelReason]:
    """Return who played best, and who was luckiest, of those who stayed; [] if not judged."""
    mine = seats[me] if seats and me is not None else None
    staying = [seat for seat in seats if not seat.exit]
    judged = [(seat, seat.equation) for seat in staying if seat.equation is not None]
    if len(staying) < 2 or len(judged) < len(staying):
        return []
    least = min(judged, key=lambda pair: pair[1].printed_lost)[1]
    most = max(judged, key=lambda equation: equation[1].printed_luck)[1]
    best = [seat for seat, equation in judged if equation.printed_lost == least.printed_lost]
    lucky = [seat for seat, equation in judged if equation.printed_luck == most.printed_luck]
    flawless = not least.printed_lost
    if len(best) > 1:
        play = _("Best play (tied): %(names)s.") % {"names": _join_names(best, mine)}
    elif best[0] is mine:
        usual = _("You played best and lost the fewest points.")
        play = _("You made no mistake.") if flawless else usual
    else:
        usual = _("%(name)s played best and lost the fewest points.")
        play = (_("%(name)s made no mistake.") if flawless else usual) % {"name": best[0].name}
    unlucky = most.printed_luck < 0  # even the luckiest players had bad luck
    if len(lucky) > 1:
        usual = _("Most luck (tied): %(names)s.")
        luck = _("Everyone was unlucky. Least unlucky (tied): %(names)s.") if unlucky else usual
        luck %= {"names": _join_names(lucky, mine)}
    elif lucky[0] is mine:
        usual = _("You had the most luck.")
        luck = _("Everyone was unlucky; you were the least unlucky.") if unlucky else usual
    else:
        usual = _("%(name)s had the most luck.")
        luck = _("Everyone was unlucky; %(name)s was the least unlucky.") if unlucky else usual
        luck %= {"name": lucky[0].name}
    return [DuelReason(least.cost_words, play), DuelReason(most.luck_words, luck)]


def _join_names(seats: Sequence[SeatEnd], mine: SeatEnd | None) -> str:
    return ", ".join(_("you") if s is mine else s.name for s in seats)


def _find_winner(staying: Sequence[SeatEnd]) -> SeatEnd:
    """Return the winner, or one entry for several winners, with all their names and no luck."""
    best = max(seat.points for seat in staying)
    winners = [seat for seat in staying if seat.points == best]
    if len(winners) == 1:
        return winners[0]
    return SeatEnd(", ".join(seat.name for seat in winners), best)


def _explain_win_by_exits(last: SeatEnd, seats: Sequence[SeatEnd], me: int | None) -> str:
    """Return that the last player won because all others left."""
    others = [seat for seat in seats if seat is not last]
    facts = {"names": ", ".join(seat.name for seat in others), "winner": last.name}
    exits = {seat.exit for seat in others}
    if me is not None:
        if exits == {DuelSeat.Exit.TIME}:
            return _("You won: %(names)s ran out of time.") % facts
        if exits == {DuelSeat.Exit.GAVE_UP}:
            return _("You won: %(names)s gave up.") % facts
        return _("You won: %(names)s gave up or ran out of time.") % facts
    if exits == {DuelSeat.Exit.TIME}:
        return _("%(winner)s won: %(names)s ran out of time.") % facts
    if exits == {DuelSeat.Exit.GAVE_UP}:
        return _("%(winner)s won: %(names)s gave up.") % facts
    return _("%(winner)s won: %(names)s gave up or ran out of time.") % facts


def _compare_results(mine: SeatEnd, other: SeatEnd) -> str:
    """Return how the player's result compares with the other's, in points, play and luck."""
    facts, edge = _make_facts(mine, other), _measure_edge(mine, other)
    if mine.points == other.points:
        if edge > 0:
            return (
                _("A draw, though you played better: you had %(luck)s fewer points of luck.")
                % facts
            )
        if edge < 0:
            return (
                _("A draw, though %(name)s played better: you had %(luck)s more points of luck.")
                % facts
            )
        return _("A draw.")
    if mine.points < other.points:
        if edge > 0:
            return (
                _("You played better but lost: the winner had %(luck)s more points of luck.")
                % facts
            )
        if edge < 0:
            return _("%(name)s won by %(by)s, and played %(edge)s points better.") % facts
        return _("%(name)s won by %(by)s.") % facts
    if edge > 0:
        return _("You won by %(by)s, and played %(edge)s points better.") % facts
    if edge < 0:
        return (
            _("You won, though %(name)s played better: you had %(luck)s more points of luck.")
            % facts
        )
    return _("You won by %(by)s.") % facts


def _measure_edge(end: SeatEnd, other: SeatEnd) -> float:
    """Return how many more points ``other`` lost than ``end``, as printed; 0 if not judged."""
    if end.equation is None or other.equation is None:
        return 0.0
    return other.equation.printed_lost - end.equation.printed_lost


def _make_facts(end: SeatEnd, other: SeatEnd) -> dict[str, object]:
    lucks = [seat.equation.printed_luck if seat.equation else 0.0 for seat in (end, other)]
    points = abs(end.points - other.points) or end.points
    return {
        "name": other.name,
        "by": ngettext("%(count)s point", "%(count)s points", points) % {"count": points},
        "edge": phrases.format_points(abs(_measure_edge(end, other))),
        "luck": phrases.format_points(abs(lucks[0] - lucks[1])),
    }
