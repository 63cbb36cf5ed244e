"""Reads the sentences of a reason, and holds what they say against the tables.

A reason is told before a decision, or after it of what was missed or found; each has its own list
of sentences, so that one of another tense is no sentence at all.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import pytest

from game.coach.reasons import bonus_in_reach
from game.core.words import phrases
from solver.advice import BONUS, CHIPS, Advice, Advisor, Option, Position
from solver.dp.arrays import points_scale
from solver.rules import Ruleset, ScoreOption
from tests.endings import Ends, ends_of
from tests.known import known

ROUNDED = 0.0501  # half a tenth, and what single precision adds
QUANTUM = 0.02  # what 16 bits a box leave out
N = r"([\d.]+)"
NAME = r"([A-Z][A-Za-z ]*?)"
CHANCE = r"((?:under |over )?\d+\s%)"
OPTION = "“([^”]+)”"


@dataclass(frozen=True)
class Said:
    """A reason beside what the tables know, worked out in another way wherever there is one.

    ``chosen`` is what somebody did, where it is told afterwards.
    """

    advisor: Advisor
    position: Position
    advice: Advice
    text: str
    chosen: Option | None = None

    @property
    def tense(self) -> str:
        if self.chosen is None:
            return "before"
        return "found" if self.chosen.best else "missed"

    @property
    def rules(self) -> Ruleset:
        return self.position.rules

    @cached_property
    def best(self) -> Option:
        """What the reason is about: of several, what was done."""
        first = self.advice.best
        if self.chosen is None:
            return first
        if self.chosen.best:
            return self.chosen
        if len(first.dice) == self.rules.dice and self.chosen.action == "score":
            boxes = (o for o in self.advice.options if o.best and o.action == "score")
            return next(boxes, first)  # keeping them all is to fill a box with them
        return first

    @cached_property
    def rival(self) -> Option:
        """The one that a sentence is about which names none."""
        return self.chosen or self.scoring(self.text.split(" would bring ")[0])

    @cached_property
    def ends(self) -> dict[str, Ends]:
        return ends_of(self.advisor, self.position, self.best)

    @cached_property
    def boxes(self) -> dict[str, str]:
        names = [*self.rules.index, BONUS, *([CHIPS] if self.rules.joker else [])]
        return {phrases.box(self.rules, name): name for name in names}

    def option(self, label: str) -> Option:
        (found,) = [o for o in self.advice.options if phrases.option(self.rules, o) == label]
        return found

    def scoring(self, name: str) -> Option:
        (found,) = [o for o in self.advice.options if o.category == self.boxes[name]]
        return found

    def rest(self, scored: Option) -> float:
        """V of the card that follows, straight from its row."""
        return self.advisor.value(*self.card(scored)[:2], chips_won=self.card(scored)[2])

    def taken(self, scored: Option) -> ScoreOption:
        """What the rules write into the box."""
        at = self.rules.index[scored.category]
        options = self.rules.score_options(
            self.position.filled, self.position.chips_won, self.position.dice
        )
        (found,) = [option for option in options if option.category == at]
        assert scored.points == found.points + found.chip
        return found

    def card(self, scored: Option) -> tuple[int, int, bool]:
        rules, at = self.rules, self.rules.index[scored.category]
        taken = self.taken(scored)
        upper = self.position.upper + (taken.points if rules.categories[at].face else 0)
        joker = rules.joker
        won = joker is not None and joker.box == scored.category and taken.points > 0
        return self.position.filled | 1 << at, upper, self.position.chips_won or won

    def later(self, scored: Option, box: str) -> float:
        """What a box, or the bonus, is expected to bring once this one is filled."""
        filled, upper, chips_won = self.card(scored)
        table, space = known(self.advisor.explain), self.advisor.space
        row = table.row(space.row(filled, chips_won=chips_won))[space.column(upper)]
        parts = row * points_scale(self.rules)
        if box == CHIPS:
            return self.rest(scored) - float(parts.sum())
        return float(parts[-1 if box == BONUS else self.rules.index[box]])

    def expected(self, option: Option, box: str) -> float:
        """What a box, or the bonus, is expected to bring from now on."""
        (parts,) = known(self.advisor.expected_of(self.position, option))
        return next(part.points for part in parts if part.box == box)

    def lost(self, worse: Option, box: str) -> float:
        parts = known(self.advisor.why(self.position, self.best, worse))
        (points,) = [part.points for part in parts if part.box == box]
        if worse.action == self.best.action == "score" and box not in {
            self.best.category,
            worse.category,
            CHIPS,
        }:
            again = self.later(self.best, box) - self.later(worse, box)
            assert points == pytest.approx(again, abs=QUANTUM)
        return points


def near(shown: str, number: float, slack: float = ROUNDED) -> None:
    assert float(shown) == pytest.approx(number, abs=slack)


def check_aim(said: Said, name: str) -> None:
    """The likeliest box that it is worth trying for, and no disappointment to end in; of several
    that are as likely the best."""
    ends, aim = said.ends, said.boxes[name]
    worth_it = {
        box: end
        for box, end in ends.items()
        if end.chance >= 0.11 and end.value >= said.best.value - 1e-9
    }
    likeliest = max(end.chance for end in (worth_it or ends).values())
    as_likely = {b: e for b, e in (worth_it or ends).items() if e.chance > likeliest - 1e-8}
    assert aim in as_likely
    assert as_likely[aim].value == pytest.approx(max(end.value for end in as_likely.values()))


def check_sure_aim(said: Said, name: str) -> None:
    check_aim(said, name)
    assert said.ends[said.boxes[name]].chance >= 0.95


def check_odds_of_aim(said: Said, name: str, odds: str, rest: str) -> None:
    check_aim(said, name)
    chance = said.ends[said.boxes[name]].chance
    assert chance < 0.95
    check_odds(odds, chance)
    check_rest(said, said.boxes[name], rest)


def check_odds(odds: str, chance: float) -> None:
    """As near as words come."""
    if odds == "seldom":
        assert 0.02 <= chance < 0.09
    elif odds == "very seldom":
        assert chance < 0.02
    else:
        assert spoken(odds) == pytest.approx(chance, abs=0.05)
        assert spoken(odds) == pytest.approx(chance, rel=0.15)


def spoken(odds: str) -> float:
    if odds == "every other time":
        return 1 / 2
    numbers = ("", "one", "two", "three", "four", "five", "six", "", "eight", "nine", "ten")
    times, of = re.fullmatch(r"(\w+) times? in (\w+)", odds).groups()  # type: ignore[union-attr]
    return numbers.index(times) / numbers.index(of)


def check_rest(said: Said, aim: str, rest: str) -> None:
    """The boxes that are named, and no points, are as much of the rest as is said."""
    chances = {box: end.chance for box, end in said.ends.items()}
    nothing = 1 - sum(chances.values())
    others = {**chances, "no points": nothing}
    left = 1 - others.pop(aim)
    likeliest = sorted(others, key=lambda name: -others[name])
    if rest == "one of several boxes":
        assert others[likeliest[0]] + others[likeliest[1]] <= (0.5 + 1e-8) * left
        return
    names = [said.boxes.get(name, name) for name in rest.removeprefix("mostly ").split(" or ")]
    assert aim not in names
    assert [others[name] for name in names] == pytest.approx(
        [others[name] for name in likeliest[: len(names)]]
    )
    share = sum(others[name] for name in names) / left
    assert share > 0.5
    assert (share < 0.95) == rest.startswith("mostly ") or share == pytest.approx(0.95)
    if len(names) == 2:
        assert others[names[0]] <= (0.5 + 1e-8) * left  # one name would not do


def check_nothing_won(said: Said) -> None:
    assert not said.ends


def check_holds_nothing(said: Said) -> None:
    assert said.best.action == "hold"
    assert not said.best.dice


def check_stops(said: Said) -> None:
    """What lies there is a box, also where all dice are held."""
    assert said.position.rolls_left
    assert len(said.best.dice) == said.rules.dice
    boxes = [option for option in said.advice.options if option.action == "score"]
    assert max(option.value for option in boxes) == pytest.approx(said.advice.value, abs=1e-9)
    if said.chosen is not None:
        assert said.chosen.best or said.chosen.action == "hold"


def check_only(said: Said) -> None:
    assert len(said.rules.open(said.position.filled)) == 1
    assert not said.position.rolls_left


def check_joker(said: Said) -> None:
    assert said.rules.is_joker(said.position.filled, said.position.dice)
    assert [option.action for option in said.advice.options] == ["score"]
    assert len(said.rules.open(said.position.filled)) > 1


def check_secures(said: Said) -> None:
    upper = said.card(said.best)[1]
    assert said.position.upper < said.rules.bonus_threshold <= upper


def check_most_now(said: Said) -> None:
    assert said.best.action == "score"
    assert 0 < said.best.points == max(option.points for option in said.advice.options)


def check_most_of_boxes(said: Said) -> None:
    """Beside another box; beside another throw it would be no reason."""
    check_most_now(said)
    worse = [option for option in said.advice.options if option.regret >= 0.05]
    beside = said.rival if said.tense == "missed" else next(iter(worse), said.best)
    assert beside.action == "score"


def check_more_now(said: Said) -> None:
    assert said.best.action == "score"
    assert said.best.points > min(option.points for option in said.advice.options)
    if said.tense == "missed":
        assert said.best.points > said.rival.points


def check_nothing(said: Said) -> None:
    options = said.rules.score_options(
        said.position.filled, said.position.chips_won, said.position.dice
    )
    assert not any(option.points for option in options)


def check_now_and_later(said: Said, name: str, more: str, fewer: str) -> None:
    worse = said.scoring(name)
    check_looks_better(said, name)
    assert int(more) == worse.points - said.best.points > 0
    near(fewer, said.rest(said.best) - said.rest(worse))
    assert float(fewer) >= int(more)


def check_looks_better(said: Said, name: str) -> None:
    worse = said.scoring(name)
    assert worse.points > said.best.points
    assert worse.regret >= 0.05
    assert said.chosen is None or said.chosen.best or said.chosen == worse


def check_left_open(said: Said, name: str, points: str) -> None:
    expected = said.expected(said.best, said.boxes[name])
    near(points, expected)
    if said.best.action == "score":
        near(points, said.later(said.best, said.boxes[name]), QUANTUM + ROUNDED)
    assert expected > said.taken(said.scoring(name)).points - QUANTUM


def check_bonus_of(said: Said, label: str, before: str, after: str) -> None:
    check_bonus(said, said.option(label), before, after)


def check_bonus_fell(said: Said, before: str, after: str) -> None:
    check_bonus(said, said.rival, before, after)


def check_bonus(said: Said, worse: Option, before: str, after: str) -> None:
    assert bonus_in_reach(said.position)
    chances = [known(option.outlook).bonus_chance for option in (said.best, worse)]
    assert [before, after] == [phrases.percent(chance) for chance in chances]
    assert chances[1] < chances[0]
    lost = (chances[0] - chances[1]) * said.rules.bonus_points
    assert lost >= 0.3 * worse.regret - 1e-9


def check_loses_in(said: Said, label: str, name: str) -> None:
    check_lost(said, said.option(label), name)


def check_lost_in(said: Said, name: str) -> None:
    check_lost(said, said.rival, name)


def check_lost(said: Said, worse: Option, name: str) -> None:
    """Nowhere is more lost than there, and it is no reason for itself."""
    parts = known(said.advisor.why(said.position, said.best, worse))
    assert said.lost(worse, said.boxes[name]) == max(part.points for part in parts)
    assert said.lost(worse, said.boxes[name]) >= 0.3 * worse.regret - QUANTUM
    assert said.boxes[name] not in {said.best.category, worse.category}
    assert said.text.count(name) == 1 or any(name in other for other in said.boxes if other != name)


def check_nearly(said: Said, label: str) -> None:
    assert 0 < said.option(label).regret < 0.05


def check_behind(said: Said, label: str, points: str) -> None:
    near(points, said.option(label).regret)
    assert 0.05 <= said.option(label).regret < 0.3


def check_equal(said: Said, label: str) -> None:
    assert said.option(label).regret < 1e-9


ODDS = r"([a-z ]+)"
REST = r"([A-Za-z ]+?)"
Sentences = list[tuple[str, Callable[..., None]]]
AFTER: Sentences = [
    (rf"The aim was {NAME}\.", check_sure_aim),
    (rf"The aim was {NAME} \({ODDS}\), or else {REST}\.", check_odds_of_aim),
    (r"This turn could not score any points\.", check_nothing_won),
    (r"None of these dice was worth holding\.", check_holds_nothing),
    (r"Rolling again would have gained nothing on average\.", check_stops),
    (r"It was the only open box\.", check_only),
    (r"These dice were a joker and had to go there\.", check_joker),
    (r"It secured the bonus\.", check_secures),
    (r"No other box brought more points\.", check_most_of_boxes),
    (r"It brought more points at once\.", check_more_now),
    (r"These dice scored nothing in any open box\.", check_nothing),
    (rf"{OPTION} was worth just as much\.", check_equal),
    (rf"{OPTION} was worth nearly as much\.", check_nearly),
]
SENTENCES: dict[str, Sentences] = {
    "before": [
        (rf"Aims for {NAME}\.", check_sure_aim),
        (rf"Aims for {NAME} \({ODDS}\), or else {REST}\.", check_odds_of_aim),
        (r"This turn then scores nothing\.", check_nothing_won),
        (r"None of these dice is worth holding\.", check_holds_nothing),
        (r"Rolling again gains nothing on average\.", check_stops),
        (r"It is the only open box\.", check_only),
        (r"These dice are a joker and must go there\.", check_joker),
        (r"It secures the bonus\.", check_secures),
        (r"No other box brings more points now\.", check_most_now),
        (r"It brings more points now\.", check_more_now),
        (r"These dice score nothing in any open box\.", check_nothing),
        (
            rf"{NAME} would bring (\d+) points? more now, but {N} fewer later\.",
            check_now_and_later,
        ),
        (rf"{NAME} would bring more now, but less in the end\.", check_looks_better),
        (rf"An open {NAME} box is still worth {N} points\.", check_left_open),
        (rf"{OPTION} lowers the bonus chance from {CHANCE} to {CHANCE}\.", check_bonus_of),
        (rf"The chance of the bonus would fall from {CHANCE} to {CHANCE}\.", check_bonus_fell),
        (rf"Most points would be lost in {NAME}\.", check_lost_in),
        (rf"{OPTION} would lose points mainly in {NAME}\.", check_loses_in),
        (rf"{OPTION} would be worth nearly as much\.", check_nearly),
        (rf"{OPTION} is worth just as much\.", check_equal),
    ],
    "missed": [
        *AFTER,
        (
            rf"{NAME} brought (\d+) points? more at once, but cost {N} later\.",
            check_now_and_later,
        ),
        (rf"{NAME} brought more at once, but less in the end\.", check_looks_better),
        (rf"An open {NAME} box was still worth {N} points\.", check_left_open),
        (rf"The chance of the bonus fell from {CHANCE} to {CHANCE}\.", check_bonus_fell),
        (rf"Most points were lost in {NAME}\.", check_lost_in),
    ],
    "found": [
        *AFTER,
        (
            rf"{NAME} would have brought (\d+) points? more at once, but cost {N} later\.",
            check_now_and_later,
        ),
        (rf"{NAME} would have brought more at once, but less in the end\.", check_looks_better),
        (rf"{OPTION} was only {N} points behind\.", check_behind),
    ],
}
PARTED = re.compile(r"(?<=\.) (?=[A-Z“])")
QUOTED = "[“”«»][^“”«»]*[“”«»]"  # in any of the languages
LONGEST = 140  # letters, where it stands in the tray


def check(said: Said) -> list[str]:
    """Which sentences these were."""
    found = []
    for sentence in PARTED.split(said.text) if said.text else []:
        ((pattern, checked, match),) = [
            (pattern, checked, match)
            for pattern, checked in SENTENCES[said.tense]
            if (match := re.fullmatch(pattern, sentence))
        ]
        checked(said, *match.groups())
        found.append(pattern)
    assert len(found) <= 2, said.text
    assert len(said.text) <= LONGEST, said.text
    check_numbers(said)
    check_no_box_explains_itself(said)
    return found


def check_numbers(said: Said) -> None:
    """None twice, and none that what was chosen, or is best, is told with: points, or its cost."""
    told = list(map(float, figures(said.text)))
    assert len(set(told)) == len(told), said.text
    if said.chosen is not None:
        beside = [float(said.chosen.points), float(said.best.points), round(said.chosen.regret, 1)]
        assert not set(told) & set(filter(None, beside)), said.text


def figures(text: str) -> list[str]:
    """Without those of dice and boxes that are quoted."""
    return sorted(re.findall(r"\d+(?:\.\d+)?", re.sub(QUOTED, "", text)))


def check_no_box_explains_itself(said: Said) -> None:
    if re.search(
        r"(points?|would have brought|would bring|brought) more (now|at once),", said.text
    ):
        assert "“" not in said.text  # it has been named
        assert "An open" not in said.text  # it has been said what comes later
    if said.best.action == "score":
        name = phrases.box(said.rules, said.best.category)
        longer = [other for other in said.boxes if name in other and other != name]
        text = re.sub(QUOTED, "", said.text)
        for other in longer:
            text = text.replace(other, "")
        assert name not in text, said.text
