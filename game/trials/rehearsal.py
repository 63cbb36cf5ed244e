"""Bots that take part in a trial through the same pages as people, request by request.

A rehearsal is a separate trial that is marked as a rehearsal, so bots never mix with people.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from http import HTTPStatus
from itertools import count
from random import Random
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from game.core.game_queries import Played, replay_game
from game.core.playing import ASKING
from game.models import Game
from game.trials.design.consent import Texts, store_texts
from game.trials.design.people import find_recruitment
from game.trials.design.reading import (
    EXPERIENCE,
    LAST_PLAYED,
    STRATEGY,
    build_design,
    find_next_game,
    is_draw_due,
)
from game.trials.design.writing import close_trial, create_trial, open_trial
from game.trials.joining.answering import store_questions
from game.trials.joining.links import make_link_path
from game.trials.joining.progress import read_progress
from game.trials.joining.recruiting import store_recruitment
from game.trials.models import Participant, Recruitment, Trial, TrialGame
from game.trials.questions.questionnaire import (
    DECLINED,
    ChoiceQuestion,
    DuePage,
    LikertQuestion,
    NumberQuestion,
    SeveralQuestion,
    SliderQuestion,
    TextQuestion,
    TrialQuestion,
    format_number,
    make_declining_name,
    make_field_name,
)
from game.trials.questions.reading import find_due_page
from game.trials.reading import query_games_of
from solver.advice import Advisor, find_position
from solver.dp.sweep import Progress
from solver.players.erring import Bot, make_bots
from solver.players.plain import make_action
from solver.rules import PLAYED, Action, Hold, State, find_ruleset
from solver.rules.dice import FACES

HTMX = {"HX-Request": "true"}
WELL = (HTTPStatus.OK, HTTPStatus.FOUND)
_numbers = count(1)


class RehearsalFailed(Exception):
    """The error if a page answers a bot in a way in which it should not answer a person."""


class Browser:
    """A test client with an IP address of its own, because the site limits requests per address."""

    def __init__(self, who: str) -> None:
        self.who = who
        names = [name.lstrip(".") for name in settings.ALLOWED_HOSTS if name != "*"]
        host = names[0] if names and "localhost" not in names else "localhost"
        number = next(_numbers)
        address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        self._client = Client(HTTP_HOST=host, REMOTE_ADDR=address)

    def get(self, address: str, answers: Collection[int] = WELL) -> HttpResponse:
        response = self._client.get(address, secure=settings.SECURE_SSL_REDIRECT)
        return self._check(address, response, answers)

    def post(
        self,
        address: str,
        data: Mapping[str, object] | None = None,
        answers: Collection[int] = WELL,
    ) -> HttpResponse:
        response = self._client.post(
            address, data or {}, headers=HTMX, secure=settings.SECURE_SSL_REDIRECT
        )
        return self._check(address, response, answers)

    def _check(self, address: str, response: Any, answers: Collection[int]) -> HttpResponse:
        if response.status_code not in answers:
            raise RehearsalFailed(f"{self.who}: {address} answered {response.status_code}")
        answered: HttpResponse = response
        return answered


SILENT = 0.1  # share of questions that a bot declines; a bot skips an equal share
MISTAKEN = 0.3  # share of tries, before the last one, that a bot answers wrongly
BUTTONS = (ChoiceQuestion, LikertQuestion)
FAR = Decimal(100)  # largest answer to a number question without limits
STAMP = re.compile(r'name="stamp" value="([^"]*)"')


def make_form_data(due: DuePage, tries_left: int, random: Random, shown: str) -> dict[str, object]:
    """Return a bot's answers to a page of questions. No answer screens the bot out."""
    stamp = STAMP.search(shown)
    sent: dict[str, object] = {"page": due.name, "stamp": stamp[1] if stamp else ""}
    mistaken = tries_left > 1 and random.random() < MISTAKEN
    for item in due.page.items:
        question, name = item.question, make_field_name(item.key)
        if question.right and not mistaken:
            sent[name] = random.choice(sorted(item.expected)).split()
            continue
        chance = random.random()
        if question.may_decline and chance < SILENT:
            buttons = isinstance(question, BUTTONS)
            sent |= {name: DECLINED} if buttons else {make_declining_name(item.key): "on"}
        elif question.must_answer or chance >= 2 * SILENT:
            sent[name] = choose_answer(question, random)
    return sent


def choose_answer(question: TrialQuestion, random: Random) -> list[str]:
    return MADE[type(question)](question, random)


