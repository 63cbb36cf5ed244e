"""The lab of every ruleset: who plays it, what they score, and oneself on the same dice."""

import csv
import io
import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client

from game.core.game_dice import list_shown_dice
from game.core.playing import MEANT, record_decision
from game.core.starting import start_game
from game.lab.labels import PLAYERS as LABELS
from game.lab.learners import list_learners
from game.lab.pages import MixFigures, _describe_untried
from game.lab.same_value import find_lab_games, read_stored_test
from game.models import Player
from solver.advice import Advisor
from solver.arena.facts import choose_players, find_test_path, make_same_value_facts
from solver.arena.learners import find_learners, read_stored_report
from solver.arena.match import make_random_blocks
from solver.arena.same_value import SameValue, judge_game
from solver.exact.distribution import Distribution
from solver.players import PLAYERS
from solver.rules import RULESETS, YATZY, Ruleset
from solver.rules.rulesets import YAHTZEE
from solver.study.sources import read_cited_works
from solver.tables import find_tables_dir, write_whole
from tests.game.lab import bring_only, first_throws, rows
from tests.play import Browser
from tests.trials import into_trial

pytestmark = [pytest.mark.django_db, pytest.mark.needs("game.lab")]


SEED = 7
CARD = tuple(category.id for category in YAHTZEE.categories)


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, yahtzee: Advisor) -> Path:
    monkeypatch.setenv("YATZY_TABLES", str(find_tables_dir()))
    monkeypatch.setenv("YATZY_VAR", str(tmp_path))
    return tmp_path


def text(address: str) -> str:
    response = Client().get(address)
    assert response.status_code == 200, address
    return unescape(response.text)


def one_score_each(rules: Ruleset, first: int) -> dict[str, Distribution]:
    players = [player.name for player in PLAYERS.values() if player.plays(rules)]
    scores = range(first, first - 10 * len(players), -10)
    return {
        name: Distribution(np.eye(first + 1)[score], 0.25, 1)
        for name, score in zip(players, scores, strict=True)
    }


def keep_test(advisor: Advisor, rules: Ruleset = YAHTZEE) -> SameValue:
    blocks = make_random_blocks(2, SEED, rules)
    card = [category.id for category in rules.categories]
    rows = tuple((judge_game("optimal", block, first_throws(card), advisor),) for block in blocks)
    test = SameValue(("optimal",), blocks, rows)
    facts = {"seed": SEED, "ruleset": rules.id, **make_same_value_facts(test)}
    write_whole(find_test_path(SEED, rules), json.dumps(facts))
    return test


