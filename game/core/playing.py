"""The decisions of a running game, its end, and the time that each decision took.

The database stores times of the wall clock. If an administrator or a time server sets this clock, a
decision could seem to take two days, or no time. Each process therefore also remembers its latest
times by the machine's steady clock. A process that stored both ends of an interval measures it by
the steady clock; after a restart, or in another process, only the wall clock is left.
"""

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from datetime import datetime
from types import SimpleNamespace

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from game.core.access import check_hint, check_own, has_coach
from game.core.events import announce
from game.core.game_dice import list_shown_dice
from game.core.game_queries import (
    Move,
    Played,
    add_throw,
    count_earlier_games,
    game_find_locked,
    replay_game,
    sum_regrets,
)
from game.core.judging import ADDED_UP, judge_if_finished, make_judgement_columns, set_totals
from game.core.kind import find_kind
from game.core.refusals import (
    AskFirst,
    GameIsOver,
    IllegalMove,
    Refused,
    StaleAction,
)
from game.core.words import labels, phrases, sentences
from game.core.words.speech import Speaker
from game.core.worth.severity import find_severity
from game.core.worth.tables import judge
from game.models import Decision, Game, Player, Throw
from game.models.decision import LONGEST
from solver.advice import Entry
from solver.rules import Action, Block, Hold, IllegalAction, Score, State, apply_roll, play

# The fields that only a finished game has.
OF_THE_END = ("finished_at", "final_score", "bonus", "chips", "regret", "luck", "free_decisions")
ASKING = frozenset({Game.Coach.ALERT, Game.Coach.BEFORE})

MOST_MOMENTS = 20_000  # the most moments that a process remembers; each takes 200 bytes
# CLOCK_BOOTTIME also counts while the machine sleeps; not all systems have this clock.
STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
_steady: OrderedDict[tuple[str, datetime], float] = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Manner:
    """Facts that a page sends together with a decision, such as the player's confirmation."""

    confirmed: bool = False
    by_hand: bool = False  # true if a person pressed the box, maybe by mistake
    waited: int | None = None  # thinking time in milliseconds, measured by the browser


UNASKED, MEANT = Manner(), Manner(confirmed=True)


def hold_dice(
    *,
    game_id: str,
    player: Player | None,
    seq: int,
    slots: int,
    confirmed: bool = False,
    waited: int | None = None,
) -> Played:
    """Hold the dice in these slots (a bit mask) and roll the others. ``waited`` is in ms."""
    action, manner = Hold(slots), Manner(confirmed, waited=waited)
    return record_decision(game_id=game_id, player=player, seq=seq, action=action, manner=manner)


def fill_box(
    *,
    game_id: str,
    player: Player | None,
    seq: int,
    category: str,
    confirmed: bool = False,
    by_hand: bool = False,
    waited: int | None = None,
) -> Played:
    """Fill a box. If the player wants that, ask before a costly choice."""
    action, manner = Score(category), Manner(confirmed, by_hand, waited)
    return record_decision(game_id=game_id, player=player, seq=seq, action=action, manner=manner)


def record_decision(
    *, game_id: str, player: Player | None, seq: int, action: Action, manner: Manner = UNASKED
) -> Played:
    """Check, store and count a decision. All decisions are stored here.

    If this decision is already stored with the number ``seq``, return the game unchanged. Raise
    StaleAction if ``seq`` is not the next number. The database lock lets one request at a time
    change the game. Even without it, a unique constraint prevents two decisions with one number.
    """
    try:
        with transaction.atomic():
            game = lock_game(game_id, player)
            played = replay_game(game)
            if seq >= 0 and played.actions[seq : seq + 1] == (action,):
                return played
            if seq != len(played.actions):
                raise StaleAction
            if game.over:
                raise GameIsOver
            find_kind(game).check_turn()
            played = append_decision(played=played, action=action, manner=manner, dice=played.dice)
    except IntegrityError as error:
        raise StaleAction from error
    return judge_if_finished(played)


def count_hint(*, game_id: str, player: Player | None) -> Played:
    """Record that the player sees a hint for the next decision, and return the game."""
    with transaction.atomic():
        played = replay_game(lock_game(game_id, player))
        check_hint(played.game)
        if played.game.over or not played.state.dice:
            raise Refused(_("There is nothing to decide yet: roll the dice first."))
        played.game.hints += 1
        if len(played.moves) not in played.game.hinted_moves:
            played.game.hinted_moves.append(len(played.moves))
        played.game.save(update_fields=["hints", "hinted_moves"])
        return played


def take_back_box(*, game_id: str, player: Player | None, seq: int) -> Played:
    """Empty the box that was filled last and show its dice again: possible until the next roll."""
    with transaction.atomic():
        played = replay_game(lock_game(game_id, player))
        game = played.game
        if seq != len(played.actions):
            raise StaleAction
        if not (played.actions and find_kind(game).can_take_back(played.actions)):
            raise Refused(_("You can take back a box only until you see the next roll."))
        game.decisions.get(seq=seq - 1).delete()
        if game.finished_at is not None:
            for name in OF_THE_END:
                setattr(game, name, None)
            game.save(update_fields=OF_THE_END)
        announce(game)
        return replay_game(game)


