"""The drill: its positions, its rulesets and similar positions."""

import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from game.core.accounts import create_player
from game.core.fair import days
from game.core.playing import fill_box
from game.core.refusals import IllegalMove, NotUnderstood
from game.core.starting import start_game
from game.core.words import phrases
from game.core.worth import drilled as drilled_rules
from game.core.worth.drilled import DRILLED, make_pool_path
from game.core.worth.leak_tree import find_path
from game.core.worth.peers import read_peers
from game.core.worth.repetition import (
    LEARNT,
    Answered,
    calculate_credit,
    find_rating,
    schedule_position,
)
from game.core.worth.tables import require_advisor
from game.core.worth.too_good import read_expert_losses
from game.models import Decision, DrillAttempt, DrillCard, FiveAnswer, Game, KeptPosition, Player
from game.models.drill import make_position_fields
from game.practice import drill_pool
from game.practice.drill_pool import Exercise, load_exercises
from game.practice.drill_queries import (
    Progress,
    Question,
    find_next_question,
    find_question,
    list_met_keys,
    list_mistake_keys,
    measure_progress,
)
from game.practice.drilling import store_attempt
from game.practice.five import LEVELS, choose_daily_five
from game.practice.learn import find_idea, find_similar
from solver.advice import Advisor, Position, build_state, check_position
from solver.rules import PLAYED, RULESETS, YATZY, Action, Hold, Ruleset, Score
from solver.tables import open_table
from solver.tables.parts import make_values
from tests.game.test_rulesets import SAVED, saved
from tests.known import known
from tests.play import Answer, Browser, play_through, score_all, start_solo, take
from tests.trials import into_trial

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("yatzy_tables"),
    pytest.mark.usefixtures("all_tables"),
]


NewBrowser = Callable[[], Browser]
PASSWORD = "five sixes at once"
NOW = datetime(2026, 5, 17, 20, 0, tzinfo=UTC)
ONLY_YATZY_OPEN = YATZY.full & ~YATZY.make_mask(["yatzy"])
TIE = Position(YATZY, ONLY_YATZY_OPEN, 63, (1, 1, 2, 2, 3), 1)  # a pair is as good as the other


def card_of(player: Player, position: Position, **facts: object) -> DrillCard:
    now = timezone.now()
    fields = {"created_at": now, "due": now, **facts}
    return DrillCard.objects.create(player=player, **make_position_fields(position), **fields)


def next_for(player: Player | None) -> Question:
    return find_next_question(player, YATZY, list_mistake_keys(player, YATZY))


def progress_of(player: Player) -> Progress:
    return measure_progress(player, YATZY, list_mistake_keys(player, YATZY))


def question_of(card: DrillCard) -> Question:
    return Question(card.position, card=card, number=card.attempts.count())


def attempt(player: Player | None, question: Question, action: Action) -> DrillAttempt:
    return store_attempt(player=player, key=question.key, number=question.number, action=action)


def best_of(advisor: Advisor, position: Position) -> Action:
    return take(advisor.advise(position).best, position.dice)


def worst_of(advisor: Advisor, position: Position) -> Action:
    return take(advisor.advise(position).options[-1], position.dice)


def form(question: Question, action: Action) -> dict[str, object]:
    data: dict[str, object] = {"of": question.key, "seq": question.number}
    if isinstance(action, Score):
        return data | {"category": action.category}
    return data | {"slot": [slot for slot in range(5) if action.slots >> slot & 1]}


def finished(player: Player) -> Game:
    return score_all(start_solo(player), player).game


# The schedule


def answers(*regrets: float) -> list[Answered]:
    given = list[Answered]()
    for regret in regrets:
        given.append(Answered(regret, schedule_position(given, NOW).due))
    return given


def test_known_positions_come_back_after_ever_longer_times() -> None:
    days = [schedule_position(answers(*[0.0] * count), NOW).interval for count in range(1, 7)]
    assert days == [2, 11, 46, 163, 365, 365]  # FSRS-6 with its own weights, nine in ten
    assert schedule_position(answers(0.0, 0.0, 0.0), NOW).streak == 3


