"""The results of a trial: their figures, their sentences, and who may see them."""

import json
from collections import Counter
from datetime import timedelta
from itertools import chain
from statistics import fmean
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from game.models import Game, Throw
from game.trials.design.writing import close_trial
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.models import Participant, Trial
from game.trials.results.results import calculate_results
from solver.advice import Advisor
from tests.game.trial_games import play_all
from tests.known import known
from tests.trials import joined, new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def finished(advisor: Advisor) -> Trial:
    trial = new_trial()
    play_all(trial, advisor)
    return trial


@pytest.fixture
def shared(advisor: Advisor) -> Trial:
    trial = new_trial(slug="shared", shared_dice=True, games_each=3)
    play_all(trial, advisor)
    return trial


def read_page(staff: Client, trial: Trial) -> str:
    return staff.get(f"/trials/{trial.slug}/results/").text


def games_of(trial: Trial) -> list[Game]:
    return list(
        Game.objects.filter(trial_game__participant__trial=trial, finished_at__isnull=False)
    )


def said(trial: Trial) -> str:
    return " ".join(chain.from_iterable(calculate_results(trial).sentences.values()))


# Figures


def test_the_skill_estimate_is_perfect_play_less_what_the_decisions_of_a_game_cost(
    finished: Trial, advisor: Advisor
) -> None:
    found, games = calculate_results(finished).games, games_of(finished)
    assert (found.games, found.judged, len(found.people)) == (6, 6, 3)
    cost = fmean(game.regret or 0.0 for game in games)
    assert known(found.cost).mean == pytest.approx(cost)
    assert known(found.score).mean == fmean(game.final_score or 0 for game in games)
    assert f"so the skill estimate is {advisor.value_start - cost:.1f}" in said(finished)
    assert [person.participant for person in found.people] == ["P01", "P02", "P03"]
    assert calculate_results(finished).dice == (), "seeds prove virtual dice"
    blind, half, open_game = games[:3]
    Game.objects.filter(pk=blind.pk).update(regret=None, luck=None)
    Game.objects.filter(pk=half.pk).update(regret=F("regret") / 2)
    ended = {"finished_at": None, "final_score": None, "bonus": None}
    Game.objects.filter(pk=open_game.pk).update(**ended)
    found = calculate_results(finished).games
    assert (found.games, found.judged) == (5, 3)
    assert "1 planned game is unfinished" in said(finished)


def test_whoever_has_withdrawn_is_in_no_figure(finished: Trial) -> None:
    withdraw_participant(participant=finished.participants.get(number=2))
    found = calculate_results(finished)
    assert [person.participant for person in found.games.people] == ["P01", "P03"]
    assert found.counts.planned == 4
    assert "unfinished" not in said(finished)


def test_facts_are_plain_data_without_a_code_a_seed_or_a_sentence(shared: Trial) -> None:
    text = json.dumps(calculate_results(shared).facts(), allow_nan=False)
    secrets = [shared.seed, *Participant.objects.values_list("code", flat=True)]
    secrets += Game.objects.values_list("seed", flat=True)
    assert not [secret for secret in secrets if secret in text]
    facts = json.loads(text)
    assert facts["games"]["games"] == 9
    assert facts["trial"]["slug"] == "shared"
    assert "sentences" not in text


def test_sittings_are_the_units_of_people_who_have_several(finished: Trial) -> None:
    assert calculate_results(finished).games.sittings is None
    for game in games_of(finished):
        began = game.started_at + timedelta(minutes=31) * game.trial_game.number
        Game.objects.filter(pk=game.pk).update(started_at=began, finished_at=began)
    assert calculate_results(finished).games.sittings == 6


def thrown(trial: Trial) -> Counter[int]:
    """Die by die: what lay on the table before, and which of it was held."""
    faces: Counter[int] = Counter()
    for throw in Throw.objects.filter(game__trial_game__participant__trial=trial):
        held = throw.game.decisions.get(seq=throw.seq).hold or 0
        faces.update(die for slot, die in enumerate(throw.dice) if not held >> slot & 1)
    return faces


