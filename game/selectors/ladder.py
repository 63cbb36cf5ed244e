"""The ladder of programs: who waits, who plays, and how well by what their decisions cost."""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone

from game.judgement.skill import NONE, Moments
from game.models import Duel, LadderProgram, Player
from game.selectors.duels.records import outcomes_on_ladder
from game.selectors.levels import lost_by_players
from solver.rules import Ruleset

FEWEST = 5  # games that were finished, for a place among the others
THERE = timedelta(minutes=2)  # whoever asked longer ago is hardly waiting any more


@dataclass(frozen=True, slots=True)
class LadderPlace:
    """``lost`` are points a game that was finished; ``left`` were given up, or lost on time."""

    program: LadderProgram
    lost: Moments
    games: int
    won: int
    left: int

    @property
    def half(self) -> float | None:
        """Of the range of 95 %; None of so few games that it would say nothing."""
        found = self.lost.interval if self.lost.count >= FEWEST else None
        return found.half if found else None


def digest_of(token: str) -> str:
    """A token has 256 bits of chance: nobody finds it from this, however quick it is made."""
    return hashlib.sha256(token.encode()).hexdigest()


def program_of_token(token: str) -> LadderProgram | None:
    found = LadderProgram.objects.select_related("player", "owner__user")
    return found.filter(token=digest_of(token), owner__user__is_active=True).first()


def programs_of(owner: Player) -> QuerySet[LadderProgram]:
    """Those that have a token."""
    return owner.programs.exclude(token="").select_related("player")


def duel_under_way(program: LadderProgram) -> Duel | None:
    """Open or running; a program is in one at a time. Of two, whoever leaves ends it."""
    found = Duel.objects.filter(seats__player=program.player, finished_at=None, withdrawn_at=None)
    return found.first()


def duels_waiting(
    ruleset: str, *, besides: Player | None, now: datetime | None = None
) -> QuerySet[Duel]:
    """Who waited longest comes first; nobody plays against programs of their own."""
    since = (now or timezone.now()) - THERE
    waiting = {"ladder": True, "started_at": None, "withdrawn_at": None, "created_at__gt": since}
    found = Duel.objects.filter(ruleset=ruleset, **waiting).order_by("created_at")
    if besides is None:
        return found
    return found.exclude(seats__player__ladder_program__owner=besides)


def ladder_places(rules: Ruleset, value_start: float) -> list[LadderPlace]:
    """Who loses least comes first; last are those who have finished too few games for a place."""
    programs = list(LadderProgram.objects.select_related("player", "owner__user"))
    players = [one.player for one in programs]
    lost = lost_by_players(players, rules, value_start)
    outcomes = outcomes_on_ladder(rules.id)
    places = [
        LadderPlace(one, lost.get(one.player_id, NONE), *outcomes[one.player_id])
        for one in programs
        if one.player_id in outcomes
    ]
    return sorted(places, key=lambda one: (one.half is None, not one.lost.count, one.lost.mean))
