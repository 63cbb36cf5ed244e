"""What is printed adds up, falls with what was lost, and calls nothing flawless that is not."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from game.coach.review import Review
from game.coach.review_charts import draw_ledger
from game.core.words import phrases
from game.core.words.equation import AllRegained, Equation, MeanEquation, Regained, divide_tenths
from game.core.worth.severity import FLAWLESS, find_severity, sum_mistakes
from game.core.worth.tables import load_advisor
from game.duels import duel_words
from game.models import Player
from game.pages.board.ending import Account
from game.pages.board.sharing import choose_square
from game.practice.profile_board import build_portrait
from solver.advice import is_mistake
from solver.charts import WaterfallBar
from solver.charts.layers import format_step as over_bar
from solver.rules import YATZY, Score
from tests.known import known
from tests.play import Browser, play_through

NUMBER = re.compile(r"[+−-]?\d+(?:[.,]\d+)?")
languages = st.sampled_from(["en", "sv", "nb", "da", "fi"])
points = st.floats(-150, 150)
lost_points = st.one_of(
    st.sampled_from([0.0, 1e-12, 1e-9, 0.02]), st.floats(1e-8, 0.2), st.floats(0, 250)
)


def tenths(words: str) -> int:
    """Read as a person does; what is not written as it should be is not read at all."""
    assert re.fullmatch(r"[+−]?\d+([.,]\d)?", words), words
    assert not re.fullmatch(r"[+−]0+([.,]0+)?", words), words
    whole, _, tenth = words.lstrip("+−").replace(",", ".").partition(".")
    return (10 * int(whole) + int(tenth or 0)) * (-1 if words.startswith("−") else 1)


@given(st.floats(200, 300), points, lost_points, st.booleans(), languages)
def test_an_equation_adds_up(
    start: float, luck: float, lost: float, mean: bool, language: str
) -> None:
    kind = MeanEquation if mean else Equation
    with translation.override(language):
        printed = kind(start, start + luck - lost, lost)
        words = (printed.total_words, printed.start_words, printed.luck_words, printed.lost_words)
        cost = tenths(printed.cost_words)
    total, begun, gained, taken = map(tenths, words)
    assert total == begun + gained + taken
    assert (cost, cost > 0) == (-taken, is_mistake(lost))
    assert abs(gained / 10 - luck) <= 0.2 + 1e-9
    if isinstance(printed, MeanEquation) and cost != 1:
        assert begun - cost == tenths(phrases.format_points(start - lost))


@given(st.integers(0, 2500), st.lists(lost_points, min_size=1, max_size=15))
def test_what_is_shared_out_is_all_of_it_and_none_of_it_nothing(
    total: int, parts: list[float]
) -> None:
    found, mistaken = divide_tenths(total, parts), list(map(is_mistake, parts))
    if found is None:
        assert sum(mistaken) > total
    elif any(mistaken) or not total:
        assert sum(found) == total
        assert [one > 0 for one in found] == mistaken
    shown = Equation(248.44, 240.0, sum_mistakes(parts)).format_shares(
        [sum_mistakes([part]) for part in parts]
    )
    assert [float(one) > 0 for one in shown] == mistaken


@given(st.lists(st.tuples(lost_points, lost_points), max_size=6))
def test_what_was_won_back_adds_up_and_is_never_more_than_was_lost(
    places: list[tuple[float, float]],
) -> None:
    parts = [Regained(lost, again) for lost, again in places]
    whole = AllRegained(parts)
    assert tenths(whole.lost_words) == sum(tenths(part.lost_words) for part in parts)
    assert tenths(whole.won_words) == sum(tenths(part.won_words) for part in parts)
    for part in parts:
        lost, won = tenths(part.lost_words), tenths(part.won_words)
        assert 0 <= won <= lost
        assert (won == lost) == (not is_mistake(part.again) or not lost)


@given(st.floats(-500, 500), lost_points, st.integers(1, 3), languages)
def test_no_number_is_printed_as_nothing_with_a_sign_and_no_cost_as_nothing(
    amount: float, lost: float, digits: int, language: str
) -> None:
    with translation.override(language):
        plain, signed = phrases.format_points(amount, digits), phrases.format_signed(amount, digits)
    assert (plain[0] == "−") == (signed[0] == "−") == (round(amount, digits) < 0)
    assert (signed[0] == "+") == (round(amount, digits) > 0)
    assert over_bar(WaterfallBar("", amount)) == phrases.format_signed(amount, 1)
    assert (float(phrases.format_loss(lost, digits)) > 0) == is_mistake(lost)
    assert (phrases.format_deduction(lost, digits)[0] == "−") == is_mistake(lost)


@given(st.lists(lost_points, max_size=45))
def test_flawless_never_stands_beside_a_mistake(regrets: list[float]) -> None:
    account = Account(YATZY, 240, 0.0, sum_mistakes(regrets))
    flawless = not any(map(is_mistake, regrets))
    assert (account.grade == FLAWLESS) == flawless
    assert (account.accuracy == "100\u00a0%") == flawless
    assert (tenths(account.equation.lost_words) == 0) == flawless
    assert all(choose_square(regret) == "🟩" for regret in regrets) == flawless
    assert all(phrases.format_cost(regret) == "best" for regret in regrets) == flawless
    assert all(find_severity(regret).id == "best" for regret in regrets) == flawless


def test_what_is_nearly_all_or_nearly_nothing_is_never_printed_so() -> None:
    shares = [0.0, 1e-5, 0.004999, 0.005, 0.00501, 0.99, 0.994999, 0.995, 0.999, 1 - 1e-5, 1.0]
    written = [phrases.format_percent(share) for share in shares]
    assert written[0] == "0\u00a0%"
    assert "0\u00a0%" not in written[1:]
    assert written[-1] == "100\u00a0%"
    assert "100\u00a0%" not in written[:-1]


@pytest.mark.parametrize("language", ["en", "sv", "nb", "da", "fi"])
def test_a_number_stays_on_one_line_with_its_unit(language: str) -> None:
    with translation.override(language):
        words = [phrases.format_cost(3.2), phrases.describe_luck(4.1), phrases.describe_luck(-4.1)]
        words += map(phrases.format_percent, (0.004, 0.4, 0.998))
        words += [phrases.describe_score(YATZY, "chance", 5)]
    assert not re.search(r"\d ", "; ".join(words).replace("; ", ";"))
    assert (
        phrases.keep_on_one_line("12 % of 3 games, 5 to 6")
        == "12\u00a0% of 3\u00a0games, 5\u00a0to 6"
    )
    assert phrases.keep_on_one_line("Guest b3h9 gave up") == "Guest b3h9 gave up"


# Everywhere it is printed


@given(st.integers(100, 330), st.lists(st.just(0.0) | st.floats(1, 12), min_size=45, max_size=45))
def test_any_review_is_drawn_so_that_it_adds_up(score: int, regrets: list[float]) -> None:
    start, steps = 248.43998937763, []
    for number, regret in enumerate(regrets):
        luck = 0.0 if number else score - start + sum_mistakes(regrets)
        action = Score(YATZY.categories[number // 3].id)
        entry = SimpleNamespace(luck=luck, regret=regret, action=action, forced=False)
        step: Any = SimpleNamespace(
            number=number, turn=number // 3, throw=number % 3 + 1, entry=entry
        )
        steps.append(step)
    found = Review(YATZY, start, steps, score)
    drawn = re.findall(r'class="chart-value"[^>]*>([^<]*)<', draw_ledger(found))
    begun, *changes, ended = map(tenths, drawn[: len(drawn) // 2])
    assert begun + sum(changes) == ended == 10 * score
    for table in (found.by_throw, found.by_box):
        assert sum(tenths(loss.shown) for loss in table) == -tenths(found.equation.lost_words)


@given(
    st.lists(st.tuples(st.integers(100, 330), lost_points), min_size=2, max_size=2),
    st.sampled_from([0, 1, None]),
)
def test_the_end_of_a_duel_says_what_its_table_prints(
    seats: list[tuple[int, float]], me: int | None
) -> None:
    ends = [
        duel_words.SeatEnd(name, score, "", score - 248.43998937763 + lost, lost)
        for name, (score, lost) in zip(("Anna", "Bea"), seats, strict=True)
    ]
    one, other = (known(end.equation) for end in ends)
    said = duel_words.describe_end(ends, me)
    luck = abs(tenths(one.luck_words) - tenths(other.luck_words))
    better = abs(tenths(one.cost_words) - tenths(other.cost_words))
    for pattern, due in (
        (r"([\d.]+)\xa0points of luck", luck),
        (r"played ([\d.]+)\xa0better", better),
    ):
        for number in re.findall(pattern, said):
            assert tenths(number) == due > 0


def numbers_in(html: str) -> list[int]:
    return [*map(tenths, NUMBER.findall(re.sub(r"<[^>]*>", " ", html)))]


@pytest.mark.django_db
@pytest.mark.usefixtures("yatzy_tables")
def test_every_page_of_a_game_prints_the_same_equation(browser: Browser) -> None:
    game = browser.start(coach="after")
    browser.act(game, "hold", seq=1, slots=0b11)
    page = browser.get(f"/games/{game.pk}/").text
    panel = page[page.index('class="standing"') :]
    (now,) = numbers_in(known(re.search(r'standing__now">[^<]*<', panel)).group())
    parts = re.findall(r"<dd[^>]*>([^<]*)</dd>", panel[: panel.index("</section>")])
    assert now == sum(map(tenths, parts))

    browser.act(game, "abandon")
    game, *_others = [play_through(browser, browser.start()) for _ in range(3)]
    told = []
    for address in (f"/games/{game.pk}/", f"/games/{game.pk}/review"):
        page = browser.get(address).text
        (found,) = re.findall(r"<(\w+)[^>]*\bdata-equation\b[^>]*>(.*?)</\1>", page, re.DOTALL)
        told.append(numbers_in(found[1]))
    score, start, luck, lost = told[0]
    assert score == 10 * known(game.final_score) == start + luck + lost
    assert told[0] == told[1]
    shared_as = known(re.search(r'og:description" content="([^"]*)"', page)).group(1)
    assert numbers_in(shared_as) == [score, luck, lost]

    page = browser.get("/you/").text
    row = page[page.index(f"/games/{game.pk}/review", page.index('<table class="decisions">')) :]
    cells = re.findall(r'<td class="number">([^<]*)</td>', row[: row.index("</tr>")])
    assert [*map(tenths, cells[:3])] == [score, luck, lost]
    value_start = known(load_advisor(YATZY)).value_start
    mean = known(build_portrait(Player.objects.get(), YATZY, value_start).mean)
    loss = f"{mean.cost_words} points per game"
    assert f"{mean.start_words} points, and your mistakes cost {loss}" in page
    assert f"is the difference, {mean.skill_words}" in page


def test_no_sheet_gives_a_colour_another_meaning() -> None:
    sheets = {path.name: path.read_text() for path in (settings.BASE_DIR / "static/css").iterdir()}
    meant = {
        "end.css": {".account__luck": "luck", ".account__lost": "mistake"},
        "review.css": {
            ".told__row--best .told__die[data-kept]": "best",
            ".told__die[data-kept]": "played",
            ".then .box[data-chosen]": "played",
            ".then .box[data-best]": "best",
        },
        "judged.css": {".chart-change": "luck", ".chart-loss": "mistake"},
        "leaks.css": {".leak__own": "mistake"},
        "drill.css": {".box[data-best]": "best"},
        "explore.css": {".ranking .ranking__best": "best"},
    }
    for name, sheet in sheets.items():
        if name != "tokens.css":
            assert not re.search(r"--(best|played|mistake|luck)\s*:", sheet), name
        for selector, token in meant.get(name, {}).items():
            rule = known(re.search(rf"(?m)^{re.escape(selector)} \{{([^}}]*)\}}", sheet))
            assert f"var(--{token})" in rule.group(1), (name, selector)
