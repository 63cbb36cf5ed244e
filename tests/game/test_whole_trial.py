"""A trial of three arms from its plan to the files for everybody, with sixty people of all kinds.

All of them come by the open link in browsers without a script. Most play as people do; some leave
for good, go on in another one, ask a program for every move, are
ruled out, fail a check, say no, or withdraw in the end. What the files say is then worked out again
by the script beside them.
"""

import io
import json
from http import HTTPStatus
from pathlib import Path
from random import Random

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from game.trials.design.masking import unblind_trial
from game.trials.design.phases import ArmSettings
from game.trials.design.writing import close_trial, create_trial, open_trial
from game.trials.exports.files import export_now
from game.trials.exports.public import PublicBundle
from game.trials.joining.answering import store_questions
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.models import Arm, Participant, Trial
from game.trials.rehearsal import BotPlayer, Fate, OpenLink, Pupil, open_recruitment
from game.trials.results.exclusions import measure_quality
from game.trials.results.flow import build_flow
from solver.advice import Advisor
from solver.players.erring import Bot, make_bots
from tests.game.export_reference import every_fault
from tests.game.plans import preregister
from tests.game.test_rebuild import agrees, run
from tests.game.test_ways_out import GOOD, QUESTIONS
from tests.known import known
from tests.trials import CONSENT

pytestmark = [pytest.mark.nightly, pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
ARMS = (
    ArmSettings("silent"),
    ArmSettings("after", coach="after"),
    ArmSettings("live", coach="live"),
)
KINDS = {
    "plain": 36, "drops out": 6, "another device": 4, "cheats": 3,
    "withdraws": 2, "ruled out": 4, "fails": 3, "declines": 2,
}  # fmt: skip
OUT = {"ruled out": {"q-student": "no"}, "fails": {"q-throws": "4"}}
EFFECT = 0.3
SURE = 0.001  # points: a person who uses a program for every move


def planned() -> Trial:
    trial = create_trial(
        consent=CONSENT, slug="whole", title="The whole of it", places=1, ruleset="yatzy",
        arms=ARMS, games_before=1, games_each=2, games_after=2, questionnaire=False,
    )  # fmt: skip
    store_questions(trial=trial, text=QUESTIONS)
    open_recruitment(trial, sum(KINDS.values()))
    preregister(trial, exclusions={"failed_attention": True})
    return open_trial(trial=trial)


def people(link: OpenLink, advisor: Advisor) -> list[tuple[str, BotPlayer]]:
    kinds = [kind for kind, number in KINDS.items() for _ in range(number)]
    Random(3).shuffle(kinds)
    found = []
    for number, (kind, bot) in enumerate(
        zip(kinds, make_bots(len(kinds), 3), strict=True), start=1
    ):
        label = f"panel-{number}"
        if kind == "declines":
            link.decline(label)
            continue
        pupil = Pupil(Bot(SURE, bot.random) if kind == "cheats" else bot, EFFECT)
        person = link.bring(label, pupil, advisor)
        answers = {**GOOD, **OUT.get(kind, {})}
        person.browser.post(reverse("take_part_asked"), {"page": "before-1.0", **answers})
        found.append((kind, person))
    return found


def play(everybody: list[tuple[str, BotPlayer]]) -> None:
    for kind, person in everybody:
        if kind in OUT:
            person.browser.post(reverse("take_part_game"), answers=[HTTPStatus.CONFLICT])
            continue
        drops = 1 + person.participant.number % 5 if kind == "drops out" else 0
        person.fate = Fate(2 * (kind == "another device"), drops)
        number = 1
        while number <= person.games and not person.gone:
            person.play(number)
            number += 1
        if kind == "withdraws":
            withdraw_participant(participant=Participant.objects.get(pk=person.participant.pk))


def test_from_the_plan_to_the_files_for_everybody(advisor: Advisor, tmp_path: Path) -> None:
    told = io.StringIO()
    call_command(
        "trial_plan", "--json", "--arms", "3", "--baseline", "1", "--training", "2",
        "--test", "2", stdout=told,
    )  # fmt: skip
    assert json.loads(told.getvalue())
    trial = planned()
    everybody = people(OpenLink(known(trial.recruitment)), advisor)
    play(everybody)
    close_trial(trial=trial)
    trial.refresh_from_db()
    assert trial.masked, "not everybody has played to the end, as was to be waited for"
    trial = unblind_trial(trial=trial, reason="Nobody else comes back.")

    rows = build_flow(trial, timezone.now()).rows()
    flow = {step.step: step.people for arm, step in rows if not arm}
    assert flow["screened_out"] == KINDS["ruled out"]
    assert flow["failed_check"] == KINDS["fails"]
    drawn = [one for kind, one in everybody if kind not in OUT and one.fate.drops_in != 1]
    assert {arm.name for arm in Arm.objects.filter(trial=trial)} == {arm.name for arm in ARMS}
    assert Participant.objects.filter(trial=trial, arm__isnull=False).count() == len(drawn)

    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    export_now(trial).write(ours, ["csv"])
    assert every_fault(trial, ours) == []
    PublicBundle(export_now(trial)).write(theirs)
    for folder in (ours, theirs):
        assert agrees(run(folder), 300)
    cheats = {person.participant.pk for kind, person in everybody if kind == "cheats"}
    quality = measure_quality(trial, timezone.now())
    assert all(quality[key].chance for key in cheats)
