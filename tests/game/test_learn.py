"""Learning from positions: cards that return, lessons, and pairs of opposites."""

import json
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from html import unescape
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.utils import timezone

from game.api.api_refusals import Invalid, NotJson
from game.api.parsing import parse_object, parse_question
from game.coach import review_charts
from game.coach.review import Filter, Review, Step, Walk
from game.core.accounts import clean_nickname, normalise_code
from game.core.coach_lock import MOST, BrowserMark, parse_mark
from game.core.refusals import Refused
from game.core.worth.tables import load_advisor
from game.duels.duel_rounds import Course, DuelRounds
from game.models import DrillAttempt, DrillCard, Game, Player
from game.models.drill import make_position_fields
from game.offline.offline_views import replay
from game.pages.board.board import Row
from game.pages.requests.forms import HeldForm, ThrowForm
from game.practice import lessons
from game.practice.drill_pool import load_exercises
from game.practice.drill_queries import find_mistake_question
from game.practice.learn import Lesson
from game.practice.lessons import ASKED, LEAST, list_lesson_positions, list_lessons
from game.trials.design.arm_text import read_arms
from game.trials.design.writing import close_trial
from game.trials.joining.recruiting import PLACEHOLDER, read_address
from game.trials.models import LONGEST_LABEL, Recruitment, normalise_label
from game.trials.questions.parsing import parse_questionnaire
from solver.advice import Position
from solver.arena.chunks import Seat, apply_answer
from solver.arena.contestants import Contestant
from solver.arena.illegal import Disqualified, Where
from solver.dp.space import TIE
from solver.players import files
from solver.players.playbook import read_playbook, read_stored_books
from solver.players.playbook_rules import Playbook, find_cases, find_commonest, format_sentence
from solver.rules import (
    YATZY,
    Action,
    Hold,
    Ruleset,
    Score,
    State,
    apply_action,
    apply_roll,
    start_state,
)
from solver.rules.rulesets import YAHTZEE
from solver.statistics.fairness import BadFaces, parse_faces
from tests.game.rulesets import finished_game, known_game
from tests.game.test_again import choice, query_of
from tests.game.test_review import found_in
from tests.known import known
from tests.play import Answer, Browser, play_through, take
from tests.selection import exhaustive
from tests.trials import into_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


TELLING = re.compile(
    r"data-best|class=\"options\"|Expected final score|The aim (is|was)|best</span>|id=\"why\""
)


@pytest.fixture
def game(browser: Browser) -> Game:
    begun = browser.start()
    begun.delete()
    return known_game(begun.player, YATZY)


@pytest.fixture
def found(game: Game) -> Review:
    return found_in(game)


def of_kind(found: Review, *, hold: bool) -> Step:
    return next(step for step in found.mistakes if bool(step.best.category) != hold)


def query(step: Step, action: Action) -> str:
    if isinstance(action, Score):
        return f"step={step.number}&category={action.category}"
    slots = "".join(f"&slot={slot}" for slot in action.places)
    return f"step={step.number}{slots}&go=1"


def best_of(step: Step) -> Action:
    if step.best.category:
        return Score(step.best.category)
    return Hold(sum(1 << slot for slot in step.best.slots))


def posted(browser: Client, game: Game, step: Step, action: Action, **more: object) -> Answer:
    data: dict[str, object] = {"step": step.number, "seq": 0, **more}
    if isinstance(action, Score):
        data["category"] = action.category
    else:
        data |= {"slot": list(action.places), "go": 1}
    return browser.post(f"/games/{game.pk}/learn", data)


def costliest_of(found: Review) -> list[Step]:
    """The obvious way: every other mistake that is not among them cost no more."""
    left, first = list(found.mistakes), list[Step]()
    while left and len(first) < 5:
        worst = left[0]
        for step in left:
            if step.entry.regret > worst.entry.regret:
                worst = step
        left.remove(worst)
        first.append(worst)
    return first


def test_a_mistake_is_asked_without_its_answer(browser: Browser, game: Game, found: Review) -> None:
    for step in found.mistakes:
        text = browser.get(f"/games/{game.pk}/learn?step={step.number}").text
        assert not TELLING.search(text)
        assert step.cost not in text
        assert step.reason not in text
        assert not re.search(r"data-(marked|dropped|lost|severity|costs)|told__row--best", text)


