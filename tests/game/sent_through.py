"""Somebody made up is sent through every way out of a trial, by the pages that people use.

All of it is taken back: it happens to the trial itself, in a transaction that never ends well.
Games are begun by the page and then marked as played, one of each phase; what an answer or a
check would do is marked too.
"""

import re
import secrets
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from html import unescape
from http import HTTPStatus
from random import Random

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Least
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone, translation

from game.models import Game, Player
from game.trials.design.people import query_recruited
from game.trials.joining.arriving import Address
from game.trials.joining.outcomes import make_outcome
from game.trials.models import Arm, Participant, Recruitment, Trial
from game.trials.models.trial import MOST_PLACES
from game.trials.rehearsal.browser import WELL, Browser
from game.trials.rehearsal.playing import answer_on_experience, answer_pages, be_asked, be_drawn

OUTCOME = re.compile(r'id="outcome"[^>]*?(?:href="([^"]*)"|>([^<]*)</code>)')
MADE_UP = 12  # characters of a label that may have any number
SHORT = ("games_before", "games_each", "games_after", "games_follow_up")


@dataclass
class SentThrough:
    recruitment: Recruitment
    address: Address
    browser: Browser
    random: Random

    def open(self, page: str = "join", answers: Collection[int] = WELL) -> HttpResponse:
        address = reverse(page, args=[self.recruitment.token])
        return self.browser.get(address + self.address.query, answers)

    def agree(self) -> Participant:
        self.open()
        version = self.recruitment.trial.consents.latest("version").version
        address = reverse("join_agree", args=[self.recruitment.token]) + self.address.query
        self.browser.post(address, {"version": version, "agree": "on"})
        newest = query_recruited(self.recruitment.trial).select_related("trial").order_by("-number")
        return newest[0]

    def home(self) -> HttpResponse:
        return self.browser.get(reverse("take_part"))

    def play(self, *, follow_up: bool) -> HttpResponse:
        participant = self.agree()
        be_asked(participant, self.browser, self.random)
        participant.refresh_from_db()
        waiting = 0 if follow_up else participant.trial.games_follow_up
        done = 0
        be_drawn(participant, self.browser)
        while done < participant.games_planned - waiting:
            done += 1
            self.browser.post(reverse("take_part_game"))
            game = Game.objects.filter(trial_game__participant=participant, trial_game__number=done)
            game.update(finished_at=timezone.now(), final_score=0, bonus=0)
            answer_pages(participant, self.browser, self.random)
            answer_on_experience(participant, self.browser, self.random)
            be_drawn(participant, self.browser)  # from then on it is known how many there are
        return self.home()


def walk(trial: Trial, way: str) -> tuple[str, str]:
    with _taken_back():
        recruitment = _opened(trial)
        labels = made_up_labels(recruitment)
        somebody = SentThrough(recruitment, Address(labels), Browser(way), Random(way))
        wanted = make_outcome(recruitment, way, labels)
        return read_outcome(WALKS[way](somebody)), wanted.code or wanted.address


def read_outcome(page: HttpResponse) -> str:
    match = OUTCOME.search(page.content.decode())
    return unescape(match[1] or match[2]) if match else ""


def made_up_labels(recruitment: Recruitment) -> dict[str, str]:
    expected = recruitment.expectations
    labels = {name: min(expected.get(name, {"made-up"})) for name in recruitment.names}
    for name in recruitment.names[:1]:
        labels[name] = min(expected.get(name, {secrets.token_hex(MADE_UP)}))
    return labels


@contextmanager
def _taken_back() -> Iterator[None]:
    """Restore language and time zone: a page may be asked for in the middle of another one."""
    language, zone = translation.get_language(), timezone.get_current_timezone()
    with translation.override(language), timezone.override(zone), transaction.atomic():
        yield
        transaction.set_rollback(True)


def _opened(trial: Trial) -> Recruitment:
    short = {name: Least(F(name), 1) for name in SHORT}
    Trial.objects.filter(pk=trial.pk).update(
        opened_at=timezone.now(), closed_at=None, follow_up_days=0, **short
    )
    Arm.objects.filter(trial=trial, games_each__isnull=False).update(games_each=1)
    Recruitment.objects.filter(trial=trial).update(open=True, quota=MOST_PLACES, checks=None)
    return Recruitment.objects.select_related("trial").get(trial=trial)


def _no_consent(one: SentThrough) -> HttpResponse:
    one.open()
    return one.open("join_decline")


def _full(one: SentThrough) -> HttpResponse:
    Recruitment.objects.filter(pk=one.recruitment.pk).update(quota=0)
    return one.open()


def _closed(one: SentThrough) -> HttpResponse:
    Recruitment.objects.filter(pk=one.recruitment.pk).update(open=False)
    return one.open(answers=(HTTPStatus.FORBIDDEN,))


def _screened_out(one: SentThrough, *, failed_check: bool) -> HttpResponse:
    found = Participant.objects.filter(pk=one.agree().pk)
    found.update(screened_out_at=timezone.now(), failed_check=failed_check)
    return one.home()


def _timed_out(one: SentThrough) -> HttpResponse:
    participant = one.agree()
    be_asked(participant, one.browser, one.random)
    minutes = timedelta(minutes=one.recruitment.minutes or 0)
    Player.objects.filter(participant=participant).update(created_at=F("created_at") - minutes)
    return one.home()


def _withdrawn(one: SentThrough) -> HttpResponse:
    one.agree()
    return one.browser.post(reverse("take_part_withdraw"), {"confirm": "on"})


def _played(one: SentThrough, *, follow_up: bool) -> HttpResponse:
    return one.play(follow_up=follow_up)


WALKS: dict[str, Callable[[SentThrough], HttpResponse]] = {
    "complete": partial(_played, follow_up=True),
    "first_sitting": partial(_played, follow_up=False),
    "screened_out": partial(_screened_out, failed_check=False),
    "failed_check": partial(_screened_out, failed_check=True),
    "no_consent": _no_consent,
    "full": _full,
    "closed": _closed,
    "timed_out": _timed_out,
    "withdrawn": _withdrawn,
}
