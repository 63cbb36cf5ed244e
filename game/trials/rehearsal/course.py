"""The course of a rehearsal: bots join a trial by its links, play all games, and check pages.

A rehearsal is a separate trial that is marked as a rehearsal, so bots never mix with people.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from itertools import count
from random import Random
from typing import Any

from django.db.models import F
from django.http import HttpResponse
from django.urls import reverse
from django.utils.http import urlencode

from game.models import Player
from game.trials.design.people import find_recruitment
from game.trials.design.texts import Texts, store_texts
from game.trials.design.writing import close_trial, create_trial, open_trial
from game.trials.joining.answering import store_questions
from game.trials.joining.links import make_link_path
from game.trials.joining.recruiting import store_recruitment
from game.trials.models import Arrival, Participant, Recruitment, Trial
from game.trials.rehearsal.browser import Browser, RehearsalFailed, read_outcome
from game.trials.rehearsal.playing import COACHED, BotPlayer, Fate, Pupil
from solver.advice import Advisor
from solver.dp.sweep import Progress
from solver.players.erring import make_bots

LABEL = "PROLIFIC_PID"
MINUTES = 60 * 24 * 7  # minutes per session, which is more time than a rehearsal takes
PANEL = "https://panel.example"
CODES = {
    "complete": f"{PANEL}/complete?pid={{{LABEL}}}",
    "no_consent": "NO-CONSENT",
    "full": "FULL",
    "timed_out": f"{PANEL}/late?pid={{{LABEL}}}",
}


def open_recruitment(trial: Trial, quota: int) -> Recruitment:
    return store_recruitment(
        trial=trial,
        open=True,
        quota=quota,
        labels=f"{LABEL} STUDY_ID SESSION_ID",
        minutes=MINUTES,
        ways_out=CODES,
    )


@dataclass
class OpenLink:
    recruitment: Recruitment
    declined: int = 0
    sent_away: int = 0
    outcome_pages: int = 0  # number of pages with the right outcome

    def address(self, label: str, name: str = "join") -> str:
        labels = {LABEL: label, "STUDY_ID": "rehearsal", "SESSION_ID": f"of-{label}"}
        return f"{reverse(name, args=[self.recruitment.token])}?{urlencode(labels)}"

    def bring(self, label: str, bot: Pupil, advisor: Advisor, *, twice: bool = False) -> BotPlayer:
        """Let a bot join by the open link; ``twice``: in two browsers, which must get one place."""
        windows = [Browser(label) for _window in range(1 + twice)]
        for browser in windows:
            browser.get(self.address(label))
        for browser in windows:
            self._agree(browser, label)
        self._check_places(label, 1)
        place = Arrival.objects.get(trial=self._trial, label=label).participant
        participant = Participant.objects.select_related("trial").get(pk=place.pk)
        return BotPlayer(participant, bot, advisor, make_link_path(participant), windows[0])

    def decline(self, label: str) -> None:
        browser = Browser(label)
        browser.get(self.address(label))
        self._look(browser, label, "opened")
        self._check_outcome(browser.get(self.address(label, "join_decline")), label, "no_consent")
        self._look(browser, label, "declined")
        self._check_places(label, 0)
        self.declined += 1

    def send_away(self, label: str) -> None:
        """Check that a full trial turns a bot away, even if the bot agrees to the consent text."""
        browser = Browser(label)
        self._check_outcome(browser.get(self.address(label)), label, "full")
        self._look(browser, label, "no_place")
        self._check_outcome(self._agree(browser, label), label, "full")
        self._check_places(label, 0)
        self.sent_away += 1

    def be_late(self, person: BotPlayer) -> None:
        """Move a bot's consent back beyond the time limit, and check that it can start no game."""
        minutes = self.recruitment.minutes or 0
        mine = Player.objects.filter(participant=person.participant)
        mine.update(created_at=F("created_at") - timedelta(minutes=minutes))
        person.browser.post(reverse("take_part_game"), answers=[HTTPStatus.CONFLICT])
        person.gone = True

    def check_end(self, person: BotPlayer, outcome: str) -> None:
        label = person.participant.arrival.label
        self._check_outcome(person.browser.get(reverse("take_part")), label, outcome)

    @property
    def _trial(self) -> Trial:
        return self.recruitment.trial

    def _agree(self, browser: Browser, label: str) -> HttpResponse:
        version = self._trial.consents.latest("version").version
        agreed = {"version": version, "agree": "on"}
        return browser.post(self.address(label, "join_agree"), agreed)

    def _look(self, browser: Browser, label: str, what: str) -> None:
        """Report a kind of arrival (``what``) as the script on the page would."""
        address, answers = self.address(label, "join_arrived"), [HTTPStatus.NO_CONTENT]
        browser.post(address, {"what": what}, answers)

    def _check_places(self, label: str, wanted: int) -> None:
        if Arrival.objects.filter(trial=self._trial, label=label).count() != wanted:
            raise RehearsalFailed(f"{label}: should have {wanted} places")

    def _check_outcome(self, page: HttpResponse, label: str, outcome: str) -> None:
        shown = read_outcome(page)
        if shown != CODES.get(outcome, "").replace(f"{{{LABEL}}}", label):
            raise RehearsalFailed(f"{label}: the page shows {shown!r} instead of {outcome!r}")
        self.outcome_pages += bool(outcome)


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
        open_recruitment(trial, recruit)
    return open_trial(trial=trial)


