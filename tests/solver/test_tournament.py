"""A tournament against one that is slow and obvious; what it says, keeps and survives."""

import json
import re
from html import unescape
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest

from solver.advice import Advisor
from solver.arena.chunks import Chunk, Setting, play_tabular, roll_dice
from solver.arena.contestants import (
    Contestant,
    UnknownContestant,
    find_contestant,
    find_contestants,
)
from solver.arena.controller import PlayerAgent
from solver.arena.match import make_block_roller, play_out
from solver.arena.programs.class_program import open_class, read
from solver.arena.programs.process import MEGABYTE, Fault, Limits, Process
from solver.arena.standings import make_standings, make_tournament_facts
from solver.arena.tournament import (
    OtherTournament,
    PlayOff,
    play,
    play_off_chunks,
    split_into_chunks,
)
from solver.arena.turns import Judge
from solver.players import find_player
from solver.players.agent import Batch, Seated, Tabular
from solver.rules import (
    RULESETS,
    Hold,
    Ruleset,
    apply_action,
    apply_roll,
    list_legal_actions,
    start_state,
)
from solver.rules.rulesets import YAHTZEE
from solver.statistics.inference import count_games_needed
from solver.tables import find_table_path
from solver.tables.maker import acquire_lock, lock_path
from tests.known import known
from tests.solver.conftest import Run
from tests.solver.hostile import program
from tests.solver.players_at_table import AsTable, Batched, Remembering, Watching

pytestmark = pytest.mark.usefixtures("all_tables")
HERE = "tests.solver.players_at_table"
THREE = ("optimal", "AcesAndEights", "greedy")


def table(
    *names: Any,
    games: int = 30,
    rules: Ruleset = YAHTZEE,
    seed: int = 5,
    same_dice: bool = False,
    **more: Any,
) -> Any:
    return play(find_contestants(names, rules), Setting(rules, seed, same_dice), games, **more)


def facts_of(found: Any) -> Any:
    return make_tournament_facts(make_standings(found))


def watching() -> Contestant:
    """Here, and not in a process of its own, so that what it wrote down can be looked at."""
    return Contestant("watching", PlayerAgent(Watching, YAHTZEE))


def slow(name: str, rules: Ruleset, setting: Any, seat: int, games: int) -> Any:
    agent, advisor, found = find_player(name).open(rules), Advisor.open(rules), []
    for chunk in split_into_chunks(games):
        for block in roll_dice(setting, chunk, seat).tolist():
            match = play_out(agent, rules, make_block_roller(block))
            ledger = advisor.make_ledger(match.moves)
            regret = sum(entry.regret for entry in ledger.entries)
            found.append((match.end.total, ledger.luck, regret, len(ledger.entries)))
    return np.array(found).T


@pytest.mark.sampled("rules")
@pytest.mark.parametrize("same_dice", [False, True])
@pytest.mark.parametrize("rules", RULESETS.values(), ids=lambda rules: rules.id)
def test_games_from_tables_are_those_of_somebody_who_is_asked_each_decision(
    rules: Ruleset, same_dice: bool
) -> None:
    names = [n for n in ("optimal", "AcesAndEights", "greedy") if find_player(n).plays(rules)]
    found = table(*names, games=12, rules=rules, same_dice=same_dice)
    for seat, name in enumerate(names):
        played = found.get_games(seat)
        scores, luck, regret, decisions = slow(name, rules, found.setting, seat, 12)
        assert played.scores.tolist() == scores.tolist()
        assert played.decisions.tolist() == decisions.tolist()
        assert played.luck == pytest.approx(luck, abs=1e-9)
        assert played.regret == pytest.approx(regret, abs=1e-9)


