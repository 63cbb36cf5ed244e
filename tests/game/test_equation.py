"""What is printed adds up, falls with what was lost, and calls nothing flawless that is not."""

import re
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from django.conf import settings
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from game.board.ending import Account
from game.coach.charts import ledger
from game.coach.panel import HALF, GameStanding
from game.coach.portrait import portrait
from game.coach.review import Review, review
from game.coach.statistics import BoxRow
from game.judgement.severity import FLAWLESS, GRADES, grade, lost_by, severity
from game.judgement.skill import Moments, Skill, accuracy
from game.judgement.squares import square
from game.judgement.tables import advisor as site_advisor
from game.models import Player
from game.selectors.dice import dice_of
from game.selectors.games import game_played
from game.trials.results.comparison import person_line
from game.words import duels, equation, phrases
from game.words.equation import AllRegained, Equation, MeanEquation, Regained, shared
from solver.advice import Advisor, is_mistake
from solver.arena.match import at_random, play_out
from solver.charts import WaterfallBar
from solver.charts.bars import signed as over_bar
from solver.dp.space import TIE
from solver.players.erring import Erring
from solver.rules import RULESETS, YATZY, Ruleset, Score
from solver.statistics.trial_figures import FLAWLESS as NO_MISTAKE
from solver.statistics.trial_figures import Person
from tests.game.conftest import Browser, play_through
from tests.game.rulesets import finished_game
from tests.known import known

LANGUAGES = ("en", "sv", "nb", "da", "fi")
NUMBER = re.compile(r"[+−-]?\d+(?:[.,]\d+)?")
GAMES = 10_000
rules_of_all = pytest.mark.parametrize("rules", RULESETS.values(), ids=str)
lost_points = st.one_of(
    st.just(0.0), st.floats(1e-8, 0.2), st.floats(0, 250), st.sampled_from([1e-12, 1e-9, 0.02])
)


def tenths(words: str) -> int:
    """Read as a person does; what is not written as it should be is not read at all."""
    assert re.fullmatch(r"[+−]?\d+([.,]\d)?", words), words
    assert not re.fullmatch(r"[+−]0+([.,]0+)?", words), words
    whole, _, tenth = words.lstrip("+−").replace(",", ".").partition(".")
    size = 10 * int(whole) + int(tenth or 0)
    return -size if words.startswith("−") else size


def adds_up(printed: Equation) -> None:
    total, start, luck, lost = map(
        tenths, (printed.total_words, printed.start_words, printed.luck_words, printed.lost_words)
    )
    assert total == start + luck + lost
    assert lost <= 0
    assert tenths(printed.cost_words) == -lost
    assert bool(lost) == is_mistake(printed.lost)
    off = 20 if is_mistake(printed.lost) and printed.lost < 0.1 else 15
    exact = printed.total - printed.start + printed.lost
    assert abs(luck / 10 - exact) <= off / 100 + 1e-9


def random_games(rng: np.random.Generator, games: int) -> list[Equation]:
    starts = [248.43998937763, 254.5896094, 245.870775, 230.05, 255.15]
    found = []
    for number in range(games):
        lost = float(rng.choice([0.0, 1e-13, 1e-8, 0.02, rng.random() / 5, rng.gamma(2.0, 15.0)]))
        luck, start = float(rng.normal(0, 38)), starts[number % len(starts)]
        if number % 2:  # a score is whole: luck is what makes it so
            luck = round(start + luck - lost) - start + lost
            found.append(Equation.of_game(round(start + luck - lost), luck, lost))
        else:
            found.append(Equation(start, start + luck - lost, lost))
    return found


def test_ten_thousand_printed_games_add_up() -> None:
    for number, printed in enumerate(random_games(np.random.default_rng(11), GAMES)):
        with translation.override(LANGUAGES[number % len(LANGUAGES)]):
            adds_up(printed)


@pytest.mark.usefixtures("all_tables")
@rules_of_all
def test_really_played_games_add_up(rules: Ruleset) -> None:
    coach, rng = Advisor.open(rules), np.random.default_rng(5)
    for temperature in (0.1, 1.0, 4.0):
        bot = Erring(coach, rate=0.5, temperature=temperature)
        for _ in range(3):
            game = play_out(bot, rules, at_random(rng), rng)
            found = coach.ledger(game.decisions)
            lost = lost_by(entry.regret for entry in found.entries)
            printed = Equation.of_game(game.end.total, found.luck, lost)
            adds_up(printed)
            assert printed.starts_at(coach.value_start)
            assert printed.start_words == phrases.points(coach.value_start)


