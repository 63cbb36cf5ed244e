"""The results of a trial: their figures, their sentences, and who may see them."""

import json
from collections import Counter
from datetime import timedelta
from itertools import chain
from statistics import fmean
from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from game.coach import score_charts
from game.core.fair.blocks import block
from game.models import Decision, Game, Participant, Throw, Trial
from game.trials.design.writing import trial_close
from game.trials.joining.withdrawing import participant_withdraw
from game.trials.results import words
from game.trials.results.reading import Counted, perfect_score
from game.trials.results.report import results_of
from solver.advice import Advisor
from solver.statistics import inference
from solver.statistics.fairness import fairness
from solver.study.people import people
from tests.game.trial_games import play_all
from tests.known import known
from tests.play import joined, new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def finished(advisor: Advisor) -> Trial:
    """Three people, two games each."""
    trial = new_trial()
    play_all(trial, advisor)
    return trial


@pytest.fixture
def shared(advisor: Advisor) -> Trial:
    trial = new_trial(slug="shared", shared_dice=True, games_each=3)
    play_all(trial, advisor)
    return trial


def games_of(trial: Trial) -> list[Game]:
    return list(Game.objects.filter(participant__trial=trial, finished_at__isnull=False))


def page(staff: Client, trial: Trial) -> str:
    response = staff.get(f"/trials/{trial.slug}/results/")
    assert response.status_code == 200
    return response.text


def said(trial: Trial) -> str:
    return " ".join(chain.from_iterable(results_of(trial).sentences.values()))


# Figures


def test_the_skill_estimate_is_perfect_play_less_what_the_decisions_of_a_game_cost(
    finished: Trial, advisor: Advisor
) -> None:
    found = results_of(finished).analysis
    games = games_of(finished)
    assert (found.games, found.judged, len(found.people)) == (6, 6, 3)
    assert found.skill is not None
    assert found.raw is not None
    lost = fmean(game.regret or 0.0 for game in games)
    assert found.skill.mean == pytest.approx(advisor.value_start - lost)
    assert found.raw.mean == fmean(game.final_score or 0 for game in games)
    assert [person.participant for person in found.people] == ["P01", "P02", "P03"]


def test_what_was_lost_is_split_by_kind_and_by_box_without_remainder(finished: Trial) -> None:
    found = results_of(finished)
    lost = sum(game.regret or 0.0 for game in games_of(finished))
    judged = Decision.objects.filter(game__participant__trial=finished, regret__isnull=False)
    for losses in (found.kinds, found.boxes):
        assert sum(loss.points for loss in losses) == pytest.approx(lost)
        assert sum(loss.decisions for loss in losses) == judged.count()
    ones = judged.filter(category="ones").values_list("game", "turn")
    turns = [judged.filter(game=game, turn=turn) for game, turn in ones]
    cost = sum(sum(map(known, turn.values_list("regret", flat=True))) for turn in turns)
    assert next(loss for loss in found.boxes if loss.id == "ones").points == pytest.approx(cost)


def test_whoever_has_withdrawn_is_in_no_figure(finished: Trial) -> None:
    participant = finished.participants.get(number=2)
    participant_withdraw(participant=participant)
    found = results_of(finished)
    assert [person.participant for person in found.analysis.people] == ["P01", "P03"]
    assert (found.people.joined, found.people.withdrawn, found.planned) == (2, 1, 4)
    assert "1 participant has withdrawn" in said(finished)
    assert "not finished" not in said(finished)
    assert "some have played more games than others" not in said(finished)


def test_a_game_that_is_not_finished_counts_nowhere_and_is_told(finished: Trial) -> None:
    game = games_of(finished)[0]
    Game.objects.filter(pk=game.pk).update(finished_at=None, final_score=None, bonus=None)
    found = results_of(finished)
    assert (found.analysis.games, found.counted.games) == (5, 5)
    assert sum(loss.points for loss in found.boxes) == pytest.approx(
        sum(other.regret or 0.0 for other in games_of(finished))
    )
    assert "1 game of those who take part is not finished" in said(finished)
    assert "some have played more games than others" in said(finished)