def test_a_position_is_due_a_little_before_the_same_hour() -> None:
    schedule = schedule_position(answers(0.0), NOW)
    whole = timedelta(days=schedule.interval)
    assert whole - timedelta(hours=12) < schedule.due - NOW < whole


@pytest.mark.parametrize(("hours", "is_a_day"), [(15, False), (16, True), (24, True)])
def test_an_evening_and_the_next_day_are_a_day_apart(hours: int, is_a_day: bool) -> None:
    first = Answered(0.0, NOW)
    later, a_day = (Answered(0.0, NOW + timedelta(hours=h)) for h in (hours, 24))
    intervals = [schedule_position([first, second], NOW).interval for second in (later, a_day)]
    assert (intervals[0] == intervals[1]) is is_a_day


def test_a_mistake_starts_a_position_anew() -> None:
    learnt = answers(0.0, 0.0, 0.0)
    again = answers(0.0, 0.0, 0.0, 3.0)
    schedule = schedule_position(again, NOW)
    assert (schedule.interval, schedule.streak, schedule.lapses) == (0, 0, 1)
    assert schedule.due - again[-1].at == timedelta(minutes=10)
    back = schedule_position(answers(0.0, 0.0, 0.0, 3.0, 0.0), NOW).interval
    assert 1 <= back < schedule_position(learnt, NOW).interval


@given(regrets=st.lists(st.floats(0, 30), max_size=20))
def test_no_schedule_leaves_its_bounds(regrets: list[float]) -> None:
    given = answers(*regrets)
    for count, answer in enumerate(given, start=1):
        schedule = schedule_position(given[:count], NOW)
        assert schedule.due > answer.at
        assert 0 <= schedule.interval <= 365


@given(less=st.floats(0, 30), more=st.floats(0, 30))
def test_credit_and_quality_never_rise_with_the_cost(less: float, more: float) -> None:
    less, more = sorted((less, more))
    assert 0 <= calculate_credit(more) <= calculate_credit(less) <= 1
    assert find_rating(more) <= find_rating(less)


# The pool

EVERY = pytest.mark.parametrize("rules", DRILLED.values(), ids=list(DRILLED))


@EVERY
def test_the_pool_is_small_and_even(rules: Ruleset) -> None:
    pooled = drill_pool.load_exercises(rules).values()
    found = Counter((one.level, min(one.position.throws_left, 2)) for one in pooled)
    assert set(found) == {(level, left) for level in drill_pool.LEVELS for left in range(3)}
    assert set(found.values()) == {drill_pool.EACH}
    assert make_pool_path(rules).stat().st_size < 40_000


def test_rules_that_changed_have_no_pool_no_peers_and_no_games_of_an_expert() -> None:
    changed = replace(YATZY, bonus_points=YATZY.bonus_points + 1)
    kept = [
        [make_pool_path(rules).exists(), bool(read_peers(rules)), bool(read_expert_losses(rules))]
        for rules in (YATZY, changed)
    ]
    assert kept == [[True] * 3, [False] * 3]


def test_the_pool_holds_sound_positions_graded_by_the_table(any_advisor: Advisor) -> None:
    for one in drill_pool.load_exercises(any_advisor.rules).values():
        check_position(one.position)
        graded = drill_pool.grade_position(any_advisor, one.position)
        assert graded is not None
        assert graded.level == one.level
        assert graded.trap == pytest.approx(one.trap, abs=1e-3)
        assert graded.gap == pytest.approx(one.gap, abs=1e-3)
        assert drill_pool.find_exercise(one.key) == one


@pytest.mark.sampled("any_advisor")
def test_a_pool_is_the_same_whenever_it_is_made(any_advisor: Advisor) -> None:
    rules = any_advisor.rules
    one, other = (
        drill_pool.make_pool(any_advisor, seed=3, each=1),
        drill_pool.make_pool(any_advisor, seed=3, each=1),
    )
    assert one == other
    assert len(one) == 12
    file = io.StringIO()
    drill_pool.write_pool(rules, one, file)
    file.seek(0)
    read = list(drill_pool.read_pool(rules, file))
    assert [exercise.key for exercise in read] == [exercise.key for exercise in one]


