"""The coach of a game without a network says what the server's says where it has values alone."""

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import pytest

from game.coach import reasons
from game.coach.reasons import explain_best
from game.core.counting import format_help_note
from game.core.game_queries import Move
from game.core.words import phrases, speech
from game.core.words.speech import TABLE, say
from game.core.worth.severity import GRADES, INACCURACY, SEVERITIES, find_severity, sum_mistakes
from game.models import Coach, Game
from game.offline import offline_coach, offline_views
from game.pages.board import story
from game.pages.board.ending import Account, _add_better_move
from solver.advice import Advisor, Option, Position
from solver.advice.wire import serialise_position
from solver.pocket import build, collect_facts
from solver.rules import Ruleset
from solver.tables import open_table
from tests.game.rulesets import Recorded, played_at_random, played_erring
from tests.selection import examples
from tests.solver.test_advice import random_position

SCRIPTS = build.BUILT.parent / "js"
HELPED = [{"coach": coach, "hints": hints} for hints in (0, 2) for coach in Coach.values]
NODE = pytest.mark.needs("node")


def named(option: Option) -> str:
    dice = "" if option.action == "score" else ",".join(map(str, option.dice))
    return f"{option.category} {dice}"


def in_node(
    folder: Path,
    rules: Ruleset,
    asked: Sequence[tuple[Position, str]] = (),
    games: Sequence[Recorded] = (),
) -> Any:
    wanted = {
        **speaker(rules),
        "positions": [{"position": serialise_position(p), "chosen": chosen} for p, chosen in asked],
        "games": [
            {"turns": g.turns, "score": g.end.total, "helped": helped, "grade": grade.id}
            for g, helped, grade in zip(games, cycle(HELPED), cycle(GRADES))
        ],
    }
    return run(Path(__file__).with_name("coach_says.mjs"), folder, rules, wanted)


def speaker(rules: Ruleset) -> dict[str, Any]:
    card = next(one.facts for one in offline_views.make_cards() if one.board.rules == rules)
    return {"words": offline_coach.make_texts(), "card": card}


def run(harness: Path, folder: Path, rules: Ruleset, wanted: dict[str, Any]) -> Any:
    shutil.copytree(SCRIPTS, folder / "js", dirs_exist_ok=True)
    (folder / "package.json").write_text('{"type": "module"}')
    program = str(build.BUILT / "float64.wasm")
    answers = folder / "answers.json"
    wanted |= {"program": program, "facts": collect_facts(rules), "answers": str(answers)}
    (folder / "asked.json").write_text(json.dumps(wanted, default=str))
    subprocess.run(["node", shutil.copy(harness, folder), folder / "asked.json"], check=True)
    return json.loads(answers.read_text())


def on_the_edge(amount: float) -> bool:
    halves = (abs(20 * amount) % 2, abs(200 * amount) % 2)
    named = any(abs(amount - one.at_least) < 1e-8 for one in SEVERITIES)
    return named or any(abs(half - 1) < 1e-7 for half in halves)


def unspoken(reason: str) -> str:
    """Without its odds: a chance may lie between two that have a name."""
    for times, among in TABLE["odds"]["near"]:
        reason = reason.replace(f"({say('odds', times=times, among=among)})", "")
    return reason


def ours(coach: Advisor, position: Position, option: Option) -> list[str]:
    cost = option.regret
    return [
        named(option),
        phrases.describe_option(coach.rules, option),
        phrases.format_short_cost(cost),
        phrases.format_cost(cost),
        phrases.format_loss(cost),
        phrases.format_points(option.value),
        find_severity(cost).id,
    ]


