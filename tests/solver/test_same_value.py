import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from solver.advice import Advisor
from solver.arena.facts import make_game_facts, make_same_value_facts, rebuild_game
from solver.arena.match import make_block_roller, make_random_blocks, play_out
from solver.arena.same_value import (
    BadDiceFile,
    SameValue,
    UnfinishedGame,
    find_first_difference,
    format_dice,
    judge_game,
    judge_with_costs,
    parse_dice,
    play_all_blocks,
    read_dice,
)
from solver.players import find_player
from solver.rules import RULESETS, YATZY, Action, Block, Hold, IllegalAction, Score
from solver.study.html import Words, render_page
from solver.study.same_value import report_same_value
from solver.study.turns import Repeated, compare_decisions
from tests.conftest import solved
from tests.known import known

pytestmark = pytest.mark.usefixtures("yatzy_tables")
NAMES = ("dice-based", "scorecard-based", "optimal")


@pytest.fixture(scope="module")
def blocks() -> tuple[Block, ...]:
    return make_random_blocks(3, 1, YATZY)


@pytest.fixture(scope="module")
def test_of_three(advisor: Advisor, blocks: tuple[Block, ...]) -> SameValue:
    return play_all_blocks([find_player(name) for name in NAMES], blocks, advisor)


def actions_of(name: str, block: Block) -> list[Action]:
    """The players asked here use no luck."""
    agent = find_player(name).open(YATZY)
    return play_out(agent, YATZY, make_block_roller(block), np.random.default_rng(1)).actions


def test_the_file_has_a_row_a_die_and_turn(blocks: tuple[Block, ...]) -> None:
    lines = format_dice(blocks).splitlines()
    assert len(lines) == 3 * 75
    assert all(re.fullmatch("[1-6] [1-6] [1-6]", line) for line in lines)
    dice = list(zip(*blocks[0][0], strict=True))
    assert [tuple(map(int, line.split())) for line in lines[:5]] == dice
    assert parse_dice(format_dice(blocks), "", YATZY) == blocks