@given(st.floats(200, 300), st.floats(-150, 150), lost_points)
def test_every_equation_adds_up(start: float, luck: float, lost: float) -> None:
    adds_up(Equation(start, start + luck - lost, lost))
    mean = MeanEquation(start, start + luck - lost, lost)
    adds_up_in_the_mean(mean)


def adds_up_in_the_mean(mean: MeanEquation) -> None:
    start, cost, left = map(tenths, (mean.start_words, mean.cost_words, mean.skill_words))
    assert start - cost == left
    assert (cost > 0) == is_mistake(mean.lost)
    if cost != 1:
        assert mean.skill_words == phrases.points(mean.start - mean.lost)
    luck, total = tenths(mean.luck_words), tenths(mean.total_words)
    assert total == start + luck - cost


@given(st.integers(0, 2500), st.lists(st.one_of(st.just(0.0), st.floats(1e-8, 60)), min_size=1))
def test_what_is_shared_out_is_all_of_it_and_none_of_it_nothing(
    total: int, parts: list[float]
) -> None:
    found = shared(total, parts)
    mistaken = [is_mistake(part) for part in parts]
    if found is None:
        assert sum(mistaken) > total
    elif any(mistaken) or not total:
        assert sum(found) == total
        assert [one > 0 for one in found] == mistaken or not any(mistaken)


@given(st.lists(lost_points, min_size=1, max_size=15))
def test_the_losses_of_a_table_add_up_to_the_printed_mistakes(parts: list[float]) -> None:
    printed = Equation(248.44, 240.0, lost_by(parts))
    shown = printed.shares([lost_by([part]) for part in parts])
    assert [bool(float(one)) for one in shown] == [is_mistake(part) for part in parts]
    if sum(map(is_mistake, parts)) <= tenths(printed.cost_words):
        assert sum(map(tenths, shown)) == tenths(printed.cost_words)
        wide = 0.1 * sum(map(is_mistake, parts)) + 0.15
        assert all(abs(float(one) - part) <= wide for one, part in zip(shown, parts, strict=True))


# Numbers as they are printed


@given(st.floats(-500, 500), st.integers(0, 3), st.sampled_from(LANGUAGES))
def test_no_number_is_printed_as_nothing_with_a_sign(
    amount: float, digits: int, language: str
) -> None:
    with translation.override(language):
        written = [
            phrases.points(amount, digits),
            phrases.signed(amount, digits),
            phrases.lost(abs(amount), digits),
            phrases.taken_off(abs(amount), digits),
            over_bar(WaterfallBar("", amount)),
        ]
    for words in written:
        assert "-" not in words
        assert not re.fullmatch(r"[+−]0+([.,]0+)?", words)
    assert (written[0][0] == "−") == (round(amount, digits) < 0)
    assert (written[1][0] == "+") == (round(amount, digits) > 0)


@given(lost_points, st.integers(1, 2))
def test_a_cost_that_is_one_is_never_printed_as_nothing(amount: float, digits: int) -> None:
    assert (float(phrases.lost(amount, digits)) > 0) == is_mistake(amount)
    assert (phrases.taken_off(amount, digits)[0] == "−") == is_mistake(amount)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_number_stays_on_one_line_with_its_unit(language: str) -> None:
    with translation.override(language):
        for words in (
            phrases.cost(3.2),
            phrases.luck(4.1),
            phrases.luck(-4.1),
            phrases.percent(0.004),
            phrases.percent(0.4),
            phrases.percent(0.998),
            phrases.scored(YATZY, "chance", 5),
        ):
            assert not re.search(r"\d ", words), words


def test_what_is_nearly_all_or_nearly_nothing_is_never_printed_so() -> None:
    shares = [0.0, 1e-5, 0.004999, 0.005, 0.00501, 0.99, 0.994999, 0.995, 0.999, 1 - 1e-5, 1.0]
    written = [phrases.percent(share) for share in shares]
    assert written[0] == "0\u00a0%"
    assert "0\u00a0%" not in written[1:]
    assert written[-1] == "100\u00a0%"
    assert "100\u00a0%" not in written[:-1]