def test_marks_stops_and_drill_items_of_a_game_are_one_list(player: Player) -> None:
    for seed in range(1000 if exhaustive() else 4):
        game = finished_game(player, YATZY, seed)
        review = found_in(game)
        mistakes = [step.number for step in review.mistakes]
        chart = review_charts.draw_course(Walk(review, Filter(), "/here", None))
        marks = re.findall(r'class="chart-mark [^"]*" href="/here\?step=(\d+)"', chart)
        assert list(map(int, marks)) == mistakes
        lesson = Lesson(review, review.steps[0], {})
        assert sorted(stop.number for stop in lesson.stops) == mistakes
        numbers = [step.number for step in review.steps]
        assert [n for n in numbers if find_mistake_question(player, game, n)] == mistakes


def test_a_worse_choice_is_told_as_such_and_the_best_is_kept_back(
    browser: Browser, game: Game, found: Review
) -> None:
    for step in found.mistakes:
        page = browser.get(f"/games/{game.pk}/learn?{query(step, step.entry.action)}")
        text = page.text
        assert page.context["answer"].result == "wrong"
        assert step.cost in text
        assert "Your answer was also the move in the game." in text
        assert not TELLING.search(text)
        assert 'id="try-again"' in text
        assert 'id="see-why"' in text


@pytest.mark.parametrize("hold", [True, False])
def test_the_best_is_right_and_the_reason_comes_with_it(
    browser: Browser, game: Game, found: Review, hold: bool
) -> None:
    step = of_kind(found, hold=hold)
    page = browser.get(f"/games/{game.pk}/learn?{query(step, best_of(step))}")
    text = page.text
    assert page.context["answer"].right
    assert "Right:" in text
    assert 'id="try-again"' not in text
    assert 'id="why"' in text
    assert step.label in text


def test_what_costs_next_to_nothing_is_nearly_right(
    browser: Browser, game: Game, found: Review
) -> None:
    step, option = next(
        (step, option)
        for step in found.steps
        for option in step.advice.options
        if 1e-6 < option.regret < 0.5
    )
    page = browser.get(f"/games/{game.pk}/learn?{query(step, take(option, step.state.dice))}")
    assert page.context["answer"].result == "near"
    assert "Close" in page.text
    assert not TELLING.search(page.text)


def test_see_why_tells_the_best_and_trying_again_does_not(
    browser: Browser, game: Game, found: Review
) -> None:
    step = found.mistakes[0]
    told = browser.get(f"/games/{game.pk}/learn?{query(step, step.entry.action)}")
    why = known(re.search(r'id="see-why"[^>]*href="([^"#]+)', told.text))[1]
    text = browser.get(why.replace("&amp;", "&")).text
    assert step.best.label in text
    assert "best</td>" in text
    assert "your choice</span>" in text
    assert "played</span>" not in text
    again = known(re.search(r'id="try-again"[^>]*href="([^"]+)', text))[1]
    assert not TELLING.search(browser.get(again.replace("&amp;", "&")).text)


def followed(answer: Answer) -> str:
    button = re.compile(
        r'<form class="actions" method="get" action="([^"]+)">\s*'
        r'<input type="hidden" name="(\w+)" value="(\d+)">'
    )
    action, name, value = known(button.search(answer.text)).groups()
    return f"{action}?{name}={value}"


def test_the_costliest_five_come_first_each_shown_asked_and_followed_by_one_like_it(
    browser: Browser, game: Game, found: Review
) -> None:
    address, seen = f"/games/{game.pk}/learn", []
    while "end=1" not in address:
        shown = browser.get(address)
        step = shown.context["step"]
        seen.append(step.number)
        asked = browser.get(followed(shown))
        assert asked.context["step"].number == step.number
        assert asked.context["fields"]["step"] == step.number
        told = browser.get(f"/games/{game.pk}/learn?{query(step, best_of(step))}")
        like = browser.get(followed(told))
        assert like.context["like"]
        address = followed(answered_like(browser, like))
    assert seen == [step.number for step in costliest_of(found)]


