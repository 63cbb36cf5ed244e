"""Rules that a person can say aloud: what each applies to, and what a book of them is worth."""

import json
from collections.abc import Collection
from pathlib import Path

import pytest

from solver.advice.moments import evaluate
from solver.players import PLAYERS, playbook_play
from solver.players.playbook import SIZES, read_playbook, read_stored_books
from solver.players.playbook_play import (
    BookWorth,
    PlaybookPlay,
    collect_facts,
    measure_book,
    measure_play,
    order_lessons,
)
from solver.players.playbook_rules import (
    ALIKE,
    ALWAYS,
    AT_ONCE,
    END,
    EQUAL,
    EVERY,
    FIRST,
    JOKER,
    MADE,
    MOST,
    NOT_ALL,
    OTHERWISE,
    OWN,
    PAIRS,
    ROW,
    SECOND,
    SOME,
    STRAIGHT,
    Playbook,
    find_cases,
    find_commonest,
    format_scratch,
    format_sentence,
    list_closing_notes,
    list_straights,
)
from solver.players.playbook_rules import BookRule as Rule
from solver.rules import RULESETS, YATZY, Ruleset
from solver.rules.dice import Dice
from tests.solver.conftest import Run
from tests.solver.made_up import FIVE_DICE, FOUR_DICE_JOKER, THREE_DICE
from tests.solver.test_evaluation import agrees

YAHTZEE = RULESETS["yahtzee"]
BOOKS = [(rules, size) for rules in (YATZY, YAHTZEE) for size in SIZES]
IDS = [f"{rules.id}-{size}" for rules, size in BOOKS]


def does(rule: Rule, dice: Dice, filled: str = "", left: int = 2, rules: Ruleset = YATZY) -> object:
    opened = rules.full ^ rules.make_mask(filled.split())
    for case in find_cases(rule, rules, dice, left):
        if case.need & opened == case.need and not case.ban & opened:
            return rules.cup.holds[case.action] if case.holds else rules.categories[case.action].id
    return None