def test_the_command_writes_a_pool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(drill_pool.make_pool, "__kwdefaults__", {"seed": 1, "each": 1})
    call_command("drill_pool", "--ruleset", "yatzy", "--out", str(tmp_path / "new" / "pool.csv"))
    assert "12 positions" in capsys.readouterr().out
    assert len((tmp_path / "new" / "pool.csv").read_text().splitlines()) == 13


def test_the_level_follows_the_first_attempts() -> None:
    assert drill_pool.find_player_level([]) == 1
    assert drill_pool.find_player_level([0.0] * 3) == 2
    assert drill_pool.find_player_level([0.0] * 50) == 4
    assert drill_pool.find_player_level([0.0] * 50 + [1.0] * 4) == 3
    assert drill_pool.find_player_level([9.0] * 50 + [0.0] * 3) == 2


# What is asked


def test_every_mistake_is_asked_once_and_then_the_pool(player: Player, advisor: Advisor) -> None:
    game = finished(player)
    mistakes = set(game.decisions.filter(regret__gte=0.5))
    asked = []
    while (question := next_for(player)).decision:
        attempt(player, question, best_of(advisor, question.position))
        asked.append(question.decision)
    assert set(asked) == mistakes
    assert question.exercise is not None
    assert progress_of(player).mistakes == 0


NOT_ASKED = ["card-1", "decision-1", f"card-{10**30}", "card-" + "9" * 5000, "card-x", "pool-x", ""]


@pytest.mark.parametrize("key", NOT_ASKED, ids=lambda key: key[:20])
def test_a_question_that_nobody_asked_is_none(player: Player, key: str) -> None:
    assert find_question(player, key) is None


def test_a_mistake_repeated_in_a_rematch_is_one_card(player: Player, advisor: Advisor) -> None:
    first = finished(player)
    rematch = start_game(player=player, mode="rematch", of=first.pk)
    score_all(rematch, player)
    mistakes = first.decisions.filter(regret__gte=0.5).count()
    assert len(list_mistake_keys(player, YATZY)) == 2 * mistakes
    for _ in range(mistakes):
        question = next_for(player)
        attempt(player, question, best_of(advisor, question.position))
    assert not list_mistake_keys(player, YATZY)


def test_neither_trials_nor_unfinished_games_nor_other_people_are_drilled(player: Player) -> None:
    game = finished(player)
    assert not list_mistake_keys(create_player(), YATZY)
    running = start_solo(player)
    into_trial(game)
    assert not list_mistake_keys(player, YATZY)
    fill_box(game_id=running.game.pk, player=player, seq=1, category="yatzy")
    assert not list_mistake_keys(player, YATZY)


def test_due_cards_come_before_anything_new(player: Player) -> None:
    finished(player)
    now = timezone.now()
    later = card_of(player, TIE, due=now + timedelta(days=2))
    assert next_for(player).decision is not None
    DrillCard.objects.filter(pk=later.pk).update(due=now - timedelta(days=2))
    assert next_for(player).card == later