def answered_like(browser: Browser, like: Answer) -> Answer:
    box = next(row.id for row in rows_of(like) if row.playable)
    answer = browser.post(like.request["PATH_INFO"], {**like.context["fields"], "category": box})
    return browser.get(answer.headers["Location"])


def rows_of(page: Answer) -> list[Row]:
    board = page.context["board"]
    return [*board.upper, *board.lower]


def test_a_moment_shows_what_was_done_and_what_it_cost_and_not_what_was_better(
    browser: Browser, game: Game, found: Review
) -> None:
    for step in costliest_of(found):
        page = browser.get(f"/games/{game.pk}/learn?moment={step.number}")
        text = page.text
        assert step.label in text
        assert step.taken_off in text
        assert not TELLING.search(text)
        kept = [die.slot for die in page.context["board"].dice if die.held]
        action = step.entry.action
        assert kept == (list(action.places) if isinstance(action, Hold) else [])


def test_the_rest_is_asked_after_them_in_the_order_of_the_game(
    browser: Browser, game: Game, found: Review
) -> None:
    first = costliest_of(found)
    rest = [step for step in found.mistakes if step not in first]
    assert rest
    end = browser.get(f"/games/{game.pk}/learn?end=1").text
    assert f"{len(rest)} more mistakes" in end
    address = known(re.search(r'id="more"[^>]*href="([^"]+)"', end))[1]
    seen = []
    while "end=1" not in address:
        page = browser.get(address)
        step = page.context["step"]
        assert "fields" in page.context  # asked at once
        seen.append(step.number)
        told = browser.get(f"/games/{game.pk}/learn?{query(step, best_of(step))}")
        address = followed(told)
    assert seen == [step.number for step in rest]


def test_from_a_decision_that_is_no_mistake_the_next_mistake_of_the_game_follows(
    browser: Browser, game: Game, found: Review
) -> None:
    first = costliest_of(found)
    for calm in (step for step in found.steps if not step.mistaken):
        later = next((step for step in found.mistakes if step.number > calm.number), None)
        told = browser.get(f"/games/{game.pk}/learn?{query(calm, best_of(calm))}")
        name = "moment" if later in first else "step"
        asks = f"{name}={later.number}" if later else "end=1"
        assert followed(told) == f"/games/{game.pk}/learn?{asks}"


# One more like it


def test_the_like_of_a_moment_is_another_position_of_the_same_kind_and_new(
    browser: Browser, game: Game, found: Review
) -> None:
    coach, pool, met = found.steps[0].advisor, load_exercises(YATZY), set()
    for step in costliest_of(found):
        page = browser.get(f"/games/{game.pk}/learn?like={step.number}")
        name = page.context["fields"]["of"]
        position = pool[name].position
        assert not TELLING.search(page.text)
        assert position != step.entry.position
        assert name not in met
        met.add(name)
        best = coach.advise(position).best
        assert (best.action == "score") == bool(step.best.category)


def test_what_the_drill_has_asked_is_not_asked_again_as_the_like_of_a_moment(
    browser: Browser, game: Game, found: Review
) -> None:
    here = f"/games/{game.pk}/learn?like={costliest_of(found)[0].number}"
    before = browser.get(here).context["fields"]["of"]
    now = timezone.now()
    fields = make_position_fields(load_exercises(YATZY)[before].position)
    DrillCard.objects.create(player=game.player, **fields, created_at=now, due=now)
    assert browser.get(here).context["fields"]["of"] != before
    named = browser.get(f"{here}&of={before}")
    assert named.context["fields"]["of"] == before


def test_the_answer_to_the_like_is_judged_as_in_the_drill_and_stored_nowhere(
    browser: Browser, game: Game, found: Review
) -> None:
    step = costliest_of(found)[0]
    asked = browser.get(f"/games/{game.pk}/learn?like={step.number}")
    told = answered_like(browser, asked)
    assert told.context["answer"].regret >= 0
    assert "Expected points" in told.text
    assert not DrillCard.objects.exists()
    fields = asked.context["fields"]
    box = next(row.id for row in rows_of(asked) if not row.playable)
    refused = browser.get(
        f"/games/{game.pk}/learn?like={step.number}&of={fields['of']}&category={box}"
    )
    assert refused.status_code == 400
    assert refused.context["fields"]["of"] == fields["of"]


