"""A trial with arms: which rows are compared, what the page says of them, and what is exported."""

import json
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest
from django.db import connection
from django.db.models import Sum
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from game.models import Decision, Game, Participant, Preregistration, Trial
from game.models.publication import canonical
from game.models.trial import MOST_GAMES
from game.trials.design.phases import ArmSettings, permuted, seed_of
from game.trials.design.reading import next_game
from game.trials.exports.files import export_now
from game.trials.joining.withdrawing import participant_withdraw
from game.trials.joining.writing import participant_draw
from game.trials.results.arm_results import (
    ArmResults,
    arm_data,
    arm_design,
    arm_games,
    arm_people,
    arm_results_of,
)
from game.trials.results.planned import planned_of
from game.trials.results.preregistration import preregistration_save
from game.trials.results.preregistration_form import PreregistrationForm
from game.trials.results.report import results_of
from solver.advice import Advisor
from solver.players.erring import bots
from solver.statistics.estimating import Estimand, answered
from tests.game.export_reference import every_fault
from tests.game.plans import preregister
from tests.game.trial_games import played_out
from tests.known import known
from tests.play import drawn, joined, new_trial, researcher_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
TWO = (ArmSettings("off"), ArmSettings("coached", coach="after"))


def armed(advisor: Advisor, games: int | None = None, **settings: Any) -> Trial:
    """Everybody plays so many games of their plan, or all."""
    wanted: dict[str, Any] = {"arms": TWO, "places": 8, "games_before": 1, "games_after": 1}
    trial = new_trial(**wanted | {"games_each": 1, "slug": "armed"} | settings)
    play_armed(trial, advisor, games)
    return trial


def play_armed(trial: Trial, advisor: Advisor, games: int | None = None) -> None:
    people = [joined(trial, number) for number in range(1, trial.places + 1)]
    for participant, bot in zip(people, bots(trial.places, 1), strict=True):
        for number in range(1, (games or MOST_GAMES) + 1):
            participant = participant_draw(participant=participant)
            following = next_game(participant)
            if following is None:
                break
            game = played_out(participant, bot, advisor, number)
            Game.objects.filter(pk=game.pk).update(arm=following.arm, phase=following.phase)


@pytest.fixture
def trial(advisor: Advisor) -> Trial:
    return armed(advisor)


def now() -> datetime:
    return timezone.now() + timedelta(days=1)


def arms_of(trial: Trial) -> ArmResults:
    return known(results_of(trial).arms)


# Rows


def test_a_trial_of_one_group_has_nothing_to_compare() -> None:
    plain = new_trial(slug="plain")
    assert arm_design(plain) is None
    assert results_of(plain).arms is None


def test_a_row_a_game_as_it_was_dealt_and_as_it_ended(trial: Trial) -> None:
    rows = list(arm_games(trial, now()))
    stored = Game.objects.filter(participant__trial=trial)
    games = {(known(game.participant).label, game.trial_number): game for game in stored}
    assert len(rows) == len(games) == 24
    for row in rows:
        game = games[row.person, row.number]
        assert (row.arm, row.phase) == (known(game.arm).name, game.phase)
        assert (row.score, row.decisions) == (game.final_score, game.free_decisions)
        assert row.regret == pytest.approx(game.regret)
        assert (row.deal, row.finished) == (game.seed, True)


def test_a_game_under_way_has_what_its_decisions_cost_and_no_score(trial: Trial) -> None:
    game = known(Game.objects.filter(participant__trial=trial).first())
    game.decisions.filter(seq__gt=10).delete()
    Game.objects.filter(pk=game.pk).update(finished_at=None, final_score=None, bonus=None)
    row = next(row for row in arm_games(trial, now()) if not row.finished)
    free = game.decisions.filter(regret__isnull=False, forced=False)
    assert row.score is None
    assert row.decisions == free.count()
    assert row.regret == pytest.approx(free.aggregate(cost=Sum("regret"))["cost"])


def test_a_game_that_was_not_judged_throughout_has_no_cost(trial: Trial) -> None:
    game = known(Game.objects.filter(participant__trial=trial).first())
    one = known(game.decisions.filter(roll=2).first())
    Decision.objects.filter(pk=one.pk).update(regret=None)
    blind = [row for row in arm_games(trial, now()) if row.regret is None]
    assert [(row.deal, row.decisions) for row in blind] == [(game.seed, None)]


