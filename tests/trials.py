"""Trials for tests, made by services, as researchers and participants would make them."""

from typing import Any

from django.contrib.auth.models import User

from game.core.game_queries import query_games
from game.models import Game
from game.trials.design.writing import create_trial, open_trial
from game.trials.joining.writing import draw_arm, store_consent
from game.trials.models import Arm, Participant, Trial, TrialGame, TrialStaff

CONSENT = "You play Yatzy. You may stop at any time."


def new_trial(*, opened: bool = True, masked: bool = False, **settings: Any) -> Trial:
    """Make a trial that shows its outcomes while it is open, as if an owner had unblinded it. With
    ``masked``, it hides them, as trials normally do."""
    wanted: dict[str, Any] = {
        "slug": "study",
        "title": "A study",
        "places": 3,
        "games_each": 2,
    } | settings
    trial = create_trial(consent=CONSENT, **wanted)
    if not masked:
        trial.unmasked_at = trial.created_at
        trial.save()
    for user in User.objects.filter(is_staff=True):
        owned(trial, user)
    return open_trial(trial=trial) if opened else trial


def researcher_user(name: str = "researcher") -> User:
    """Make a member of staff who owns all trials, including trials made later."""
    user = User.objects.create_user(name, is_staff=True)
    for trial in Trial.objects.all():
        owned(trial, user)
    return user


def owned(trial: Trial, user: User) -> None:
    TrialStaff.objects.get_or_create(trial=trial, user=user, defaults={"role": TrialStaff.Role.OWN})


def joined(trial: Trial, number: int = 1) -> Participant:
    participant = trial.participants.get(number=number)
    version = trial.consents.latest("version").version
    return store_consent(participant=participant, version=version)


def drawn(trial: Trial, number: int = 1) -> Participant:
    return draw_arm(participant=joined(trial, number))


def into_trial(game: Game) -> Game:
    trial = new_trial(slug=f"study-{game.pk}")
    participant = trial.participants.get(number=1)
    participant.player = game.player
    participant.save()
    joined(trial)
    Game.objects.filter(pk=game.pk).update(mode=Game.Mode.TRIAL)
    TrialGame.objects.create(game=game, participant=participant, number=1)
    return query_games().get(pk=game.pk)


def place_game(
    participant: Participant,
    number: int,
    *,
    arm: Arm | None = None,
    phase: str = "",
    **facts: object,
) -> Game:
    assert participant.player is not None
    game = Game.objects.create(mode=Game.Mode.TRIAL, player=participant.player, **facts)
    place = {"number": number, "arm": arm, "phase": phase}
    TrialGame.objects.create(game=game, participant=participant, **place)
    return game