@dataclass
class Rehearsal:
    people: Sequence[BotPlayer]
    open_link: OpenLink | None = None
    late: BotPlayer | None = None

    @property
    def strangers(self) -> Sequence[BotPlayer]:
        return [person for person in self.people if person.participant.recruited]

    @property
    def dropouts(self) -> Sequence[BotPlayer]:
        return [person for person in self.people if person.gone and person is not self.late]

    @property
    def returned(self) -> int:
        return sum(person.returned for person in self.people)

    @property
    def summary(self) -> str:
        stayed = len(self.people) - len(self.dropouts) - bool(self.late)
        summary = (
            f"{len(self.people)} bots joined: {stayed} played all their games,"
            f" {len(self.dropouts)} stopped during a game, {bool(self.late):d} ran out of"
            f" time. {self.returned} left the device and continued in another browser."
        )
        if link := self.open_link:
            summary += (
                f"\n{len(self.strangers)} bots came by the open link, one of them in two windows"
                f" at once; {link.declined} more declined, {link.sent_away} found no place left."
                f" All {link.outcome_pages} pages with an outcome showed the right outcome."
            )
        return summary


def rehearse(
    trial: Trial,
    advisor: Advisor,
    seed: int,
    progress: Progress | None = None,
    *,
    effect: float = COACHED,
    dropouts: float = 0.0,
) -> Rehearsal:
    """Let all bots play their games in turns, check their outcomes, and close the trial."""
    days = trial.follow_up_days
    rehearsal = _join_bots(trial, advisor, seed, effect)
    _choose_fates(rehearsal, dropouts, Random(f"{seed}:fates"))  # noqa: S311
    _play(rehearsal, progress)
    _check_ends(rehearsal)
    Trial.objects.filter(pk=trial.pk).update(follow_up_days=days)
    trial.refresh_from_db()
    close_trial(trial=trial)
    return rehearsal


def _join_bots(trial: Trial, advisor: Advisor, seed: int, effect: float) -> Rehearsal:
    """Let the bots join, first by personal links, then by the open link. Two more bots open that
    link: one declines, one is turned away. The last bot will exceed the time limit."""
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
        link.bring(f"bot-{number}", bot, advisor, twice=number == 1)
        for number, bot in enumerate(everybody[trial.places :], start=1)
    ]
    for person in strangers:
        person.be_asked()
    link.send_away("bot-without-place")
    late = strangers[-1] if len(strangers) > 1 else None
    return Rehearsal([*people, *strangers], link, late)


def _choose_fates(rehearsal: Rehearsal, dropouts: float, random: Random) -> None:
    """Choose the bots that leave and return, and those that stop for good (never the late bot)."""
    for person in (rehearsal.people[0], *rehearsal.strangers[:1]):
        person.fate = Fate(returns_in=1)
    may_drop = [person for person in rehearsal.people if person is not rehearsal.late]
    wanted = min(round(dropouts * len(rehearsal.people)), len(may_drop))
    for person in random.sample(may_drop, wanted):
        last = random.randint(1, person.games)
        person.fate = Fate(person.fate.returns_in, drops_in=last)


def _play(rehearsal: Rehearsal, progress: Progress | None) -> None:
    for done, (number, person) in enumerate(_yield_turns(rehearsal.people), start=1):
        first_sitting = person.games - person.participant.trial.games_follow_up
        late = person is rehearsal.late and 2 * number > first_sitting
        if late and rehearsal.open_link and not person.gone:
            rehearsal.open_link.be_late(person)
        if not person.gone:
            person.play(number)
        if progress:
            progress(done, sum(person.games for person in rehearsal.people))


def _yield_turns(people: Sequence[BotPlayer]) -> Iterator[tuple[int, BotPlayer]]:
    """Yield (game number, bot): the first games of all bots, then the second games of all bots, and
    so on. A bot's number of games is known only after its arm is drawn."""
    for number in count(1):
        playing = [person for person in people if number <= person.games]
        if not playing:
            return
        yield from ((number, person) for person in playing)


def _check_ends(rehearsal: Rehearsal) -> None:
    """Check the outcome that each bot of the open link sees. Bots that stopped see no outcome."""
    for person in rehearsal.strangers if rehearsal.open_link else ():
        outcome = "" if person.gone else "complete"
        if person is rehearsal.late:
            outcome = "timed_out"
        if rehearsal.open_link:
            rehearsal.open_link.check_end(person, outcome)