def test_everybody_is_in_the_block_of_the_sealed_list(advisor: Advisor) -> None:
    trial = new_trial(arms=TWO, places=30, games_each=1)
    for number in range(30, 0, -1):
        drawn(trial, number)
    people = {one.person: one for one in arm_people(trial, now())}
    by_draw = [people[one.label] for one in trial.participants.order_by("draw")]
    blocks = [list(block) for _name, block in groupby(by_draw, key=lambda one: one.block)]
    seed = seed_of(trial.seed)
    for number, block in enumerate(blocks[:-1]):
        wanted = [TWO[arm].name for arm in permuted(seed, "", number, 2)]
        assert [one.arm for one in block] == wanted
    assert len({one.block for one in by_draw}) == len(blocks)
    assert {one.planned for one in by_draw} == {1}


def test_whoever_withdrew_is_counted_as_lost_and_is_in_nothing_else(trial: Trial) -> None:
    gone = known(trial.participants.filter(arm__name="coached").first())
    participant_withdraw(participant=gone)
    assert gone.label not in {row.person for row in arm_games(trial, now())}
    off, coached = arms_of(trial).analysis.dropouts.arms
    assert (off.given - off.ended, coached.given - coached.ended) == (0, 1)


def test_the_database_is_asked_as_often_however_many_play(advisor: Advisor) -> None:
    asked = []
    for slug, places in (("few", 4), ("more", 8)):
        trial = armed(advisor, slug=slug, places=places)
        with CaptureQueriesContext(connection) as queries:
            arms_of(trial)
        asked.append(len(queries))
    assert asked[0] == asked[1]


# What is said


def test_the_main_difference_is_that_of_the_games_afterwards(trial: Trial) -> None:
    found = arms_of(trial)
    main = known(found.analysis.main)
    assert (main.phase, main.measure) == ("after", "cost_a_decision")
    (pair,) = main.comparisons
    of = {one.person: one.arm for one in arm_people(trial, now())}
    given = Counter(of.values())  # by lot: nearly as many in one as in the other
    assert (pair.arm, pair.beside) == ("coached", "off")
    assert pair.people == (given["coached"], given["off"])
    after = [row for row in arm_games(trial, now()) if row.phase == "after"]
    coached = [known(r.regret) / known(r.decisions) for r in after if of[r.person] == "coached"]
    assert pair.means[0] == pytest.approx(sum(coached) / len(coached))
    said = " ".join(found.sentences["main"])
    assert said.startswith("Afterwards, points lost a decision: “coached” less “off” is ")
    assert "They are different." in said or "That is undecided" in said
    assert "“coached”" in said
    assert "games before" in " ".join(found.sentences["about"])


def test_people_who_play_every_arm_are_compared_with_themselves(advisor: Advisor) -> None:
    trial = armed(advisor, slug="within", design="within", games_before=0, games_after=0)
    found = arms_of(trial)
    assert {one.arm for one in arm_people(trial, now())} == {"off → coached", "coached → off"}
    (pair,) = known(found.analysis.main).comparisons
    assert pair.people == (8, 8)
    assert "in an order drawn by lot" in " ".join(found.sentences["about"])


def test_phases_without_arms_have_no_difference_and_tell_who_stayed(advisor: Advisor) -> None:
    trial = armed(advisor, slug="phases", arms=(), places=3)
    found = arms_of(trial)
    assert not found.several
    assert found.sentences["main"] == []
    assert found.sentences["dropouts"] == ["Nobody has left: all have played what was planned."]


def test_before_the_arms_began_people_are_described_and_not_tested(trial: Trial) -> None:
    found = known(arm_results_of(trial, timezone.now()))
    before = [line for line in found.phases if "SD" in line.mean]
    assert [line.p or line.difference or line.these or line.others for line in before] == [""] * 6
    assert all(line.p for line in found.phases if line.arm == "coached" and line not in before)
    scores = {
        arm.name: [
            known(game.final_score)
            for game in Game.objects.filter(phase="before", participant__arm=arm)
        ]
        for arm in trial.arms.all()
    }
    told = {line.arm: line.mean for line in before[-2:]}
    for name, of in scores.items():
        assert told[name] == f"{mean(of):.1f} (SD {stdev(of):.1f})"
    (first, *_) = found.sentences["phases"]
    assert first.startswith("Before the arms began people are described and not compared")


# The page and the files