def test_who_is_asked_plays_the_same_games_as_who_has_a_table() -> None:
    names = [f"as asked {name}" for name in THREE]
    asked = [
        Contestant(name, AsTable(find_player(of).open(YAHTZEE)))
        for name, of in zip(names, THREE, strict=True)
    ]
    slowly = play(asked, Setting(YAHTZEE, 5), 8)
    quickly = table(*THREE, games=8)
    for seat in range(3):
        for name in ("scores", "decisions", "luck", "regret"):
            one, other = (getattr(t.get_games(seat), name) for t in (slowly, quickly))
            assert one == pytest.approx(other, abs=1e-9)


@pytest.mark.parametrize("name", ["optimal", "DummyPlayer", "random", "AcesAndEights:closest"])
def test_a_score_is_the_value_of_the_start_with_luck_and_without_regret(name: str) -> None:
    found = table(name, games=300)
    played = found.get_games(0)
    assert found.value_start + played.luck - played.regret == pytest.approx(played.scores)
    assert (played.regret > 0).any() == (name != "optimal") or played.regret.max() < 1e-9


def test_points_are_those_of_comparing_all_scores_game_by_game() -> None:
    found = table(*THREE, "random", games=260, same_dice=True)
    slowly = dict.fromkeys(range(4), 0)
    for game in range(260):
        here = [int(found.get_games(seat).scores[game]) for seat in range(4)]
        for seat in range(4):
            slowly[seat] += here[seat] == max(here)
    assert found.points == slowly


def test_the_same_seed_gives_the_same_table_on_any_number_of_cores() -> None:
    facts = [
        facts_of(table(*THREE, "DummyPlayer", games=700, threads=threads)) for threads in (1, 2)
    ]
    assert facts[0] == facts[1]
    other = facts_of(table(*THREE, "DummyPlayer", games=700, seed=6))
    assert other["players"][0]["mean"] != facts[0]["players"][0]["mean"]


def test_on_the_same_dice_who_decides_alike_scores_alike() -> None:
    same = table("optimal", "optimal", games=40, same_dice=True)
    assert (same.get_games(0).scores == same.get_games(1).scores).all()
    assert same.names == ("optimal", "optimal (2)")
    own = table("optimal", "optimal", games=40)
    assert (own.get_games(0).scores != own.get_games(1).scores).any()


def test_a_tie_is_played_off_among_the_tied_until_one_is_left() -> None:
    """Two of the same player on their own dice, who win a game each with this seed."""
    found = table("optimal", "DummyPlayer", "optimal", games=2, seed=0)
    off = found.play_off
    assert off.tied == (0, 2)
    assert len(off.left) == 1
    (winner,) = off.left
    rows = make_standings(found).rows
    assert [row.seat for row in rows if row.place == 1] == [winner]
    assert rows[1].place == 2
    assert rows[0].points == rows[1].points


def test_who_dropped_out_of_a_tie_stays_out() -> None:
    """The second game of this one's play-off would be won by the loser of the first."""
    names = ["DummyPlayer"] * 4
    found = table(*names, games=3, seed=321)
    (chunk, *_), judge = play_off_chunks(3), Judge(YAHTZEE)
    agent = find_player("DummyPlayer").open_tabular(YAHTZEE)
    first, second = zip(
        *(
            play_tabular(agent, seat, chunk, found.setting, judge).scores[:2].tolist()
            for seat in (0, 2, 3)
        ),
        strict=True,
    )
    assert first[0] == first[2] > first[1]
    assert second[1] > second[2] > second[0]
    assert found.play_off == PlayOff(tied=(0, 2, 3), left=(3,), games=2)


def test_a_tie_that_cannot_be_broken_is_shared_after_a_thousand_games() -> None:
    found = table("greedy", "greedy", games=5, same_dice=True)
    assert (found.play_off.left, found.play_off.games) == ((0, 1), 1000)
    assert make_standings(found).winners == ("greedy", "greedy (2)")