# What was won back


def test_first_answers_win_points_back_and_the_printed_ones_add_up(
    browser: Browser, game: Game, found: Review
) -> None:
    right, worse, *others = costliest_of(found)
    posted(browser, game, right, best_of(right))
    posted(browser, game, worse, worse.entry.action)
    posted(browser, game, worse, best_of(worse), seq=1)
    page = browser.get(f"/games/{game.pk}/learn?end=1")
    regained = page.context["lesson"].regained
    assert [step.number for step, _part in regained] == [right.number, worse.number]
    lost = [Decimal(part.lost_words) for _step, part in regained]
    won = [Decimal(part.won_words) for _step, part in regained]
    assert lost == [Decimal(f"{step.entry.regret:.1f}") for step in (right, worse)]
    assert won == [lost[0], 0]
    text = " ".join(page.text.split())
    assert f"<b>{sum(won)}</b> of {sum(lost)} points won back" in text
    assert others


# What is stored


def test_the_first_try_is_an_attempt_of_the_drill(
    browser: Browser, game: Game, found: Review
) -> None:
    step = of_kind(found, hold=True)
    answer = posted(browser, game, step, best_of(step))
    assert answer.headers["Location"].endswith(f"?{query(step, best_of(step))}")
    card = DrillCard.objects.get()
    assert card.position == step.entry.position
    assert known(card.decision).game_id == game.pk
    attempt = DrillAttempt.objects.get()
    assert attempt.regret == pytest.approx(0.0, abs=1e-9)
    assert known(card.interval) == 2


def test_the_row_of_mistakes_tells_how_the_first_tries_went(
    browser: Browser, game: Game, found: Review
) -> None:
    right, wrong = costliest_of(found)[:2]
    posted(browser, game, right, best_of(right))
    posted(browser, game, wrong, wrong.entry.action)
    posted(browser, game, wrong, best_of(wrong), seq=1)
    lesson = browser.get(f"/games/{game.pk}/learn").context["lesson"]
    assert [stop.result for stop in lesson.stops[:3]] == ["right", "wrong", ""]
    assert [stop.number for stop in lesson.stops if stop.current] == [lesson.step.number]
    end = browser.get(f"/games/{game.pk}/learn?end=1").text
    assert "You got 1 position right at the first try" in end


def test_nobody_else_counts_in_my_drill(browser: Browser, game: Game, found: Review) -> None:
    step = found.mistakes[0]
    address = f"/review/{game.share_token}/learn"
    data = {"step": step.number, "seq": 0, "category": YATZY.categories[0].id}
    stranger = Browser()
    assert stranger.post(address, data).status_code == 302
    assert stranger.get(address).status_code == 200
    assert stranger.get(f"/games/{game.pk}/learn").status_code == 403
    assert not DrillCard.objects.exists()
    browser.post(
        address, {**data, "category": next(YATZY.categories[n].id for n in step.state.offers)}
    )
    assert DrillCard.objects.get().player == game.player


# What cannot be done


def test_what_the_rules_forbid_is_explained_and_stored_nowhere(
    browser: Browser, game: Game, found: Review
) -> None:
    step = found.mistakes[-1]
    filled = next(
        category.id for category, box in zip(YATZY.categories, step.state.boxes, strict=True) if box
    )
    answer = posted(browser, game, step, Score(filled))
    page = browser.get(answer.headers["Location"])
    assert page.status_code == 400
    assert "is already filled" in page.text
    assert not DrillCard.objects.exists()
    last = next(step for step in found.steps if not step.state.throws_left)
    assert browser.get(f"/games/{game.pk}/learn?step={last.number}&go=1").status_code == 400


@pytest.mark.parametrize(
    "odd",
    ["step=0", "step=999", "step=x", "slot=9", "category=nothing&step=1", "toggle=7", "seq=-1"],
)
def test_nonsense_is_answered_with_a_page(browser: Browser, game: Game, odd: str) -> None:
    assert browser.get(f"/games/{game.pk}/learn?{odd}").status_code in {200, 400}
    assert browser.post(
        f"/games/{game.pk}/learn", dict([odd.split("&")[0].split("=")])
    ).status_code in {200, 302, 400}


