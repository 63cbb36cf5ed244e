"""Bots that come by the open link, with labels, and those that come and get no place."""

from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus

from django.db.models import F
from django.http import HttpResponse
from django.urls import reverse
from django.utils.http import urlencode

from game.models import Arrival, Participant, Player, Recruitment, Trial
from game.trials.joining.links import path_of
from game.trials.joining.recruiting import recruitment_set
from game.trials.rehearsal.browser import Browser, RehearsalFailed, outcome_shown
from game.trials.rehearsal.playing import BotPlayer, Pupil
from solver.advice import Advisor

LABEL = "PROLIFIC_PID"
MINUTES = 60 * 24 * 7  # more than a rehearsal takes
PANEL = "https://panel.example"
CODES = {
    "complete": f"{PANEL}/complete?pid={{{LABEL}}}",
    "no_consent": "NO-CONSENT",
    "full": "FULL",
    "timed_out": f"{PANEL}/late?pid={{{LABEL}}}",
}


def recruiting(trial: Trial, quota: int) -> Recruitment:
    """As a panel would be answered, by codes and by addresses."""
    return recruitment_set(
        trial=trial,
        open=True,
        quota=quota,
        labels=f"{LABEL} STUDY_ID SESSION_ID",
        minutes=MINUTES,
        ways_out=CODES,
    )


@dataclass
class OpenLink:
    """Where strangers come, and whether they are told what they must be."""

    recruitment: Recruitment
    declined: int = 0
    sent_away: int = 0
    told: int = 0  # pages with an outcome, each the right one

    def address(self, label: str, name: str = "join") -> str:
        labels = {LABEL: label, "STUDY_ID": "rehearsal", "SESSION_ID": f"of-{label}"}
        return f"{reverse(name, args=[self.recruitment.token])}?{urlencode(labels)}"

    def bring(self, label: str, bot: Pupil, advisor: Advisor, *, twice: bool = False) -> BotPlayer:
        """Whoever agrees in two browsers has one place, in the first; its link leads there."""
        windows = [Browser(label) for _window in range(1 + twice)]
        for browser in windows:
            browser.get(self.address(label))
        for browser in windows:
            self._agree(browser, label)
        self._check_places(label, 1)
        place = Arrival.objects.get(trial=self._trial, label=label).participant
        one = Participant.objects.select_related("trial").get(pk=place.pk)
        return BotPlayer(one, bot, advisor, path_of(one), windows[0])

    def decline(self, label: str) -> None:
        browser = Browser(label)
        browser.get(self.address(label))
        self._look(browser, label, "opened")
        self._check_told(browser.get(self.address(label, "join_decline")), label, "no_consent")
        self._look(browser, label, "declined")
        self._check_places(label, 0)
        self.declined += 1

    def send_away(self, label: str) -> None:
        """All places are taken: the page says so, and agreeing all the same changes nothing."""
        browser = Browser(label)
        self._check_told(browser.get(self.address(label)), label, "full")
        self._look(browser, label, "no_place")
        self._check_told(self._agree(browser, label), label, "full")
        self._check_places(label, 0)
        self.sent_away += 1

    def be_late(self, person: BotPlayer) -> None:
        """Its consent is put back by all the time that there was, and no game begins any more."""
        minutes = self.recruitment.minutes or 0
        mine = Player.objects.filter(participant=person.participant)
        mine.update(created_at=F("created_at") - timedelta(minutes=minutes))
        person.browser.post(reverse("take_part_game"), answers=[HTTPStatus.CONFLICT])
        person.gone = True

    def check_end(self, person: BotPlayer, outcome: str) -> None:
        """What its own page says in the end."""
        label = person.participant.arrival.label
        self._check_told(person.browser.get(reverse("take_part")), label, outcome)

    @property
    def _trial(self) -> Trial:
        return self.recruitment.trial

    def _agree(self, browser: Browser, label: str) -> HttpResponse:
        version = self._trial.consents.latest("version").version
        agreed = {"version": version, "agree": "on"}
        return browser.post(self.address(label, "join_agree"), agreed)

    def _look(self, browser: Browser, label: str, what: str) -> None:
        """As the script of a page says it."""
        address, answers = self.address(label, "join_arrived"), [HTTPStatus.NO_CONTENT]
        browser.post(address, {"what": what}, answers)

    def _check_places(self, label: str, wanted: int) -> None:
        if Arrival.objects.filter(trial=self._trial, label=label).count() != wanted:
            raise RehearsalFailed(f"{label}: has not {wanted} places")

    def _check_told(self, page: HttpResponse, label: str, outcome: str) -> None:
        told = outcome_shown(page)
        if told != CODES.get(outcome, "").replace(f"{{{LABEL}}}", label):
            raise RehearsalFailed(f"{label}: the page says {told!r}, and not {outcome!r}")
        self.told += bool(outcome)
