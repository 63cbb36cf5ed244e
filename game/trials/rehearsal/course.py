"""A trial rehearsed with bots, from the first that comes to the last game.

A rehearsal is a trial of its own, marked as one, so that bots are never mixed with people.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any

from game.models import Trial
from game.trials.design.people import recruitment_of
from game.trials.design.texts import Texts, texts_set
from game.trials.design.writing import trial_close, trial_create, trial_open
from game.trials.joining.answering import trial_ask
from game.trials.joining.links import path_of
from game.trials.rehearsal.browser import Browser
from game.trials.rehearsal.playing import COACHED, BotPlayer, Fate, Pupil
from game.trials.rehearsal.strangers import OpenLink, recruiting
from solver.advice import Advisor
from solver.dp.sweep import Progress
from solver.players.erring import bots


def rehearsal_create(
    *,
    slug: str,
    consent: str,
    questions: str = "",
    texts: Texts | None = None,
    recruit: int = 0,
    **wanted: Any,
) -> Trial:
    """Open at once: its participants wait for nobody."""
    trial = trial_create(consent=consent, slug=slug, rehearsal=True, **wanted)
    trial = texts_set(trial=trial, texts=texts or {})
    trial_ask(trial=trial, text=questions)
    if recruit:
        recruiting(trial, recruit)
    return trial_open(trial=trial)


@dataclass
class Rehearsal:
    """Who came, and what became of them."""

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
        """Who came and how it ended for them."""
        stayed = len(self.people) - len(self.dropouts) - bool(self.late)
        told = (
            f"{len(self.people)} bots came; {stayed} played all their games,"
            f" {len(self.dropouts)} stopped in the middle of one, {bool(self.late):d} ran out of"
            f" time. {self.returned} left the device and went on in another browser."
        )
        if link := self.open_link:
            told += (
                f"\nBy the open link came {len(self.strangers)}, one of them in two windows at"
                f" once; {link.declined} more declined, {link.sent_away} found no place left. All"
                f" {link.told} pages that name an outcome named the right one."
            )
        return told


def rehearse(
    trial: Trial,
    advisor: Advisor,
    seed: int,
    progress: Progress | None = None,
    *,
    effect: float = COACHED,
    dropouts: float = 0.0,
) -> Rehearsal:
    """Every bot plays its games, in turns; then the trial is closed."""
    days = trial.follow_up_days
    rehearsal = _gathered(trial, advisor, seed, effect)
    _fates(rehearsal, dropouts, Random(f"{seed}:fates"))  # noqa: S311
    _play(rehearsal, progress)
    _check_ends(rehearsal)
    Trial.objects.filter(pk=trial.pk).update(follow_up_days=days)
    trial.refresh_from_db()
    trial_close(trial=trial)
    return rehearsal


def _gathered(trial: Trial, advisor: Advisor, seed: int, effect: float) -> Rehearsal:
    """Those with a link of their own, then those by the open one, of whom one has no consent to
    give and one comes too late for a place."""
    found = recruitment_of(trial)
    quota = found.quota if found else 0
    everybody = [Pupil(bot, effect) for bot in bots(trial.places + quota, seed)]
    people = [
        BotPlayer(one, bot, advisor, path_of(one), Browser(one.label))
        for one, bot in zip(trial.participants.order_by("number"), everybody, strict=False)
    ]
    for person in people:
        person.join()
    if found is None:
        return Rehearsal(people)
    link = OpenLink(found)
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


def _fates(rehearsal: Rehearsal, dropouts: float, random: Random) -> None:
    """The first of either kind leaves and returns; any but the late one may stop for good."""
    for person in (rehearsal.people[0], *rehearsal.strangers[:1]):
        person.fate = Fate(returns_in=1)
    may_drop = [person for person in rehearsal.people if person is not rehearsal.late]
    wanted = min(round(dropouts * len(rehearsal.people)), len(may_drop))
    for person in random.sample(may_drop, wanted):
        last = random.randint(1, person.games)
        person.fate = Fate(person.fate.returns_in, drops_in=last)


def _play(rehearsal: Rehearsal, progress: Progress | None) -> None:
    for done, (number, person) in enumerate(_in_turns(rehearsal.people), start=1):
        first_sitting = person.games - person.participant.trial.games_follow_up
        late = person is rehearsal.late and 2 * number > first_sitting
        if late and rehearsal.open_link and not person.gone:
            rehearsal.open_link.be_late(person)
        if not person.gone:
            person.play(number)
        if progress:
            progress(done, sum(person.games for person in rehearsal.people))


def _in_turns(people: Sequence[BotPlayer]) -> Iterator[tuple[int, BotPlayer]]:
    """An arm may have fewer games than another, and how many that are is known when it is given."""
    for number in count(1):
        playing = [person for person in people if number <= person.games]
        if not playing:
            return
        yield from ((number, person) for person in playing)


def _check_ends(rehearsal: Rehearsal) -> None:
    """Whoever stopped is told nothing; the others are told whether they were in time."""
    for person in rehearsal.strangers if rehearsal.open_link else ():
        outcome = "" if person.gone else "complete"
        if person is rehearsal.late:
            outcome = "timed_out"
        if rehearsal.open_link:
            rehearsal.open_link.check_end(person, outcome)
