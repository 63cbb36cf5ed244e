"""A trial rehearsed with bots: they take part by the pages that people use, post by post.

A rehearsal is a trial of its own, marked as one, so that bots are never mixed with people.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from random import Random
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from game import services
from game.models import Game, Participant, Trial
from game.rehearsal.answering import sent_by_bot
from game.selectors.designs import next_game
from game.selectors.games import Played, game_played, games
from game.selectors.questions import page_due
from game.services.playing import ASKING
from game.trials.links import path_of
from solver.advice import Advisor, position_of
from solver.dp.sweep import Progress
from solver.players.advised import action_of
from solver.players.erring import Bot, bots
from solver.rules import Action, Hold, State, find_ruleset
from solver.rules.dice import DICE, FACES

SLIPS = 0.02  # of the throws of real dice, which are then corrected
COACHED = 0.25  # of its errors a bot loses by a coach, where nothing else is asked for
HTMX = {"HX-Request": "true"}


class RehearsalFailed(Exception):
    """A page did not answer a bot as it should answer a person."""


def rehearsal_create(*, slug: str, consent: str, questions: str = "", **wanted: Any) -> Trial:
    """Open at once: its participants wait for nobody."""
    trial = services.trial_create(consent=consent, slug=slug, rehearsal=True, **wanted)
    services.trial_ask(trial=trial, text=questions)
    return services.trial_open(trial=trial)


def rehearse(
    trial: Trial,
    advisor: Advisor,
    seed: int,
    progress: Progress | None = None,
    *,
    effect: float = COACHED,
) -> None:
    """Every bot plays all its games, in turns; then the trial is closed."""
    days = trial.follow_up_days
    people = [
        BotPlayer(participant, Pupil(bot, effect), advisor)
        for participant, bot in zip(
            trial.participants.order_by("number"), bots(trial.places, seed), strict=True
        )
    ]
    for person in people:
        person.join()
    planned = sum(person.games for person in people)
    for done, (number, person) in enumerate(_in_turns(people), start=1):
        person.play(number)
        if progress:
            progress(done, planned)
    Trial.objects.filter(pk=trial.pk).update(follow_up_days=days)
    trial.refresh_from_db()
    services.trial_close(trial=trial)


def _in_turns(people: Sequence["BotPlayer"]) -> Iterator[tuple[int, "BotPlayer"]]:
    """An arm may have fewer games than another."""
    for number in range(1, max(person.games for person in people) + 1):
        yield from ((number, person) for person in people if number <= person.games)


@dataclass
class Pupil:
    """A bot whom a coach teaches by a known amount: from its first coached game on, also when the
    coach is gone again, it does the best in so many more of its decisions."""

    bot: Bot
    effect: float
    taught: bool = False

    def choose(self, advisor: Advisor, state: State, game: Game) -> Action:
        self.taught = self.taught or game.coach != Game.Coach.OFF
        chosen = self.bot.choose(advisor, state, game.trial_number or 1)
        if not self.taught or self.bot.random.random() >= self.effect:
            return chosen
        return action_of(state, advisor.advise(position_of(state)).best)


@dataclass
class BotPlayer:
    """A bot before its own browser."""

    participant: Participant
    bot: Pupil
    advisor: Advisor
    client: Client = field(default_factory=lambda: Client(HTTP_HOST=_host()))

    def join(self) -> None:
        """The link, the text, the questions."""
        self._get(path_of(self.participant))
        self._get(reverse("take_part"))
        version = self.participant.trial.consents.latest("version").version
        self._post(reverse("take_part_agree"), version=version, agree="on")
        if self.participant.trial.questionnaire:
            self._post(reverse("take_part_answers"), **_answers(self.random))
        self.answer()
        self.participant.refresh_from_db(fields=["planned", "arm", "arm_order"])

    @property
    def games(self) -> int:
        """Known once an arm has been given."""
        return self.participant.games_planned

    @property
    def random(self) -> Random:
        return self.bot.bot.random

    def answer(self) -> None:
        """Every page of questions that is due."""
        tries: Counter[str] = Counter()
        while (due := page_due(self.participant)) is not None:
            shown = self._get(reverse("take_part")).content.decode()
            left = due.page.tries - tries[due.name]
            sent = sent_by_bot(due, left, self.random, shown)
            self._post(reverse("take_part_page"), **sent)
            tries[due.name] += 1
            if tries[due.name] > max(1, due.page.tries):
                raise RehearsalFailed(f"{self.participant.label}: {due.name} cannot be answered")

    def play(self, number: int) -> None:
        self._between_games()
        begun = self._post(reverse("take_part_game"))
        self._get(begun["Location"])
        game = games().get(participant=self.participant, trial_number=number)
        self.advisor = _advisor_for(game, self.advisor)
        while not (played := game_played(game)).state.finished:
            state = played.state
            if state.waiting or (game.real_dice and not state.dice):
                self._throw(played)
            elif state.dice:
                self._act(played, self.bot.choose(self.advisor, state, game))
            else:
                self._act(played, Hold(0))
        self.answer()

    def _between_games(self) -> None:
        """The drill, where the arm has one; before a follow-up the days that it waits."""
        following = next_game(self.participant)
        if following is None:
            return
        if following.phase == Game.Phase.TRAINING and following.arm and following.arm.drill:
            self._drill()
        if following.opens_at is not None and following.opens_at > timezone.now():
            self._be_sent_away()

    def _drill(self) -> None:
        """One position, answered by throwing everything, or in the first box where no throw is."""
        page = self._get(reverse("drill")).content.decode()
        fields = dict(re.findall(r'name="(of|seq)" value="([^"]+)"', page))
        box = re.search(r'name="category" value="([^"]+)"', page)
        if not fields or box is None:
            raise RehearsalFailed(f"{self.participant.label}: the drill asks nothing")
        self._post(reverse("drill"), **fields, category=box[1])

    def _be_sent_away(self) -> None:
        """It comes too early and must be told so. Then the rehearsal waits no more."""
        address = reverse("take_part_game")
        answer = self.client.post(address, secure=settings.SECURE_SSL_REDIRECT)
        if answer.status_code != HTTPStatus.CONFLICT:
            raise RehearsalFailed(f"{self.participant.label}: the follow-up began too early")
        self.participant.trial.follow_up_days = 0
        self.participant.trial.save(update_fields=["follow_up_days"])

    def _act(self, played: Played, action: Action) -> None:
        """A coach that asks first is told that this is meant."""
        game, seq = played.game, len(played.actions)
        kind = "game_hold" if isinstance(action, Hold) else "game_score"
        what = (
            {"slot": list(action.places)}
            if isinstance(action, Hold)
            else {"category": action.category}
        )
        address = reverse(kind, args=[game.pk])
        self._post(address, seq=seq, **what)
        if game.coach in ASKING and game.decisions.count() == seq:
            self._post(address, seq=seq, confirmed="1", **what)

    def _throw(self, played: Played) -> None:
        """Real dice, typed in as they lie; now and then wrong at first."""
        slip = self.random.random() < SLIPS
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
        state, random = played.state, self.random
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


@cache
def _opened(ruleset: str) -> Advisor:
    return Advisor.open(find_ruleset(ruleset))


def _advisor_for(game: Game, usual: Advisor) -> Advisor:
    """An arm may have rules of its own."""
    return usual if usual.rules == game.rules else _opened(game.ruleset)


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