@pytest.mark.parametrize(
    ("rule", "dice", "filled", "left", "due"),
    [
        (Rule(ALIKE, 2), (2, 2, 5, 5, 6), "", 2, (5, 5)),
        (Rule(ALIKE, 3), (2, 2, 5, 5, 6), "", 2, None),
        (Rule(ALIKE, 2), (2, 2, 2, 5, 5), "", 2, (2, 2, 2)),
        (Rule(ALIKE, 2, open=OWN), (2, 2, 5, 5, 6), "fives", 2, (2, 2)),
        (Rule(ALIKE, 1, 4, open=OWN), (2, 2, 5, 5, 6), "fives", 2, (6,)),
        (Rule(ALIKE, 2, high=3, open="yatzy"), (2, 2, 5, 5, 6), "", 1, (2, 2)),
        (Rule(ALIKE, 2, high=3, open="yatzy"), (2, 2, 5, 5, 6), "yatzy", 1, None),
        (Rule(ALIKE, 2, filled="yatzy"), (2, 2, 5, 5, 6), "", 2, None),
        (Rule(ALIKE, 2, filled="yatzy"), (2, 2, 5, 5, 6), "yatzy", 2, (5, 5)),
        (Rule(ALIKE, 1), (4, 4, 4, 4, 4), "", 2, None),  # all dice are no hold
        (Rule(ALIKE, 1), (2, 2, 5, 5, 6), "", 0, None),
        (Rule(ALIKE, 1, when=FIRST), (1, 2, 3, 4, 6), "", 2, (6,)),
        (Rule(ALIKE, 1, when=FIRST), (1, 2, 3, 4, 6), "", 1, None),
        (Rule(ALIKE, 1, when=SECOND), (1, 2, 3, 4, 6), "", 1, (6,)),
        (Rule(ALIKE, 1, when=SECOND), (1, 2, 3, 4, 6), "", 2, None),
        (Rule(PAIRS), (2, 2, 5, 5, 6), "", 2, (2, 2, 5, 5)),
        (Rule(PAIRS, low=3), (2, 2, 5, 5, 6), "", 2, None),
        (Rule(PAIRS), (2, 2, 5, 5, 5), "", 2, None),
        (Rule(SOME, 4, open=STRAIGHT), (1, 2, 3, 5, 5), "", 2, (1, 2, 3, 5)),
        (Rule(SOME, 4, open=STRAIGHT), (2, 3, 4, 5, 5), "", 2, (2, 3, 4, 5)),
        (Rule(SOME, 4, open=STRAIGHT), (1, 2, 3, 5, 5), "small_straight", 2, None),
        (Rule(SOME, 4, 2, 6), (1, 2, 3, 5, 5), "", 2, None),
        (Rule(ROW, 3), (1, 2, 3, 5, 6), "", 2, (1, 2, 3)),
        (Rule(ROW, 3), (1, 3, 4, 5, 6), "", 2, (4, 5, 6)),
        (Rule(ROW, 3, 4), (1, 2, 3, 5, 6), "", 2, None),
        (Rule(ROW, 0), (1, 2, 3, 5, 6), "", 2, (6,)),
        (Rule(SOME, 0, 4, 4), (1, 2, 3, 5, 6), "", 2, None),  # to hold nothing is no rule
        (Rule(EVERY, 0, 5), (1, 2, 5, 5, 6), "", 2, (5, 5, 6)),
        (Rule(EVERY, 0, 5), (1, 2, 3, 4, 4), "", 2, None),
        (Rule(EVERY, 4, 5), (1, 2, 5, 5, 6), "", 2, None),
        (Rule(box=MADE), (1, 2, 3, 4, 5), "", 2, "small_straight"),
        (Rule(box=MADE), (1, 2, 3, 4, 5), "small_straight", 2, None),
        (Rule(box=MADE), (3, 3, 3, 3, 3), "", 2, "yatzy"),
        (Rule(box=MADE, count=20), (1, 2, 3, 4, 5), "", 2, None),
        (Rule(box=MOST, when=END), (4, 4, 4, 5, 5), "full_house", 0, "chance"),
        (Rule(box=MOST, when=END), (4, 4, 4, 5, 5), "", 1, None),
        (Rule(box=MOST, count=23), (4, 4, 4, 5, 5), "", 0, None),
        (Rule(ALIKE, 3, box=OWN), (4, 4, 4, 5, 5), "", 0, "fours"),
        (Rule(ALIKE, 2, box=OWN), (4, 4, 4, 5, 5), "fours", 0, "fives"),
        (Rule(box="pair", count=9), (4, 4, 4, 5, 5), "", 0, "pair"),
        (Rule(box="pair", count=11), (4, 4, 4, 5, 5), "", 0, None),
        (Rule(box="sixes"), (1, 2, 4, 6, 6), "", 0, "sixes"),
        (Rule(box="yatzy"), (4, 4, 4, 5, 5), "", 0, None),  # no points are no reason
        (Rule(box=MADE, open="chance"), (1, 2, 3, 4, 5), "", 2, "small_straight"),
        (Rule(box=MADE, open="chance"), (1, 2, 3, 4, 5), "chance", 2, None),
    ],
    ids=str,
)
def test_what_a_rule_does(rule: Rule, dice: Dice, filled: str, left: int, due: object) -> None:
    assert does(rule, dice, filled, left) == due
    assert Rule.read(str(rule), YATZY) == rule