@given(st.floats(0, 60), st.floats(0, 60))
def test_the_boxes_of_the_statistics_differ_by_what_is_printed(mine: float, perfect: float) -> None:
    row = BoxRow("Chance", mine, perfect, equation.tenths(mine), equation.tenths(perfect))
    written = tenths(phrases.points(mine)), tenths(phrases.points(perfect))
    assert tenths(row.difference) == written[0] - written[1]


# Accuracy and grade


def rank(found: Account) -> int:
    return GRADES.index(found.grade)


def percent_of(words: str) -> float:
    number = float(known(NUMBER.search(words)).group())
    return number + 0.5 if words.startswith("over") else number - 0.5 * words.startswith("under")


@rules_of_all
@given(lost=st.lists(lost_points, min_size=2, max_size=40), luck=st.floats(-100, 100))
def test_who_lost_more_has_neither_the_higher_accuracy_nor_the_higher_grade(
    rules: Ruleset, lost: list[float], luck: float
) -> None:
    accounts = [Account(rules, 240, luck, one) for one in sorted(lost)]
    for less, more in pairwise(accounts):
        assert accuracy(less.regret, rules) >= accuracy(more.regret, rules)
        assert percent_of(less.accuracy) >= percent_of(more.accuracy)
        assert rank(less) <= rank(more)


@rules_of_all
@given(st.lists(st.lists(st.floats(0, 30), min_size=1, max_size=45), min_size=2, max_size=6))
def test_neither_does_it_matter_in_how_many_decisions_it_was_lost(
    rules: Ruleset, games: list[list[float]]
) -> None:
    """A game of few decisions, or of few bad ones, is rated as one of many that lost as much."""
    found = sorted((lost_by(regrets), number) for number, regrets in enumerate(games))
    for (less, _), (more, _) in pairwise(found):
        assert accuracy(less, rules) >= accuracy(more, rules)
        assert GRADES.index(grade(less, rules)) <= GRADES.index(grade(more, rules))


def test_accuracy_is_all_of_it_without_a_mistake_alone() -> None:
    for lost in (0.0, 1e-12, 1e-9):
        assert Account(YATZY, 240, 0.0, lost).accuracy == "100\u00a0%"
    for lost in (1e-8, 1e-4, 0.02, 1.0):
        assert Account(YATZY, 240, 0.0, lost).accuracy == "over 99\u00a0%"
    assert Account(YATZY, 240, 0.0, 44.0).accuracy == "80\u00a0%"
    assert Account(YATZY, 240, 0.0, 230.0).accuracy == "0\u00a0%"


# Flawless


@given(st.lists(lost_points, max_size=45))
def test_flawless_never_stands_beside_a_mistake(regrets: list[float]) -> None:
    account = Account(YATZY, 240, 0.0, lost_by(regrets))
    flawless = not any(map(is_mistake, regrets))
    assert (account.grade == FLAWLESS) == flawless
    assert (account.accuracy == "100\u00a0%") == flawless
    assert (tenths(account.equation.lost_words) == 0) == flawless
    assert all(square(regret) == "🟩" for regret in regrets) == flawless
    assert all(phrases.cost(regret) == "best" for regret in regrets) == flawless
    assert all(severity(regret).id == "best" for regret in regrets) == flawless


@pytest.mark.parametrize(("regret", "mistake"), [(1e-12, False), (1e-9, False), (0.02, True)])
def test_rounding_is_no_mistake_and_what_rounds_to_nothing_is_one(
    regret: float, mistake: bool
) -> None:
    assert is_mistake(regret) == mistake
    assert (severity(regret).id != "best") == mistake
    assert (Account(YATZY, 240, 0.0, lost_by([regret] * 45)).grade != FLAWLESS) == mistake
    assert (square(regret) != "🟩") == mistake


def test_trials_count_games_without_a_mistake_by_the_same_threshold() -> None:
    assert NO_MISTAKE == TIE


@given(st.lists(st.floats(0, 60), min_size=2, max_size=30))
def test_a_player_who_errs_is_never_called_flawless(lost: list[float]) -> None:
    def moments(values: list[float]) -> Moments:
        return Moments(
            len(values), sum(values) / len(values), sum(one * one for one in values) / len(values)
        )

    skill = Skill(
        248.4, moments([240.0] * len(lost)), moments(lost), moments([x / 44 for x in lost])
    )
    assert (skill.grade == FLAWLESS) == (not is_mistake(skill.regrets.mean))
    assert FLAWLESS not in (skill.grades or ())


