"""Games of programs: a token says which program asks, and a move goes the way of a person's."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.http import Http404
from django.utils import timezone

from game import services
from game.api.parsing import ruleset_of
from game.api.refusals import Declined, Invalid, NotFound, Problem, Unauthorized
from game.api.views import View, endpoint
from game.coach.blinding import check_not_blinded
from game.models import Duel, LadderProgram, Player
from game.models.duel import MOST_ADDED
from game.selectors.duels.tables import DuelStanding, duel_of_token, seats_of, standing
from game.selectors.games import Played
from game.selectors.ladder import program_of_token
from game.services import Refused
from game.services.duel_bots import others_seen
from game.web.visitors import PlayRequest
from game.words import labels
from solver.advice.wire import BadInput, parse_whole, refuse_unknown
from solver.arena.programs.protocol import BadAnswer, action_of, question
from solver.rules import Action, Hold

Facts = Mapping[str, Any]
SCHEME = "Bearer "


def by_program(work: Callable[[LadderProgram, Facts], dict[str, Any]]) -> View:
    """Within the limits of the API; its owner is in no trial."""

    @endpoint
    @wraps(work)
    def answered(request: PlayRequest, facts: Facts, player: Player | None) -> dict[str, Any]:
        scheme, token = _authorization(request)
        program = program_of_token(token) if scheme == SCHEME else None
        if program is None:
            raise Unauthorized("send the header Authorization: Bearer TOKEN, with a token of yours")
        check_not_blinded(program.owner)
        try:
            return work(program, facts)
        except BadInput as refusal:
            raise Invalid([Problem.of(refusal)]) from None
        except Refused as refusal:
            raise Declined(refusal.message, refusal.status) from None
        except Http404 as refusal:
            raise NotFound(str(refusal)) from None

    return answered


def _authorization(request: PlayRequest) -> tuple[str, str]:
    said = request.headers.get("Authorization", "")
    return said[: len(SCHEME)], said[len(SCHEME) :].strip()


@by_program
def ask(program: LadderProgram, facts: Facts) -> dict[str, Any]:
    refuse_unknown(facts, {"ruleset", "added"})
    added = _text(facts, "added", "")
    if len(added) > MOST_ADDED:
        raise BadInput(f"added has at most {MOST_ADDED} characters", "added")
    duel = services.ladder_ask(program=program, ruleset=ruleset_of(facts).id, added=added)
    return _shown(program, duel.token)


@by_program
def look(program: LadderProgram, facts: Facts) -> dict[str, Any]:
    refuse_unknown(facts, {"game"})
    return _shown(program, _text(facts, "game"))


@by_program
def move(program: LadderProgram, facts: Facts) -> dict[str, Any]:
    """``seq`` is that of the answer which it was decided by, so that no move is made twice."""
    refuse_unknown(facts, {"game", "seq", "action", "dice", "category"})
    token, action = _text(facts, "game"), _text(facts, "action")
    table = _seated(program, token)
    if action == "resign":
        services.duel_leave(token=token, player=program.player)
    elif table.played is None:
        raise Declined("this game has not begun: nobody sits at the table yet", 409)
    else:
        seq = parse_whole(facts.get("seq"), "seq")
        services.decision_record(
            game_id=table.played.game.pk,
            player=program.player,
            seq=seq,
            action=_action(facts, table.played, seq),
        )
    return _shown(program, token)


def _action(facts: Facts, played: Played, seq: int) -> Action:
    """What was meant by whoever had seen so many decisions: a first throw where no dice lie, else
    what is done with them."""
    throws = facts["action"] == "throw"
    if seq != len(played.actions) or throws == bool(played.state.dice):
        raise Declined("the game had moved on, or the dice have not fallen: look again", 409)
    if throws:
        return Hold(0)
    try:
        return action_of({key: facts[key] for key in ACTION & facts.keys()}, played.state)
    except BadAnswer as refusal:
        raise BadInput(str(refusal), "action") from None


ACTION = {"action", "dice", "category"}


@dataclass(frozen=True, slots=True)
class LadderSeat:
    """A game on the ladder, as one who sits there sees it; ``shown`` is None until it begins."""

    duel: Duel
    shown: DuelStanding | None = None
    place: int = 0

    @property
    def played(self) -> Played | None:
        return self.shown.sittings[self.place].played if self.shown else None


def _seated(program: LadderProgram, token: str) -> LadderSeat:
    """What time has changed is stored first."""
    duel = duel_of_token(token)
    if duel is None or not duel.seats.filter(player=program.player).exists():
        raise NotFound("this program has no such game")
    if duel.started_at is None:
        return LadderSeat(duel)
    shown = standing(duel)
    if duel.state == "running" and shown.due(timezone.now()):
        services.duel_settle(token=token)
        duel.refresh_from_db()
        shown = standing(duel)
    return LadderSeat(duel, shown, shown.place_of(program.player) or 0)


def _shown(program: LadderProgram, token: str) -> dict[str, Any]:
    table = _seated(program, token)
    duel = table.duel
    seats = [one.seat for one in table.shown.sittings] if table.shown else seats_of(duel)
    others = [seat.player for seat in seats if seat.player_id != program.player_id]
    facts = {
        "game": token,
        "state": duel.state,
        "ruleset": duel.ruleset,
        "against": [labels.player(other) for other in others if other],
    }
    return facts | _standing(table, table.shown) if table.shown else facts


def _standing(table: LadderSeat, shown: DuelStanding) -> dict[str, Any]:
    place, played = table.place, table.played
    outcome = shown.outcome(place)
    if played is None or outcome or shown.closed:
        scores = [one.played.state.total if one.played else 0 for one in shown.sittings]
        mine = scores.pop(place)
        return {"outcome": outcome and outcome.value, "score": mine, "others": scores}
    to_move, left = shown.may_play(place), shown.rounds.remaining(place, timezone.now())
    facts: dict[str, Any] = {
        "seq": len(played.actions),
        "to_move": to_move,
        "to_throw": to_move and not played.state.dice,
        "seconds_left": left and max(0.0, round(left.total_seconds(), 1)),
    }
    if to_move and played.state.dice:
        others = [state.total for state in others_seen(shown, place)]
        facts["question"] = question(played.state, others)
    return facts


def _text(facts: Facts, key: str, usual: str | None = None) -> str:
    said = facts.get(key, usual)
    if not isinstance(said, str):
        raise BadInput(f"{key} is a text", key)
    return said