def test_both_straights_of_yahtzee_are_gone_for_in_five_faces() -> None:
    four = Rule(SOME, 4, open=STRAIGHT)
    assert does(four, (1, 2, 4, 5, 5), rules=YAHTZEE) == (1, 2, 4, 5)
    assert does(four, (1, 2, 4, 5, 5), "large_straight", rules=YAHTZEE) == (1, 2, 4, 5)
    assert does(four, (1, 2, 4, 5, 5), "large_straight small_straight", rules=YAHTZEE) is None
    assert does(four, (1, 2, 5, 6, 6), rules=YAHTZEE) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "alike,1,1,6,,,",
        "alike,x,1,6,,,,always",
        "none,1,1,6,,,,always",
        "alike,1,0,6,,,,always",
        "alike,1,4,3,,,,always",
        "alike,1,1,7,,,,always",
        "alike,100,1,6,,,,always",
        "alike,-1,1,6,,,,always",
        "alike,1,1,6,,,,end",
        "alike,1,1,6,,most,,always",
        "alike,1,1,6,,,own,always",
        "row,3,1,6,,own,,always",
        "alike,3,1,6,,straight,,always",
        ",1,1,6,most,own,,always",
        "alike,1,1,6,made,,,end",
        ",1,1,6,own,,,end",
        ",1,1,6,nowhere,,,end",
        ",1,1,6,pair,,,first",
    ],
)
def test_what_no_rule_can_say_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        Rule.read(text, YATZY)


def obeyed(play: PlaybookPlay, filled: int, dice: Dice, left: int) -> int:
    for rule in play.book.rules:
        for case in find_cases(rule, play.rules, dice, left):
            if case.need & ~filled == case.need and case.ban & filled == case.ban:
                return case.action if case.holds or not left else play.cup.hold_index[dice]
    if left:
        return play.cup.hold_index[find_commonest(dice)]
    return next(
        n for n in map(play.rules.index.__getitem__, play.book.scratch) if not filled >> n & 1
    )


@pytest.mark.parametrize("filled", [0, 0b100_1101_0010_1010, 0b011_1011_1111_0111, 0b1 << 14])
def test_the_first_rule_that_applies_decides(filled: int) -> None:
    play = PlaybookPlay(YATZY, read_playbook(YATZY, 20))
    card = play.card(filled, 0)
    for number, dice in enumerate(play.cup.rolls):
        assert card.boxes[0, number] == obeyed(play, filled, dice, 0)
        for left in (1, 2):
            assert card.holds[0, left - 1, number] == obeyed(play, filled, dice, left)


SMALL = {
    THREE_DICE: [  # what is scored after a throw is not held after the next
        Rule(ALIKE, 1, when=SECOND),
        Rule(SOME, 2, open="small_straight", filled="pair"),
        Rule(box=MADE, filled="small_straight"),
        Rule(box=MOST, count=4),
        Rule(ALIKE, 2, open=OWN),
    ],
    FIVE_DICE: [Rule(box=MOST, count=12), Rule(ALIKE, 2, when=FIRST), Rule(ALIKE, 2, box=OWN)],
    FOUR_DICE_JOKER: [Rule(box=MADE), Rule(ALIKE, 2), Rule(ALIKE, 2, box=OWN, when=END)],
}


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(rules, id=rules.id, marks=pytest.mark.nightly if rules is FIVE_DICE else [])
        for rules in SMALL
    ],
)
def test_what_a_book_is_worth_is_what_listing_every_throw_gives(rules: Ruleset) -> None:
    book = Playbook(tuple(SMALL[rules]), tuple(reversed(list(rules.index))))
    play = PlaybookPlay(rules, book)
    agrees(play)
    known, found = evaluate(play), measure_play(play)
    assert found.mean == pytest.approx(known.mean, abs=1e-12)
    assert found.bonus_probability == pytest.approx(known.bonus_probability, abs=1e-12)
    assert collect_facts(rules, book)["mean"] == found.mean


def test_what_is_dearest_to_forget_is_learned_first() -> None:
    rules, every = FIVE_DICE, SMALL[FIVE_DICE]
    book = Playbook(tuple(every), tuple(rules.index))
    learned = list(order_lessons(rules, book))
    assert sorted(one.rule for one in learned) == list(range(len(every)))
    whole, alone = measure_book(rules, book, range(3)).mean, measure_book(rules, book, ()).mean
    assert alone + sum(one.earns for one in learned) == pytest.approx(whole, abs=1e-12)
    first = learned[0]
    assert first.earns == measure_book(rules, book, {first.rule}).mean - alone
    assert first.costs == max(one.costs for one in learned)
    for one in learned:
        without = measure_book(rules, book, set(range(3)) - {one.rule}).mean
        assert one.costs == pytest.approx(whole - without, abs=1e-12)