def test_when_all_is_done_the_next_due_is_practised_ahead(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = card_of(player, TIE, due=timezone.now() + timedelta(days=2))
    monkeypatch.setattr(drill_pool, "load_exercises", lambda rules: {})
    question = next_for(player)
    assert (question.card, question.ahead) == (card, True)


# Attempts


def test_what_ties_with_the_best_is_right(player: Player, browser: Browser) -> None:
    for slots in (0b00011, 0b01100):
        card = card_of(player, TIE)
        made = attempt(player, question_of(card), Hold(slots))
        assert made.regret == pytest.approx(0.0, abs=1e-9)
        assert calculate_credit(made.regret) == pytest.approx(1.0)
        card.delete()


def test_a_new_position_sent_twice_is_one_card(player: Player) -> None:
    question = next_for(player)
    action = Score(_open_box(question))
    assert attempt(player, question, action) == attempt(player, question, action)
    assert DrillCard.objects.count() == 1


def test_two_requests_at_once_make_one_attempt(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = next_for(player)
    action = Score(_open_box(question))
    first = attempt(player, question, action)

    def unseen(owner: Player, question: Question) -> DrillCard:
        fields = make_position_fields(question.position)
        now = timezone.now()
        return DrillCard(player=owner, **fields, created_at=now, due=now)

    monkeypatch.setattr("game.practice.drilling._lock_card", unseen)
    assert attempt(player, question, action) == first
    assert DrillAttempt.objects.count() == DrillCard.objects.count() == 1


def test_what_the_rules_forbid_is_refused_and_leaves_nothing(player: Player) -> None:
    finished(player)
    question = next_for(player)
    with pytest.raises(IllegalMove):
        attempt(player, question, Score("nonsense"))
    last_throw = card_of(player, Position(YATZY, 0, 0, (1, 2, 3, 4, 6), 0))
    with pytest.raises(IllegalMove):
        attempt(player, question_of(last_throw), Hold(3))
    assert not DrillAttempt.objects.exists()


def test_nobody_answers_for_somebody_else(player: Player) -> None:
    finished(player)
    mistake = next_for(player)
    card = card_of(player, TIE)
    stranger = create_player()
    for key in (
        mistake.key,
        f"card-{card.pk}",
        "card-x",
        "pool-yatzy.1-2-0-1-345.3",
        "nonsense",
        "",
    ):
        with pytest.raises(NotUnderstood):
            store_attempt(player=stranger, key=key, number=0, action=Hold(0))
    assert not DrillAttempt.objects.exists()


# Pages


def page(response: Answer) -> str:
    return response.text


def shown(browser: Browser) -> Question:
    question: Question = browser.get("/drill/").context["question"]
    return question


def test_the_first_attempt_makes_a_player(browser: Browser, advisor: Advisor) -> None:
    question = shown(browser)
    action = best_of(advisor, question.position)
    response = browser.post("/drill/", form(question, action))
    made = DrillAttempt.objects.get()
    assert response.headers["Location"] == f"/drill/{made.pk}/"
    assert made.card.player == Player.objects.get()
    answer = browser.get(f"/drill/{made.pk}/")
    assert "Right:" in page(answer)
    assert shown(browser).key != question.key


def test_the_answer_names_cost_best_reason_and_leads_on(browser: Browser, advisor: Advisor) -> None:
    question = shown(browser)
    wrong = worst_of(advisor, question.position)
    response = browser.post("/drill/", form(question, wrong), follow=True)
    text = page(response)
    answer = response.context["answer"]
    best = advisor.advise(question.position).best
    assert not answer.right
    assert phrases.describe_option(YATZY, best) in text
    assert phrases.format_cost(answer.step.entry.regret) in text
    assert answer.hint.reason in text
    assert "/explore/?rules=yatzy&amp;filled=" in text
    assert "Next position" in text
    assert "again in ten minutes" in text


def test_the_answer_tells_why_where_the_table_for_it_is_there(
    browser: Browser, advisor: Advisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    from solver.advice import Part

    monkeypatch.setattr(Advisor, "why", lambda *args: (Part("yatzy", 4.25), Part("bonus", -1.5)))
    question = shown(browser)
    wrong = worst_of(advisor, question.position)
    text = page(browser.post("/drill/", form(question, wrong), follow=True))
    assert "Points that the best option gains over yours, box by box" in text
    assert "+4.2" in text
    assert "−1.5" in text


class Poisoned:
    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"the page asked for {name}")


def test_a_page_before_the_attempt_asks_no_advisor(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_through(browser, browser.start())
    monkeypatch.setattr("game.core.worth.tables.load_advisor", lambda rules: Poisoned())
    monkeypatch.setattr("game.core.worth.tables.load_advisor", lambda rules: Poisoned())
    assert browser.get("/drill/").status_code == 200
    assert browser.get("/drill/?held=0,2").status_code == 200


def questions(browser: Browser, advisor: Advisor, many: int) -> Iterator[tuple[Question, str]]:
    for number in range(many):
        response = browser.get("/drill/")
        question = response.context["question"]
        yield question, page(response)
        choose = worst_of if number % 3 == 2 else best_of
        browser.post("/drill/", form(question, choose(advisor, question.position)))


def test_the_answer_is_not_in_the_page_before_the_attempt(
    browser: Browser, advisor: Advisor
) -> None:
    game = play_through(browser, browser.start())
    asked = Decision.objects.filter(game=game, regret__gte=0.5).count() + 12
    for question, html in questions(browser, advisor, asked):
        board = _without_help(html)
        assert not re.search(r"costs|best|regret|mistake|blunder|data-marked|Hold ", board, re.I)
        for option in advisor.advise(question.position).options:
            assert f"{option.value:.1f}" not in board
            assert option.regret < 0.05 or f"{option.regret:.1f}" not in board


def _without_help(html: str) -> str:
    told = html[html.index('id="play"') : html.index('id="keys"')]
    for name in ("drill__progress", "about"):
        told = re.sub(rf'<section class="{name}".*?</section>', "", told, flags=re.S)
    return told


def test_without_a_script_a_die_is_switched_by_the_server(browser: Browser) -> None:
    while not shown(browser).position.rolls_left:
        question = shown(browser)
        browser.post("/drill/", {"of": question.key, "seq": 0, "category": "chance"})
        browser.post("/drill/", {"of": question.key, "seq": 0, "category": "ones"})
    question = shown(browser)
    cards = DrillCard.objects.count()
    data = {"of": question.key, "seq": question.number, "slot": [1], "toggle": "3"}
    response = browser.post("/drill/", data, follow=True)
    assert response.redirect_chain == [(f"/drill/?of={question.key}&held=1%2C3", 302)]
    assert response.context["question"].key == question.key
    assert [die.held for die in response.context["board"].dice] == [0, 1, 0, 1, 0]
    assert DrillCard.objects.count() == cards


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"of": "nonsense", "seq": 0},
        {"of": "pool-yatzy.0-0-0-11111-9", "seq": 0},
        {"seq": 0},
        {"of": "card-1", "seq": 0},
    ],
    ids=str,
)
def test_nonsense_is_answered_with_a_position_and_400(
    browser: Browser, data: dict[str, object]
) -> None:
    response = browser.post("/drill/", data)
    assert response.status_code == 400
    assert "did not understand" in page(response)
    assert not Player.objects.exists()


