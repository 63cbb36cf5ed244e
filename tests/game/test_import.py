"""Games as text: read as people write them, refused by line, stored once or not at all."""

import re
from collections.abc import Sequence

import numpy as np
import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils.translation import override
from hypothesis import given
from hypothesis import settings as tries
from hypothesis import strategies as st

from game import services
from game.board.verification import faults
from game.exports.personal import game_as_text
from game.fair import tickets
from game.models import Decision, Game, Player, Throw
from game.selectors.drill import drill_mistakes
from game.selectors.games import game_played, player_scores
from game.services.judging import games_to_judge, to_be_judged
from game.trials.joining.links import path_of
from game.words import labels
from game.words.game_text import MOST_GAMES, Recorded, games_of_text, text_of
from solver.rules import (
    RULESETS,
    YATZY,
    Action,
    Hold,
    Ruleset,
    State,
    in_slots,
    legal_actions,
    start,
    step,
    throw,
)
from tests.game.conftest import Browser
from tests.game.rulesets import finished_game
from tests.game.trials import joined, new_trial
from tests.selection import examples

EVERY = pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
HOUSE = "3 3 5 6 1 | hold 3 3 | 3 3 3 2 6 | hold 3 3 3 | 3 3 3 4 4 > full house"
IN_ORDER = [f"1 2 3 4 6 > {box.id}" for box in YATZY.categories]


def played_at_random(rules: Ruleset, seed: int) -> Recorded:
    """By whoever knows the rules, and rather holds than not."""
    rng = np.random.default_rng(seed)
    state, moves = start(rules), list[tuple[State, Action]]()
    while not state.finished:
        actions = legal_actions(state)
        action = actions[int(rng.integers(len(actions)))]
        moves.append((state, action))
        state = step(state, action)
        if state.waiting:
            state = throw(state, rng.integers(1, 7, rules.dice).tolist())
    return Recorded(rules, moves, state)


def told(moves: Sequence[tuple[State, Action]]) -> list[object]:
    """What was seen and done, whichever of equal dice it was."""
    found: list[object] = []
    for state, action in moves:
        done = action.kept(state.dice) if isinstance(action, Hold) else action
        found.append((state.turn, state.throws_left, sorted(state.dice), done))
    return found


def card(state: State) -> list[int]:
    return [box.points if box else -1 for box in state.boxes]


def read(text: str, rules: Ruleset = YATZY) -> Recorded:
    found, wrong = games_of_text(text, rules)
    assert not wrong
    (one,) = found
    return one


def fault(*lines: str) -> tuple[int, str]:
    """Of a game with these lines first, in a text with nothing else in it."""
    rest = [line for line in IN_ORDER if line.split("> ")[1] not in "".join(lines)]
    found, wrong = games_of_text("\n".join([*lines, *rest]), YATZY)
    assert not found
    ((line, why),) = wrong
    return line, why