def test_a_game_that_was_not_judged_counts_for_the_scores_alone(finished: Trial) -> None:
    blind, half = games_of(finished)[:2]
    Game.objects.filter(pk=blind.pk).update(regret=None, luck=None)
    Game.objects.filter(pk=half.pk).update(regret=F("regret") / 2)
    found = results_of(finished)
    assert (found.analysis.games, found.analysis.judged) == (6, 4)
    judged = [game for game in games_of(finished) if game.pk not in {blind.pk, half.pk}]
    lost = sum(game.regret or 0.0 for game in judged)
    assert sum(loss.points for loss in found.kinds) == pytest.approx(lost)
    assert "2 games were not judged from their first decision on" in said(finished)


def test_however_many_play_the_database_is_asked_as_often(advisor: Advisor) -> None:
    asked = []
    for slug, places in (("few", 2), ("more", 6)):
        trial = new_trial(slug=slug, places=places, shared_dice=True)
        play_all(trial, advisor)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert results_of(trial).facts()
        asked.append(len(queries))
    assert asked[0] == asked[1] <= 17  # one of them why it was unmasked


def test_facts_are_plain_data_without_a_code_or_a_seed(shared: Trial) -> None:
    text = json.dumps(results_of(shared).facts(), allow_nan=False)
    secrets = [shared.seed, *Participant.objects.values_list("code", flat=True)]
    secrets += Game.objects.values_list("seed", flat=True)
    assert not [secret for secret in secrets if secret in text]
    facts = json.loads(text)
    assert facts["games"] == 9
    assert facts["trial"]["slug"] == "shared"
    assert round(facts["study_against_perfect"]["statistic"], 2) == 2.42


# Shared dice


def test_perfect_play_on_the_same_dice_averages_what_it_is_worth(advisor: Advisor) -> None:
    found = [perfect_score(advisor, f"{number:064x}") for number in range(200)]
    assert abs(fmean(found) - advisor.value_start) < 3 * 38.5 / 200**0.5
    assert max(found) <= 374


def test_everybody_is_set_beside_perfect_play_on_their_own_dice(
    shared: Trial, advisor: Advisor
) -> None:
    found = results_of(shared).analysis
    seeds = dict(Game.objects.values_list("trial_number", "seed"))
    assert len(set(seeds.values())) == 3
    finals = Game.objects.filter(participant__number=2).values_list("trial_number", "final_score")
    less = [(score or 0) - perfect_score(advisor, seeds[number]) for number, score in finals]
    assert found.people[1].against_perfect == inference.interval(less)
    assert "on the very same dice" in said(shared)


def test_where_the_dice_are_not_shared_nobody_is_set_beside_the_others(finished: Trial) -> None:
    found = results_of(finished).analysis
    assert {person.against_others for person in found.people} == {None}
    assert {person.against_perfect for person in found.people} == {None}
    assert "same dice" not in said(finished)


# Dice


def test_virtual_dice_are_counted_once_however_many_played_with_them(shared: Trial) -> None:
    fallen = {
        (one.game.seed, one.turn, one.roll, slot)
        for one in Decision.objects.select_related("game").filter(hold__isnull=False)
        for slot in range(5)
        if not (one.hold or 0) >> slot & 1
    }
    dealt = {seed: block(seed, shared.rules) for seed, _turn, _roll, _slot in fallen}
    faces = Counter(dealt[seed][turn][roll][slot] for seed, turn, roll, slot in fallen)
    found = results_of(shared)
    assert found.counted.counts == tuple(faces[face] for face in range(1, 7))
    assert len(fallen) < 3 * 225  # not the whole cards
    assert (found.counted.games, found.counted.of) == (3, 3)
    assert f"the {len(fallen)} dice that were thrown on 3 cards, each die once" in said(shared)


