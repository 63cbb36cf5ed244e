"""What the person who runs the site can check from the command line."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from game.core.game_queries import Played
from game.models import Decision, Game, Player
from tests.play import score_all, start_solo


@pytest.fixture
def played(player: Player) -> Played:
    return score_all(start_solo(player), player)


def run(name: str, *arguments: str) -> str:
    out = StringIO()
    call_command(name, *arguments, stdout=out)
    return out.getvalue()


def failure(name: str, *arguments: str) -> CommandError:
    with pytest.raises(CommandError) as raised:
        run(name, *arguments)
    return raised.value


def test_a_game_under_way_agrees_and_keeps_its_seed(player: Player) -> None:
    game = start_solo(player).game
    said = run("verify_game", game.pk)
    assert "agrees" in said
    assert game.seed not in said


def test_an_unknown_game_is_told_apart_from_a_false_one(db: None) -> None:
    assert failure("verify_game", "nowhere").returncode == 2


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"seed": "11" * 32}, "commitment"),
        ({"commitment": "22" * 32}, "commitment"),
        ({"final_score": 374}, "final score"),
        ({"bonus": 51}, "final score"),
    ],
)
def test_a_changed_game_is_found_out(played: Played, change: dict[str, object], fault: str) -> None:
    Game.objects.filter(pk=played.game.pk).update(**change)
    error = failure("verify_game", played.game.pk)
    assert error.returncode == 1
    assert fault in str(error)


@pytest.mark.parametrize(
    ("seq", "change", "fault"),
    [
        (3, {"seq": 90}, "breaks the rules"),
        (29, {"seq": 90}, "not where it was made"),
        (3, {"turn": 9}, "not where it was made"),
        (3, {"category": "", "hold": 1}, "final score"),
        (2, {"hold": 1}, "breaks the rules"),
    ],
)
def test_a_changed_decision_is_found_out(
    played: Played, seq: int, change: dict[str, object], fault: str
) -> None:
    Decision.objects.filter(game=played.game, seq=seq).update(**change)
    error = failure("verify_game", played.game.pk)
    assert error.returncode == 1
    assert fault in str(error)


def test_the_dice_are_tested() -> None:
    said = run("dice_test", "--dice", "30000", "--seed", "2a")
    assert "30,000 dice" in said
    assert "Chi-squared" in said


def test_dice_of_a_table_are_tested(tmp_path: Path) -> None:
    throws = tmp_path / "throws.csv"
    throws.write_text("first,second\n" + "1,2\n3,4\n5,6\n" * 20)
    said = run("dice_test", "--file", str(throws))
    assert "120 dice of" in said
    assert "heading 'first,second'" in said
    assert re.search(r"p, exact .* 1\.000", said)


def test_a_mistake_in_a_file_of_throws_is_named_with_its_line(tmp_path: Path) -> None:
    throws = tmp_path / "throws.txt"
    throws.write_text("12345\n12347\n")
    error = failure("dice_test", "--file", str(throws))
    assert error.returncode == 2
    assert "line 2: '12347' is not made of faces" in str(error)


def test_loaded_dice_of_a_table_are_found_out(tmp_path: Path) -> None:
    throws = tmp_path / "throws.txt"
    throws.write_text("66666\n" * 30 + "12345\n" * 30)
    assert failure("dice_test", "--file", str(throws)).returncode == 1


def test_dice_that_are_loaded_against_each_other_are_found_out_one_by_one(tmp_path: Path) -> None:
    throws = tmp_path / "throws.txt"
    throws.write_text("14\n25\n36\n" * 40)
    run("dice_test", "--file", str(throws))
    assert failure("dice_test", "--file", str(throws), "--places", "each").returncode == 1
    throws.write_text("14\n25\n36\n" * 2)
    said = run("dice_test", "--file", str(throws), "--places", "first")
    assert re.search(r"Die 1 .* 6\.00 .*\n.*The others .* 6\.00 ", said)
    assert failure("dice_test", "--places", "each").returncode == 2


def test_loaded_dice_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("game.lab.dice.roll_die", lambda seed, turn, roll, slot: 1 + roll)
    error = failure("dice_test", "--dice", "9000")
    assert (error.returncode, str(error)) == (1, "these dice are not fair")


def test_a_test_without_dice_or_with_a_bad_seed_is_refused() -> None:
    assert failure("dice_test", "--dice", "0").returncode == 2
    assert failure("dice_test", "--seed", "xyz").returncode == 2