def test_the_page_says_the_difference_first(trial: Trial, client: Client) -> None:
    user = researcher_user("researcher")
    client.force_login(user)
    page = client.get("/trials/armed/results/").text
    assert page.index("What the arms tell") < page.index("What these games tell")
    for title in ("The arms, phase by phase", "Who stayed"):
        assert title in page
    assert "Arms were drawn by lot" in page
    assert page.count('class="chart') >= 2
    assert 'style="' not in page.split("<main")[1].replace('<svg style="', "")


def test_a_trial_that_nobody_has_finished_a_game_of_has_a_page(client: Client) -> None:
    user = researcher_user("researcher")
    client.force_login(user)
    new_trial(slug="fresh", arms=TWO, games_after=1)
    page = client.get("/trials/fresh/results/").text
    assert "No game of the phase that the arms are compared in is finished yet." in page


def test_the_bundle_has_the_figures_and_the_charts_of_the_arms(
    trial: Trial, tmp_path: Path
) -> None:
    export_now(trial).write(tmp_path / "out", formats=["csv"])
    told = json.loads((tmp_path / "out" / "statistics.json").read_text())
    assert told["arms"]["main"]["comparisons"][0]["arm"] == "coached"
    assert told["arms"]["sentences"]["main"]
    assert (tmp_path / "out" / "charts" / "arms-phases.svg").stat().st_size
    assert "What the arms tell" in (tmp_path / "out" / "report.html").read_text()
    assert every_fault(trial, tmp_path / "out") == []


def test_participants_without_an_arm_yet_are_no_dropouts(advisor: Advisor) -> None:
    trial = new_trial(arms=TWO, places=4, games_each=1, stratify_by="experience")
    joined(trial, 1)
    assert arm_people(trial, now()) == []
    assert Participant.objects.filter(trial=trial, arm__isnull=False).count() == 0


def test_arms_of_other_rules_are_not_said_to_be_what_a_coach_does(trial: Trial) -> None:
    said = "The arms play by different rules"
    assert said not in " ".join(arms_of(trial).sentences["about"])
    trial.arms.filter(name="coached").update(ruleset="yahtzee")
    assert said in " ".join(arms_of(trial).sentences["about"])


# Planned


@pytest.mark.parametrize(
    ("outcome", "words"), [("cost", "points lost a game"), ("score", "final score")]
)
def test_a_planned_difference_is_that_of_the_results_without_whom_a_rule_names(
    advisor: Advisor, outcome: str, words: str
) -> None:
    trial = new_trial(arms=TWO, places=8, games_each=1, slug="planned")
    plan = {"outcome": outcome, "analyses": ["between_arms"], "exclusions": {"practised": True}}
    facts = {"hypotheses": "The coach helps.", "stopping": "everybody", **plan}
    preregister(trial, **facts)
    play_armed(trial, advisor)
    same = pytest.approx(difference(trial, outcome), rel=1e-12)
    assert planned_difference(trial, words) == same
    left = known(trial.participants.order_by("number").first())
    answers = {"strategy": Participant.Strategy.PROGRAM, "answered_at": timezone.now()}
    Participant.objects.filter(pk=left.pk).update(**answers)
    found = arm_results_of(trial, now(), [left.label])
    without = pytest.approx(pair_of(known(found), outcome), rel=1e-12)
    assert planned_difference(trial, words) == without
    assert planned_difference(trial, words) != same


def planned_difference(trial: Trial, words: str) -> float | None:
    (answer,) = known(planned_of(trial, now())).answers
    sentence, _verdict = answer.finding.sentences
    assert words in sentence
    return answer.finding.figures["coached beside off: mean"]


def difference(trial: Trial, outcome: str) -> float:
    return pair_of(arms_of(trial), outcome)


def pair_of(found: ArmResults, outcome: str) -> float:
    (of,) = (one for one in found.analysis.phases if one.measure == outcome)
    return of.comparisons[0].difference