def test_a_closed_trial_is_reviewed_and_never_drilled(browser: Browser) -> None:
    game = into_trial(browser.start())
    game = play_through(browser, game)
    close_trial(trial=game.trial_game.participant.trial)
    step = found_in(game).mistakes[0]
    assert posted(browser, game, step, best_of(step)).status_code == 302
    assert not DrillCard.objects.exists()


def test_without_a_script_dice_are_switched_by_the_server(
    browser: Browser, game: Game, found: Review
) -> None:
    step = next(step for step in found.mistakes if step.state.throws_left)
    here = f"/games/{game.pk}/learn"
    held: list[int] = []
    for toggle, after in ((1, [1]), (3, [1, 3]), (1, [3])):
        answer = browser.post(here, {"step": step.number, "slot": held, "toggle": toggle})
        page = browser.get(answer.headers["Location"])
        held = [die.slot for die in page.context["board"].dice if die.held]
        assert held == after
    answer = browser.post(here, {"step": step.number, "slot": [3], "toggle": 0, "again": 1})
    assert "again=1" in answer.headers["Location"]
    assert not DrillAttempt.objects.exists()


# The drill's positions can be tried again


def test_a_drilled_position_is_tried_again_without_being_counted(
    browser: Browser, game: Game, found: Review
) -> None:
    step = of_kind(found, hold=True)
    posted(browser, game, step, step.entry.action)
    attempt = DrillAttempt.objects.get()
    here = f"/drill/{attempt.pk}/"
    again = f"/drill/again/?of=drill-{attempt.pk}"
    assert f'href="{again}"' in browser.get(here).text
    question = browser.get(again).text
    assert 'method="get" action="/drill/again/"' in question
    assert "costs" not in question[question.index('id="main"') : question.index('id="keys"')]
    switched = browser.get(f"{again}&slot=0&toggle=2")
    assert [die.held for die in switched.context["board"].dice] == [True, False, True, False, False]
    held = Hold.from_faces(step.advice.best.dice, step.entry.position.dice)
    slots = "&".join(f"slot={slot}" for slot in held.places)
    told = browser.get(f"{again}&{slots}&go=1")
    assert told.context["answer"].right
    assert 'id="try-again"' not in told.text
    assert DrillAttempt.objects.count() == 1
    attempt.refresh_from_db()
    assert attempt.regret > 0
    assert browser.get(f"{again}&category=nothing").status_code == 404


TEN = read_playbook(YATZY, 10)


def does(book: Playbook, position: Position) -> object:
    rules = position.rules
    opened = rules.full ^ position.filled
    for rule in book.rules:
        for case in find_cases(rule, rules, position.dice, position.rolls_left):
            if case.need & opened == case.need and not case.ban & opened:
                where = rules.cup.holds if case.holds else list(rules.index)
                return where[case.action]
    if position.rolls_left:
        return find_commonest(position.dice)
    return next(box for box in book.scratch if 1 << rules.index[box] & opened)


def cost(position: Position, deed: object) -> float:
    options = known(load_advisor(position.rules)).advise(position).options
    return next(
        one.regret
        for one in options
        if deed == (one.dice if one.action == "hold" else one.category)
    )


def is_taught(rules: Ruleset, size: int, number: int) -> int:
    book = read_playbook(rules, size)
    rule, asked = book.rules[number], list_lesson_positions(rules, size, number)
    without = replace(book, rules=book.rules[:number] + book.rules[number + 1 :])
    for position in asked:
        assert does(book, position) == does(Playbook((rule,), book.scratch), position)
        assert cost(position, does(book, position)) < TIE
        assert cost(position, does(without, position)) >= LEAST - TIE
    assert len({one.dice for one in asked}) == len(asked) <= ASKED
    return len(asked)


def test_a_rule_is_right_in_all_of_its_lesson_and_forgetting_it_costs() -> None:
    for number in range(len(TEN.rules)):
        assert is_taught(YATZY, 10, number) == ASKED


