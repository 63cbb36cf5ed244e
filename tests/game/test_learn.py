"""Learn from your mistakes: asked without the answer, told what was tried, what is stored."""

import re
from decimal import Decimal

import pytest
from django.test import Client
from django.utils import timezone

from game.coach import review_charts
from game.coach.review import Filter, Review, Step, Walk
from game.models import DrillAttempt, DrillCard, Game, Player
from game.models.drill import make_position_fields
from game.pages.board.board import Row
from game.practice.drill_pool import load_exercises
from game.practice.drill_queries import find_mistake_question
from game.practice.learn import Lesson
from game.trials.design.writing import close_trial
from solver.rules import YATZY, Action, Hold, Score
from tests.game.rulesets import finished_game, known_game
from tests.game.test_review import found_in
from tests.known import known
from tests.play import Answer, Browser, play_through
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
    for seed in range(100 if exhaustive() else 4):
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
    action = Score(option.category) if option.category else Hold.of(option.dice, step.state.dice)
    page = browser.get(f"/games/{game.pk}/learn?{query(step, action)}")
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
    assert "Points to come" in told.text
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
    stops = browser.get(f"/games/{game.pk}/learn").context["lesson"].stops
    assert [stop.result for stop in stops[:3]] == ["right", "wrong", ""]
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
    browser.post(address, {**data, "category": _open_box(step)})
    assert DrillCard.objects.get().player == game.player


def _open_box(step: Step) -> str:
    return next(YATZY.categories[n].id for n in step.state.offers)


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
    held = Hold.of(step.advice.best.dice, step.entry.position.dice)
    slots = "&".join(f"slot={slot}" for slot in held.places)
    told = browser.get(f"{again}&{slots}&go=1")
    assert told.context["answer"].right
    assert 'id="try-again"' not in told.text
    assert DrillAttempt.objects.count() == 1
    attempt.refresh_from_db()
    assert attempt.regret > 0
    assert browser.get(f"{again}&category=nothing").status_code == 404