def test_rules_that_are_as_dear_to_forget_stay_in_their_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The last bits of what they cost differ by the order of a sum."""

    def worth_less(ruleset: Ruleset, book: Playbook, known: Collection[int]) -> BookWorth:
        missing = set(range(len(book.rules))) - set(known)
        return BookWorth(5.0 - sum(1.0 + rule * 1e-14 for rule in missing), 0.0)

    monkeypatch.setattr(playbook_play, "measure_book", worth_less)
    book = Playbook(tuple(SMALL[FIVE_DICE]), tuple(FIVE_DICE.index))
    assert [one.rule for one in order_lessons(FIVE_DICE, book)] == [0, 1, 2]


@pytest.mark.sampled("rules", "size")
@pytest.mark.parametrize(("rules", "size"), BOOKS, ids=IDS)
def test_stored_books_are_worth_what_they_say(rules: Ruleset, size: int) -> None:
    stored, book = read_stored_books(rules.id)[str(size)], read_playbook(rules, size)
    found = measure_play(PlaybookPlay(rules, book))
    assert stored["mean"] == pytest.approx(found.mean, abs=1e-9)
    assert stored["bonus_probability"] == pytest.approx(found.bonus_probability, abs=1e-9)
    assert len(book.rules) == size
    assert len({format_sentence(rule, rules) for rule in book.rules}) == size
    for rule in book.rules:
        assert Rule.read(str(rule), rules) == rule
    lesson = stored["lessons"][0]
    without = measure_book(rules, book, set(range(size)) - {lesson["rule"]})
    assert lesson["costs"] == pytest.approx(found.mean - without.mean, abs=1e-9)
    alone = measure_book(rules, book, ()).mean
    earned = sum(one["earns"] for one in stored["lessons"])
    assert alone + earned == pytest.approx(found.mean, abs=1e-9)


def test_stored_books_keep_their_golden_means() -> None:
    means = {size: read_stored_books("yatzy")[str(size)]["mean"] for size in SIZES}
    golden = {10: 230.95511911084594, 20: 235.0595225031979, 30: 236.23246005948994}
    assert means == pytest.approx(golden, abs=1e-12)


@pytest.mark.nightly
@pytest.mark.usefixtures("all_tables")
@pytest.mark.parametrize(("rules", "size"), BOOKS, ids=IDS)
def test_the_players_are_worth_what_is_printed(rules: Ruleset, size: int) -> None:
    known = evaluate(PLAYERS[f"playbook-{size}"].open_tabular(rules))
    stored = read_stored_books(rules.id)[str(size)]
    assert known.mean == pytest.approx(stored["mean"], abs=1e-9)
    assert known.bonus_probability == pytest.approx(stored["bonus_probability"], abs=1e-9)


@pytest.mark.nightly
def test_the_lessons_of_ten_rules_are_those_of_the_file() -> None:
    stored = read_stored_books(YATZY.id)["10"]
    found = collect_facts(YATZY, Playbook.from_facts(stored))["lessons"]
    for one, kept in zip(found, stored["lessons"], strict=True):
        assert one == pytest.approx(kept, abs=1e-9)


OF_SOME_FACES = Rule(ALIKE, 2, 4, open=OWN, filled="pair", when=FIRST)
SAYS: dict[str, Rule] = {
    "Hold the commonest face.": Rule(ALIKE, 1),
    "Among the dice whose upper box is open, hold the commonest face.": Rule(ALIKE, 1, open=OWN),
    "Among the dice that show 4 to 6 and whose upper box is open, hold the commonest face, "
    "if 2 or more dice show this face, once Pair is filled, after the first roll.": OF_SOME_FACES,
    "Among the dice that show 6, hold every die, "
    "if there are 3 or more such dice, while Chance is open.": Rule(ALIKE, 3, 6, 6, open="chance"),
    "Among the dice that show 2 and whose upper box is open, hold every die.": Rule(
        ALIKE, 1, 2, 2, open=OWN
    ),
    "Hold both pairs, if exactly 2 dice show each face, after the second roll.": Rule(
        PAIRS, when=SECOND
    ),
    "Among the dice that show 2 to 6, while Large straight is open, otherwise among the dice "
    "that show 1 to 5, while Small straight is open, hold one die of each face, "
    "if there are 4 or more different faces.": Rule(SOME, 4, 2, 5, open=STRAIGHT),
    "Hold one die of each of the highest 3 faces in a row.": Rule(ROW, 3),
    "Among the dice that show 5 to 6, hold every die.": Rule(EVERY, 0, 5),
    "Score an open straight, full house or Yatzy, whichever brings the most points, at once.": Rule(
        box=MADE
    ),
    "Score in the open lower box that brings the most points, "
    "if you get 8 points or more, at the end of the turn.": Rule(box=MOST, count=8, when=END),
    "Among the dice whose upper box is open, score the commonest face in its upper box, "
    "if 3 or more dice show this face, at once.": Rule(ALIKE, 3, box=OWN),
    "Score in Two pairs, if you get any points, at once.": Rule(box="two_pairs", count=1),
}


@pytest.mark.parametrize("says", SAYS)
def test_a_rule_is_a_sentence(says: str) -> None:
    assert format_sentence(SAYS[says], YATZY) == says


def test_in_yahtzee_every_face_leads_to_a_straight_and_jokers_have_a_sentence() -> None:
    text = format_sentence(Rule(SOME, 4, open=STRAIGHT), YAHTZEE)
    assert text.count("otherwise") == len({low for _box, low in list_straights(YAHTZEE)}) - 1
    assert text.endswith("if there are 4 or more different faces, while a straight is open.")
    for rules, more in ((YATZY, 0), (YAHTZEE, 1)):
        closes = list_closing_notes(rules, tuple(rules.index))
        assert (closes[0], closes[2 + more :]) == (OTHERWISE, [EQUAL, AT_ONCE, NOT_ALL])
        assert closes[1] == format_scratch(tuple(rules.index))
        assert closes[2 : 2 + more] == [JOKER][:more]


def test_sentences_are_translated_part_by_part() -> None:
    said = format_sentence(Rule(box=MADE, when=ALWAYS), YATZY, lambda text: f"<{text}>")
    assert said == (
        "<score an open straight, full house or <Yatzy>, whichever brings the most points>, "
        "<at once>."
    )
    scratch = format_scratch(("ones", "pair"), lambda text: f"<{text}>")
    assert scratch.endswith(": <Ones>, <Pair>.>")


def test_a_playbook_is_printed(run: Run, tmp_path: Path) -> None:
    status, out, _ = run("playbook", "--rules", "20", "--json")
    assert (status, json.loads(out)["mean"]) == (0, read_stored_books("yatzy")["20"]["mean"])
    status, out, _ = run("playbook")
    assert status == 0
    assert f"{read_stored_books('yatzy')['10']['mean']:.9f}" in out
    status, out, _ = run("playbook", "--ruleset", "yahtzee")
    assert "Always score a joker in the box that brings the most" in out
    assert run("playbook", "--ruleset", "yahtzee-plain")[0] == 2
    book = tmp_path / "mine.json"
    book.write_text("{}")
    assert run("playbook", "--file", str(book))[0] == 2
    mine = {"rules": [{"box": MADE}], "scratch": list(YATZY.index)}
    book.write_text(json.dumps(mine))
    status, out, _ = run("playbook", "--file", str(book), "--json")
    found = json.loads(out)
    assert found["mean"] == measure_play(PlaybookPlay(YATZY, Playbook.from_facts(mine))).mean
    assert found["lessons"][0]["earns"] == found["lessons"][0]["costs"] > 0
