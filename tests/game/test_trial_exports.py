"""What a researcher gets from a trial: all that was played, and nothing that names anybody."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone

from game.models import Decision, Game, Throw
from game.trials.design.writing import close_trial, configure_trial
from game.trials.exports import decisions
from game.trials.exports.decisions import DECISIONS, GameDoesNotAgree, find_best_option
from game.trials.exports.tables import CONSENTS, GAMES, PARTICIPANTS, TABLES, Standing
from game.trials.files.export_table import CODEBOOK, AnyTable, Cell, Row
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.models import Participant, Trial
from solver.advice import Advisor
from solver.dp.space import TIE
from solver.rules import YATZY
from tests.game.trial_moves import play_game, play_sixes
from tests.play import BOXES
from tests.trials import joined, new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
SIXES = [*(box for box in BOXES if box != "chance"), "chance"]
Named = dict[str, Cell]


def rows(trial: Trial, table: AnyTable) -> list[Named]:
    trial.refresh_from_db()
    found = Standing(trial, timezone.now()).rows(table)
    return [dict(zip(table.names, row, strict=True)) for row in found]


def number(cell: Cell) -> float:
    assert isinstance(cell, int | float)
    return float(cell)


def everything(trial: Trial) -> Iterator[Row]:
    for table in TABLES:
        yield from Standing(trial, timezone.now()).rows(table)


@pytest.fixture
def trial() -> Trial:
    return new_trial()


@pytest.fixture
def participant(trial: Trial) -> Participant:
    return joined(trial)


def test_an_equally_good_choice_counts_as_the_best() -> None:
    """Holding five sixes is as good as filling the last box with them at once."""
    trial = new_trial(dice=Trial.Dice.REAL)
    play_sixes(joined(trial), SIXES)
    *others, last = rows(trial, DECISIONS)
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
    (row,) = rows(trial, GAMES)
    assert (row["chips"], row["bonus"]) == (12 * 100, 0)
    assert row["score"] == 1200 + 50 + 30 + sum([30, 30, 25, 30, 40, 30]) == game.final_score
    found = rows(trial, DECISIONS)
    assert [one["chips"] for one in found] == [0, 0, *range(100, 1200, 100)]
    assert [one["chips_won"] for one in found] == [False, *[True] * 12]
    assert (found[1]["points"], found[2]["points"]) == (50, 180)
    earned = sum(number(one["luck"]) - number(one["regret"]) for one in found)
    assert yahtzee.value_start + earned == pytest.approx(game.final_score)


def test_a_game_whose_chips_do_not_add_up_is_not_exported(yahtzee: Advisor) -> None:
    game = play_game(joined(new_trial(ruleset=yahtzee.rules.id)))
    Game.objects.filter(pk=game.pk).update(chips=100)
    with pytest.raises(GameDoesNotAgree):
        rows(Trial.objects.get(), DECISIONS)


def test_a_game_has_its_facts_and_its_ledger(participant: Participant, advisor: Advisor) -> None:
    game = play_game(participant)
    (row,) = rows(participant.trial, GAMES)
    assert (row["participant"], row["game"], row["game_id"]) == ("P01", 1, game.pk)
    assert (row["score"], row["bonus"]) == (game.final_score, game.bonus)
    assert (row["ruleset"], row["dice"]) == ("yatzy", "virtual")
    assert row["commitment"] == game.commitment
    ledger = advisor.value_start + number(row["luck"]) - number(row["regret"])
    assert ledger == pytest.approx(game.final_score)
    decisions = rows(participant.trial, DECISIONS)
    for name in ("regret", "luck"):
        assert row[name] == pytest.approx(sum(number(one[name]) for one in decisions))


def test_an_unfinished_game_is_exported_with_its_decisions_and_marked(
    participant: Participant,
) -> None:
    play_game(participant)
    unfinished = play_game(participant, turns=3)
    (row,) = rows(participant.trial, PARTICIPANTS)
    assert (row["games_finished"], row["games_unfinished"]) == (1, 1)
    whole, part = rows(participant.trial, GAMES)
    assert (whole["finished"], part["finished"]) == (True, False)
    assert part["game_id"] == unfinished.pk
    ends = ("finished_at", "score", "bonus", "chips", "regret", "luck", "free_decisions")
    assert {part[name] for name in ends} == {None}
    assert None not in {whole[name] for name in ends}
    made = rows(participant.trial, DECISIONS)
    assert {row["finished"] for row in made if row["game"] == 1} == {True}
    assert {row["turn"] for row in made if not row["finished"]} == {1, 2, 3}
    first_throws = 3
    assert [row["game"] for row in made].count(2) == unfinished.decisions.count() - first_throws


def test_a_game_that_ended_later_is_as_unfinished_as_it_was_then(participant: Participant) -> None:
    game = play_game(participant)
    then = list(game.decisions.order_by("seq"))[20].created_at
    (row,) = Standing(participant.trial, then).rows(GAMES)
    told = dict(zip(GAMES.names, row, strict=True))
    assert (told["finished"], told["finished_at"], told["score"]) == (False, None, None)
    made = [
        dict(zip(DECISIONS.names, one, strict=True))
        for one in (Standing(participant.trial, then).rows(DECISIONS))
    ]
    assert made
    assert max(one["decided_at"] for one in made) == then  # type: ignore[type-var]
    assert not any(one["finished"] for one in made)


def test_real_dice_that_were_thrown_later_are_in_no_export() -> None:
    game = play_game(joined(new_trial(dice=Trial.Dice.REAL)))
    made = list(game.decisions.order_by("seq"))
    then = made[20].created_at
    found = list(Standing(Trial.objects.get(), then).rows(DECISIONS))
    assert len(found) == sum(one.roll > 0 for one in made[:21])


def test_every_consent_is_exported_with_its_version_and_time(participant: Participant) -> None:
    trial = participant.trial
    play_game(participant)
    configure_trial(trial=trial, consent="Another text.")
    again = joined(trial)
    joined(trial)  # to agree twice to a version is to agree once
    told = rows(trial, CONSENTS)
    assert [(row["participant"], row["version"]) for row in told] == [("P01", 1), ("P01", 2)]
    first, second = (row["agreed_at"] for row in told)
    (game,) = rows(trial, GAMES)
    assert first <= game["started_at"] <= second  # type: ignore[operator]
    assert rows(trial, PARTICIPANTS)[0]["consented_at"] == second == again.consented_at
    withdraw_participant(participant=participant)
    assert rows(trial, CONSENTS) == []
    assert not participant.agreements.exists()


def test_a_withdrawn_participant_is_in_no_export(trial: Trial) -> None:
    stays, leaves = joined(trial, 1), joined(trial, 2)
    play_game(stays)
    play_game(leaves)
    withdraw_participant(participant=leaves)
    for table in (PARTICIPANTS, GAMES, DECISIONS):
        assert {row["participant"] for row in rows(trial, table)} == {"P01"}


def test_a_place_that_nobody_took_is_in_no_export(trial: Trial) -> None:
    assert rows(trial, PARTICIPANTS) == []
    joined(trial, 3)
    assert [row["participant"] for row in rows(trial, PARTICIPANTS)] == ["P03"]


def test_nothing_exported_leads_to_a_person(participant: Participant) -> None:
    game, trial = play_game(participant), participant.trial
    assert participant.player is not None
    told = {str(cell) for row in everything(trial) for cell in row}
    secrets = {
        participant.code,
        participant.browser,
        participant.player.code,
        game.share_token,
        game.seed,
        trial.seed,
    }
    assert not secrets & told


def test_a_seed_is_shown_once_the_trial_is_closed(participant: Participant) -> None:
    game = play_game(participant)
    assert [row["seed"] for row in rows(participant.trial, GAMES)] == [None]
    close_trial(trial=participant.trial)
    assert [row["seed"] for row in rows(participant.trial, GAMES)] == [game.seed]


def test_real_dice_are_exported_as_they_were_corrected() -> None:
    trial = new_trial(dice=Trial.Dice.REAL)
    game = play_game(joined(trial), seed=3)
    throws = Throw.objects.filter(game=game).order_by("seq", "number")
    last = {throw.seq: (sorted(throw.dice), throw.number) for throw in throws}
    found = rows(trial, DECISIONS)
    assert len(found) == len(last)
    for row in found:
        faces, corrections = last[int(row["seq"]) - 1]  # type: ignore[arg-type]
        assert row["dice"] == " ".join(map(str, faces))
        assert row["corrections"] == corrections
    assert {row["corrections"] for row in found} == {0, 1}
    (row,) = rows(trial, GAMES)
    assert (row["dice"], row["commitment"], row["seed"]) == ("real", None, None)


def test_a_game_that_was_played_without_a_table_has_no_judgement(participant: Participant) -> None:
    game = play_game(participant)
    judgement = dict.fromkeys(["best", "value", "regret", "luck"])
    Decision.objects.filter(game=game).update(**judgement)
    Game.objects.filter(pk=game.pk).update(regret=None, luck=None, free_decisions=None)
    names = ["best_choice", "best_value", "value", "regret", "luck"]
    assert {row[name] for row in rows(participant.trial, DECISIONS) for name in names} == {None}


def test_without_a_table_now_the_best_choice_is_unknown_after_a_mistake(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trial = new_trial(dice=Trial.Dice.REAL)
    play_sixes(joined(trial), SIXES)
    find_best_option.cache_clear()
    monkeypatch.setattr(decisions, "load_advisor", lambda rules: None)
    first, *_others, last = rows(trial, DECISIONS)
    find_best_option.cache_clear()
    assert (first["choice"], first["best_choice"]) == ("ones", None)
    assert (last["choice"], last["best_choice"]) == ("chance", "chance")


def test_a_game_whose_decisions_do_not_add_up_is_not_exported_as_if_they_did(
    participant: Participant,
) -> None:
    game = play_game(participant)
    Game.objects.filter(pk=game.pk).update(final_score=374)
    with pytest.raises(GameDoesNotAgree, match=f"verify_game {game.pk}"):
        rows(participant.trial, DECISIONS)


def test_a_game_that_ends_during_an_export_waits_for_the_next(participant: Participant) -> None:
    play_game(participant)
    before = Standing(participant.trial, timezone.now() - timedelta(hours=1))
    for table in (GAMES, DECISIONS):
        assert list(before.rows(table)) == []
    assert list(before.rows(PARTICIPANTS)) == []
    between = participant.player.created_at  # type: ignore[union-attr]
    (cells,) = Standing(participant.trial, between).rows(PARTICIPANTS)
    row = dict(zip(PARTICIPANTS.names, cells, strict=True))
    assert (row["games_finished"], row["games_unfinished"]) == (0, 0)


def test_games_follow_participants_and_their_order(trial: Trial) -> None:
    first, second = joined(trial, 2), joined(trial, 1)
    for participant in (first, second, first, second):
        play_game(participant, seed=participant.number)
    assert [(row["participant"], row["game"]) for row in rows(trial, GAMES)] == [
        ("P01", 1),
        ("P01", 2),
        ("P02", 1),
        ("P02", 2),
    ]
    names = ("participant", "game", "seq")
    found = [tuple(row[name] for name in names) for row in rows(trial, DECISIONS)]
    assert found == sorted(found)


def test_the_queries_do_not_grow_with_the_games(
    trial: Trial, django_assert_max_num_queries: object
) -> None:
    for number in (1, 2, 3):
        play_game(joined(trial, number), seed=number)
    with django_assert_max_num_queries(33):  # type: ignore[operator]
        list(everything(trial))


def test_the_codebook_has_every_column_of_every_table(trial: Trial) -> None:
    found = [(row["table"], row["column"]) for row in rows(trial, CODEBOOK)]
    assert found == [(table.name, column.name) for table in TABLES for column in table.columns]
    assert all(row["description"] for row in rows(trial, CODEBOOK))