def abandon_game(*, game_id: str, player: Player | None, seq: int | None = None) -> Played:
    """End a game without a score. The game stays in the history and does not count."""
    with transaction.atomic():
        played = replay_game(lock_game(game_id, player))
        if must_go_on := find_kind(played.game).must_go_on:
            raise Refused(must_go_on)
        if played.game.abandoned_at is not None:
            return played
        if played.game.over:
            raise GameIsOver
        if seq is not None and seq != len(played.actions):
            raise StaleAction
        played.game.abandoned_at = timezone.now()
        played.game.save(update_fields=["abandoned_at"])
        announce(played.game)
        return played


def append_decision(
    *, played: Played, action: Action, manner: Manner = MEANT, dice: Block | None = None
) -> Played:
    """Store the next decision of a locked game. Raise IllegalMove if it breaks the rules. ``dice``
    are the dice shown now; without them, read the dice from the database."""
    game, before, kind = played.game, played.state, find_kind(played.game)
    try:
        after = play(before, action, list_shown_dice(game) if dice is None else dice)
    except IllegalAction as error:
        raise IllegalMove(sentences.explain_refusal(before, action)) from error
    entry = judge(before, action)
    if not manner.confirmed:
        _ask_first(game, before, action, entry, by_hand=manner.by_hand)
    now = record_moment(game.pk)
    Decision.objects.create(
        game=game,
        seq=len(played.actions),
        turn=before.turn,
        roll=before.throws_made,
        hold=action.slots if isinstance(action, Hold) else None,
        category=action.category if isinstance(action, Score) else "",
        milliseconds=measure_thinking(game.pk, played.last_at, now),
        client_milliseconds=manner.waited if kind.measured else None,
        created_at=now,
        **make_judgement_columns(entry),
    )
    new = (Move(before, action, entry),) if before.dice else ()
    moves = played.moves + new
    if after.finished:
        game.finished_at = now
        game.final_score, game.bonus, game.chips = after.total, after.bonus, after.chips
        kind.react_to_finish(now)
        set_totals(game, [move.entry for move in moves])
        stored = ("finished_at", "final_score", "bonus", "chips", *ADDED_UP)
        game.save(update_fields=[*stored, "unranked", "among_guests"])
    kind.react_to_decision(action)
    announce(game)
    played = replace(
        played,
        actions=(*played.actions, action),
        state=after,
        last_at=now,
        moves=moves,
        thrown=add_throw(played.thrown, before, action),
        lost=played.lost
        if not before.dice
        else sum_regrets((played.lost, entry.regret if entry else None)),
    )
    if not (game.real_dice and after.waiting and action == Hold(game.rules.cup.every_slot)):
        return played
    # The player holds all real dice and rolls none, so the next roll shows the same dice.
    Throw.objects.create(
        game=game,
        seq=len(played.actions) - 1,
        number=0,
        faces="".join(map(str, after.dice)),
        created_at=now,
    )
    return replace(played, state=apply_roll(after, after.dice), entries=played.entries + 1)


def _ask_first(
    game: Game, state: State, action: Action, entry: Entry | None, *, by_hand: bool
) -> None:
    """Raise AskFirst if ``coach.json`` has a warning for this move."""
    kind, in_box = find_kind(game), isinstance(action, Score)
    number = state.rules.index[action.category] if isinstance(action, Score) else 0
    asks = entry is not None and game.coach in ASKING and has_coach(game)
    careful = in_box and by_hand and game.player.confirm_costly and not kind.measured
    counts = careful and state.throws_left and kind.personal
    facts = SimpleNamespace(
        level=game.coach,
        regret=entry.regret if entry and asks else None,
        threshold=game.coach_threshold,
        severity=find_severity(entry.regret) if entry else "",
        name=labels.find_category_name(state.rules.categories[number]),
        points=state.offers.get(number),
        scores=any(state.offers.values()),
        left=state.throws_left,
        careful=careful,
        games=count_earlier_games(game) if counts else None,
        confirms=in_box and game.player.confirm_boxes,
        hidden=kind.points_hidden,
    )
    speaker = Speaker(facts, {"points": phrases.format_points})
    for group in ("costly", "slip"):
        if question := speaker.said(group):
            text = phrases.keep_on_one_line(question)
            raise AskFirst(text, action, coach=group == "costly")


def lock_game(game_id: str, player: Player | None) -> Game:
    game = check_own(game_find_locked(game_id), player)
    find_kind(game).check_open()
    return game


def record_moment(game_id: str) -> datetime:
    """Return the current time, and remember it as the game's last change."""
    now = timezone.now()
    with _lock:
        _steady[game_id, now] = read_steady_clock()
        if len(_steady) > MOST_MOMENTS:
            _steady.popitem(last=False)
    return now


def measure_thinking(game_id: str, since: datetime, now: datetime) -> int:
    """Return the milliseconds between two moments, limited to what the column can store."""
    with _lock:
        known = _steady.get((game_id, since)), _steady.get((game_id, now))
    began, ended = known
    if began is None or ended is None:
        began, ended = since.timestamp(), now.timestamp()
    return min(max(0, round((ended - began) * 1000)), LONGEST)


def read_steady_clock() -> float:
    return time.clock_gettime(STEADY)