FOULS = {
    "UsedCategory": "the box ones is filled already",
    "FourthThrow": "no throw is left",
    "NotAChoice": "no TurnChoice",
    "Raising": "raised ZeroDivisionError: half of nothing",
    "Leaving": "raised SystemExit: 3",
    "GivingUp": "has had enough",
    "NotAnAction": "neither a hold nor a box",
    "NoSuchBox": "there is no box 'pair'",
    "WrongHold": "a hold is a number from 0 to 31",
    "WrongType": "of the wrong type",
    "Late": "the third game is too much",
}


HONEST = ("optimal", f"{HERE}:FirstFree")


@pytest.fixture(scope="module")
def honest() -> Any:
    return table(*HONEST, games=6)


@pytest.fixture(scope="module")
def fouled() -> Any:
    """Everybody who breaks a rule at one table: to start each process takes half a second."""
    return table(*HONEST, *(f"{HERE}:{foul}" for foul in FOULS), games=6)


@pytest.mark.parametrize(("foul", "reason"), FOULS.items())
def test_a_bot_that_breaks_a_rule_is_out(fouled: Any, foul: str, reason: str) -> None:
    out = fouled.out[len(HONEST) + list(FOULS).index(foul)]
    assert reason in out.reason
    assert out.where.game == (3 if foul == "Late" else 1)
    assert out.where.turn == (2 if foul == "UsedCategory" else 1)
    players = facts_of(fouled)["players"]
    (told,) = (one for one in players[len(HONEST) :] if one["name"] == f"{HERE}:{foul}")
    assert reason in told["disqualified"]
    assert told["disqualified_at"]["game"] == out.where.game
    assert told["points"] == 0


def test_when_others_break_rules_nobody_else_notices(honest: Any, fouled: Any) -> None:
    assert fouled.present == [0, 1]
    for seat in (0, 1):
        assert (fouled.get_games(seat).scores == honest.get_games(seat).scores).all()
    assert fouled.points == honest.points


SMALL = Limits(first=120, answer=120, bank=600, goodbye=60, memory=400 * MEGABYTE, processes=4)
TAKES_TOO_MUCH = {
    "Hungry": "raised MemoryError",
    "Flooding": "wrote more than 16 MB",
    "Multiplying": "processes at once: 4 are allowed",
    "Ending": "ended with exit status 4",
}


@pytest.mark.parametrize(
    "name",
    # With a change one that is told and one that is ended: programs are ended in the same way.
    [
        pytest.param(name, marks=[] if name in {"Hungry", "Ending"} else [pytest.mark.nightly])
        for name in TAKES_TOO_MUCH
    ],
)
def test_a_class_that_takes_too_much_is_ended_and_nobody_else_notices(name: str) -> None:
    guilty = Contestant(name, known(open_class(HERE, name, YAHTZEE, SMALL)))
    (honest,) = find_contestants([f"{HERE}:FirstFree"], YAHTZEE)
    found = play([honest, guilty], Setting(YAHTZEE, 5), 2)
    assert TAKES_TOO_MUCH[name] in found.out[1].reason
    assert known(found.out[1].where).game == 1
    assert (
        found.get_games(0).scores.tolist()
        == table(f"{HERE}:FirstFree", games=2).get_games(0).scores.tolist()
    )


def test_what_a_class_prints_is_no_answer_and_what_it_reads_no_question() -> None:
    names = (f"{HERE}:Printing", f"{HERE}:FirstFree", "optimal")
    found = table(*names, games=2, same_dice=True)
    assert found.present == [0, 1, 2]
    assert (found.get_games(0).scores == found.get_games(1).scores).all()


def test_what_a_class_complains_of_is_a_line_that_steers_no_terminal() -> None:
    found = table(f"{HERE}:Shouting", games=1)
    reason = found.out[0].reason
    assert reason.startswith("raised ValueError: \N{REPLACEMENT CHARACTER}[2J ?\U0001f3b2")
    assert (len(reason), reason[-1], reason.isprintable()) == (301, "…", True)