def _answer_number(question: NumberQuestion, random: Random) -> list[str]:
    step = question.step if isinstance(question, SliderQuestion) else Decimal(1)
    least = question.least if question.least is not None else (question.most or FAR) - FAR
    most = question.most if question.most is not None else least + FAR
    return [format_number(least + step * random.randint(0, int((most - least) / step)))]


MADE: dict[type[TrialQuestion], Callable[[Any, Random], list[str]]] = {
    TextQuestion: lambda question, _random: ["A bot has nothing to add."[: question.longest]],
    NumberQuestion: _answer_number,
    SliderQuestion: _answer_number,
    ChoiceQuestion: lambda question, random: [
        random.choice([key for key in question.options if key not in question.screens_out])
    ],
    SeveralQuestion: lambda question, random: random.sample(
        list(question.options),
        random.randint(max(1, question.least), question.most or len(question.options)),
    ),
    LikertQuestion: lambda question, random: [str(random.randint(1, question.points))],
}


SLIPS = 0.02  # share of the rolls of real dice that the bot first types wrongly
CHOICES = {
    EXPERIENCE: Participant.Experience,
    LAST_PLAYED: Participant.LastPlayed,
    STRATEGY: Participant.Strategy,
}
COACHED = 0.25  # default share of its errors that a coached bot avoids


@dataclass
class Pupil:
    """A bot that a coach improves by a known amount. From its first coached game on, the bot makes
    the best move in a share ``effect`` of its decisions, even in later games without a coach."""

    bot: Bot
    effect: float
    taught: bool = False

    def choose(self, advisor: Advisor, state: State, game: Game) -> Action:
        self.taught = self.taught or game.coach != Game.Coach.OFF
        number = game.trial_game.number
        chosen = self.bot.make_tempered(advisor, number).pick_option(state)
        if not self.taught:
            return make_action(state, chosen)
        if self.bot.random.random() >= self.effect:
            return make_action(state, chosen)
        return make_action(state, advisor.advise(find_position(state)).best)


@dataclass(frozen=True)
class Fate:
    """The number of the game in which a bot leaves for a while, or for good. 0 means never."""

    returns_in: int = 0
    drops_in: int = 0


