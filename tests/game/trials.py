"""Trials for tests: made by the services, as researchers and participants make them."""

from typing import Any

from django.contrib.auth.models import User

from game.models import Game, Participant, Trial, TrialStaff
from game.trials.design.writing import trial_create, trial_open
from game.trials.joining.writing import participant_agree, participant_draw

CONSENT = "You play Yatzy. You may stop at any time."


def new_trial(*, opened: bool = True, masked: bool = False, **settings: Any) -> Trial:
    """One that shows its outcomes while it is open, as if an owner had unmasked it, or ``masked``
    as a trial is."""
    wanted: dict[str, Any] = {
        "slug": "study",
        "title": "A study",
        "places": 3,
        "games_each": 2,
    } | settings
    trial = trial_create(consent=CONSENT, **wanted)
    if not masked:
        trial.unmasked_at = trial.created_at
        trial.save()
    for user in User.objects.filter(is_staff=True):
        owned(trial, user)
    return trial_open(trial=trial) if opened else trial


def researcher_user(name: str = "researcher") -> User:
    """Of the staff, who owns the trials that there are, and those that are made from now on."""
    user = User.objects.create_user(name, is_staff=True)
    for trial in Trial.objects.all():
        owned(trial, user)
    return user


def owned(trial: Trial, user: User) -> None:
    TrialStaff.objects.get_or_create(trial=trial, user=user, defaults={"role": TrialStaff.Role.OWN})


def joined(trial: Trial, number: int = 1) -> Participant:
    """A participant who has agreed."""
    participant = trial.participants.get(number=number)
    version = trial.consents.latest("version").version
    return participant_agree(participant=participant, version=version)


def drawn(trial: Trial, number: int = 1) -> Participant:
    """One who has agreed and goes on: to the arm, where nothing comes before it."""
    return participant_draw(participant=joined(trial, number))


def into_trial(game: Game) -> Game:
    """Makes a game that is under way one of a trial that its player takes part in."""
    trial = new_trial(slug=f"study-{game.pk}")
    participant = trial.participants.get(number=1)
    participant.player = game.player
    participant.save()
    joined(trial)
    Game.objects.filter(pk=game.pk).update(
        mode=Game.Mode.TRIAL, participant=participant, trial_number=1
    )
    return Game.objects.select_related("participant__trial", "player__user").get(pk=game.pk)