def _open_box(question: Question) -> str:
    return YATZY.categories[YATZY.open(question.position.filled)[0]].id


def test_progress_is_counted_and_drawn(browser: Browser, advisor: Advisor) -> None:
    assert "Your progress" not in page(browser.get("/drill/"))
    for number, (_question, html) in enumerate(questions(browser, advisor, 7)):
        assert ("Your progress" in html) == (number > 0)
        assert ('class="chart"' in html) == (number >= 5)
    progress = progress_of(Player.objects.get())
    (today,) = progress.days
    assert (today.positions, progress.cards, today.right) == (7, 7, 5)
    assert today.lost == pytest.approx(sum(progress.regrets) / 7)
    assert today.credit == pytest.approx(sum(map(calculate_credit, progress.regrets)) / 7)
    DrillCard.objects.update(interval=LEARNT)
    assert progress_of(Player.objects.get()).learnt == 7


# Accounts


def test_a_guests_cards_move_to_the_account(browser: Browser, new_browser: NewBrowser) -> None:
    data = {"username": "anna", "password1": PASSWORD, "password2": PASSWORD}
    browser.post("/account/signup/", data)
    question = shown(browser)
    browser.post("/drill/", form(question, Score(_open_box(question))))
    phone = new_browser()
    same = shown(phone)
    assert same.key == question.key
    phone.post("/drill/", form(same, Score(_open_box(same))))
    other = shown(phone)
    phone.post("/drill/", form(other, Score(_open_box(other))))
    phone.post("/account/login/", {"username": "anna", "password": PASSWORD})
    account = Player.objects.get()
    assert account.drill_cards.count() == DrillCard.objects.count() == 2
    assert DrillAttempt.objects.count() == 2
    assert [len(card.attempts.all()) for card in account.drill_cards.all()] == [1, 1]


