"""Games played on beside the site, by its services: what a test waits for, and is not about.

Run by `./yatzy manage shell` in the process that does the site's commands, for every move that goes
through a page costs many times what it does here.
"""

from game.core.game_queries import Played, replay_game
from game.core.playing import MEANT, record_decision
from game.core.worth.tables import load_advisor
from game.models import DuelSeat, Game
from solver.advice import find_position
from solver.players.plain import make_action
from solver.rules import Action, Hold, Score
from tests.known import known
from tests.play import play_bots, play_turn


def first_boxes(game_id: str, turns: int) -> None:
    """Each throw into the first box that takes it; at the end dice are on the table again."""
    played = _found(game_id)
    for _ in range(turns):
        box = played.state.rules.categories[min(played.state.offers)]
        played = _done(played, Score(box.id))
        if played.game.over:
            break
        played = _done(played, Hold(0))


def best(game_id: str) -> None:
    played = _found(game_id)
    coach = known(load_advisor(played.state.rules))
    while not played.game.over:
        state = played.state
        advised = state.dice and make_action(state, coach.advise(find_position(state)).best)
        played = _done(played, advised or Hold(0))


def turns_of_all(game_id: str, turns: int) -> None:
    """Play a turn of every person in a duel, then of every program."""
    duel = DuelSeat.objects.get(game_id=game_id).duel
    seats = duel.seats.filter(player__bot="").order_by("number")
    people = [known(seat.player) for seat in seats]
    for _ in range(turns):
        for player in people:
            play_turn(duel, player)
        play_bots(duel)


def _found(game_id: str) -> Played:
    return replay_game(Game.objects.get(pk=game_id))


def _done(played: Played, action: Action) -> Played:
    game, seq = played.game, len(played.actions)
    return record_decision(
        game_id=game.pk, player=game.player, seq=seq, action=action, manner=MEANT
    )