# The bar beside a running game


@given(st.floats(-300, 300), lost_points)
def test_the_bars_are_to_one_scale_and_begin_where_the_one_before_ends(
    luck: float, lost: float
) -> None:
    found = GameStanding(248.44, 248.44 + luck - lost, lost)
    (luck_low, luck_high), (lost_low, lost_high) = (
        (bar.start, bar.start + bar.width) for bar in (found.luck_bar, found.lost_bar)
    )
    assert all(abs(end) <= HALF + 0.05 for end in (luck_low, luck_high, lost_low, lost_high))
    begins, reached = (luck_low, luck_high) if luck >= 0 else (luck_high, luck_low)
    assert begins == pytest.approx(0.0, abs=0.11)  # where perfect play stands
    assert lost_high == pytest.approx(reached, abs=0.11)  # from there mistakes lead back
    furthest = max(abs(luck), abs(luck - lost))
    scale = 2.0 if furthest <= HALF / 2 else HALF / furthest  # units of the drawing a point
    assert reached == pytest.approx(scale * luck, abs=0.11)
    assert lost_low == pytest.approx(scale * (luck - lost), abs=0.11)


# Everywhere it is printed


def numbers_of(html: str) -> list[str]:
    return NUMBER.findall(re.sub(r"<[^>]*>", " ", html))


def equation_on(page: str) -> list[int]:
    found = re.findall(r"<(\w+)[^>]*\bdata-equation\b[^>]*>(.*?)</\1>", page, re.DOTALL)
    assert len(found) == 1
    return list(map(tenths, numbers_of(found[0][1])))


@pytest.mark.django_db
@pytest.mark.usefixtures("yatzy_tables")
def test_the_end_and_the_review_print_an_equation_that_adds_up(browser: Browser) -> None:
    game = play_through(browser, browser.start())
    told = []
    for address in (f"/games/{game.pk}/", f"/games/{game.pk}/review"):
        page = browser.get(address).content.decode()
        score, start, luck, lost = equation_on(page)
        assert score == 10 * known(game.final_score) == start + luck + lost
        told.append((score, start, luck, lost))
    assert told[0] == told[1]
    shown = re.search(r'og:description" content="([^"]*)"', page)
    assert list(map(tenths, numbers_of(known(shown).group(1)))) == [score, luck, lost]


