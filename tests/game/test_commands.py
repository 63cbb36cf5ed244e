"""Commands and checks before a start, and constraints of stored facts."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.checks import run_checks
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

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


@pytest.mark.needs("game.lab")
def test_the_dice_are_tested() -> None:
    said = run("dice_test", "--dice", "30000", "--seed", "2a")
    assert "30,000 dice" in said
    assert "Chi-squared" in said


@pytest.mark.needs("game.lab")
def test_dice_of_a_table_are_tested(tmp_path: Path) -> None:
    throws = tmp_path / "throws.csv"
    throws.write_text("first,second\n" + "1,2\n3,4\n5,6\n" * 20)
    said = run("dice_test", "--file", str(throws))
    assert "120 dice of" in said
    assert "heading 'first,second'" in said
    assert re.search(r"p, exact .* 1\.000", said)


@pytest.mark.needs("game.lab")
def test_a_mistake_in_a_file_of_throws_is_named_with_its_line(tmp_path: Path) -> None:
    throws = tmp_path / "throws.txt"
    throws.write_text("12345\n12347\n")
    error = failure("dice_test", "--file", str(throws))
    assert error.returncode == 2
    assert "line 2: '12347' is not made of faces" in str(error)


@pytest.mark.needs("game.lab")
def test_loaded_dice_of_a_table_are_found_out(tmp_path: Path) -> None:
    throws = tmp_path / "throws.txt"
    throws.write_text("66666\n" * 30 + "12345\n" * 30)
    assert failure("dice_test", "--file", str(throws)).returncode == 1


@pytest.mark.needs("game.lab")
def test_dice_that_are_loaded_against_each_other_are_found_out_one_by_one(tmp_path: Path) -> None:
    throws = tmp_path / "throws.txt"
    throws.write_text("14\n25\n36\n" * 40)
    run("dice_test", "--file", str(throws))
    assert failure("dice_test", "--file", str(throws), "--places", "each").returncode == 1
    throws.write_text("14\n25\n36\n" * 2)
    said = run("dice_test", "--file", str(throws), "--places", "first")
    assert re.search(r"Die 1 .* 6\.00 .*\n.*The others .* 6\.00 ", said)
    assert failure("dice_test", "--places", "each").returncode == 2


@pytest.mark.needs("game.lab")
def test_loaded_dice_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("game.lab.dice.roll_die", lambda seed, turn, roll, slot: 1 + roll)
    error = failure("dice_test", "--dice", "9000")
    assert (error.returncode, str(error)) == (1, "these dice are not fair")


@pytest.mark.needs("game.lab")
def test_a_test_without_dice_or_with_a_bad_seed_is_refused() -> None:
    assert failure("dice_test", "--dice", "0").returncode == 2
    assert failure("dice_test", "--seed", "xyz").returncode == 2


def test_a_missing_table_is_a_warning_that_says_what_to_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, db: None
) -> None:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    found = [message for message in run_checks() if message.id == "game.W001"]
    assert len(found) == 1
    assert "./yatzy solver solve yatzy" in found[0].msg


@pytest.mark.usefixtures("yatzy_tables", "db")
def test_with_a_table_nothing_is_found() -> None:
    assert [message for message in run_checks() if message.id == "game.W001"] == []


def test_a_setting_that_was_removed_is_a_warning_that_names_it(
    monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    assert [message for message in run_checks() if message.id == "game.W005"] == []
    monkeypatch.setenv("OWN_RULES_A_DAY", "3")
    (message,) = [message for message in run_checks() if message.id == "game.W005"]
    assert message.msg.startswith("OWN_RULES_A_DAY ")


@pytest.fixture
def game(player: Player) -> Game:
    return start_solo(player).game


def refused(action: object) -> bool:
    try:
        with transaction.atomic():
            action()  # type: ignore[operator]
    except IntegrityError:
        return True
    return False


def test_a_sequence_number_is_used_once_in_a_game(game: Game) -> None:
    facts = {"game": game, "turn": 0, "roll": 1, "hold": 3, "created_at": timezone.now()}
    assert refused(lambda: Decision.objects.create(seq=0, **facts))
    assert not refused(lambda: Decision.objects.create(seq=1, **facts))


def test_a_box_is_filled_once_in_a_game(game: Game) -> None:
    facts = {"game": game, "turn": 0, "roll": 1, "category": "ones", "created_at": timezone.now()}
    assert not refused(lambda: Decision.objects.create(seq=1, **facts))
    assert refused(lambda: Decision.objects.create(seq=2, **facts))


@pytest.mark.parametrize(
    "facts",
    [
        {"hold": None, "category": ""},
        {"hold": 3, "category": "ones"},
        {"hold": 64},
        {"hold": 0, "turn": 20},
        {"hold": 0, "roll": 162},
    ],
    ids=lambda facts: " ".join(f"{key}={value}" for key, value in facts.items()),
)
def test_a_decision_is_a_hold_or_a_category(game: Game, facts: dict[str, object]) -> None:
    facts = {"turn": 0, "roll": 1, "created_at": timezone.now(), **facts}
    assert refused(lambda: Decision.objects.create(game=game, seq=1, **facts))


def test_a_score_comes_with_the_end_of_a_game(game: Game) -> None:
    rows = Game.objects.filter(pk=game.pk)
    assert refused(lambda: rows.update(final_score=200, bonus=0))
    assert refused(lambda: rows.update(finished_at=timezone.now()))
    assert not refused(lambda: rows.update(finished_at=timezone.now(), final_score=200, bonus=0))
    assert refused(lambda: rows.update(abandoned_at=timezone.now()))


def test_a_nonce_makes_one_game(game: Game, player: Player) -> None:
    copy = Game(player=player, seed=game.seed, nonce=game.nonce, started_at=timezone.now())
    assert refused(copy.save)


def test_only_a_daily_game_needs_a_day_and_a_player_has_one_a_day(player: Player) -> None:
    facts = {"player": player, "seed": "00" * 32, "started_at": timezone.now()}
    day = timezone.now().date()
    assert refused(lambda: Game.objects.create(mode="daily", **facts))
    assert refused(lambda: Game.objects.create(mode="solo", day=day, **facts))
    assert not refused(lambda: Game.objects.create(mode="daily", day=day, **facts))
    assert refused(lambda: Game.objects.create(mode="daily", day=day, **facts))
    assert not refused(lambda: Game.objects.create(mode="rematch", day=day, **facts))


def test_a_finished_game_keeps_its_score_and_its_bonus(player: Player) -> None:
    played = score_all(start_solo(player), player)
    game = Game.objects.get(pk=played.game.pk)
    assert (game.final_score, game.bonus) == (played.state.total, played.state.bonus)
    assert game.over