def test_the_planned_comparison_is_the_locked_estimand_and_nothing_else(advisor: Advisor) -> None:
    trial = new_trial(arms=(*TWO, ArmSettings("live", coach="live")), places=12, games_each=1)
    asked = Estimand(
        pairs="chosen", chosen=("live", "coached"), direction="less", smallest=400.0,
        covariate="none", test="welch", multiplicity="holm", missing="worst",
    )  # fmt: skip
    facts = {"outcome": "score", "analyses": ["between_arms"], "estimand": asked.facts()}
    of = preregister(trial, **facts)
    asked = replace(asked, measure="score")
    assert of.locked["estimand"] == asked.facts()
    assert "“live” beside “coached”" in of.locked["words"]["estimand"]
    play_armed(trial, advisor)
    data = known(arm_data(trial, now()))
    (pair,) = answered(asked, data.games, data.people, data.design).pairs
    found = known(planned_of(trial, now()))
    figures = found.answers[0].finding.figures
    assert figures["live beside coached: mean"] == pair.estimate
    assert figures["live beside coached: low"] is None
    assert figures["live beside coached: p"] == pair.p
    said = " ".join(found.answers[0].finding.sentences)
    assert "at most" in said
    assert "They are equivalent" in said
    assert found.facts()["estimand"] == asked.facts()
    drafted = Preregistration.objects.filter(trial=trial)
    drafted.update(estimand={})  # what is carried out is what was locked
    assert known(planned_of(trial, now())).estimand == asked


def test_what_was_locked_before_there_were_estimands_is_done_as_it_was(advisor: Advisor) -> None:
    """Every arm beside the first by its own lots, p after Holm, the range each for itself."""
    trial = new_trial(arms=(*TWO, ArmSettings("live", coach="live")), places=18, games_each=1)
    facts = {"outcome": "cost", "analyses": ["between_arms"], "exclusions": {}}
    of = preregister(trial, **facts)
    old = {name: one for name, one in of.locked.items() if name != "estimand"}
    Preregistration.objects.filter(pk=of.pk).update(document=canonical(old))
    play_armed(trial, advisor)
    found = known(planned_of(trial, now()))
    assert found.estimand is None
    figures = found.answers[0].finding.figures
    pairs = {name.partition(": ")[0] for name in figures}
    assert pairs == {"coached beside off", "live beside off"}
    singly = known(arm_data(trial, now())).singly("cost")
    for pair in singly:
        assert figures[f"{pair.arm} beside off: mean"] == pair.difference
        assert figures[f"{pair.arm} beside off: low"] == known(pair.lot).low
        assert figures[f"{pair.arm} beside off: p"] == pair.p_of_several
    ps = sorted(known(pair.lot).p for pair in singly)
    first = min(1.0, 2 * ps[0])
    assert sorted(known(pair.p_of_several) for pair in singly) == [first, max(first, ps[1])]


def test_the_form_asks_how_the_arms_are_to_be_compared() -> None:
    plain = PreregistrationForm(trial=new_trial(slug="plain"))
    assert not [name for name in plain.fields if name.startswith("estimand_")]
    trial = new_trial(arms=(*TWO, ArmSettings("live", coach="live")), games_before=1)
    form = PreregistrationForm(trial=trial)
    assert (form["estimand_test"].value(), form["estimand_phase"].value()) == ("lot", "training")
    assert form["estimand_covariate"].value() == "before"
    silent = PreregistrationForm(trial=new_trial(arms=TWO, slug="silent"))
    assert silent["estimand_covariate"].value() == "none"
    assert [value for value, _words in silent.fields["estimand_pairs"].choices] == ["first", "all"]  # type: ignore[attr-defined]
    sent = {
        "hypotheses": "It helps.",
        "outcome": "cost_a_decision",
        "analyses": ["between_arms"],
        "stopping": "everybody",
        "estimand_pairs": "live|coached",
        "estimand_smallest": "0.05",
        "estimand_phase": "change",
    }
    form = PreregistrationForm(sent, trial=trial)
    assert form.is_valid(), form.errors
    asked = Estimand.from_facts(form.planned["estimand"])
    assert asked == Estimand(
        pairs="chosen", chosen=("live", "coached"), smallest=0.05, phase="change"
    )
    drafted = preregistration_save(trial=trial, **form.planned)
    again = PreregistrationForm(instance=drafted, trial=trial)
    assert again["estimand_pairs"].value() == "live|coached"
    other = PreregistrationForm(sent | {"analyses": ["learning"], "outcome": "cost"}, trial=trial)
    assert other.is_valid()
    assert other.planned["estimand"] == {}
    for changed, field in (
        ({"estimand_phase": "follow_up"}, "estimand_phase"),
        ({"estimand_test": "welch"}, "estimand_multiplicity"),
        ({"estimand_smallest": "0"}, "estimand_smallest"),
        ({"estimand_pairs": "live|gone"}, "estimand_pairs"),
    ):
        assert field in PreregistrationForm(sent | changed, trial=trial).errors