def test_each_ruleset_has_the_players_that_play_it_and_their_own_figures(
    lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    firsts = {rules: 600 - 100 * number for number, rules in enumerate(RULESETS.values())}
    results = {rules.id: one_score_each(rules, first) for rules, first in firsts.items()}
    bring_only(monkeypatch, results)
    for number, rules in enumerate(RULESETS.values()):
        page = text(f"/lab/{rules.id}/")
        assert f'<span class="points">{600 - 100 * number}.00</span>' in page
        file = Client().get(f"/lab/{rules.id}/players/optimal/distribution.csv")
        assert f"{rules.id}-optimal" in file.headers["Content-Disposition"]
        chances = list(csv.DictReader(io.StringIO(file.text)))
        assert float(chances[600 - 100 * number]["probability"]) == 1.0
        for player in PLAYERS.values():
            listed = player.plays(rules) and not player.alone
            assert (f'players/{player.id}/"' in page) == listed
            code = Client().get(f"/lab/{rules.id}/players/{player.id}/").status_code
            assert code == (200 if player.plays(rules) else 404)


def test_on_the_same_dice_the_study_s_three_play_yatzy_and_others_what_they_can() -> None:
    assert [one.id for one in choose_players(YATZY)] == ["dice-based", "scorecard-based", "optimal"]
    for rules in RULESETS.values():
        players = choose_players(rules)
        assert len(players) == 3
        assert players[-1].id == "optimal"
        assert all(player.plays(rules) for player in players)


def test_the_command_prepares_a_ruleset(
    lab: Path, yahtzee: Advisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here of one player alone, for the others take a compiler; and the games are but two."""
    monkeypatch.setattr("solver.arena.facts.choose_players", lambda rules: [PLAYERS["random"]])
    call_command("lab_prepare", ruleset=YAHTZEE.id, same_value=2, seed=SEED, stdout=io.StringIO())
    test = read_stored_test(SEED, YAHTZEE)
    assert test is not None
    assert len(test.games) == 2
    assert (test.facts["players"], test.facts["ruleset"]) == (["random"], "yahtzee")
    assert read_stored_test(SEED, YATZY) is None
    assert f'<th scope="row">{len(YAHTZEE.categories)}</th>' in test.turns(1)


def test_somebody_plays_the_same_dice_of_another_ruleset(
    lab: Path, yahtzee: Advisor, new_browser: Callable[[], Browser]
) -> None:
    keep_test(yahtzee)
    browser = new_browser()
    page = f"/lab/yahtzee/same-value/?seed={SEED}&game=1"
    assert 'name="ruleset" value="yahtzee"' in browser.get(page).text
    nonce = browser.nonce(page)
    game = browser.start(mode="lab", ruleset="yahtzee", lab_seed=SEED, lab_number=1, nonce=nonce)
    assert game.rules == YAHTZEE
    assert list_shown_dice(game) == make_random_blocks(1, SEED, YAHTZEE)[0]
    for seq, action in enumerate(first_throws(CARD)):
        record_decision(game_id=game.pk, player=game.player, seq=seq, action=action, manner=MEANT)
    game.refresh_from_db()
    shown = browser.get(page).text
    assert ">You<" in shown
    assert shown.count(f'<td class="number">{game.final_score}</td>') == 2
    over = browser.get(f"/games/{game.pk}/").text
    assert f'href="/lab/yahtzee/same-value/?seed={SEED}&amp;game=1#game"' in over


def test_games_on_the_dice_of_one_ruleset_are_nothing_to_another(
    lab: Path, yahtzee: Advisor, advisor: Advisor, player: Player
) -> None:
    keep_test(yahtzee)
    keep_test(advisor, YATZY)
    started = {
        rules.id: start_game(
            player=player, mode="lab", ruleset=rules.id, lab_seed=SEED, lab_number=1
        ).game
        for rules in (YATZY, YAHTZEE)
    }
    assert len({game.pk for game in started.values()}) == 2
    for rules in (YATZY, YAHTZEE):
        assert find_lab_games(player, rules, SEED).under_way == {1: started[rules.id]}


def test_each_ruleset_has_a_tournament_of_its_players(
    lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring_only(monkeypatch, {YAHTZEE.id: one_score_each(YAHTZEE, 1500)})
    page = text("/lab/yahtzee/tournament/")
    playing = {one.id for one in PLAYERS.values() if one.plays(YAHTZEE) and not one.alone}
    for name, label in LABELS.items():
        assert (f'<th scope="row">{label.name}</th>' in page) == (name in playing)
    assert '<td class="number">1,000.0</td>' in page or '<td class="number">1000.0</td>' in page
    number = len(playing)
    certain = number * (number - 1) // 2
    assert page.count('<td class="number">100.0\u00a0%</td>') == certain
    assert page.count('<td class="number">0.0\u00a0%</td>') == certain
    assert page.count('<td class="number">–</td>') == number
    assert 'tournament optimal "cmd:./bot" --ruleset yahtzee' in page
    assert 'href="/lab/yahtzee/tournament/"' in text("/lab/yahtzee/")


def test_every_work_is_there_with_every_number_of_it() -> None:
    html = text("/lab/sources/")
    told = [row[0] for row in rows(html) if row and row[0] != "Number"]
    assert told == [number.value for work in read_cited_works() for number in work.numbers]
    for work in read_cited_works():
        assert f'<h2 id="{work.id}" lang="en">{work.title}</h2>' in html
        if work.address:
            assert f'<a href="{work.address}" rel="noreferrer">{work.where}</a>' in html
    places = {row[0]: row[2] for row in rows(html) if len(row) == 3}
    assert places["213"] == "Section 4.1.1"
    assert places["510"].startswith("Table 4.5")
    plain = " ".join(re.sub("<[^>]+>", "", html).split())
    for author in ("Daniel Jendeberg, Louise Wikstén, 2015", "Author not stated, year not stated"):
        assert author in plain


PAGES = {"yatzy": "/lab/learners/", "yahtzee": "/lab/yahtzee/learners/"}


@pytest.mark.usefixtures("all_tables")
@pytest.mark.parametrize("ruleset", PAGES)
def test_everybody_who_learned_is_there_with_its_worth_and_its_mistakes(ruleset: str) -> None:
    rules = RULESETS[ruleset]
    report = read_stored_report(rules)
    assert report is not None
    page = text(PAGES[ruleset])
    for facts in report["learners"]:
        assert f'id="{facts["player"]}"' in page
        assert f"{facts['mean']:.2f}" in page
        assert f"{facts['regret']:.2f}" in page
    others = ("the small game", "the drafts")
    assert page.count("<section") == len(find_learners(rules)) + len(others)
    assert f"{report['optimum']:.2f}" in page
    for learner in list_learners(rules, report):
        assert 0 < len(learner.mistakes) <= 10
        for one in learner.mistakes:
            assert f'href="{one.explore}"' in page
        assert learner.mistakes[0].best in text(learner.mistakes[0].explore)


PAGE = "/lab/workbench/"


def figures(html: str) -> list[str]:
    return re.findall(r"<dd>(.*?)</dd>", html.partition('id="wishes"')[0])


def test_any_holds_with_any_boxes() -> None:
    html = text(f"{PAGE}?holds=scorecard-based&boxes=upper-first")
    assert figures(html) == ["201.37", *figures(html)[1:3], "198.99", "195.47"]
    assert figures(html)[2].endswith("%")
    chosen = re.findall(r'<option value="([\w-]+)" selected', html)
    assert chosen == ["scorecard-based", "upper-first"]
    mean, _spread, _bonus, *alone = figures(text(f"{PAGE}?holds=greedy&boxes=greedy"))
    assert (mean, alone) == ("199.16", ["199.16"])
    for query in ("holds=nobody", "boxes=learned-yatzy", "holds="):
        assert Client().get(f"{PAGE}?{query}").status_code == 404
    browser = Browser()
    into_trial(browser.start())
    assert browser.get(PAGE).status_code == 403


def test_strategies_that_fill_other_boxes_are_not_said_to_fill_the_same() -> None:
    alike = {
        "dice-based": MixFigures(180.0, 40.0, 0.5),
        "scorecard-based": MixFigures(180.0, 40.0, 0.5),
    }
    other = {**alike, "scorecard-based": MixFigures(180.1, 40.0, 0.5)}
    for holds, wishes in ((alike, 3), (other, 2)):
        row = dict.fromkeys(("optimal", "upper-first"), MixFigures(190.0, 40.0, 0.5)) | holds
        names = ("dice-based", "scorecard-based", "upper-first", "optimal")
        assert len(list(_describe_untried(dict.fromkeys(names, row), 200.0))) == wishes
