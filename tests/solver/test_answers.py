"""The answers of the lab: the stored facts are those of the program, and the page prints them."""

import re

import pytest

from solver.advice.moments import evaluate
from solver.arena.results import rank_players, read_result
from solver.exact.distribution import calculate_distribution
from solver.learning.summary import collect_facts as summary
from solver.learning.summary import make_run
from solver.players import PLAYERS, find_player
from solver.players.mixed import Mixed
from solver.rules import YATZY
from solver.rules.rulesets import YAHTZEE
from solver.study import answers, answers_made
from solver.study.html import Figure, Heading, Paragraph, Words, render_parts
from solver.study.mixes import read_stored_mixes
from tests.known import known

FACTS = answers.read_stored_answers()


def test_a_heading_an_answer_and_a_command_for_each_question() -> None:
    parts = list(answers.report_answers(FACTS, Words()))
    headings = [at for at, part in enumerate(parts) if isinstance(part, Heading)]
    assert len(headings) == len({parts[at].id for at in headings}) == 8  # type: ignore[union-attr]
    for start, end in zip(headings, [*headings[1:], len(parts)], strict=True):
        answer, figure = parts[start + 1 : start + 3]
        assert isinstance(answer, Paragraph)
        assert len(re.findall(r"[.!?](?=\s|$)", answer.text)) == 1  # one sentence
        assert isinstance(figure, Figure)
        texts = [part.text for part in parts[start:end] if isinstance(part, Paragraph)]
        assert sum("./yatzy solver" in text for text in texts) == 1
    assert "%(" not in render_parts(parts)


def test_exact_means_are_those_of_the_players() -> None:
    for name, mean in FACTS["means"].items():
        result = read_result(PLAYERS[name], YATZY)
        assert result is not None
        assert mean == pytest.approx(result.distribution.mean, abs=1e-9)


def test_halves_of_perfect_play_are_the_stored_mixes() -> None:
    mixes, halves, rule = read_stored_mixes()["mixes"], FACTS["halves"], answers_made.HALVES
    assert halves["perfect_boxes"] == mixes[rule]["optimal"][0]
    assert halves["perfect_holds"] == mixes["optimal"][rule][0]
    assert halves["mean"] == mixes[rule][rule][0]


@pytest.mark.nightly
@pytest.mark.usefixtures("yatzy_tables")
def test_halves_of_perfect_play_are_calculated_again() -> None:
    best, rule = (
        find_player(name).open_tabular(YATZY) for name in ("optimal", answers_made.HALVES)
    )
    halves = FACTS["halves"]
    assert evaluate(Mixed(rule, best)).mean == pytest.approx(halves["perfect_boxes"], abs=1e-5)
    assert evaluate(Mixed(best, rule)).mean == pytest.approx(halves["perfect_holds"], abs=1e-5)
    assert evaluate(rule).mean == pytest.approx(halves["mean"], abs=1e-5)


def test_the_humps_add_up_to_all_games_and_the_first_to_the_chance_of_the_bonus() -> None:
    exact, humps = known(read_result(PLAYERS["optimal"], YATZY)).distribution, FACTS["humps"]
    both = [one + other for one, other in zip(humps["with"], humps["without"], strict=True)]
    assert both == pytest.approx(exact.group_in_tens().tolist(), abs=1e-8)
    assert sum(humps["with"]) == pytest.approx(exact.bonus_probability, abs=1e-8)
    # With the bonus nobody has less than the threshold and the bonus.
    assert not any(humps["with"][: (YATZY.bonus_threshold + YATZY.bonus_points) // 10])


@pytest.mark.nightly
@pytest.mark.usefixtures("yatzy_tables")
def test_the_humps_are_the_games_with_the_bonus_and_those_without() -> None:
    exact = calculate_distribution(find_player("optimal").open_tabular(YATZY))
    split = answers_made._sum_tens(known(exact.with_bonus))
    assert FACTS["humps"]["with"] == pytest.approx(split, abs=1e-9)


def test_the_tournament_is_the_standing() -> None:
    exact = rank_players(YAHTZEE)
    against = exact.names.index("greedy")
    for name, share in FACTS["tournament"]["against_greedy"].items():
        assert share == pytest.approx(exact.wins[exact.names.index(name), against], abs=1e-9)
    assert FACTS["tournament"]["winner"] == exact.names[0] == "optimal"


def test_the_shortest_lesson_is_measured_again() -> None:
    (*_, last) = summary(make_run(*answers_made._run_lesson(1, 100, 0.0)))["trials"]
    assert last == FACTS["smallest"]["while_learning"]["three of a kind"]


@pytest.mark.nightly
@pytest.mark.usefixtures("all_tables")
def test_what_is_measured_is_measured_again() -> None:
    assert answers_made._measure_early() == pytest.approx(FACTS["learner"]["early"], abs=1e-6)
    assert answers_made._repeat_lessons() == FACTS["smallest"]["while_learning"]


@pytest.mark.nightly
@pytest.mark.usefixtures("yatzy_tables")
def test_the_spread_of_losses_is_measured_again() -> None:
    assert answers_made._simulate_erring() == pytest.approx(FACTS["apart"])


@pytest.mark.parametrize(("deviation", "points", "games"), [(10.0, 10.0, 16), (40.0, 5.0, 1005)])
def test_games_that_two_players_need(deviation: float, points: float, games: int) -> None:
    """The textbook's formula for two means: 16 per group for one standard deviation."""
    assert answers_made._count_games(deviation, points) == games


def test_every_number_of_the_page_is_stored() -> None:
    text = " ".join(
        part.text for part in answers.report_answers(FACTS, Words()) if isinstance(part, Paragraph)
    )
    assert f"{FACTS['means']['playbook-10']:.1f}" in text
    assert f"{FACTS['halves']['perfect_holds']:.2f}" in text
    assert f"{FACTS['apart']['games']['5']['losses']} games" in text
    assert len(re.findall(r"\d+\.\d", text)) > 20
