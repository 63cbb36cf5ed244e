"""Five a day: the same positions for everybody, one answer each, another five tomorrow."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.contrib.auth.models import User

from game.core.accounts import get_or_create_player, merge_guest
from game.core.refusals import Refused
from game.core.worth.drilled import DRILLED
from game.core.worth.tables import load_advisor
from game.models import FIVE, FiveAnswer, Player
from game.practice.five import LEVELS, choose_daily_five, store_five_answer
from solver.rules import YATZY, Action, Hold, Ruleset, Score
from tests.known import known
from tests.play import Answer, Browser, take

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
TODAY = NOON.date()
pytestmark = [pytest.mark.usefixtures("yatzy_tables"), pytest.mark.django_db]


@pytest.fixture(autouse=True)
def noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOON)


def best(place: int) -> Action:
    position = choose_daily_five(TODAY, YATZY)[place - 1].position
    return take(known(load_advisor(YATZY)).advise(position).best, position.dice)


def post(browser: Browser, place: int, action: Action, day: date = TODAY) -> Answer:
    data: dict[str, object] = {"of": day.isoformat(), "seq": place}
    if isinstance(action, Score):
        data["category"] = action.category
    else:
        data |= {"slot": list(action.places), "go": 1}
    return browser.post("/five/", data)


@pytest.mark.parametrize("rules", DRILLED.values(), ids=lambda rules: rules.id)
def test_five_different_positions_a_day_that_come_back_only_after_weeks(rules: Ruleset) -> None:
    lap = [choose_daily_five(TODAY + timedelta(days=day), rules) for day in range(15)]
    assert all(tuple(one.level for one in five) == LEVELS for five in lap)
    assert all(len({one.key for one in five}) == FIVE for five in lap)
    assert lap[0] == choose_daily_five(TODAY, rules)
    assert len({one.key for five in lap for one in five}) > 0.8 * 15 * FIVE


def test_a_day_is_answered_from_the_first_to_the_last_and_then_told(browser: Browser) -> None:
    for place in range(1, FIVE + 1):
        page = browser.get("/five/")
        assert f"Position {place} of 5" in page.text
        told = browser.get(post(browser, place, best(place)).headers["Location"])
        assert told.context["answer"].right
    text = browser.get("/five/").text
    assert text.count('data-square="🟩"') == 2 * 5, "together, and each"
    assert "🟩" * 5 in text, "to share"
    assert "100 %" in text.replace("\xa0", " ")


def test_the_first_answer_is_the_one_that_counts(player: Player) -> None:
    filled = choose_daily_five(TODAY, YATZY)[0].position.filled
    kept = Score(YATZY.categories[YATZY.open(filled)[-1]].id)
    first, again = (
        store_five_answer(player=player, rules=YATZY, day=TODAY, place=1, action=action)
        for action in (kept, best(1))
    )
    assert (again.pk, again.action) == (first.pk, kept)
    assert first.regret > 0 or kept == best(1)


@pytest.mark.parametrize("day", [TODAY - timedelta(days=1), TODAY + timedelta(days=1)])
def test_another_day_is_not_answered(player: Player, day: date) -> None:
    with pytest.raises(Refused, match="A new day"):
        store_five_answer(player=player, rules=YATZY, day=day, place=1, action=Hold(0))


def test_what_makes_no_sense_stores_nothing(browser: Browser) -> None:
    for data in ({}, {"of": "yesterday", "seq": 1}, {"of": "2026-02-31", "seq": 1, "go": 1}):
        assert browser.post("/five/", data).status_code == 400
    box = post(browser, 1, Score("no-such-box"))
    assert box.status_code == 400
    assert not FiveAnswer.objects.exists()
    assert not Player.objects.exists()


def test_a_die_is_switched_without_a_script(browser: Browser) -> None:
    data = {"of": TODAY.isoformat(), "seq": 1, "toggle": 2}
    answer = browser.post("/five/", data)
    assert answer.headers["Location"] == "/five/?held=2"
    assert not FiveAnswer.objects.exists()


def test_what_a_guest_answered_moves_to_the_account_unless_it_has_its_own(player: Player) -> None:
    user = User.objects.create_user("ada", password="x")
    account = get_or_create_player(user=user)
    for owner, place in ((account, 1), (player, 1), (player, 2)):
        action = best(place)
        store_five_answer(player=owner, rules=YATZY, day=TODAY, place=place, action=action)
    own = FiveAnswer.objects.get(player=account)
    merge_guest(guest=player, user=user)
    kept = FiveAnswer.objects.filter(player=account)
    assert [one.place for one in kept] == [1, 2]
    assert own in kept
    assert FiveAnswer.objects.count() == 2
