"""What a researcher gets from a trial: all that was played, and nothing that names anybody."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from game.models import Decision, Game
from game.trials.design.writing import close_trial, configure_trial
from game.trials.exports import decisions
from game.trials.exports.decisions import GameDoesNotAgree, find_best_option
from game.trials.exports.tables import TABLES, Standing
from game.trials.files.export_table import Cell, ExportTable
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.models import Participant, Trial
from solver.advice import Advisor
from solver.dp.space import TIE
from solver.rules import YATZY
from tests.game.export_reference import differences
from tests.game.trial_games import play_game, play_sixes
from tests.known import known
from tests.play import BOXES
from tests.trials import joined, new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
SIXES = [*(box for box in BOXES if box != "chance"), "chance"]
Named = dict[str, Cell]


def rows(trial: Trial, table: ExportTable, at: datetime | None = None) -> list[Named]:
    found = Standing(trial, at or timezone.now()).rows(table)
    return [dict(zip(table.names, row, strict=True)) for row in found]


def number(cell: Cell) -> float:
    assert isinstance(cell, int | float)
    return float(cell)


@pytest.fixture
def participant() -> Participant:
    return joined(new_trial())


@pytest.mark.parametrize("dice", ["virtual", "real"])
def test_every_row_is_that_of_the_reference_and_leads_to_no_person(
    dice: str, django_assert_max_num_queries: Any
) -> None:
    """Somebody stopped, somebody withdrew; a game was not judged; a text changed meanwhile."""
    trial = new_trial(dice=dice, places=4)
    for number in (2, 1, 3):
        play_game(joined(trial, number), seed=number)
    people = list(trial.participants.order_by("number"))
    configure_trial(trial=trial, consent="Another text.")
    for _ in range(2):  # to agree twice to a version is to agree once
        joined(trial, 1)
    play_game(people[0], seed=4, turns=3)
    withdraw_participant(participant=people[2])
    blind = Game.objects.filter(trial_game__participant=people[1])
    Decision.objects.filter(game__in=blind).update(best=None, value=None, regret=None, luck=None)
    blind.update(regret=None, luck=None, free_decisions=None)
    for _ in range(2):
        trial.refresh_from_db()
        assert list(differences(trial)) == []
        with django_assert_max_num_queries(34 if dice == "real" else 33):  # one for its throws
            told = {table.name: rows(trial, table) for table in Standing(trial).tables}
        games = [(row["participant"], row["game"], row["finished"]) for row in told["games"]]
        assert games == [("P01", 1, True), ("P01", 2, False), ("P02", 1, True)]
        assert [row["version"] for row in told["consents"]] == [1, 2, 1]
        cells = {str(cell) for found in told.values() for row in found for cell in row.values()}
        secrets = {trial.seed, *Game.objects.values_list("share_token", flat=True)}
        secrets |= {code for one in people for code in (one.code, one.browser) if code}
        secrets |= {one.player.code for one in people[:2] if one.player}
        assert not secrets & cells
        close_trial(trial=trial)  # from then on seeds are shown
    assert any(row["corrections"] for row in told["decisions"]) == (dice == "real")
    found = [(row["table"], row["column"]) for row in told["codebook"]]
    tables = Standing(trial).tables
    assert found == [(table.name, column.name) for table in tables for column in table.columns]


def test_an_equally_good_choice_counts_as_the_best() -> None:
    """Holding five sixes is as good as filling the last box with them at once."""
    trial = new_trial(dice=Trial.Dice.REAL)
    play_sixes(joined(trial), SIXES)
    *others, last = rows(trial, TABLES["decisions"])
    assert (last["choice"], last["best_choice"], last["throws_left"]) == ("chance", "chance", 2)
    assert (
        find_best_option("yatzy", YATZY.full ^ YATZY.make_mask(["chance"]), 30, False, (6,) * 5, 2)
        == "6 6 6 6 6"
    )
    costly = [row for row in others if float(row["regret"] or 0) > TIE]  # type: ignore[arg-type]
    assert costly
    assert all(row["best_choice"] != row["choice"] for row in costly)


def test_jokers_and_their_chips_are_exported(yahtzee: Advisor) -> None:
    """Five sixes in every turn: the first fill the box for them, all others are jokers."""
    trial = new_trial(dice=Trial.Dice.REAL, ruleset=yahtzee.rules.id)
    boxes = [category.id for category in yahtzee.rules.categories]
    lower = [box for box in boxes[6:] if box != "yahtzee"]
    game = play_sixes(joined(trial), ["yahtzee", "sixes", *lower, *boxes[:5]])
    (row,) = rows(trial, TABLES["games"])
    assert (row["chips"], row["bonus"]) == (12 * 100, 0)
    assert row["score"] == 1200 + 50 + 30 + sum([30, 30, 25, 30, 40, 30]) == game.final_score
    found = rows(trial, TABLES["decisions"])
    assert [one["chips"] for one in found] == [0, 0, *range(100, 1200, 100)]
    assert [one["chips_won"] for one in found] == [False, *[True] * 12]
    assert (found[1]["points"], found[2]["points"]) == (50, 180)
    earned = sum(number(one["luck"]) - number(one["regret"]) for one in found)
    assert yahtzee.value_start + earned == pytest.approx(game.final_score)


@pytest.mark.parametrize("dice", ["virtual", "real"])
def test_a_game_that_ended_later_is_as_unfinished_as_it_was_then(dice: str) -> None:
    participant = joined(new_trial(dice=dice))
    decided = list(play_game(participant).decisions.order_by("seq"))
    then = decided[20].created_at
    trial = participant.trial
    (game,) = rows(trial, TABLES["games"], then)
    assert (game["finished"], game["finished_at"], game["score"]) == (False, None, None)
    made = rows(trial, TABLES["decisions"], then)
    assert len(made) == sum(one.roll > 0 for one in decided[:21])
    assert made[-1]["decided_at"] == then
    assert not any(one["finished"] for one in made)
    (person,) = rows(trial, TABLES["participants"], known(participant.player).created_at)
    assert (person["games_finished"], person["games_unfinished"]) == (0, 0)
    before = then - timedelta(hours=1)
    assert [
        rows(trial, table, before)
        for table in (TABLES["games"], TABLES["decisions"], TABLES["participants"])
    ] == [
        [],
        [],
        [],
    ]


def test_without_a_table_now_the_best_choice_is_unknown_after_a_mistake(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trial = new_trial(dice=Trial.Dice.REAL)
    play_sixes(joined(trial), SIXES)
    find_best_option.cache_clear()
    monkeypatch.setattr(decisions, "load_advisor", lambda rules: None)
    first, *_others, last = rows(trial, TABLES["decisions"])
    find_best_option.cache_clear()
    assert (first["choice"], first["best_choice"]) == ("ones", None)
    assert (last["choice"], last["best_choice"]) == ("chance", "chance")


@pytest.mark.parametrize("wrong", [{"final_score": 1000}, {"chips": 100}])
def test_a_game_whose_decisions_do_not_add_up_is_not_exported_as_if_they_did(
    yahtzee: Advisor, wrong: dict[str, int]
) -> None:
    game = play_game(joined(new_trial(ruleset=yahtzee.rules.id)))
    Game.objects.filter(pk=game.pk).update(**wrong)
    with pytest.raises(GameDoesNotAgree, match=f"verify_game {game.pk}"):
        rows(Trial.objects.get(), TABLES["decisions"])