def test_of_very_many_cards_only_some_are_counted_and_it_is_told(
    finished: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.trials.results.reading.MOST_BLOCKS", 2)
    dice = sum(results_of(finished).counted.counts)
    assert 2 * 75 < dice < 2 * 225
    assert f"Counted are the {dice} dice that were thrown on 2 of 6 cards" in said(finished)


def test_uneven_virtual_dice_are_chance_and_no_fault_of_the_typing(finished: Trial) -> None:
    counted = Counted([(200, 100, 100, 100, 100, 100)], 6, 6)
    text = " ".join(words.dice(fairness("dice", counted.counts), counted, real=False))
    assert "Fair dice are seldom so uneven" in text
    assert "as one test in twenty finds" in text
    real = " ".join(words.dice(fairness("dice", counted.counts), counted, real=True))
    assert "one test in twenty" not in real
    even = Counted([(100,) * 6], 6, 6)
    fair = " ".join(words.dice(fairness("dice", even.counts), even, real=False))
    assert "say nothing against fair dice" in fair
    assert "one test in twenty" not in fair


def thrown(trial: Trial) -> Counter[int]:
    """Die by die: what lay on the table before, and which of it was held."""
    faces: Counter[int] = Counter()
    for throw in Throw.objects.filter(game__participant__trial=trial):
        held = throw.game.decisions.get(seq=throw.seq).hold or 0
        faces.update(die for slot, die in enumerate(throw.dice) if not held >> slot & 1)
    return faces


def test_real_dice_are_those_that_were_thrown_and_the_last_entry_of_each(advisor: Advisor) -> None:
    trial = new_trial(dice="real", places=2)
    play_all(trial, advisor)
    expected = thrown(trial)
    first = Throw.objects.filter(game__participant__trial=trial, seq=0)[0]
    Throw.objects.filter(pk=first.pk).update(number=1)
    first.pk, first.number, first.faces = None, 0, "66666"
    first.save(force_insert=True)
    found = results_of(trial)
    assert found.counted.counts == tuple(expected[face] for face in range(1, 7))
    assert sum(expected.values()) < 5 * Throw.objects.count()
    assert "dice were thrown in 4 games, as they were typed in" in said(trial)


# Sentences


def lifted(trial: Trial, points: int) -> None:
    """Luckier by so much in every game."""
    games = Game.objects.filter(participant__trial=trial)
    games.update(final_score=F("final_score") + points, luck=F("luck") + points)


def test_a_mean_above_perfect_play_is_put_down_to_luck_and_not_to_skill(finished: Trial) -> None:
    before = results_of(finished).analysis.skill
    lifted(finished, 90)
    found = results_of(finished).analysis
    assert found.raw is not None
    assert found.skill is not None
    assert before is not None
    assert found.raw.mean > 280 > 248 > found.skill.mean
    assert found.skill.mean == pytest.approx(before.mean)
    text = said(finished)
    assert "Nobody can play better than that in the long run, so skill does not explain it" in text
    assert "So much luck, good or bad, is seldom" in text


def test_a_mean_a_little_above_perfect_play_is_what_luck_often_brings(finished: Trial) -> None:
    mean = fmean(game.final_score or 0 for game in games_of(finished))
    lifted(finished, round(255 - mean))
    assert "no more than luck often brings" in said(finished)


def test_a_mean_far_below_perfect_play_is_no_bad_luck(finished: Trial) -> None:
    lifted(finished, -60)
    assert "more than bad luck explains" in said(finished)


def test_without_a_mistake_there_is_none_to_tell_of(finished: Trial) -> None:
    Game.objects.filter(participant__trial=finished).update(
        luck=F("luck") - F("regret"), regret=0.0
    )
    assert "every one of these games was played perfectly" in said(finished)


def test_a_range_that_is_wider_is_not_called_so_many_times_as_narrow(
    finished: Trial, advisor: Advisor
) -> None:
    """Where mistakes vary more than scores do, leaving out the luck makes nothing surer."""
    for at, game in enumerate(games_of(finished)):
        score, lost = 200 + at, 10.0 * at**2
        luck = score - advisor.value_start + lost
        Game.objects.filter(pk=game.pk).update(final_score=score, regret=lost, luck=luck)
    narrower = results_of(finished).analysis.narrower
    assert narrower is not None
    assert narrower < 1
    assert "times as narrow" not in said(finished)


def test_a_range_without_the_luck_is_so_many_times_as_narrow(finished: Trial) -> None:
    narrower = results_of(finished).analysis.narrower
    assert narrower is not None
    assert narrower > 1
    text = said(finished)
    assert f"For these people this range is {narrower:.1f} times as narrow" in text
    others = known(results_of(finished).analysis.narrower_like_these)
    assert f"That range is {others:.1f} times as narrow as the one by scores" in text


def test_learning_is_told_with_its_range_and_only_where_it_shows(advisor: Advisor) -> None:
    trial = new_trial(places=2, games_each=8)
    play_all(trial, advisor)
    for game in games_of(trial):
        lost = 50.0 - 4 * (game.trial_number or 0) + len(game.pk) % 3
        luck = (game.final_score or 0) - advisor.value_start + lost
        Game.objects.filter(pk=game.pk).update(regret=lost, luck=luck)
    Game.objects.filter(trial_number=3).update(regret=F("regret") + 1, luck=F("luck") + 1)
    assert "They learn: from one game to the next, decisions cost 4." in said(trial)
    Game.objects.filter(participant__trial=trial, trial_number__lt=8).delete()
    assert "too few games to tell whether anybody learns" in said(trial)


def learnt(trial: Trial, advisor: Advisor) -> None:
    """Half of what can be learnt is learnt in three games."""
    for game in games_of(trial):
        lost = 20.0 + 40 * 0.5 ** (((game.trial_number or 1) - 1) / 3) + len(game.pk) % 3
        luck = (game.final_score or 0) - advisor.value_start + lost + (game.trial_number or 0) % 2
        Game.objects.filter(pk=game.pk).update(
            regret=lost + (game.trial_number or 0) % 2, luck=luck
        )


def test_of_people_who_learn_the_games_played_are_told_from_the_next_ones(
    advisor: Advisor,
) -> None:
    trial = new_trial(places=2, games_each=8)
    play_all(trial, advisor)
    learnt(trial, advisor)
    text = said(trial)
    assert "If these participants went on" not in text
    assert "That is about the games played, not about the next ones" in text


def test_where_nobody_learns_going_on_means_as_in_these_games(finished: Trial) -> None:
    text = said(finished)
    assert "If these participants went on playing as they did in these games" in text


def test_unequal_games_have_two_named_means_and_that_of_people_comes_first(
    staff: Client, finished: Trial
) -> None:
    assert "The mean score is" in said(finished)
    Game.objects.filter(participant__number=1, trial_number=2).delete()
    raw = known(results_of(finished).analysis.raw)
    assert raw.of_people != pytest.approx(raw.mean)
    told = f"own means is {raw.of_people:.1f}, that of all games {raw.mean:.1f}"
    assert told in said(finished)
    html = page(staff, finished)
    assert html.index("Mean of the participants") < html.index("Mean of all games")


def test_the_ranges_on_the_tiles_say_what_they_cover(staff: Client, finished: Trial) -> None:
    html = page(staff, finished)
    assert "for these people, in games like these</small>" in html
    assert "for people like these</small>" in html


def test_sittings_are_told_or_that_nothing_is_known_of_them(finished: Trial) -> None:
    assert "take games to be independent. If somebody's level moves" in said(finished)
    for game in games_of(finished):
        began = game.started_at + timedelta(minutes=31) * (game.trial_number or 0)
        Game.objects.filter(pk=game.pk).update(started_at=began, finished_at=began)
    text = said(finished)
    assert "Games less than 30 minutes apart are one sitting, of which there are 6" in text
    assert "take games to be independent." not in text


def test_one_statistic_has_one_p_on_every_page(finished: Trial) -> None:
    found = known(results_of(finished).study_against_perfect)
    assert f"p = {found.p:.3f}".replace(" ", "\N{NO-BREAK SPACE}") in said(finished)
    exact = score_charts.perfect(finished.rules)
    if exact is not None:
        assert people(exact).above.p == pytest.approx(found.p, abs=5e-4)


def test_a_single_game_says_next_to_nothing_and_that_is_what_is_said(advisor: Advisor) -> None:
    trial = new_trial(places=1)
    play_all(trial, advisor, games=1)
    text = said(trial)
    assert "too few games to tell how far" in text
    assert "nan" not in text.lower().split()


def test_an_open_trial_warns_of_stopping_when_the_numbers_please(finished: Trial) -> None:
    assert "stops when the numbers please" in said(finished)
    trial_close(trial=finished)
    finished.refresh_from_db()
    assert "stops when the numbers please" not in said(finished)


def test_bots_are_never_taken_for_people(advisor: Advisor) -> None:
    trial = new_trial(rehearsal=True)
    play_all(trial, advisor)
    assert "its participants are bots, and nothing here is about people" in said(trial)


# Charts and the page


def test_every_chart_stands_alone_with_its_title(shared: Trial) -> None:
    drawings = results_of(shared).drawings
    assert [drawing.name for drawing in drawings] == [
        *("scores-in-tens", "scores", "skill", "learning", "lost-by-kind", "lost-by-box"),
    ]
    for drawing in drawings:
        texts = [one.text for one in ElementTree.fromstring(drawing.alone).iter(f"{SVG}text")]
        assert drawing.title in texts
        on_a_page = ElementTree.fromstring(f"<figure>{drawing.svg}</figure>")  # wide and narrow
        shown = [one.text for one in on_a_page.iter(f"{SVG}text")]
        assert drawing.title not in shown


def test_more_participants_than_have_room_for_names_are_a_line_by_rank(advisor: Advisor) -> None:
    trial = new_trial(places=14)
    play_all(trial, advisor)
    chart = results_of(trial).charts["skill"].svg
    assert "participants, by their estimate" in chart
    assert ">P14<" not in chart


def test_the_page_shows_every_part(staff: Client, shared: Trial) -> None:
    text = page(staff, shared)
    for heading in ("What these games tell", "Participants", "Where points are lost", "Learning"):
        assert heading in text
    assert text.count('class="chart"') == 6
    assert "The published study&#x27;s people" in text
    assert "P03" in text
    assert "Next to perfect play" in text


def test_a_site_without_a_table_shows_the_scores(
    staff: Client, finished: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not advisor itself: a module that is imported meanwhile would keep what it found.
    monkeypatch.setattr("game.core.worth.tables._known", {})
    monkeypatch.setattr("game.core.worth.tables._opened", lambda rules: None)
    text = page(staff, finished)
    assert "were not judged, so skill and luck stay mixed" in text
    assert "Where points are lost" not in text


def test_a_trial_that_nobody_has_played_in_has_a_page(staff: Client) -> None:
    trial = new_trial()
    assert "No game is finished yet" in page(staff, trial)
    joined(trial)
    assert "No game is finished yet" in page(staff, trial)


def test_results_are_for_the_staff(client: Client, finished: Trial) -> None:
    url = f"/trials/{finished.slug}/results/"
    assert client.get(url).headers["Location"].startswith("/account/login/")
    client.force_login(User.objects.create_user("player"))
    assert client.get(url).status_code == 403


def test_no_page_of_results_names_a_code(staff: Client, finished: Trial) -> None:
    text = page(staff, finished)
    assert not [one for one in finished.participants.all() if one.code in text]
