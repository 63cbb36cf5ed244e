"""Trials for tests, made by services, as researchers and participants would make them."""

from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.utils import timezone

from game.core.game_queries import query_games
from game.models import Game
from game.trials.design.writing import create_trial, open_trial
from game.trials.exports.tables import TABLES, Standing
from game.trials.joining.links import make_link_path
from game.trials.joining.writing import draw_arm, start_trial_game, store_consent
from game.trials.models import Arm, Participant, Preregistration, Trial, TrialGame, TrialStaff
from game.trials.results.preregistration import lock_preregistration, save_preregistration
from tests.play import Browser

Row = TypeVar("Row", Participant, Trial)
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


def finish(game: Game, *, days_ago: float = 0) -> None:
    then = timezone.now() - timedelta(days=days_ago)
    Game.objects.filter(pk=game.pk).update(finished_at=then, final_score=200, bonus=0)


def play_next(participant: Participant, *, days_ago: float = 0) -> Game:
    draw_arm(participant=participant)
    game = start_trial_game(participant=participant).game
    finish(game, days_ago=days_ago)
    return game


def fresh(row: Row) -> Row:
    return type(row)._base_manager.get(pk=row.pk)


def table_rows(trial: Trial, name: str, at: datetime | None = None) -> list[dict[str, Any]]:
    rows = Standing(trial, at or timezone.now()).rows(TABLES[name])
    return [dict(zip(TABLES[name].names, row, strict=True)) for row in rows]


def draft(trial: Trial, **planned: Any) -> Preregistration:
    usual: dict[str, Any] = {"hypotheses": "They learn.", "outcome": "cost", "exclusions": {}}
    return save_preregistration(trial=trial, **usual | {"stopping": "everybody"} | planned)


def preregister(trial: Trial, **planned: Any) -> Preregistration:
    draft(trial, **planned)
    return lock_preregistration(trial=trial)


# By the pages


def person(trial: Trial, number: int = 1) -> Participant:
    return trial.participants.select_related("trial").get(number=number)


def enter(browser: Browser, participant: Participant) -> None:
    assert browser.get(make_link_path(participant)).status_code == 302


def agree_to(browser: Browser, participant: Participant) -> None:
    enter(browser, participant)
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})


def take_part(browser: Browser, participant: Participant) -> None:
    agree_to(browser, participant)
    browser.post("/take-part/answers", {"experience": "child"})


def next_game(browser: Browser) -> Game:
    response = browser.post("/take-part/game")
    if response.headers.get("Location") == "/take-part/":  # the lot fell first
        response = browser.post("/take-part/game")
    assert response.status_code == 302, response.text
    return Game.objects.get(pk=response.headers["Location"].split("/")[2])
