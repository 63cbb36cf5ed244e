"""Bots that take part in a trial through the same pages as people, request by request.

A rehearsal is a separate trial that is marked as a rehearsal, so bots never mix with people.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from http import HTTPStatus
from itertools import count
from random import Random
from typing import Any

from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from game.core.game_queries import Played, replay_game
from game.core.playing import ASKING
from game.models import Game
from game.trials.design.consent import Texts, store_texts
from game.trials.design.people import find_recruitment
from game.trials.design.reading import build_design, find_next_game, is_draw_due
from game.trials.design.writing import close_trial, create_trial, open_trial
from game.trials.joining.answering import store_questions
from game.trials.joining.links import make_link_path
from game.trials.joining.pages import AnswersForm
from game.trials.joining.progress import read_progress
from game.trials.joining.recruiting import store_recruitment
from game.trials.models import Participant, Trial, TrialGame
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


class Browser(Client):
    """A test client with an IP address of its own, because the site limits requests per address."""

    def __init__(self, who: str) -> None:
        self.who = who
        names = [name.lstrip(".") for name in settings.ALLOWED_HOSTS if name != "*"]
        host = names[0] if names and "localhost" not in names else "localhost"
        number = next(_numbers)
        address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        super().__init__(HTTP_HOST=host, REMOTE_ADDR=address)

    def ask(
        self,
        page: str,
        data: Mapping[str, object] | None = None,
        answers: Collection[int] = WELL,
    ) -> Any:
        """Request a page, by its address or its name. With ``data``, send them as a form."""
        address = page if page.startswith("/") else reverse(page)
        secure = settings.SECURE_SSL_REDIRECT
        if data is None:
            response = self.get(address, secure=secure)
        else:
            response = self.post(address, data, headers=HTMX, secure=secure)
        if response.status_code not in answers:
            raise RehearsalFailed(f"{self.who}: {address} answered {response.status_code}")
        return response


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
        chosen = self.bot.choose(advisor, state, game.trial_game.number)
        if self.taught and self.bot.random.random() < self.effect:
            return make_action(state, advisor.advise(find_position(state)).best)
        return chosen


@dataclass
class BotPlayer:
    """A bot with a place. It returns in another browser, or leaves for good, during the game with
    the number ``returns_in`` or ``drops_in``; 0 means never."""

    participant: Participant
    bot: Pupil
    advisor: Advisor
    browser: Browser
    returns_in: int = 0
    drops_in: int = 0
    gone: bool = False
    returned: bool = False

    def be_asked(self) -> None:
        """Answer the questions that are due. Skip some questions on experience at random."""
        people, tries = Participant.objects.select_related("trial", "arm"), Counter[str]()
        while True:
            progress = read_progress(people.get(pk=self.participant.pk))
            due = progress.due
            if progress.phase == "questions":
                sent = {}
                for name, field in AnswersForm(progress.answers).fields.items():
                    *values, _declined = field.choices  # type: ignore[attr-defined]
                    sent[name] = self.random.choice(values)[0]
                self.browser.ask("take_part_answers", sent)
            elif progress.phase == "asked" and due:
                shown = self.browser.ask("take_part").content.decode()
                left = due.page.tries - tries[due.name]
                self.browser.ask("take_part_asked", make_form_data(due, left, self.random, shown))
                tries[due.name] += 1
                if tries[due.name] > max(1, due.page.tries):
                    raise RehearsalFailed(f"{self.participant.label}: {due.name} stays")
            else:
                return

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
            self.browser.ask("take_part_game", {})
            self.browser.ask("take_part")
            self.participant.refresh_from_db(fields=["planned", "arm", "arm_order"])
        self._prepare_next_game()
        self.browser.ask(self.browser.ask("take_part_game", {})["Location"])
        game = query_games_of(self.participant).get(trial_game__number=number)
        if game.rules != self.advisor.rules:  # an arm may set the rules
            self.advisor = _open_advisor(game.ruleset)
        self._play_on(game, until=len(game.rules.categories) // 2)
        if number == self.returns_in:
            self.browser.ask("take_part_leave", {})
            self.browser.ask("take_part", answers=[HTTPStatus.FORBIDDEN])
            self.browser = Browser(self.participant.label)
            self.browser.ask(make_link_path(self.participant))
            begun = self.browser.ask("take_part_game", {})["Location"]
            if begun != reverse("game", args=[game.pk]):
                raise RehearsalFailed(f"{self.participant.label}: returned to the wrong game")
            self.browser.ask(begun)
            self.returned = True
        if number == self.drops_in:
            self.gone = True
            return
        self._play_on(game)
        self.be_asked()

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
                self._type_roll(played)
                if slip:
                    self._type_roll(replay_game(game), correction="1")
            else:
                action = self.bot.choose(self.advisor, state, game) if state.dice else Hold(0)
                self._act(played, action)

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
            page = self.browser.ask("drill").content.decode()
            fields = dict(re.findall(r'name="(of|seq)" value="([^"]+)"', page))
            box = re.search(r'name="category" value="([^"]+)"', page)
            if not fields or box is None:
                raise RehearsalFailed(f"{self.participant.label}: the drill shows no position")
            self.browser.ask("drill", {**fields, "category": box[1]})
        if following.opens_at is not None and following.opens_at > timezone.now():
            self.browser.ask("take_part_game", {}, [HTTPStatus.CONFLICT])
            self.participant.trial.follow_up_days = 0
            self.participant.trial.save(update_fields=["follow_up_days"])

    def _act(self, played: Played, action: Action) -> None:
        """Send a decision. If the coach asks for a confirmation, confirm the decision."""
        game, seq = played.game, len(played.actions)
        page, what = "game_score", dict[str, object]()
        if isinstance(action, Hold):
            page, what["slot"] = "game_hold", list(action.places)
        else:
            what["category"] = action.category
        address = reverse(page, args=[game.pk])
        self.browser.ask(address, {"seq": seq, **what})
        if game.coach in ASKING and game.decisions.count() == seq:
            self.browser.ask(address, {"seq": seq, "confirmed": "1", **what})

    def _type_roll(self, played: Played, **more: str) -> None:
        thrown = played.state.rules.dice - played.state.held.bit_count()
        typed = " ".join(str(self.random.randint(1, FACES)) for _die in range(thrown))
        address = reverse("game_throw", args=[played.game.pk])
        state = {"seq": len(played.actions), "entries": played.entries, "faces": typed}
        self.browser.ask(address, {**state, **more})


@cache
def _open_advisor(ruleset: str) -> Advisor:
    return Advisor.open(find_ruleset(ruleset, PLAYED))


LABEL = "PROLIFIC_PID"


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


def rehearse(
    trial: Trial,
    advisor: Advisor,
    seed: int,
    progress: Progress | None = None,
    *,
    effect: float = COACHED,
    dropouts: float = 0.0,
) -> str:
    """Let all bots play their games in turns, and close the trial. Return a summary."""
    days = trial.follow_up_days
    people = _join_bots(trial, advisor, seed, effect)
    # Some bots leave and come back, and some leave for good.
    random = Random(f"{seed}:fates")  # noqa: S311
    strangers = [person for person in people if person.participant.recruited]
    for person in (people[0], *strangers[:1]):
        person.returns_in = 1
    for person in random.sample(people, round(dropouts * len(people))):
        person.drops_in = random.randint(1, person.games)
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
    gone, returned = sum(each.gone for each in people), sum(each.returned for each in people)
    return (
        f"{len(people)} bots joined: {len(people) - gone} played all their games, {gone} stopped"
        f" during a game. {returned} left the device and continued in another browser."
    )


def _join_bots(trial: Trial, advisor: Advisor, seed: int, effect: float) -> list[BotPlayer]:
    """Let the bots join, first by personal links, then by the open link. One more bot opens that
    link and declines."""
    recruitment, people = find_recruitment(trial), list[BotPlayer]()
    quota = recruitment.quota if recruitment else 0
    form = {"version": trial.consents.latest("version").version, "agree": "on"}
    pupils = [Pupil(bot, effect) for bot in make_bots(trial.places + quota, seed)]

    def add_person(participant: Participant, browser: Browser) -> None:
        people.append(BotPlayer(participant, pupils[len(people)], advisor, browser))
        people[-1].be_asked()

    for participant in trial.participants.order_by("number"):
        browser = Browser(participant.label)
        browser.ask(make_link_path(participant))
        browser.ask("take_part")
        browser.ask("take_part_agree", form)
        add_person(participant, browser)
    if recruitment is None:
        return people
    for number in range(quota + 1):
        label = f"bot-{number}" if number else "bot-that-declines"
        browser, sent = Browser(label), {LABEL: label, "STUDY_ID": "rehearsal"}
        ids = urlencode(sent | {"SESSION_ID": f"of-{label}"})
        join, agree, arrived, decline = (
            f"{reverse(name, args=[recruitment.token])}?{ids}"
            for name in ("join", "join_agree", "join_arrived", "join_decline")
        )
        browser.ask(join)
        if number:
            browser.ask(agree, form)
            joined = Participant.objects.select_related("trial")
            add_person(joined.get(trial=trial, arrival__label=label), browser)
        else:
            for what in ("opened", "declined"):  # what the script on the page would report
                browser.ask(arrived, {"what": what}, [HTTPStatus.NO_CONTENT])
            browser.ask(decline)
    return people