def adds_up_as_drawn(found: Review) -> None:
    drawn = re.findall(r'class="chart-value"[^>]*>([^<]*)<', ledger(found))
    start, *changes, score = map(tenths, drawn[: len(drawn) // 2])
    assert start + sum(changes) == score == 10 * found.score
    mistakes = -tenths(found.equation.lost_words)
    for table in (found.by_throw, found.by_box):
        assert sum(tenths(loss.shown) for loss in table) == mistakes


def judged_step(number: int, regret: float) -> Any:
    action = Score(YATZY.categories[number // 3].id)
    entry = SimpleNamespace(luck=0.0, regret=regret, action=action, forced=False)
    return SimpleNamespace(number=number, turn=number // 3, throw=number % 3 + 1, entry=entry)


@given(
    st.integers(100, 330),
    st.lists(st.one_of(st.just(0.0), st.floats(1, 12)), min_size=45, max_size=45),
)
def test_any_review_is_drawn_so_that_it_adds_up(score: int, regrets: list[float]) -> None:
    steps = [judged_step(number, regret) for number, regret in enumerate(regrets)]
    start = 248.43998937763
    steps[0].entry.luck = score - start + lost_by(regrets)
    adds_up_as_drawn(Review(YATZY, start, steps, score))


@pytest.mark.django_db
@pytest.mark.usefixtures("all_tables")
@rules_of_all
def test_the_drawn_sum_of_a_review_adds_up_and_so_do_its_tables(
    player: Player, rules: Ruleset
) -> None:
    game = finished_game(player, rules)
    adds_up_as_drawn(review(known(site_advisor(rules)), dice_of(game), game_played(game).actions))


@pytest.mark.django_db
@pytest.mark.usefixtures("yatzy_tables")
def test_the_games_of_a_profile_are_printed_as_their_reviews_print_them(browser: Browser) -> None:
    games = [play_through(browser, browser.start()) for _ in range(3)]
    coach, player = known(site_advisor(YATZY)), Player.objects.get()
    page = browser.get("/profile/").content.decode()
    table = page[page.index('<table class="decisions">') :]
    for game in games:
        row = table[table.index(f"/games/{game.pk}/review") :]
        cells = re.findall(r'<td class="number">([^<]*)</td>', row[: row.index("</tr>")])
        shown = equation_on(browser.get(f"/games/{game.pk}/review").content.decode())
        assert [tenths(cell) for cell in cells[:3]] == [shown[0], *shown[2:]]
    mean = portrait(player, YATZY, coach.value_start).mean
    adds_up_in_the_mean(mean)
    sentence = f"{mean.start_words}, and your mistakes cost {mean.cost_words} a game"
    assert sentence in page
    assert f"That leaves {mean.skill_words}" in page


@pytest.mark.django_db
@pytest.mark.usefixtures("yatzy_tables")
def test_a_running_game_prints_how_it_stands(browser: Browser) -> None:
    game = browser.start(coach="after")
    browser.act(game, "hold", seq=1, slots=0b11)
    page = browser.get(f"/games/{game.pk}/").content.decode()
    panel = page[page.index('class="standing"') :]
    now = tenths(known(re.search(r'standing__now">([^<]*)<', panel)).group(1))
    parts = re.findall(r"<dd[^>]*>([^<]*)</dd>", panel[: panel.index("</section>")])
    assert now == sum(map(tenths, parts))


@given(
    st.lists(st.tuples(st.integers(100, 330), lost_points), min_size=2, max_size=2),
    st.sampled_from([0, 1, None]),
)
def test_the_end_of_a_duel_says_what_its_table_prints(
    seats: list[tuple[int, float]], me: int | None
) -> None:
    ends = [
        duels.SeatEnd(name, score, "", score - 248.43998937763 + lost, lost)
        for name, (score, lost) in zip(("Anna", "Bea"), seats, strict=True)
    ]
    one, other = (known(end.equation) for end in ends)
    for printed in (one, other):
        adds_up(printed)
    said = duels.verdict(ends, me)
    luck = abs(tenths(one.luck_words) - tenths(other.luck_words))
    better = abs(tenths(one.cost_words) - tenths(other.cost_words))
    for pattern, due in (
        (r"([\d.]+)\xa0points of luck", luck),
        (r"played ([\d.]+)\xa0better", better),
    ):
        for number in re.findall(pattern, said):
            assert tenths(number) == due > 0


@given(st.floats(200, 260), st.floats(-40, 40), lost_points, st.booleans())
def test_a_participant_of_a_trial_is_printed_so_that_it_adds_up(
    start: float, luck: float, lost: float, judged: bool
) -> None:
    """The mean score too, where all of the games were judged."""
    mean = start + luck - lost if judged else 201.7
    person = Person(
        "P01", 4, mean, 0.5, 4 if judged else 3, lost, luck, start - lost, None, None, None
    )
    line = person_line(person, start)
    began = tenths(phrases.points(start))
    assert tenths(line.skill) == began - tenths(line.lost)
    if judged:
        assert tenths(line.mean) == began + tenths(line.luck) - tenths(line.lost)
    else:
        assert tenths(line.luck) == pytest.approx(10 * luck, abs=2.6)


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
        assert won / 10 == pytest.approx(max(0.0, part.lost - part.again), abs=0.2)


def test_no_sheet_gives_a_colour_another_meaning() -> None:
    """Luck, mistakes, best and played have their tokens, which only the sheet of tokens defines."""
    sheets = {path.name: path.read_text() for path in (settings.BASE_DIR / "static/css").iterdir()}
    meant = {
        "end.css": {".account__luck": "luck", ".account__lost": "mistake"},
        "review.css": {
            ".told__row--best .told__die[data-kept]": "best",
            ".told__die[data-kept]": "played",
            ".then .box[data-chosen]": "played",
            ".then .box[data-best]": "best",
        },
        "site.css": {".chart-change": "luck", ".chart-loss": "mistake"},
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


def test_a_number_stays_with_its_unit_and_a_name_with_itself() -> None:
    assert phrases.unbroken("12.5 points of 3 games") == "12.5\u00a0points of 3\u00a0games"
    assert phrases.unbroken("89 %, 5 to 6") == "89\u00a0%, 5\u00a0to 6"
    assert phrases.unbroken("Guest b3h9 gave up") == "Guest b3h9 gave up"