@pytest.mark.parametrize("name", ["Scribbling", "ScribblingEarly"])
def test_a_class_that_writes_where_answers_go_is_out_and_nobody_else_notices(name: str) -> None:
    found = table(f"{HERE}:{name}", "optimal", games=1)
    assert found.present == [1]
    assert re.search("where its answer was due|more than one line", found.out[0].reason)
    assert found.out[0].reason.isprintable()


@pytest.mark.parametrize("said", [b"\xff", b"[]", b"[" * 100_000])
def test_what_a_guest_did_not_write_is_no_answer(said: bytes) -> None:
    with pytest.raises(Fault, match="where its answer was due"):
        read(said)


def test_a_class_of_a_table_is_played_from_it() -> None:
    found = table("optimal", f"{HERE}:Playing", games=40, same_dice=True)
    assert (found.get_games(0).scores == found.get_games(1).scores).all()
    assert isinstance(find_contestant(f"{HERE}:Playing", YAHTZEE).agent, Tabular)


def test_a_class_that_raises_when_it_is_told_something_is_out() -> None:
    found = table("optimal", f"{HERE}:Sulking", games=2)
    assert found.out[1].reason == "new_game raised LookupError: nobody asked me"


def test_a_class_is_ended_when_its_question_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> bytes:
        raise KeyboardInterrupt

    ended: list[None] = []
    agent, kill = known(open_class(HERE, "FirstFree", YAHTZEE)), Process.kill
    monkeypatch.setattr(Process, "ask", interrupted)
    monkeypatch.setattr(Process, "kill", lambda process: ended.append(kill(process)))
    with pytest.raises(KeyboardInterrupt):
        agent.new_game(0)
    assert len(ended) == 1


def test_a_pair_says_how_many_games_are_still_needed_by_scores_and_by_regret() -> None:
    found = table("optimal", "AcesAndEights", "AcesAndEights:any-pair", games=40)
    for pair in make_standings(found).pairs:
        one, other = (found.get_games(found.names.index(name)) for name in (pair.one, pair.other))
        saved = other.regret - one.regret
        assert pair.needed == count_games_needed((one.scores - other.scores).astype(float))
        assert pair.needed_by_regret == count_games_needed(saved)
        assert pair.mean_by_regret == pytest.approx(saved.mean())
    assert {pair.needed_by_regret for pair in make_standings(found).pairs} != {0, None}


def test_a_class_is_asked_about_many_games_at_once() -> None:
    agent = known(open_class(HERE, "Batched", YAHTZEE))
    states = [
        apply_roll(apply_action(start_state(YAHTZEE), Hold(0)), dice)
        for dice in ((1, 1, 2, 3, 4), (6,) * 5)
    ]
    rng = np.random.default_rng(1)
    assert isinstance(agent, Batch)
    assert not isinstance(agent, Seated)
    assert agent.choose_many(states, rng) == [list_legal_actions(state)[-1] for state in states]
    agent.close()


def test_who_leaves_questions_unanswered_is_out() -> None:
    found = table("optimal", f"{HERE}:TooFewAnswers", games=6)
    assert found.out[1].reason == "5 answers to 6 questions"
    assert found.out[1].where.game == 1
    assert found.present == [0]


def test_a_table_that_everybody_had_to_leave_is_empty() -> None:
    found = table(f"{HERE}:Raising", f"{HERE}:Leaving", games=3)
    facts = facts_of(found)
    assert (facts["winners"], len(facts["players"]), facts["pairs"]) == ([], 2, [])


def test_players_are_given_copies() -> None:
    names = (f"{HERE}:FirstFree", f"{HERE}:Spoiling", "optimal")
    found = table(*names, games=4, same_dice=True)
    assert (found.get_games(0).scores == found.get_games(1).scores).all()