@dataclass
class BotPlayer:
    participant: Participant
    bot: Pupil
    advisor: Advisor
    link: str
    browser: Browser
    fate: Fate = Fate()
    gone: bool = False
    returned: bool = False

    def join(self) -> None:
        self.browser.get(self.link)
        self.browser.get(reverse("take_part"))
        version = self.participant.trial.consents.latest("version").version
        self.browser.post(reverse("take_part_agree"), {"version": version, "agree": "on"})
        self.be_asked()

    def be_asked(self) -> None:
        answer_on_experience(self.participant, self.browser, self.random)
        answer_pages(self.participant, self.browser, self.random)

    @property
    def games(self) -> int:
        """The bot's number of games; until an arm is assigned, the smallest possible number."""
        return self.participant.planned or min(build_design(self.participant.trial).lengths)

    @property
    def random(self) -> Random:
        return self.bot.bot.random

    def play(self, number: int) -> None:
        """Play a game. Halfway through, the bot may leave, either to return at once or for good."""
        if is_draw_due(self.participant):
            # Let the server assign the arm, and open the page that introduces the arm.
            self.browser.post(reverse("take_part_game"))
            self.browser.get(reverse("take_part"))
            self.participant.refresh_from_db(fields=["planned", "arm", "arm_order"])
        self._prepare_next_game()
        game = self._begin(number)
        self._play_on(game, until=len(game.rules.categories) // 2)
        if number == self.fate.returns_in:
            self.browser.post(reverse("take_part_leave"))
            self.browser.get(reverse("take_part"), [HTTPStatus.FORBIDDEN])
            self.browser = Browser(self.participant.label)
            self.browser.get(self.link)
            begun = self.browser.post(reverse("take_part_game"))
            if begun["Location"] != reverse("game", args=[game.pk]):
                raise RehearsalFailed(f"{self.participant.label}: returned to the wrong game")
            self.browser.get(begun["Location"])
            self.returned = True
        if number == self.fate.drops_in:
            self.gone = True
            return
        self._play_on(game)
        answer_pages(self.participant, self.browser, self.random)
        answer_on_experience(self.participant, self.browser, self.random)

    def _begin(self, number: int) -> Game:
        begun = self.browser.post(reverse("take_part_game"))
        self.browser.get(begun["Location"])
        game = query_games_of(self.participant).get(trial_game__number=number)
        if game.rules != self.advisor.rules:  # an arm may set the rules
            self.advisor = _open_advisor(game.ruleset)
        return game

    def _play_on(self, game: Game, until: int | None = None) -> None:
        """Play to the end of the game. With ``until``, stop at the first roll after that many
        turns."""
        while not (played := replay_game(game)).state.finished:
            state = played.state
            if state.dice and state.turn == until:
                return
            if state.waiting or (game.real_dice and not state.dice):
                # Type in a roll of real dice. Sometimes type it wrongly first, and correct it.
                slip = self.random.random() < SLIPS
                self._post_roll(played, self._roll_dice(played))
                if slip:
                    faces = self._roll_dice(played)
                    self._post_roll(replay_game(played.game), faces, correction="1")
            elif state.dice:
                self._act(played, self.bot.choose(self.advisor, state, game))
            else:
                self._act(played, Hold(0))

    def _prepare_next_game(self) -> None:
        """If the arm has a drill, answer a position of it with the first box that the page offers.
        If the follow-up may not start yet, check that the server refuses to start it. Then end the
        waiting time."""
        # Read the days again, because another bot may have ended the wait.
        self.participant.trial.refresh_from_db(fields=["follow_up_days"])
        following = find_next_game(self.participant)
        if following is None:
            return
        if following.phase == TrialGame.Phase.TRAINING and following.arm and following.arm.drill:
            page = self.browser.get(reverse("drill")).content.decode()
            fields = dict(re.findall(r'name="(of|seq)" value="([^"]+)"', page))
            box = re.search(r'name="category" value="([^"]+)"', page)
            if not fields or box is None:
                raise RehearsalFailed(f"{self.participant.label}: the drill shows no position")
            self.browser.post(reverse("drill"), {**fields, "category": box[1]})
        if following.opens_at is not None and following.opens_at > timezone.now():
            self.browser.post(reverse("take_part_game"), answers=[HTTPStatus.CONFLICT])
            self.participant.trial.follow_up_days = 0
            self.participant.trial.save(update_fields=["follow_up_days"])

    def _act(self, played: Played, action: Action) -> None:
        """Send a decision. If the coach asks for a confirmation, confirm the decision."""
        game, seq = played.game, len(played.actions)
        kind = "game_hold" if isinstance(action, Hold) else "game_score"
        what = (
            {"slot": list(action.places)}
            if isinstance(action, Hold)
            else {"category": action.category}
        )
        address = reverse(kind, args=[game.pk])
        self.browser.post(address, {"seq": seq, **what})
        if game.coach in ASKING and game.decisions.count() == seq:
            self.browser.post(address, {"seq": seq, "confirmed": "1", **what})

    def _post_roll(self, played: Played, faces: list[int], **more: str) -> None:
        typed = " ".join(map(str, faces))
        address = reverse("game_throw", args=[played.game.pk])
        state = {"seq": len(played.actions), "entries": played.entries, "faces": typed}
        self.browser.post(address, {**state, **more})

    def _roll_dice(self, played: Played) -> list[int]:
        thrown = played.state.rules.dice - played.state.held.bit_count()
        return [self.random.randint(1, FACES) for _ in range(thrown)]


def answer_on_experience(participant: Participant, browser: Browser, random: Random) -> None:
    """Answer the questions before the first and after the last game, except some at random."""
    people = Participant.objects.select_related("trial", "arm")
    progress = read_progress(people.get(pk=participant.pk))
    if progress.phase == "questions":
        choices = {name: ["", *CHOICES[name].values] for name in progress.answers}
        sent = {name: random.choice(values) for name, values in choices.items()}
        browser.post(reverse("take_part_answers"), sent)


def answer_pages(participant: Participant, browser: Browser, random: Random) -> None:
    tries: Counter[str] = Counter()
    while (due := find_due_page(participant)) is not None:
        shown = browser.get(reverse("take_part")).content.decode()
        sent = make_form_data(due, due.page.tries - tries[due.name], random, shown)
        browser.post(reverse("take_part_asked"), sent)
        tries[due.name] += 1
        if tries[due.name] > max(1, due.page.tries):
            raise RehearsalFailed(f"{participant.label}: {due.name} cannot be answered")


@cache
def _open_advisor(ruleset: str) -> Advisor:
    return Advisor.open(find_ruleset(ruleset, PLAYED))


LABEL = "PROLIFIC_PID"


@dataclass(frozen=True)
class OpenLink:
    recruitment: Recruitment

    def address(self, label: str, name: str = "join") -> str:
        labels = {LABEL: label, "STUDY_ID": "rehearsal", "SESSION_ID": f"of-{label}"}
        return f"{reverse(name, args=[self.recruitment.token])}?{urlencode(labels)}"

    def bring(self, label: str, bot: Pupil, advisor: Advisor) -> BotPlayer:
        browser, trial = Browser(label), self.recruitment.trial
        browser.get(self.address(label))
        version = trial.consents.latest("version").version
        browser.post(self.address(label, "join_agree"), {"version": version, "agree": "on"})
        people = Participant.objects.select_related("trial").filter(arrival__label=label)
        participant = people.get(trial=trial)
        return BotPlayer(participant, bot, advisor, make_link_path(participant), browser)

    def decline(self, label: str) -> None:
        browser = Browser(label)
        browser.get(self.address(label))
        for what in ("opened", "declined"):  # what the script on the page would report
            browser.post(
                self.address(label, "join_arrived"), {"what": what}, [HTTPStatus.NO_CONTENT]
            )
        browser.get(self.address(label, "join_decline"))


def create_rehearsal(
    *,
    slug: str,
    consent: str,
    questions: str = "",
    texts: Texts | None = None,
    recruit: int = 0,
    **wanted: Any,
) -> Trial:
    """Create and open a rehearsal. ``recruit`` is the quota of its open link (0 for no link)."""
    trial = create_trial(consent=consent, slug=slug, rehearsal=True, **wanted)
    trial = store_texts(trial=trial, texts=texts or {})
    store_questions(trial=trial, text=questions)
    if recruit:
        labels = f"{LABEL} STUDY_ID SESSION_ID"
        store_recruitment(trial=trial, open=True, quota=recruit, labels=labels)
    return open_trial(trial=trial)


@dataclass
class Rehearsal:
    people: Sequence[BotPlayer]

    @property
    def summary(self) -> str:
        gone = sum(person.gone for person in self.people)
        returned = sum(person.returned for person in self.people)
        return (
            f"{len(self.people)} bots joined: {len(self.people) - gone} played all their games,"
            f" {gone} stopped during a game. {returned} left the device and continued in another"
            " browser."
        )


def rehearse(
    trial: Trial,
    advisor: Advisor,
    seed: int,
    progress: Progress | None = None,
    *,
    effect: float = COACHED,
    dropouts: float = 0.0,
) -> Rehearsal:
    """Let all bots play their games in turns, and close the trial."""
    days = trial.follow_up_days
    rehearsal = _join_bots(trial, advisor, seed, effect)
    people = rehearsal.people
    # Some bots leave and come back, and some leave for good.
    random = Random(f"{seed}:fates")  # noqa: S311
    strangers = [person for person in people if person.participant.recruited]
    for person in (people[0], *strangers[:1]):
        person.fate = Fate(returns_in=1)
    for person in random.sample(people, round(dropouts * len(people))):
        last = random.randint(1, person.games)
        person.fate = Fate(person.fate.returns_in, drops_in=last)
    # First the first games of all bots, then the second games of all bots, and so on. A bot's
    # number of games is known only after its arm is drawn.
    done = 0
    for number in count(1):
        playing = [person for person in people if number <= person.games]
        if not playing:
            break
        for person in playing:
            if not person.gone:
                person.play(number)
            done += 1
            if progress:
                progress(done, sum(person.games for person in people))
    Trial.objects.filter(pk=trial.pk).update(follow_up_days=days)
    trial.refresh_from_db()
    close_trial(trial=trial)
    return rehearsal


def _join_bots(trial: Trial, advisor: Advisor, seed: int, effect: float) -> Rehearsal:
    """Let the bots join, first by personal links, then by the open link. One more bot opens that
    link and declines."""
    recruitment = find_recruitment(trial)
    quota = recruitment.quota if recruitment else 0
    everybody = [Pupil(bot, effect) for bot in make_bots(trial.places + quota, seed)]
    people = [
        BotPlayer(
            participant, bot, advisor, make_link_path(participant), Browser(participant.label)
        )
        for participant, bot in zip(trial.participants.order_by("number"), everybody, strict=False)
    ]
    for person in people:
        person.join()
    if recruitment is None:
        return Rehearsal(people)
    link = OpenLink(recruitment)
    link.decline("bot-that-declines")
    strangers = [
        link.bring(f"bot-{number}", bot, advisor)
        for number, bot in enumerate(everybody[trial.places :], start=1)
    ]
    for person in strangers:
        person.be_asked()
    return Rehearsal([*people, *strangers])