def test_a_file_may_use_commas_and_blank_lines(blocks: tuple[Block, ...], tmp_path: Path) -> None:
    path = tmp_path / "dice.csv"
    path.write_text("\ufeff" + format_dice(blocks).replace(" ", ", ").replace("\n", "\r\n\r\n"))
    assert read_dice(path, YATZY) == blocks


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "holds no dice: it needs 75 rows"),
        ("1 2 3\n" * 74, "has 74 rows: a game is 75"),
        ("1 2 3\n" * 3 + "1 2\n", "line 4: a row is 3 numbers, not 2"),
        ("1 2 3\n" * 3 + "1 2 7\n", "line 4: '7' is no face from 1 to 6"),
        ("1 2 3\n" * 3 + "1 2 ٣\n", "line 4: '٣' is no face"),
        ("a,b,c\n", "line 1: 'a' is no face"),
    ],
)
def test_a_bad_file_is_refused_with_the_place(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "dice.txt"
    path.write_text(text)
    with pytest.raises(BadDiceFile, match=re.escape(reason)):
        read_dice(path, YATZY)


def test_a_file_that_is_no_text_or_no_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "dice.txt"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(BadDiceFile, match="is not a text file"):
        read_dice(path, YATZY)
    with pytest.raises(BadDiceFile, match="cannot be read"):
        read_dice(tmp_path, YATZY)


def test_luck_minus_regret_is_the_score(test_of_three: SameValue, advisor: Advisor) -> None:
    for games in test_of_three.games:
        for game in games:
            ledger = advisor.value_start + game.luck - game.regret
            assert ledger == pytest.approx(game.score, abs=1e-6)
            assert game.turns[-1].total + game.bonus == game.score
            assert len({turn.category for turn in game.turns}) == 15


def test_perfect_play_regrets_nothing_and_the_others_do(test_of_three: SameValue) -> None:
    for dice_based, scorecard_based, optimal in test_of_three.games:
        assert optimal.regret < 1e-6
        assert min(dice_based.regret, scorecard_based.regret) > 1
        assert all(d.best is None for turn in optimal.turns for d in turn.decisions)


def test_the_first_difference_is_taken_in_the_same_state(test_of_three: SameValue) -> None:
    for games in test_of_three.games:
        found = known(find_first_difference(games[0], games[2]))
        assert found.first.dice == found.second.dice
        assert found.first.choice != found.second.choice
    assert find_first_difference(games[0], games[0]) is None


def test_the_same_faces_held_in_other_places_are_a_difference(
    advisor: Advisor, blocks: tuple[Block, ...]
) -> None:
    """The places decide which dice are thrown again, and so what they show."""
    turn = ((5, 5, 1, 2, 3), (1, 2, 3, 4, 6), (1, 1, 1, 1, 1))
    block = (turn, *blocks[0][1:])
    boxes = [c.id for c in YATZY.categories]
    rest = [action for box in boxes[1:] for action in (Hold(0), Score(box))]
    first, second = (
        judge_game("Astrid", block, [Hold(0), Hold(1 << slot), Score(boxes[0]), *rest], advisor)
        for slot in (0, 1)
    )
    found = known(find_first_difference(first, second))
    assert (found.turn, found.decision) == (0, 0)
    assert found.first.choice == found.second.choice == (5,)
    assert find_first_difference(first, first) is None


def test_a_person_is_one_more_column(advisor: Advisor, blocks: tuple[Block, ...]) -> None:
    greedy = find_player("greedy")
    mine = [actions_of("greedy", block) for block in blocks]
    test = play_all_blocks([greedy], blocks, advisor, people={"Astrid": mine})
    assert test.players == ("greedy", "Astrid")
    assert test.list_totals(0) == test.list_totals(1)
    with pytest.raises(UnfinishedGame, match="Astrid"):
        play_all_blocks([], blocks[:1], advisor, people={"Astrid": [mine[0][:-1]]})
    with pytest.raises(IllegalAction):
        play_all_blocks([], blocks[:1], advisor, people={"Astrid": [mine[0][:1] * 5]})


def test_a_game_comes_back_from_a_file_as_it_was(test_of_three: SameValue) -> None:
    for games in test_of_three.games:
        for game in games:
            assert rebuild_game(json.loads(json.dumps(make_game_facts(game)))) == game


def test_a_game_that_was_judged_before_needs_no_table(
    advisor: Advisor, blocks: tuple[Block, ...]
) -> None:
    actions = actions_of("greedy", blocks[0])
    game = judge_game("Astrid", blocks[0], actions, advisor)
    costs = [decision.regret for turn in game.turns for decision in turn.decisions]
    assert judge_with_costs("Astrid", YATZY, blocks[0], actions, costs, game.luck, advisor) == game
    untabled = judge_with_costs("Astrid", YATZY, blocks[0], actions, costs, game.luck, None)
    assert untabled.regret == game.regret > 1
    assert {decision.best for turn in untabled.turns for decision in turn.decisions} == {None}


def test_jokers_score_what_the_game_wrote_and_their_chips_count() -> None:
    """Sixes all the way: the fifth box by a joker's rules, each after the first with a chip."""
    rules = RULESETS["yahtzee"]
    solved(rules)
    block = [[[6] * 5] * 3] * 13
    boxes = ["yahtzee", "sixes", "large_straight", "full_house"]
    rest = [c.id for c in rules.categories if c.id not in boxes]
    lower = [n for n in rest if not rules.categories[rules.index[n]].face]
    order = [*boxes, *lower, *(n for n in rest if n not in lower)]
    actions = [action for box in order for action in (Hold(0), Score(box))]
    game = judge_game("Astrid", block, actions, Advisor.open(rules))
    points = {turn.category: turn.points for turn in game.turns}
    assert [points[name] for name in boxes] == [50, 130, 140, 125]
    assert game.turns[-1].total == game.score == sum(points.values())
    assert rebuild_game(json.loads(json.dumps(make_game_facts(game)))) == game


def test_the_report_is_one_whole_page(test_of_three: SameValue) -> None:
    text = render_page(
        "Same-value test", report_same_value(make_same_value_facts(test_of_three), YATZY, Words())
    )
    assert text.count("<h2>Game") == 3
    assert text.count(" first differs from ") == 6
    for games in test_of_three.games:
        assert all(f'<td class="text">{game.score}</td>' in text for game in games)
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"<(script|link|img)\b", text)
    for svg in re.findall(r"<svg.*?</svg>", text):
        ElementTree.fromstring(svg)


# Which of the printed decisions our players repeat: hold, hold, box.
# Where ours differs from the printed optimum, the printed choice cost something on some cards.
PRINTED_OPTIMUM_COSTS = {
    ("4.7", 1, 2): (0.828, 0.828),
    ("4.8", 4, 2): (0.0, 0.72),
    ("4.8", 6, 1): (0.595, 0.644),
    ("4.9", 3, 2): (2.0, 2.54),
    ("4.9", 3, 0): (0.0, 2.78),
    ("4.10", 1, 1): (0.311, 0.311),
}


@pytest.fixture(scope="module")
def printed(advisor: Advisor) -> list[Repeated]:
    return list(compare_decisions(advisor))


def test_where_perfect_play_leaves_the_printed_optimum_that_had_a_cost(
    printed: list[Repeated],
) -> None:
    differing = {
        (r.printed.table, r.printed.round, r.printed.rolls_left): r.printed.cost
        for r in printed
        if r.printed.player == "optimal" and not r.same
    }
    assert differing.keys() == PRINTED_OPTIMUM_COSTS.keys()
    for key, cost in differing.items():
        assert cost == pytest.approx(PRINTED_OPTIMUM_COSTS[key], abs=5e-3)