def test_a_player_sees_everybodys_scores_before_the_round_and_nobodys_name() -> None:
    Watching.seen = []
    names = ("greedy", "optimal")
    first, last = find_contestants(names, YAHTZEE)
    found = play([first, watching(), last], Setting(YAHTZEE, 5), 3)
    assert len(Watching.seen) == 3 * 13 * 3
    assert all(own in scores and scores == sorted(scores) for own, scores in Watching.seen)
    assert all(len(scores) == 3 for _, scores in Watching.seen)
    assert Watching.seen[0] == (0, [0, 0, 0])
    lasts = [scores for _, scores in Watching.seen[-7::3]]  # of the last turn of every game
    for game, scores in enumerate(lasts):
        assert max(scores) <= max(int(found.get_games(seat).scores[game]) for seat in range(3))
        assert max(scores) > 0


def test_who_can_be_asked_about_many_games_at_once_is() -> None:
    agent = Batched(YAHTZEE)
    play([Contestant("batched", agent)], Setting(YAHTZEE, 1), 40)
    assert agent.asked == 40
    assert agent.told == [("yahtzee", 1), "closed"]


def test_who_takes_no_batches_slows_itself_alone() -> None:
    batched, alone = Batched(YAHTZEE), find_contestant(f"{HERE}:Remembering", YAHTZEE)
    found = play([Contestant("batched", batched), alone], Setting(YAHTZEE, 5), 40)
    assert (found.present, batched.asked) == ([0, 1], 40)


def test_a_player_sits_down_for_every_game_and_gets_up_after_it() -> None:
    agent = PlayerAgent(Remembering, YAHTZEE)
    assert play([Contestant("alone", agent)], Setting(YAHTZEE, 5), 3).present == [0]
    assert agent._players == {}


def test_a_program_has_the_name_that_it_says_and_is_kept_by_its_command(tmp_path: Path) -> None:
    command, keep = f"cmd:{program(tmp_path)}", tmp_path / "kept"
    found = table(command, command, "optimal", games=2, keep=keep)
    assert found.names == ("hostile", "hostile (2)", "optimal")
    (tmp_path / "other").mkdir()
    other = f"cmd:{program(tmp_path / 'other')}"
    with pytest.raises(OtherTournament):
        table(other, command, "optimal", games=2, keep=keep)


def test_a_tournament_goes_on_where_it_was_left(tmp_path: Path) -> None:
    keep, names = tmp_path / "kept", (*THREE, f"{HERE}:Late")
    whole = table(*names, games=600, keep=keep)
    lines = keep.read_text().splitlines(keepends=True)
    keep.write_text("".join(lines[:3]) + lines[3][:40])  # as a crash leaves it
    again = table(*names, games=600, keep=keep)
    assert facts_of(again) == facts_of(whole)
    assert facts_of(table(*names, games=600, keep=keep)) == facts_of(whole)
    longer = table(*names, games=900, keep=keep)
    assert facts_of(longer) == facts_of(table(*names, games=900))


def test_what_was_kept_is_not_played_again(tmp_path: Path) -> None:
    keep = tmp_path / "kept"
    play([watching()], Setting(YAHTZEE, 5), 3, keep=keep)
    assert Watching.seen
    Watching.seen = []
    play([watching()], Setting(YAHTZEE, 5), 3, keep=keep)
    assert Watching.seen == []


@pytest.mark.parametrize("text", ["{}\n", "no JSON\n", ""])
def test_a_file_of_something_else_is_refused_and_left_as_it_is(tmp_path: Path, text: str) -> None:
    keep = tmp_path / "kept"
    keep.write_text(text)
    with pytest.raises(OtherTournament):
        table("greedy", games=3, keep=keep)
    assert keep.read_text() == text


def test_another_seed_is_another_tournament(tmp_path: Path) -> None:
    keep = tmp_path / "kept"
    table("greedy", games=3, keep=keep)
    with pytest.raises(OtherTournament):
        table("greedy", games=3, keep=keep, seed=6)