def test_what_the_cards_of_the_drill_do_not_teach_those_of_the_book_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    *_, other, cheapest = list_lessons(YATZY, "30")
    for lesson in (other, cheapest):
        assert is_taught(YATZY, 30, lesson.number) > 1
    monkeypatch.setattr(
        lessons, "_draw_cards", lambda rules, size: lessons._list_pool_cards(rules, size)[:1]
    )
    assert not list_lesson_positions.__wrapped__(YATZY, 30, cheapest.number)


@pytest.mark.parametrize("size", ["10", "20"])
def test_the_page_has_them_in_order_of_worth(browser: Browser, size: str) -> None:
    html = unescape(browser.get(f"/drill/lessons/?size={size}").text)
    told = [format_sentence(one.rule, YATZY) for one in list_lessons(YATZY, size)]
    assert re.findall(r"<span>\d+\. (.*?) <span", html) == told
    costs = [one["costs"] for one in read_stored_books("yatzy")[size]["lessons"]]
    assert costs == sorted(costs, reverse=True)
    assert "/drill/lessons/?rules=yahtzee" in html
    assert 'href="/learn/" aria-current="page"' in html
    assert "yahtzee-plain" not in html


def test_what_a_rule_earns_is_said_first_and_the_sentence_after_a_wrong_answer(
    browser: Browser,
) -> None:
    lesson = list_lessons(YATZY, "10")[1]
    text = format_sentence(lesson.rule, YATZY)
    address = "/drill/again/?of=lesson-yatzy-10-2"
    html = unescape(browser.get(address).text)
    assert f"adds {lesson.earns:.2f} points per game" in html
    assert text not in html
    assert "Lesson 2 of 10" in html
    position = list_lesson_positions(YATZY, 10, lesson.number)[0]
    for right in (True, False):
        answer = query_of(choice(position, best=right))
        html = unescape(browser.get(f"{address}&at=1{answer}").text)
        assert (text in html) is not right
        assert "Answers here do not count" not in html
        assert html.count("/drill/lessons/?rules=yatzy&size=10") == 1


@pytest.mark.parametrize(
    "address",
    [
        "/drill/lessons/?size=11",
        "/drill/lessons/?rules=yahtzee-plain",
        "/drill/again/?of=lesson-yatzy-10-11",
        "/drill/again/?of=lesson-yatzy-10-0",
        "/drill/again/?of=lesson-10",
        "/drill/again/?of=lesson-yahtzee-plain-10-1",
    ],
)
def test_a_lesson_that_there_is_not_is_nowhere(browser: Browser, address: str) -> None:
    assert browser.get(address).status_code == 404


SHORT = 400  # units of what is repeated
GROWTH, CONSTANT = 2.1, 200  # what doubling may do, and what is done once
TURN = {"thrown": [[1, 2, 3, 4, 6]], "held": [], "box": "ones"}
POSITION = {"filled": [], "upper": 0, "dice": [1, 2, 3, 4, 5], "rolls_left": 2}

PARSERS: dict[str, Callable[[int], object]] = {
    "API body, not JSON": lambda n: parse_object(b"[" * n),
    "API positions": lambda n: parse_question({"positions": [POSITION] * n}),
    "API positions, all wrong": lambda n: parse_question({"positions": [{"dice": 1}] * n}),
    "API dice": lambda n: parse_question({**POSITION, "dice": [1] * n}),
    "API filled boxes": lambda n: parse_question({**POSITION, "filled": ["ones"] * n}),
    "offline game": lambda n: replay(YATZY, json.loads(json.dumps([TURN] * n))),
    "offline game, one long turn": lambda n: replay(YATZY, [{**TURN, "held": [[]] * n}]),
    "dice of a file": lambda n: parse_faces("1 2 3 4 5\n" * n),
    "dice of a file, hyphens": lambda n: parse_faces("-" * n),
    "dice of a file, words": lambda n: parse_faces("a b\n" * n),
    "dice typed": lambda n: ThrowForm({"seq": 0, "entries": 0, "faces": "1," * n}).is_valid(),
    "dice held": lambda n: HeldForm({"held": "0," * n}).is_valid(),
    "nickname": lambda n: clean_nickname("a " * n),
    "recovery code": lambda n: normalise_code("a-" * n),
    "label of an open link": lambda n: normalise_label("{" * n),
    "arms, by staff": lambda n: read_arms("hint+" * n),
    "arms, by staff, many": lambda n: read_arms("a\n" * n),
    "questions, by staff": lambda n: parse_questionnaire(f"# {n}\n" + "a: b\n" * n),
    "address of an open link": lambda n: read_address(Recruitment(labels="id"), {"id": "{" * n}),
}


