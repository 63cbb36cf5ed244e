"""Learn from your mistakes: asked without the answer, told what was tried, what is stored."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from game.coach.review import Review, Step
from game.models import DrillAttempt, DrillCard, Game
from game.models.drill import position_fields
from game.trials.design.writing import trial_close
from solver.rules import YATZY, Action, Hold, Score
from tests.game.conftest import Answer, Browser, play_through
from tests.game.rulesets import known_game
from tests.game.test_review import found_in
from tests.game.trials import into_trial
from tests.known import known

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
TELLING = re.compile(
    r"data-best|class=\"options\"|Expected final score|Goes for|best</span>|id=\"why\""
)


@pytest.fixture
def game(browser: Browser) -> Game:
    """Of whoever has this browser, who can begin another."""
    begun = browser.start()
    begun.delete()
    return known_game(begun.player, YATZY)


@pytest.fixture
def found(game: Game) -> Review:
    return found_in(game)


def of_kind(found: Review, *, hold: bool) -> Step:
    """A mistake whose best is a hold, or a box."""
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


def test_the_first_mistake_is_asked_without_its_answer(
    browser: Browser, game: Game, found: Review
) -> None:
    page = browser.get(f"/games/{game.pk}/learn")
    assert page.context["step"].number == found.mistakes[0].number
    assert not TELLING.search(page.content.decode())
    for step in found.mistakes:
        text = browser.get(f"/games/{game.pk}/learn?step={step.number}").content.decode()
        assert not TELLING.search(text)
        assert step.cost not in text


def test_a_worse_choice_is_told_as_such_and_the_best_is_kept_back(
    browser: Browser, game: Game, found: Review
) -> None:
    for step in found.mistakes:
        page = browser.get(f"/games/{game.pk}/learn?{query(step, step.entry.action)}")
        text = page.content.decode()
        assert page.context["answer"].result == "wrong"
        assert step.cost in text
        assert "That is what was played in the game." in text
        assert not TELLING.search(text)
        assert 'id="try-again"' in text
        assert 'id="see-why"' in text


@pytest.mark.parametrize("hold", [True, False])
def test_the_best_is_right_and_the_reason_comes_with_it(
    browser: Browser, game: Game, found: Review, hold: bool
) -> None:
    step = of_kind(found, hold=hold)
    page = browser.get(f"/games/{game.pk}/learn?{query(step, best_of(step))}")
    text = page.content.decode()
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
    assert "Nearly" in page.content.decode()
    assert not TELLING.search(page.content.decode())


def test_see_why_tells_the_best_and_trying_again_does_not(
    browser: Browser, game: Game, found: Review
) -> None:
    step = found.mistakes[0]
    told = browser.get(f"/games/{game.pk}/learn?{query(step, step.entry.action)}")
    why = known(re.search(r'id="see-why"[^>]*href="([^"#]+)', told.content.decode()))[1]
    text = browser.get(why.replace("&amp;", "&")).content.decode()
    assert step.best.label in text
    assert "best</td>" in text
    assert "your choice</span>" in text
    assert "played</span>" not in text
    again = known(re.search(r'id="try-again"[^>]*href="([^"]+)', text))[1]
    assert not TELLING.search(browser.get(again.replace("&amp;", "&")).content.decode())


def test_next_leads_through_every_mistake_to_the_end(
    browser: Browser, game: Game, found: Review
) -> None:
    seen, address = [], f"/games/{game.pk}/learn"
    while True:
        page = browser.get(address)
        if "answer" not in page.context and "ended" in page.context:
            break
        step = page.context["step"]
        seen.append(step.number)
        told = browser.get(f"/games/{game.pk}/learn?{query(step, best_of(step))}").content.decode()
        name, value = known(
            re.search(r'name="(\w+)" value="(\d+)">[^>]*<button id="roll"', told)
        ).groups()
        address = f"/games/{game.pk}/learn?{name}={value}"
    assert seen == [step.number for step in found.mistakes]
    assert f"the {len(seen)} mistakes" in page.content.decode()


# What is stored


def test_looking_and_trying_again_write_nothing(
    browser: Browser, game: Game, found: Review
) -> None:
    step = found.mistakes[0]
    for address in (
        "",
        "?step=1",
        f"?{query(step, best_of(step))}",
        f"?step={step.number}&again=1",
    ):
        browser.get(f"/games/{game.pk}/learn{address}")
    posted(browser, game, step, best_of(step), again=1)
    assert not DrillCard.objects.exists()


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


def test_dice_that_are_held_as_they_fell_are_stored_as_they_lie_sorted(
    browser: Browser, game: Game, found: Review
) -> None:
    for step in found.mistakes[:4]:
        if not step.state.throws_left:
            continue
        for slots in (0b00001, 0b10010, 0b01101):
            DrillCard.objects.all().delete()
            posted(browser, game, step, Hold(slots))
            attempt = DrillAttempt.objects.get()
            kept = Hold(slots).kept(step.state.dice)
            assert isinstance(attempt.action, Hold)
            assert attempt.action.kept(step.entry.position.dice) == kept


def test_a_page_sent_twice_counts_once_and_a_second_visit_counts_again(
    browser: Browser, game: Game, found: Review
) -> None:
    step = found.mistakes[0]
    for _ in range(2):
        posted(browser, game, step, step.entry.action)
    assert DrillAttempt.objects.count() == 1
    page = browser.get(f"/games/{game.pk}/learn?step={step.number}")
    assert page.context["fields"]["seq"] == 1
    posted(browser, game, step, best_of(step), seq=1)
    assert [attempt.number for attempt in DrillAttempt.objects.order_by("number")] == [0, 1]


def test_a_position_that_the_drill_knows_already_has_one_card(
    browser: Browser, game: Game, found: Review
) -> None:
    step, now = found.mistakes[0], timezone.now()
    DrillCard.objects.create(
        player=game.player,
        **position_fields(step.entry.position),
        created_at=now,
        due=now + timedelta(days=3),
        interval=3,
        streak=2,
    )
    posted(browser, game, step, best_of(step))
    card = DrillCard.objects.get()
    assert card.attempts.count() == 1


def test_what_is_no_mistake_is_tried_and_not_drilled(
    browser: Browser, game: Game, found: Review
) -> None:
    step = next(step for step in found.steps if not step.mistaken)
    assert posted(browser, game, step, best_of(step)).status_code == 302
    assert not DrillCard.objects.exists()


def test_the_row_of_mistakes_tells_how_the_first_tries_went(
    browser: Browser, game: Game, found: Review
) -> None:
    right, wrong = found.mistakes[:2]
    posted(browser, game, right, best_of(right))
    posted(browser, game, wrong, wrong.entry.action)
    posted(browser, game, wrong, best_of(wrong), seq=1)
    stops = browser.get(f"/games/{game.pk}/learn").context["lesson"].stops
    assert [stop.result for stop in stops[:3]] == ["right", "wrong", ""]
    end = browser.get(f"/games/{game.pk}/learn?end=1").content.decode()
    assert "1 was right at once" in end


def test_only_their_player_is_told_that_the_drill_asks_again(
    browser: Browser, game: Game, found: Review
) -> None:
    own, shared = f"/games/{game.pk}/learn", f"/review/{game.share_token}/learn"
    for page in ("", "?end=1"):
        assert "some day" in browser.get(own + page).content.decode()
        assert "some day" not in Browser().get(shared + page).content.decode()


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
    assert "is filled already" in page.content.decode()
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


def test_a_game_under_way_has_nothing_to_learn_from(browser: Browser) -> None:
    game = browser.start()
    assert browser.get(f"/games/{game.pk}/learn").status_code == 403
    assert browser.post(f"/games/{game.pk}/learn", {"step": 1}).status_code == 403


def test_during_a_trial_there_is_nothing_to_learn(browser: Browser, game: Game) -> None:
    trial = into_trial(browser.start())
    for address in (f"/games/{game.pk}/learn", f"/review/{game.share_token}/learn"):
        assert browser.get(address).status_code == 403
        assert browser.post(address, {"step": 1, "go": 1}).status_code == 403
    assert browser.get(f"/games/{trial.pk}/learn").status_code == 403
    assert not DrillCard.objects.exists()


def test_a_closed_trial_is_reviewed_and_never_drilled(browser: Browser) -> None:
    game = into_trial(browser.start())
    game = play_through(browser, game)
    trial_close(trial=known(game.participant).trial)
    step = found_in(game).mistakes[0]
    assert posted(browser, game, step, best_of(step)).status_code == 302
    assert not DrillCard.objects.exists()


def test_without_a_table_learning_says_so(
    browser: Browser, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.judgement.tables.advisor", lambda rules: None)
    assert "The coach is" in browser.get(f"/games/{game.pk}/learn").content.decode()


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
    assert "?again=1" in browser.get(here).content.decode()
    question = browser.get(f"{here}?again=1").content.decode()
    assert f'method="get" action="{here}"' in question
    assert "costs" not in question[question.index('id="main"') : question.index('class="about"')]
    switched = browser.get(f"{here}?slot=0&toggle=2")
    assert [die.held for die in switched.context["board"].dice] == [True, False, True, False, False]
    held = Hold.of(step.advice.best.dice, step.entry.position.dice)
    slots = "&".join(f"slot={slot}" for slot in held.places)
    told = browser.get(f"{here}?{slots}&go=1")
    assert told.context["answer"].right
    assert 'id="try-again"' not in told.content.decode()
    assert DrillAttempt.objects.count() == 1
    attempt.refresh_from_db()
    assert attempt.regret > 0
    assert browser.get(f"{here}?category=nothing").status_code == 404