def test_a_match_of_two_stops_when_one_leads_by_fifteen_games() -> None:
    found = table("optimal", "AcesAndEights", games=3000, stop_early=True)
    signs = np.sign(found.get_games(0).scores - found.get_games(1).scores).cumsum()
    assert found.stopped
    assert abs(signs[-1]) == 15
    assert (np.abs(signs[:-1]) < 15).all()
    whole = table("optimal", "AcesAndEights", games=found.games)
    assert (whole.get_games(1).scores == found.get_games(1).scores).all()
    assert not table("optimal", "optimal", games=20, stop_early=True).stopped


def test_dice_of_a_chunk_follow_from_the_seed_its_number_and_the_seat() -> None:
    setting, shared = Setting(YAHTZEE, 3), Setting(YAHTZEE, 3, same_dice=True)
    one = roll_dice(setting, Chunk(4, 1000, 250), 2)
    assert (one == roll_dice(setting, Chunk(4, 1000, 250), 2)).all()
    for other in (Chunk(5, 1000, 250), 3), (Chunk(4, 1000, 250), 1):
        assert (one != roll_dice(setting, *other)).any()
    assert (roll_dice(shared, Chunk(4, 0, 9), 2) == roll_dice(shared, Chunk(4, 0, 9), 0)).all()
    assert set(np.unique(one).tolist()) == {1, 2, 3, 4, 5, 6}


def test_a_row_is_worked_out_from_its_own_games() -> None:
    found = table(*THREE, games=5)
    for row in make_standings(found).rows:
        scores = found.get_games(row.seat).scores.tolist()
        assert row.mean == pytest.approx(mean(scores))
        assert row.deviation == pytest.approx(stdev(scores))
        assert row.share == row.points / 5
    assert [row.deviation for row in make_standings(table("greedy", games=1)).rows] == [None]


def test_the_mean_without_noise_is_what_perfect_play_is_worth_less_the_regret() -> None:
    rows = make_standings(table(*THREE, games=400)).rows
    best = rows[0]
    assert best.name == "optimal"
    assert best.without_noise == pytest.approx(254.587728734)
    assert best.skill is None  # nothing varies
    for row, exact in ((rows[1], 217.307), (rows[2], 190.76)):
        skill, score = known(row.skill), known(row.score)
        assert skill.half < score.half / 3
        assert skill.low - skill.half < exact < skill.high + skill.half


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tests.solver.nowhere:Player", "no module"),
        (f"{HERE}:Nobody", "no class"),
        (f"{HERE}:sys", "no class"),
        ("cmd:", "followed by"),
        ("solver.rules.game:Hold", "neither a Player"),
        (f"{HERE}:Unmakeable", "cannot be made: plays nothing"),
    ],
)
def test_a_player_that_cannot_be_found_is_told_why(text: str, reason: str) -> None:
    with pytest.raises(UnknownContestant, match=reason):
        find_contestant(text, YAHTZEE)


def test_an_opened_bot_is_closed_when_another_is_not_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed = []
    monkeypatch.setattr(Contestant, "close", lambda self: closed.append(self.name))
    with pytest.raises(UnknownContestant):
        find_contestants(["greedy", f"{HERE}:Nobody"], YAHTZEE)
    assert closed == ["greedy"]


def test_the_command_prints_one_object_with_everybody(run: Run) -> None:
    names = ("optimal", "AcesAndEights", "DummyPlayer", f"{HERE}:Raising")
    status, out, _ = run("tournament", *names, "--games", "20", "--seed", "1", "--json", "--trust")
    facts = json.loads(out)
    assert status == 0
    assert {one["name"] for one in facts["players"]} == set(names)
    for one in facts["players"]:
        assert {"name", "points", "mean", "regret_per_decision"} <= one.keys()
    assert [one["name"] for one in facts["players"] if "disqualified" in one] == [names[3]]
    assert facts["players"][0]["regret_per_decision"] == pytest.approx(0, abs=1e-12)


