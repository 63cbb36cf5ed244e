"""Games of trials, played by the services at random: some of it well, most of it badly."""

from collections.abc import Sequence
from random import Random

from game.core.game_queries import Played
from game.core.playing import fill_box, hold_dice
from game.core.throwing import enter_roll
from game.models import Game
from game.trials.joining.writing import start_trial_game
from game.trials.models import Participant
from solver.rules.dice import FACES


def play_game(participant: Participant, seed: int = 1, turns: int = 0) -> Game:
    random = Random(seed)
    played = start_trial_game(participant=participant)
    while played.state.turn < (turns or len(played.state.boxes)):
        played = _turn(played, random)
    return Game.objects.get(pk=played.game.pk)


def play_sixes(participant: Participant, boxes: Sequence[str]) -> Game:
    """Real dice that show nothing but sixes, written down after every first throw."""
    played = start_trial_game(participant=participant)
    for box in boxes:
        game, player, seq = played.game, played.game.player, len(played.actions)
        enter_roll(game_id=game.pk, player=player, seq=seq, entries=played.entries, faces=[6] * 5)
        played = fill_box(game_id=game.pk, player=player, seq=seq + 1, category=box, confirmed=True)
    return played.game


def _turn(played: Played, random: Random) -> Played:
    if not played.state.dice:
        played = _throw(played, 0, random)
    rules = played.state.rules
    for _ in range(random.randrange(played.state.throws_left + 1)):
        played = _throw(played, random.randrange(1 << rules.dice), random)
    allowed = list(played.state.offers)
    box = rules.categories[random.choice(allowed)].id
    return fill_box(
        game_id=played.game.pk,
        player=played.game.player,
        seq=len(played.actions),
        category=box,
        confirmed=True,
    )


def _throw(played: Played, slots: int, random: Random) -> Played:
    """Hold and throw; real dice are typed in, now and then wrong at first. Of all that are held
    nothing is typed."""
    game, player, seq = played.game, played.game.player, len(played.actions)
    if played.state.dice or not game.real_dice:
        played = hold_dice(game_id=game.pk, player=player, seq=seq, slots=slots)
    if not game.real_dice or slots == game.rules.cup.every_slot:
        return played
    for correction in [False, *[True] * random.randrange(2)]:
        faces = [random.randrange(FACES) + 1 for _ in range(game.rules.dice - slots.bit_count())]
        played = enter_roll(
            game_id=game.pk,
            player=player,
            seq=len(played.actions),
            entries=played.entries,
            faces=faces,
            correction=correction,
        )
    return played
