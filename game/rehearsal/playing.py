"""A trial rehearsed with bots: they take part by the pages that people use, post by post.

A rehearsal is a trial of its own, marked as one, so that bots are never mixed with people.
"""

from collections import Counter
from dataclasses import dataclass, field
from http import HTTPStatus
from random import Random
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from game import services
from game.models import Participant, Trial
from game.rehearsal.answering import sent_by_bot
from game.selectors.games import Played, game_played
from game.selectors.questions import page_due
from game.trials.links import path_of
from solver.advice import Advisor
from solver.dp.sweep import Progress
from solver.players.erring import Bot, bots
from solver.rules import Action, Hold
from solver.rules.dice import DICE, FACES

SLIPS = 0.02  # of the throws of real dice, which are then corrected
HTMX = {"HX-Request": "true"}


class RehearsalFailed(Exception):
    """A page did not answer a bot as it should answer a person."""


def rehearsal_create(*, slug: str, consent: str, questions: str = "", **wanted: Any) -> Trial:
    """Open at once: its participants wait for nobody."""
    trial = services.trial_create(consent=consent, slug=slug, rehearsal=True, **wanted)
    services.trial_ask(trial=trial, text=questions)
    return services.trial_open(trial=trial)


def rehearse(trial: Trial, advisor: Advisor, seed: int, progress: Progress | None = None) -> None:
    """Every bot plays all its games, in turns; then the trial is closed."""
    people = [
        BotPlayer(participant, bot, advisor)
        for participant, bot in zip(
            trial.participants.order_by("number"), bots(trial.places, seed), strict=True
        )
    ]
    for person in people:
        person.join()
    for number in range(1, trial.games_each + 1):
        for person in people:
            person.play(number)
            if progress:
                done = (number - 1) * trial.places + person.participant.number
                progress(done, trial.places * trial.games_each)
    services.trial_close(trial=trial)


@dataclass
class BotPlayer:
    """A bot before its own browser."""

    participant: Participant
    bot: Bot
    advisor: Advisor
    client: Client = field(default_factory=lambda: Client(HTTP_HOST=_host()))

    def join(self) -> None:
        """The link, the text, the questions."""
        self._get(path_of(self.participant))
        self._get(reverse("take_part"))
        version = self.participant.trial.consents.latest("version").version
        self._post(reverse("take_part_agree"), version=version, agree="on")
        if self.participant.trial.questionnaire:
            self._post(reverse("take_part_answers"), **_answers(self.bot.random))
        self.answer()

    def answer(self) -> None:
        """Every page of questions that is due."""
        tries: Counter[str] = Counter()
        while (due := page_due(self.participant)) is not None:
            shown = self._get(reverse("take_part")).content.decode()
            left = due.page.tries - tries[due.name]
            sent = sent_by_bot(due, left, self.bot.random, shown)
            self._post(reverse("take_part_page"), **sent)
            tries[due.name] += 1
            if tries[due.name] > max(1, due.page.tries):
                raise RehearsalFailed(f"{self.participant.label}: {due.name} cannot be answered")

    def play(self, number: int) -> None:
        begun = self._post(reverse("take_part_game"))
        self._get(begun["Location"])
        game = self.participant.games.select_related("participant__trial").get(trial_number=number)
        while not (played := game_played(game)).state.finished:
            state = played.state
            if state.waiting or (game.real_dice and not state.dice):
                self._throw(played)
            elif state.dice:
                self._act(played, self.bot.choose(self.advisor, state, number))
            else:
                self._act(played, Hold(0))
        self.answer()

    def _act(self, played: Played, action: Action) -> None:
        seq = len(played.actions)
        if isinstance(action, Hold):
            slots = list(action.places)
            self._post(reverse("game_hold", args=[played.game.pk]), seq=seq, slot=slots)
        else:
            address = reverse("game_score", args=[played.game.pk])
            self._post(address, seq=seq, category=action.category)

    def _throw(self, played: Played) -> None:
        """Real dice, typed in as they lie; now and then wrong at first."""
        slip = self.bot.random.random() < SLIPS
        self._type(played, self._fallen(played))
        if slip:
            self._type(game_played(played.game), self._fallen(played), correction="1")

    def _type(self, played: Played, faces: list[int], **more: str) -> None:
        typed = " ".join(map(str, faces))
        address = reverse("game_throw", args=[played.game.pk])
        told = {"seq": len(played.actions), "entries": played.entries, "faces": typed}
        self._post(address, **told, **more)

    def _fallen(self, played: Played) -> list[int]:
        """The dice that stayed and those that were thrown, in no order."""
        state, random = played.state, self.bot.random
        kept = list(Hold(state.held).kept(state.dice))
        faces = kept + [random.randint(1, FACES) for _ in range(DICE - len(kept))]
        random.shuffle(faces)
        return faces

    def _get(self, address: str) -> HttpResponse:
        return self._check(address, self.client.get(address, secure=settings.SECURE_SSL_REDIRECT))

    def _post(self, address: str, **data: object) -> HttpResponse:
        response = self.client.post(
            address, data, headers=HTMX, secure=settings.SECURE_SSL_REDIRECT
        )
        return self._check(address, response)

    def _check(self, address: str, response: Any) -> HttpResponse:
        if response.status_code not in {HTTPStatus.OK, HTTPStatus.FOUND}:
            label = self.participant.label
            raise RehearsalFailed(f"{label}: {address} answered {response.status_code}")
        answered: HttpResponse = response
        return answered


def _answers(random: Random) -> dict[str, str]:
    """A person may leave every question out."""
    asked = {
        "experience": Participant.Experience,
        "last_played": Participant.LastPlayed,
        "strategy": Participant.Strategy,
    }
    return {name: random.choice(["", *of.values]) for name, of in asked.items()}


def _host() -> str:
    """A name that this site answers to."""
    names = [name.lstrip(".") for name in settings.ALLOWED_HOSTS if name != "*"]
    return names[0] if names and "localhost" not in names else "localhost"