__all__ = ["saved"]  # a fixture of theirs
MORE = pytest.mark.parametrize("name", sorted(PLAYED.keys() - RULESETS.keys()))
CARD = SAVED.make_mask(["chance"])
ROWS = [
    Position(SAVED, CARD, 0, dice, left, stock=stock)
    for dice, left, stock in [
        ((1, 2), 2, 2),
        ((1, 2), 2, 0),
        ((2, 3), 0, 1),
        ((5, 6), 0, 0),
        ((6, 6), 1, 2),
    ]
]
KNOWN = [Exercise(position, level, 0.5, 0.5) for position, level in zip(ROWS, LEVELS, strict=True)]


@pytest.fixture
def drilled(saved: Ruleset, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Ruleset]:
    monkeypatch.setitem(DRILLED, SAVED.id, SAVED)
    monkeypatch.setattr("game.data.FOLDER", tmp_path)
    monkeypatch.setattr(drill_pool, "FEWEST_OPEN", 1)
    with drilled_rules.make_pool_path(SAVED).open("w") as file:
        drill_pool.write_pool(SAVED, KNOWN, file)
    drill_pool.load_exercises.cache_clear()
    yield SAVED
    drill_pool.load_exercises.cache_clear()


def test_whatever_is_played_is_drilled() -> None:
    assert DRILLED == PLAYED


@MORE
def test_no_position_of_a_pool_is_impossible(name: str) -> None:
    found = drill_pool.load_exercises(PLAYED[name])
    for one in found.values():
        check_position(one.position)
        assert drill_pool.find_exercise(one.key) == one
        assert len(f"pool-{one.key}") <= 60
    stocks = {one.position.stock for one in found.values()}
    assert len(stocks) > 5 if PLAYED[name].stock else stocks == {0}


@pytest.mark.nightly
@MORE
def test_the_pool_is_graded_by_the_table(name: str, tmp_path: Path) -> None:
    rules, path = PLAYED[name], tmp_path / name
    make_values(rules, path)
    coach = Advisor(open_table(rules, path=path), rules)
    for one in drill_pool.load_exercises(rules).values():
        graded = known(drill_pool.grade_position(coach, one.position))
        assert graded.level == one.level
        assert (graded.trap, graded.gap) == pytest.approx((one.trap, one.gap), abs=1e-3)


def test_what_is_natural_goes_on_while_throws_are_saved(drilled: Ruleset) -> None:
    coach = Advisor.open(drilled)
    for stock, action in ((1, "hold"), (0, "score")):
        position = replace(ROWS[2], stock=stock)
        assert (
            drill_pool.find_natural_option(coach.advise(position).options, position).action
            == action
        )


def test_cells_are_filled_by_all_throws_that_are_left(drilled: Ruleset) -> None:
    made = drill_pool.make_pool(Advisor.open(drilled), seed=3, each=1)
    cells = [(one.level, min(one.position.throws_left, 2)) for one in made]
    assert sorted(cells) == [(level, left) for level in drill_pool.LEVELS for left in range(3)]


def test_saved_throws_are_drilled_and_remembered(browser: Browser, drilled: Ruleset) -> None:
    sent = {"of": f"pool-{KNOWN[2].key}", "seq": 0, "slot": [1], "go": 1}
    answer = browser.post("/drill/", sent)
    assert answer.status_code == 302
    card = DrillCard.objects.get()
    assert (card.position, card.stock) == (ROWS[2], 1)
    assert list_met_keys(card.player, drilled) == {KNOWN[2].key}
    told = browser.get(answer.headers["Location"])
    assert told.status_code == 200
    assert "stock=1" in told.text
    assert browser.get(f"/drill/again/?of=drill-{card.attempts.get().pk}").status_code == 200
    page = browser.get(f"/drill/history/?rules={drilled.id}").text
    assert "1 roll left" in page