def steps(work: Callable[[int], object], size: int) -> int:
    """Return how many lines run, whatever comes of them."""
    count = 0

    def trace(frame: FrameType, event: str, told: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with suppress(BadFaces, Invalid, LookupError, NotJson, Refused, TypeError, ValueError):
            work(size)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("name", PARSERS)
def test_doubling_what_is_sent_at_most_doubles_the_steps(name: str) -> None:
    work = PARSERS[name]
    with suppress(Exception):
        work(1)  # what is made once is made
    counted = [steps(work, SHORT * times) for times in (1, 2, 4)]
    print(f"{name:<32}", *(f"{count:>9,}" for count in counted))  # noqa: T201 - the table
    for less, more in pairwise(counted):
        assert more <= GROWTH * less + CONSTANT, counted


def test_a_parser_that_looks_back_at_all_it_has_read_is_found() -> None:
    def slow(size: int) -> None:
        for end in range(size):
            for _place in range(end):
                pass

    assert steps(slow, 200) > 3.5 * steps(slow, 100)


def test_a_pattern_that_looks_twice_is_given_a_bounded_text() -> None:
    """``{.*}`` tries every ``{``: so a label is cut before."""
    found = read_address(Recruitment(labels="id"), {"id": "{" * 1_000_000})
    assert len(found.person) == LONGEST_LABEL
    assert PLACEHOLDER.search("{id}")


NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_a_browser_remembers_its_newest_trials() -> None:
    mark = BrowserMark("device")
    for pk in range(1, MOST + 6):
        mark = mark.with_trial(pk)
    assert mark.trials == tuple(range(6, MOST + 6))
    assert mark.with_trial(6).trials == (*range(7, MOST + 6), 6)
    assert parse_mark(mark.signed) == mark


def test_a_player_who_left_sees_what_a_watcher_sees() -> None:
    ahead, behind = Course(finished=(NOON, NOON)), Course(finished=(NOON,))
    left = Course(finished=(NOON, NOON, NOON), left_at=NOON)
    rounds = DuelRounds([ahead, behind, left], NOON, 15)
    assert [rounds.count_visible_turns(viewer) for viewer in (None, 0, 1, 2)] == [1, 2, 1, 1]


@pytest.mark.parametrize("version", [files.FORMAT - 1, files.FORMAT + 1])
def test_a_file_of_another_format_is_refused(tmp_path: Path, version: int) -> None:
    path = tmp_path / "learned.npz"
    about = json.dumps({"format": version, "kind": "network"})
    np.savez(path, allow_pickle=False, **{files.ABOUT: np.array(about)})
    with (
        pytest.raises(files.BadLearned, match=f"format {version}"),
        files.open_learned(path, "network"),
    ):
        pass


class Generous:
    def choose_many(self, states: Sequence[State], rng: np.random.Generator) -> list[Action]:
        return [Score("ones")] * (len(states) + 1)

    def choose(self, state: State, rng: np.random.Generator, others: object = ()) -> Action:
        return Score("ones")


def test_more_answers_than_questions_put_a_player_out() -> None:
    seat = Seat(Contestant("generous", Generous()), np.random.default_rng(1))
    assert seat.at_once
    faces = np.ones((2, YAHTZEE.throws, YAHTZEE.dice), dtype=np.uint8)
    with pytest.raises(Disqualified, match="3 answers to 2 questions"):
        seat.play_turn(1, [start_state(YAHTZEE)] * 2, faces, [()] * 2)


def test_a_truth_value_is_no_hold() -> None:
    state = apply_roll(apply_action(start_state(YAHTZEE), Hold(0)), [1, 2, 3, 4, 5])
    where = Where.from_state(1, state)
    assert apply_answer(state, Hold(1), where).held == 1
    with pytest.raises(Disqualified, match="wrong type"):
        apply_answer(state, Hold(True), where)