@NODE
@pytest.mark.sampled("any_advisor")
def test_it_says_what_the_server_says(any_advisor: Advisor, tmp_path: Path) -> None:
    rules, number = any_advisor.rules, examples(2000)
    random, coach = Random(""), Advisor(open_table(rules), rules)
    positions = [random_position(rules, random) for _ in range(number)]
    advised = [coach.make_advice(coach.evaluate(position)) for position in positions]
    chosen = [random.choice(advice.options) for advice in advised]
    told = in_node(tmp_path, rules, list(zip(positions, map(named, chosen), strict=True)))["told"]
    edges = otherwise = 0
    for position, advice, done, theirs in zip(positions, advised, chosen, told, strict=True):
        lines = {line[0]: line for line in theirs["options"]}
        assert len(lines) == len(advice.options)
        for option in advice.options:
            if on_the_edge(option.regret) or on_the_edge(option.value):
                edges += 1
            else:
                assert lines[named(option)] == ours(coach, position, option)
        said = [explain_best(coach, position, advice, option) for option in (None, done)]
        also = [theirs["best"], theirs["was"]]
        if said != also:
            otherwise += 1
            on_edge = any(on_the_edge(option.regret) for option in advice.options)
            assert on_edge or list(map(unspoken, said)) == list(map(unspoken, also)), (said, also)
    assert edges < 0.02 * sum(len(advice.options) for advice in advised)
    assert otherwise <= number / 1000


def expect_the_same_end(
    coach: Advisor, game: Recorded, told: dict[str, Any], helped: dict[str, Any], grade: Any
) -> None:
    moves = [Move(s, a, coach.entry(s, a)) for s, a in game.moves if s.dice]
    judged = [(move, move.entry) for move in moves if move.entry]
    luck = sum(entry.luck for _, entry in judged)
    account = Account(
        game.rules, game.end.total, luck, sum_mistakes(entry.regret for _, entry in judged)
    )
    words, values = account.equation, told["values"]
    printed = [str(values[name]) for name in offline_coach.EQUATION]
    assert printed == [number for _kind, _name, number in account.parts]
    assert values["grade"]["name"] == str(account.grade.name)
    assert values["accuracy"] == account.accuracy
    for name in ("luck_bar", "mistakes_bar"):
        assert values[name] == pytest.approx(asdict(getattr(account, name)), abs=1)
    free = sum(not entry.forced for _, entry in judged)
    note = format_help_note(Game(**helped, free_decisions=free))
    assert told["points_lost"] == story.describe_score("points_lost", words)
    assert told["headline"] == (note or story.describe_score("headline", words))
    end = story.list_sentences(judged, words, None, grade)
    end = [_add_better_move(coach, one, moves) for one in end]
    sentences = [(one.facts["figure"], one.facts["title"], one.says) for one in end]
    assert [(one["figure"], one["title"], one["text"]) for one in told["sentences"]] == sentences
    assert told["squares"] == story.list_turn_severities(judged, game.rules)
    costly = sorted((-e.regret, n) for n, (_, e) in enumerate(judged) if e.regret >= INACCURACY)
    worst = [[moves[n].state.turn + 1, moves[n].state.throws_made] for _, n in costly[:3]]
    assert [one[:2] for one in told["worst"]] == worst
    assert told["labels"] == [phrases.describe_move(move.state, move.action) for move in moves]
    assert told["luck"] == [phrases.describe_luck(entry.luck) for _, entry in judged]


@NODE
@pytest.mark.sampled("any_advisor")
def test_the_end_of_a_game_is_told_as_the_server_tells_it(
    any_advisor: Advisor, tmp_path: Path
) -> None:
    rules = any_advisor.rules
    games = [played_at_random(rules, seed) for seed in range(8)]
    games += [played_erring(any_advisor, seed, 0.5 / max(1, seed)) for seed in range(12)]
    ends = in_node(tmp_path, rules, games=games)["ends"]
    for game, *told in zip(games, ends, cycle(HELPED), cycle(GRADES)):
        expect_the_same_end(any_advisor, game, *told)
    assert len(ends) == len(games) > len(HELPED)


def test_no_sentence_stands_in_a_program_of_the_coach() -> None:
    """All that a player reads is in the table, which is translated."""
    scripts = [*SCRIPTS.glob("coach_*.js"), *SCRIPTS.glob("offline_*.js")]
    for path in scripts:
        code = re.sub(r"^ *//.*", "", path.read_text(), flags=re.MULTILINE)
        assert not re.findall(r'"[A-Z“%][^"\n]* [^"\n]*"', code), path
    for module in (reasons, speech):
        assert module.__file__
        assert not re.search(r'\b(_|n?gettext)\("', Path(module.__file__).read_text())