def test_five_a_day_ask_for_saved_throws(browser: Browser, drilled: Ruleset) -> None:
    address = f"/five/{drilled.id}/"
    asked = choose_daily_five(days.today(), drilled)
    assert len({exercise.position.stock for exercise in asked}) > 1
    for place, exercise in enumerate(asked, start=1):
        page = browser.get(address)
        assert page.context["board"].saved == exercise.position.stock
        data = {"of": page.context["fields"]["of"], "seq": place, "category": "pair"}
        assert browser.post(address, data).status_code == 302
    assert browser.get(address).status_code == 200
    keys = FiveAnswer.objects.order_by("place").values_list("key", flat=True)
    assert sorted(keys) == sorted(one.key for one in KNOWN)


def test_a_position_is_kept_with_its_stock(browser: Browser, drilled: Ruleset) -> None:
    query = f"rules={drilled.id}&filled=chance&upper=0&dice=12&left=1&stock=2"
    explored = browser.get(f"/explore/?{query}")
    assert 'name="position"' in explored.text
    assert browser.post("/drill/lists/keep", {"position": query}).status_code == 302
    found = KeptPosition.objects.get()
    assert found.position == Position(drilled, CARD, 0, (1, 2), 1, stock=2)
    assert browser.post("/drill/lists/keep", {"position": query}).status_code == 302
    assert KeptPosition.objects.count() == 1
    other = query.replace("stock=2", "stock=0")
    assert browser.post("/drill/lists/keep", {"position": other}).status_code == 302
    assert KeptPosition.objects.count() == 2
    page = browser.get(f"/drill/lists/{found.kept_in.token}/").text
    assert "3 rolls left" in page
    assert browser.get(f"/drill/again/?of=list-{found.kept_in.token}").status_code == 200


def test_what_has_no_positions_is_not_drilled(
    browser: Browser, drilled: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(DRILLED, drilled.id)
    for address in (f"/drill/?rules={drilled.id}", f"/five/{drilled.id}/"):
        assert browser.get(address).status_code == 404
    query = f"rules={drilled.id}&dice=12"
    assert 'name="position"' not in browser.get(f"/explore/?{query}").text
    assert browser.post("/drill/lists/keep", {"position": query}).status_code == 404
    assert "/five/" not in browser.get(f"/daily/{drilled.id}/").text


EACH = pytest.mark.parametrize("rules", RULESETS.values(), ids=str)


def positions(rules: Ruleset) -> list[Position]:
    return [exercise.position for exercise in load_exercises(rules).values()]


def boxes_open(position: Position) -> int:
    return len(position.rules.open(position.filled))


@pytest.mark.sampled("rules")
@EACH
def test_it_is_the_nearest_of_its_kind_and_never_itself(rules: Ruleset) -> None:
    coach, pool = require_advisor(rules), positions(rules)
    places = {
        position: find_path(coach, build_state(position), best_of(coach, position))
        for position in pool
    }
    for position in pool[::17]:
        assert find_idea(coach, position) == places[position]
        found = find_similar(coach, [position])[0].position
        assert found != position
        kind, throw, box, *_rest = places[position]
        assert places[found][0] == kind
        others = [one for one in pool if one != position and places[one][0] == kind]
        of_box = [one for one in others if places[one][2] == box]
        of_throw = [one for one in of_box if places[one][1] == throw]
        nearer = of_throw or of_box or others
        assert found in nearer
        if of_throw:
            away = min(abs(boxes_open(one) - boxes_open(position)) for one in of_throw)
            assert abs(boxes_open(found) - boxes_open(position)) == away


def test_none_is_taken_twice_and_what_was_met_comes_last() -> None:
    coach = require_advisor(YATZY)
    position = positions(YATZY)[0]
    row = find_similar(coach, [position] * 5)
    assert len({one.key for one in row}) == 5
    fresh = find_similar(coach, [position] * 5, {one.key for one in row})
    assert not {one.key for one in row} & {one.key for one in fresh}
    everything = find_similar(coach, [position], load_exercises(YATZY).keys())
    assert everything == row[:1]
