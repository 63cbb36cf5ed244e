"""Real dice: the player rolls them on a table and types the faces after each roll.

The player types only the dice that were rolled. Held dice keep their slots (positions in the row of
dice). The typed dice fill the free slots in the order of typing.
"""

from collections.abc import Sequence

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from game.core.events import announce
from game.core.game_queries import Played, replay_game
from game.core.kind import find_kind
from game.core.playing import append_decision, lock_game, record_moment
from game.core.refusals import GameIsOver, IllegalMove, NotUnderstood, Refused, StaleAction
from game.core.words import sentences
from game.models import Player, Throw
from solver.rules import Hold, sort_into_slots
from solver.rules.dice import FACES


def enter_roll(
    *,
    game_id: str,
    player: Player | None,
    seq: int,
    entries: int,
    faces: Sequence[int],
    correction: bool = False,
) -> Played:
    """Store a roll, or correct the last roll before the next decision. ``seq`` and ``entries`` are
    the numbers of decisions and of typed rolls that the page knew."""
    try:
        with transaction.atomic():
            played = replay_game(lock_game(game_id, player))
            if not played.game.real_dice:
                raise NotUnderstood
            if played.game.over:
                raise GameIsOver
            find_kind(played.game).check_turn()
            if _is_repeat(played, entries, faces):
                return played
            if (seq, entries) != (len(played.actions), played.entries):
                raise StaleAction
            number = 0
            if correction:  # the earlier entry stays in the database
                number = played.game.throws.filter(seq=seq - 1).count()
                is_due = number > 0
                text = _("You can correct the last roll until you hold dice or choose a box.")
            else:
                if not played.state.waiting and not played.state.dice:
                    played = append_decision(played=played, action=Hold(0))
                is_due = played.state.waiting
                text = _(
                    "You have already typed in these dice. Hold some of them, or choose a box."
                )
            if not is_due:
                raise Refused(text)
            game, dice, held = played.game, played.state.dice, played.state.held
            due = game.rules.dice - held.bit_count()
            if len(faces) != due or not set(faces) <= set(range(1, FACES + 1)):
                raise IllegalMove(sentences.refuse_typed_dice(played.state, due))
            row = sort_into_slots(dice, held, [*Hold(held).kept(dice), *faces])
            Throw.objects.create(
                game=game,
                seq=len(played.actions) - 1,
                number=number,
                faces="".join(map(str, row)),
                created_at=record_moment(game.pk),
            )
            announce(game)
            return replay_game(game)
    except IntegrityError as error:
        raise StaleAction from error


def _is_repeat(played: Played, entries: int, faces: Sequence[int]) -> bool:
    """Return whether an earlier request has already stored this roll as entry number ``entries``,
    counted from 0."""
    if entries >= played.entries:
        return False
    entry = played.game.throws.order_by("created_at", "pk")[entries]
    held = played.game.decisions.get(seq=entry.seq).hold or 0
    return [face for n, face in enumerate(entry.dice) if not held >> n & 1] == list(faces)