def test_the_command_shows_a_table_writes_a_page_and_keeps_what_was_played(
    run: Run, tmp_path: Path
) -> None:
    page, kept = tmp_path / "page.html", tmp_path / "kept"
    options = ("--games", "20", "--html", str(page), "--resume", str(kept), "--trust")
    status, out, _ = run("tournament", "optimal", "greedy", f"{HERE}:Raising", *options)
    assert status == 0
    assert "Head to head" in out
    assert "is out: raised ZeroDivisionError" in out
    html = page.read_text()
    assert "<script" not in html
    assert "src=" not in html
    for said in ("optimal won", "Head to head", "half of nothing", "regret of a decision"):
        assert said in html
    assert len(kept.read_text().splitlines()) == 3


def test_a_name_is_no_markup_and_what_a_class_prints_here_is_no_table(
    run: Run, tmp_path: Path
) -> None:
    bot = program(tmp_path, "def hello(message): return {'name': '[/b] :game_die:'}")
    status, out, _ = run("tournament", f"cmd:{bot}", "--games", "1", "--trust")
    assert (status, "[/b]" in out) == (0, True)
    assert ":game_die:" in "".join(out.split())
    status, out, err = run("tournament", f"{HERE}:Playing", "--games", "1", "--json", "--trust")
    assert (json.loads(out)["games"], "a table of mine" in err) == (1, True)


def test_a_page_says_why_somebody_is_out_and_folds_the_position(run: Run, tmp_path: Path) -> None:
    bot, page = program(tmp_path, "def choose(q): return {'action': 'dance'}"), tmp_path / "p.html"
    run("tournament", f"cmd:{bot}", "greedy", "--games", "2", "--html", str(page), "--trust")
    html = page.read_text()
    assert "greedy won" in html
    assert "±\N{NO-BREAK SPACE}" in html
    (reason,) = re.findall("<p>[^<]* is out: (answered .*?)</p>", html)
    assert "filled" not in reason
    assert "(game 1, turn 1, " in reason
    (position,) = re.findall("<summary>The position</summary><p>(.*?)</p>", html)
    assert json.loads(unescape(position))["filled"] == []


def test_a_fight_is_a_tournament_of_two(run: Run) -> None:
    options = ("--games", "30", "--same-dice", "--json")
    fight = json.loads(run("bot", "fight", "optimal", "DummyPlayer", *options)[1])
    assert fight == json.loads(run("tournament", "optimal", "DummyPlayer", *options)[1])
    assert fight["pairs"][0]["won"] == 30


def test_a_table_is_solved_where_it_is_missing_and_only_there(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solved, made = find_table_path(YAHTZEE).read_bytes(), list[str]()

    def solves(rules: Ruleset, path: Path, progress: Any = None) -> None:
        made.append(rules.id)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(solved)

    monkeypatch.setenv("YATZY_TABLES", str(tmp_path / "tables"))
    monkeypatch.setattr("solver.tables.parts.make_values", solves)
    for _ in range(2):
        assert run("tournament", "DummyPlayer", "--games", "2")[0] == 0
    assert made == ["yahtzee"]


def test_while_somebody_else_solves_the_table_it_says_so(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with acquire_lock(lock_path(YAHTZEE), wait=False):  # of other parts: the table is there
        assert run("tournament", "DummyPlayer", "--games", "2")[0] == 0
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    with acquire_lock(lock_path(YAHTZEE), wait=False):
        status, _, err = run("tournament", "DummyPlayer", "--games", "2")
    assert (status, err) == (2, "another process is making the parts of yahtzee\n")


def test_a_page_that_cannot_be_written_is_refused_in_a_line(run: Run) -> None:
    status, _, err = run("tournament", "optimal", "--html", ".", "--games", "3")
    assert (status, err.count("\n")) == (2, 1)