def test_real_dice_are_those_that_were_thrown_and_the_last_entry_of_each(advisor: Advisor) -> None:
    trial = new_trial(dice="real", places=2)
    play_all(trial, advisor)
    expected = thrown(trial)
    first = Throw.objects.filter(game__trial_game__participant__trial=trial, seq=0)[0]
    Throw.objects.filter(pk=first.pk).update(number=1)
    first.pk, first.number, first.faces = None, 0, "66666"
    first.save(force_insert=True)
    (together,) = calculate_results(trial).dice
    assert together.counts == tuple(expected[face] for face in range(1, 7))
    assert f"The {sum(expected.values())} real dice that were typed in" in said(trial)


# Sentences


def lifted(trial: Trial, points: int) -> None:
    games = Game.objects.filter(trial_game__participant__trial=trial)
    games.update(final_score=F("final_score") + points, luck=F("luck") + points)


def test_a_mean_above_perfect_play_is_put_down_to_luck_and_not_to_skill(finished: Trial) -> None:
    before = known(calculate_results(finished).games.cost)
    lifted(finished, 90)
    assert known(calculate_results(finished).games.cost).mean == pytest.approx(before.mean)
    assert "above that of perfect play" in said(finished)
    assert "so this is luck" in said(finished)
    lifted(finished, -150)
    assert "below that of perfect play" in said(finished)


def test_an_open_trial_and_one_of_bots_say_so(finished: Trial, advisor: Advisor) -> None:
    assert "stop when you planned to" in said(finished)
    close_trial(trial=finished)
    finished.refresh_from_db()
    assert "stop when you planned to" not in said(finished)
    trial = new_trial(slug="bots", rehearsal=True)
    play_all(trial, advisor)
    assert "bots played, and nothing here is about people" in said(trial)


# Charts and the page


def test_every_chart_stands_alone_with_its_title(shared: Trial, staff: Client) -> None:
    page = read_page(staff, shared)
    assert page.count('class="chart"') == 3
    assert "P03" in page
    drawings = calculate_results(shared).drawings
    assert [drawing.name for drawing in drawings] == ["scores-in-tens", "skill", "learning"]
    for drawing in drawings:
        texts = [one.text for one in ElementTree.fromstring(drawing.alone).iter(f"{SVG}text")]
        assert drawing.title in texts
        on_a_page = ElementTree.fromstring(f"<figure>{drawing.svg}</figure>")  # wide and narrow
        shown = [one.text for one in on_a_page.iter(f"{SVG}text")]
        assert drawing.title not in shown


def test_many_people_are_a_line_by_rank_and_cost_no_more_queries(advisor: Advisor) -> None:
    asked = []
    for slug, places in (("few", 2), ("more", 14)):
        trial = new_trial(slug=slug, places=places)
        play_all(trial, advisor)
        with CaptureQueriesContext(connection) as queries:
            assert calculate_results(trial).facts()
        asked.append(len(queries))
    assert asked[0] == asked[1] <= 17
    chart = calculate_results(trial).charts["skill"].svg
    assert "participants, sorted by estimate" in chart
    assert ">P14<" not in chart


def test_a_site_without_a_table_shows_the_scores(
    staff: Client, finished: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not advisor itself: a module that is imported meanwhile would keep what it found.
    monkeypatch.setattr("game.core.worth.tables._known", {})
    monkeypatch.setattr("game.core.worth.tables._open_advisor", lambda rules: None)
    text = read_page(staff, finished)
    assert "The mean score is" in text
    assert "skill estimate is" not in text
    trial = new_trial(slug="empty")
    for number in (1, 2):
        assert "No game is finished yet" in read_page(staff, trial)
        joined(trial, number)