@EVERY
@tries(max_examples=examples(40), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_any_game_is_read_from_its_own_text(rules: Ruleset, seed: int) -> None:
    game = played_at_random(rules, seed)
    text = text_of(rules, game.moves)
    again = read(text)
    assert again.rules == rules
    assert told(again.moves) == told(game.moves)
    assert (card(again.end), again.end.total, again.end.chips) == (
        card(game.end),
        game.end.total,
        game.end.chips,
    )
    assert text_of(rules, again.moves) == text


@tries(max_examples=examples(40), deadline=None)
@given(seed=st.integers(0, 2**32), noise=st.randoms())
def test_spaces_commas_case_and_the_order_of_dice_are_all_one(seed: int, noise: object) -> None:
    text = text_of(YATZY, played_at_random(YATZY, seed).moves)
    rng = np.random.default_rng(seed)

    def shuffled(found: "re.Match[str]") -> str:
        faces = found[0].split()
        rng.shuffle(faces)
        return ["", ",", " , ", "."][int(rng.integers(4))].join(faces)

    other = (
        re.sub(r"[1-6](?: [1-6])*", shuffled, text).replace("hold", "  HOLD ").replace(" > ", ">")
    )
    assert text_of(YATZY, read(other.upper().replace("RULES YATZY", "Rules: Yatzy")).moves) == text


@EVERY
def test_a_box_has_its_name_in_every_language_and_no_name_two_boxes(rules: Ruleset) -> None:
    meant: dict[str, set[str]] = {}
    for language, _name in settings.LANGUAGES:
        with override(language):
            for box in rules.categories:
                name = labels.category_name(box)
                meant.setdefault(name.casefold(), set()).add(box.id)
    assert all(len(boxes) == 1 for boxes in meant.values())
    for name, (box_id,) in meant.items():
        lines = [f"1 2 3 4 6 > {box.id}" for box in rules.categories]
        lines[rules.index[box_id]] = f"1 2 3 4 6 → {name}"
        assert read("\n".join(lines), rules).end.finished


def test_the_example_of_the_page_and_a_rethrow_of_only_what_was_thrown() -> None:
    short = HOUSE.replace("3 3 3 2 6", "326").replace("3 3 3 4 4", "4 4").replace("hold", "spara")
    rest = [line for line in IN_ORDER if "full_house" not in line]
    whole, brief = (read("\n".join([first, *rest])) for first in (HOUSE, short))
    assert told(whole.moves) == told(brief.moves)
    assert card(whole.end)[YATZY.index["full_house"]] == 17


@pytest.mark.parametrize("nothing", ["hold", "-", "", "Pidä:"])
def test_nothing_may_be_held(nothing: str) -> None:
    game = read("\n".join([f"1 1 1 1 1 | {nothing} | 2 3 4 5 6 > ones", *IN_ORDER[1:]]))
    assert card(game.end)[0] == 0


WRONG = {
    "1 2 3 4 6 ones": "ends with >",
    "1 2 3 4 6 > > ones": "ends with >",
    "1 2 3 4 7 > ones": "“7” is no die",
    "1 2 3 4 > ones": "Dice read: 4. A throw is all 5, or the 5 that were thrown",
    "1 2 3 4 6 > aces": "“aces” is no box",
    "1 2 3 4 6 | hold 5 | 1 2 3 4 5 > ones": "5 cannot be held of 1, 2, 3, 4, 6",
    "1 2 3 4 6 | hold 1 1 | 1 1 3 4 5 > ones": "1, 1 cannot be held",
    "1 2 3 4 6 | hold 1 6 | 2 2 3 4 6 > ones": "You held 1, 6, but not all",
    "1 2 3 4 6 | hold 1 > ones": "comes the throw",
    "1 2 3 4 6 | 1 | 1 | 1 | 1 > ones": "Dice read: 1. A throw is all 5, or the 4 that",
    "1 2 3 4 6 | 1 | 1 2 3 4 5 | 1 | 1 2 3 4 5 | 1 | 1 2 3 4 5 > ones": "No throw is left",
    "1 2 3 4 6 | hola 1 | 1 2 3 4 5 > ones": "“hola” is no die",
    "rules chess": "no rules “chess”",
}


@pytest.mark.parametrize("line", WRONG)
def test_a_fault_names_its_line_and_what_is_wrong(line: str) -> None:
    first = [] if line.startswith("rules") else [HOUSE]
    number, why = fault(*first, line)
    assert number == len(first) + 1
    assert re.search(WRONG[line], why)


def test_what_stands_where_it_must_not() -> None:
    lines = "\n".join(IN_ORDER)
    assert games_of_text(f"{lines}\n{HOUSE}", YATZY)[1][0].line == 16
    assert "empty line" in games_of_text(f"{lines}\n{HOUSE}", YATZY)[1][0].told
    twice = games_of_text("\n".join([*IN_ORDER[:3], IN_ORDER[0]]), YATZY)[1]
    assert twice == [(4, "Ones is filled already: choose another box.")]
    short = games_of_text(f"\n\n{lines}\n \n" + "\n".join(IN_ORDER[:3]), YATZY)
    assert len(short[0]) == 1
    assert short[1] == [(21, "The game is not finished: it has 3 of 15 turns.")]


def test_every_block_tells_its_first_fault() -> None:
    text = "\n\n".join(["1 > ones\n2 > twos", "\n".join(IN_ORDER), "3 > threes"])
    found, wrong = games_of_text(text, YATZY)
    assert (len(found), [one.line for one in wrong]) == (1, [1, 20])


def test_one_import_takes_fifty() -> None:
    lines = "\n".join(IN_ORDER)
    assert len(games_of_text("\n\n".join([lines] * MOST_GAMES), YATZY)[0]) == MOST_GAMES == 50
    _found, wrong = games_of_text("\n\n".join([lines] * (MOST_GAMES + 2)), YATZY)
    assert [one.line for one in wrong] == [16 * MOST_GAMES + 1]


def test_held_dice_lie_still_and_the_others_fill_the_free_slots() -> None:
    assert in_slots((3, 5, 3, 1, 2), 0b00101, [6, 3, 4, 3, 2]) == (3, 6, 3, 4, 2)
    assert in_slots((), 0, [6, 3, 4, 3, 2]) == (6, 3, 4, 3, 2)
    with pytest.raises(ValueError, match="not in list"):
        in_slots((3, 5, 3, 1, 2), 0b00101, [3, 1, 1, 1, 1])


@pytest.mark.django_db
class TestStored:
    @EVERY
    def test_a_game_of_the_site_comes_back_as_it_was(self, player: Player, rules: Ruleset) -> None:
        first = finished_game(player, rules)
        text = game_as_text(first)
        done = services.games_import(player=player, recorded=games_of_text(text, YATZY)[0])
        (game,) = done.games
        one, other = game_played(first), game_played(game)
        assert card(one.state) == card(other.state)
        assert told([(move.state, move.action) for move in one.moves]) == told(
            [(move.state, move.action) for move in other.moves]
        )
        stored = ("ruleset", "final_score", "bonus", "chips")
        assert [getattr(first, name) for name in stored] == [getattr(game, name) for name in stored]
        assert faults(game) == []
        assert game_as_text(game) == text

    def test_its_decisions_are_judged_and_its_mistakes_taught(
        self, player: Player, yatzy_tables: None
    ) -> None:
        first = finished_game(player, YATZY)
        other = services.player_create()
        recorded = games_of_text(game_as_text(first), YATZY)[0]
        (game,) = services.games_import(player=other, recorded=recorded).games
        game.refresh_from_db()
        assert game.regret == pytest.approx(first.regret, abs=1e-9)
        assert game.luck == pytest.approx(first.luck, abs=1e-9)
        assert game.free_decisions == first.free_decisions
        assert (game.mode, game.real_dice, game.seed) == ("import", True, "")
        assert player_scores(other, YATZY) == []
        assert drill_mistakes(other, YATZY)
        assert {one.milliseconds for one in Decision.objects.filter(game=game)} == {0}
        moments = {one.created_at for one in Decision.objects.filter(game=game)}
        assert moments == {game.started_at} == {game.finished_at}
        assert {one.created_at for one in Throw.objects.filter(game=game)} == moments

    def test_what_is_not_judged_at_once_is_so_later(self, player: Player) -> None:
        to_be_judged.clear()
        text = "\n\n".join(
            text_of(YATZY, played_at_random(YATZY, seed).moves) for seed in range(21)
        )
        recorded = games_of_text(text, YATZY)[0]
        services.games_import(player=player, recorded=recorded)
        assert Game.objects.count() == 21
        assert games_to_judge() in {1, 21}  # with a table, or without

    def test_nothing_twice_and_everybody_their_own(self, player: Player) -> None:
        recorded = games_of_text("\n".join(IN_ORDER), YATZY)[0]
        done = services.games_import(player=player, recorded=recorded * 2)
        assert (len(done.games), done.known) == (1, 1)
        again = services.games_import(player=player, recorded=recorded)
        assert (list(again.games), again.known) == ([], 1)
        other = services.games_import(player=None, recorded=recorded)
        assert (len(other.games), other.known) == (1, 0)
        assert other.player != player
        assert Game.objects.count() == 2

    def test_nothing_is_nothing(self, player: Player) -> None:
        with pytest.raises(services.NotUnderstood):
            services.games_import(player=player, recorded=[])

    def test_nobody_asks_so_where_a_ranked_game_of_theirs_stands(self, player: Player) -> None:
        nonce = tickets.issue().signed
        played = services.game_start(player=player, mode="daily", nonce=nonce)
        faces = " ".join(map(str, played.state.dice))
        lines = [f"{faces} > chance", *(line for line in IN_ORDER if "chance" not in line)]
        recorded = games_of_text("\n".join(lines), YATZY)[0]
        with pytest.raises(services.Refused, match="has a place among others"):
            services.games_import(player=player, recorded=recorded)
        assert not Game.objects.filter(mode="import").exists()
        assert services.games_import(player=services.player_create(), recorded=recorded).games

    def test_whoever_is_in_a_trial_imports_nothing(self) -> None:
        participant = joined(new_trial())
        recorded = games_of_text("\n".join(IN_ORDER), YATZY)[0]
        with pytest.raises(services.InTrial):
            services.games_import(player=participant.player, recorded=recorded)
        browser = Browser()
        browser.get(path_of(participant))
        assert browser.get("/import/").status_code == 403
        assert browser.post("/import/", {"text": "\n".join(IN_ORDER)}).status_code == 403
        assert not Game.objects.exists()


@pytest.mark.django_db
class TestPage:
    def sent(self, browser: Browser, text: str, **more: object) -> "tuple[int, str]":
        answer = browser.post("/import/", {"ruleset": "yatzy", "text": text, **more})
        return answer.status_code, answer.content.decode()

    def test_one_game_is_shown_and_checked(self, browser: Browser) -> None:
        assert "/import/" in browser.get("/history/").content.decode()
        answer = browser.post("/import/", {"ruleset": "yatzy", "text": "\n".join(IN_ORDER)})
        game = Game.objects.get()
        assert answer.headers["Location"] == f"/games/{game.pk}/"
        page = browser.get(answer.headers["Location"]).content.decode()
        assert "counts for no average" in page
        assert f"/games/{game.pk}/text" in page
        assert "Import games" in page
        assert "Same dice" not in page
        verified = browser.get(f"/games/{game.pk}/verify").content.decode()
        assert "nothing here can prove" in verified
        assert browser.get(f"/games/{game.pk}/review").status_code == 200
        assert "Imported game" in browser.get("/history/").content.decode()

    def test_its_text_is_a_file_and_all_of_them_are(self, browser: Browser) -> None:
        self.sent(browser, "\n".join(IN_ORDER) + "\n\n" + "\n".join(IN_ORDER[::-1]))
        browser.start()
        every = browser.get("/history/export?format=txt")
        assert every.headers["Content-Disposition"].endswith('.txt"')
        assert len(games_of_text(every.content.decode(), YATZY)[0]) == 2
        game = Game.objects.filter(mode="import").first()
        assert game is not None
        one = browser.get(f"/games/{game.pk}/text")
        assert one.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert one.content.decode() == game_as_text(game)
        status, _ = self.sent(browser, every.content.decode())
        assert (status, Game.objects.filter(mode="import").count()) == (302, 2)
        assert "2 games were imported before" in browser.get("/history/").content.decode()

    def test_one_fault_and_nothing_is_stored_but_what_was_typed_stays(
        self, browser: Browser
    ) -> None:
        text = "\n".join(IN_ORDER) + "\n\n1 2 3 4 5 > nonsense &"
        status, page = self.sent(browser, text)
        assert status == 400
        assert "Line 17: “nonsense &amp;” is no box of this card." in page
        assert "1 2 3 4 5 &gt; nonsense &amp;</textarea>" in page
        assert not Game.objects.exists()
        assert not Player.objects.exists()

    def test_nothing_and_rules_that_are_not_there(self, browser: Browser) -> None:
        status, page = self.sent(browser, " \n ")
        assert (status, "one game at least" in page) == (400, True)
        assert self.sent(browser, "x", ruleset="chess")[0] == 404

    def test_no_more_faults_than_can_be_read(self, browser: Browser) -> None:
        _status, page = self.sent(browser, "\n\n".join(["1 > ones"] * 30))
        assert page.count("Dice read: 1.") == 20

    def test_a_file_is_read_or_stands_there_to_be_mended(self, browser: Browser) -> None:
        lines = "rules yahtzee\n" + "\n".join(
            f"1 2 3 4 6 > {box.id}" for box in RULESETS["yahtzee"].categories
        )
        wrong = SimpleUploadedFile("games.txt", b"1 2 3 4 6 > nonsense")
        _status, page = self.sent(browser, "", file=wrong)
        assert "1 2 3 4 6 &gt; nonsense</textarea>" in page
        binary = SimpleUploadedFile("games.txt", b"\xff\xfe\x00")
        assert "no text in UTF-8" in self.sent(browser, "", file=binary)[1]
        good = SimpleUploadedFile("games.txt", b"\xef\xbb\xbf" + lines.encode())
        assert self.sent(browser, "", file=good)[0] == 302
        assert Game.objects.get().ruleset == "yahtzee"

    def test_by_the_rules_that_the_page_is_about(self, browser: Browser) -> None:
        page = browser.get("/import/?rules=yahtzee").content.decode()
        assert '<input type="hidden" name="ruleset" value="yahtzee"' in page
        assert browser.get("/import/?rules=chess").status_code == 404

    def test_a_game_that_goes_on_has_no_text(self, browser: Browser) -> None:
        game = browser.start()
        assert browser.get(f"/games/{game.pk}/text").status_code == 403
        assert browser.get("/games/nothing/text").status_code == 404
