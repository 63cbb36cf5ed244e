"""Runs a rehearsal: bots join a trial by its links, play all games, and check pages.

A rehearsal is a separate trial that is marked as a rehearsal, so bots never mix with people.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import count
from random import Random
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from game.trials.design.consent import Texts, store_texts
from game.trials.design.people import find_recruitment
from game.trials.design.writing import close_trial, create_trial, open_trial
from game.trials.joining.answering import store_questions
from game.trials.joining.links import make_link_path
from game.trials.joining.recruiting import store_recruitment
from game.trials.models import Participant, Recruitment, Trial
from game.trials.rehearsal.playing import COACHED, BotPlayer, Browser, Fate, Pupil
from solver.advice import Advisor
from solver.dp.sweep import Progress
from solver.players.erring import make_bots

LABEL = "PROLIFIC_PID"


def open_recruitment(trial: Trial, quota: int) -> Recruitment:
    labels = f"{LABEL} STUDY_ID SESSION_ID"
    return store_recruitment(trial=trial, open=True, quota=quota, labels=labels)


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
        open_recruitment(trial, recruit)
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
