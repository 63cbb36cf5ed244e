"""Exact values, their certificate and exact chances of dice, compared with the definitions."""

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise, product
from math import factorial, floor, prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.cli.solve import GOLDEN
from solver.dp.space import Space
from solver.exact.whole import (
    bound_value,
    find_card_units,
    find_distinct_positions,
    find_unit_exponent,
    make_certificate,
    solve_exactly,
    solve_levels,
)
from solver.rules import RULESETS, YATZY, Ruleset
from solver.rules.dice import Dice
from solver.rules.rulesets import ScoreOption
from solver.statistics.chi_squared import MOST_EXACT, calculate_uniform_p, chi_squared
from tests.known import known
from tests.selection import examples
from tests.solver.conftest import Run
from tests.solver.made_up import (
    CHANCE,
    FOUR_DICE,
    FOUR_DICE_JOKER,
    MADE_UP,
    SIX_DICE_JOKER,
    TWO_DICE,
)
from tests.solver.reference import Reference
from tests.solver.test_solver import tiny_joker_rulesets

DOCS = Path(__file__).parents[2] / "docs"

# A forced joker would rather be nothing in the twos than take the chance away.
FORCED = replace(FOUR_DICE_JOKER, id="forced", categories=(*FOUR_DICE_JOKER.categories[:2], CHANCE))
# With a change few and many dice, jokers that are free and jokers that must go somewhere.
QUICK = (TWO_DICE, SIX_DICE_JOKER, FORCED)
EVERY_MADE_UP = pytest.mark.parametrize(
    "rules",
    [
        pytest.param(one, id=one.id, marks=[] if one in QUICK else [pytest.mark.nightly])
        for one in (*MADE_UP, FORCED)
    ],
)
FIVE_DICE = [rules for rules in RULESETS.values() if rules.dice == 5 and not rules.stock]
EVERY_RULESET = pytest.mark.parametrize("rules", FIVE_DICE, ids=lambda rules: rules.id)

Verify = Callable[[bytes], None]


@cache
def orders(count: int) -> Counter[Dice]:
    return Counter(tuple(sorted(faces)) for faces in product(range(1, 7), repeat=count))


class WholeReference(Reference):
    """The definition in whole units of 1 / ``unit`` points, the mean of a throw rounded down."""

    def __init__(self, rules: Ruleset, unit: int) -> None:
        super().__init__(rules)
        self.unit = unit

    def _start(self, filled: int, upper: int, chips_won: bool) -> Any:
        if filled == self.rules.full:
            return self.rules.bonus(upper) * self.unit
        return self.hold((), self.rules.throws, filled, upper, chips_won)

    def _hold(self, kept: Dice, left: int, filled: int, upper: int, chips_won: bool) -> Any:
        ways = orders(self.rules.dice - len(kept))
        total: Any = sum(
            count * self.best(tuple(sorted(kept + thrown)), left - 1, filled, upper, chips_won)
            for thrown, count in ways.items()
        )
        return total // ways.total()

    def score(self, option: ScoreOption, filled: int, upper: int, chips_won: bool) -> Any:
        points = option.points + option.chip
        return super().score(option, filled, upper, chips_won) + points * (self.unit - 1)


class ExactReference(WholeReference):
    def __init__(self, rules: Ruleset) -> None:
        super().__init__(rules, 6 ** (rules.dice * rules.throws * len(rules.categories)))

    def value(self, *state: Any) -> Fraction:
        return Fraction(int(self.start(*state)), self.unit)


def cards(rules: Ruleset) -> Iterator[tuple[int, int, tuple[int, int, bool]]]:
    space = Space(rules)
    for row, column in np.argwhere(find_distinct_positions(space)).tolist():
        yield row, column, (row & rules.full, column, bool(row >> space.boxes))


def assert_exact(rules: Ruleset) -> None:
    reference = ExactReference(rules)
    values = {
        row: level
        for level in solve_levels(rules)
        for row in np.flatnonzero(level.index >= 0).tolist()
    }
    for row, column, state in cards(rules):
        assert values[row].value(row, column) == reference.value(*state)


@EVERY_MADE_UP
def test_every_value_is_the_fraction_that_the_definition_gives(rules: Ruleset) -> None:
    assert_exact(rules)


@pytest.mark.nightly
@settings(max_examples=examples(10), deadline=None)
@given(tiny_joker_rulesets())
def test_five_dice_and_jokers_are_exact_too(rules: Ruleset) -> None:
    assert_exact(rules)


@EVERY_MADE_UP
def test_every_entry_is_the_definition_with_each_throw_rounded_down(rules: Ruleset) -> None:
    reference, units = WholeReference(rules, 1 << find_unit_exponent(rules)), find_card_units(rules)
    for row, column, state in cards(rules):
        assert units[row, column] == reference.start(*state)


def test_a_position_needs_only_the_cards_that_may_follow() -> None:
    reference, rules = ExactReference(FOUR_DICE_JOKER), FOUR_DICE_JOKER
    flag = 1 << len(rules.categories)
    assert solve_exactly(rules, 0b010 | flag).value == reference.value(0b010, 0, True)
    assert solve_exactly(rules, 0b011, upper=4).value == reference.value(0b011, 4, False)
    assert solve_exactly(rules, rules.full, upper=8).value == rules.bonus_points
    assert solve_exactly(rules, 0b011).bytes < solve_exactly(rules).bytes
    sizes = [level.values.nbytes for level in solve_levels(rules)]
    assert solve_exactly(rules).bytes == max(map(sum, pairwise(sizes)))
    lost = solve_exactly(
        FOUR_DICE, 0b0010, upper=6
    ).value  # the bonus is out of reach, as it is with 12
    assert lost == ExactReference(FOUR_DICE).value(0b0010, 6, False)


@EVERY_RULESET
def test_no_number_outgrows_its_limbs(rules: Ruleset) -> None:
    """Between turns it has room for the best game, and within a throw for the sum of all orders."""
    best = sum(
        max(category.score(roll) for roll in rules.cup.rolls) for category in rules.categories
    )
    chips = rules.joker.chip * (len(rules.categories) - 1) if rules.joker else 0
    assert bound_value(rules) >= best + rules.bonus_points + chips
    assert find_unit_exponent(rules) == 42


@pytest.fixture(scope="module")
def verify(tmp_path_factory: pytest.TempPathFactory) -> Verify:
    """docs/verify.py, which shares no code with the solver."""
    spec = known(spec_from_file_location("verify", DOCS / "verify.py"))
    module = module_from_spec(spec)
    known(spec.loader).exec_module(module)
    path = tmp_path_factory.mktemp("proof") / "file"

    def main(content: bytes) -> None:
        path.write_bytes(content)
        module.main(path)

    return main


def test_the_other_program_is_short_and_needs_numpy_alone() -> None:
    lines = (DOCS / "verify.py").read_text().splitlines()
    imported = {line.split()[1] for line in lines if line.startswith(("import ", "from "))}
    assert len(lines) < 200
    assert imported - set(sys.stdlib_module_names) == {"numpy"}


def resealed(content: bytes, at: int, change: int) -> bytes:
    changed = bytearray(content[:-32])
    changed[at] = (changed[at] + change) % 256
    return bytes(changed) + hashlib.sha256(changed).digest()


@EVERY_MADE_UP
def test_another_program_finds_every_certificate_right(
    rules: Ruleset, verify: Verify, capsys: pytest.CaptureFixture[str]
) -> None:
    proof, value = make_certificate(rules), solve_exactly(rules).value
    verify(proof.content)
    told = capsys.readouterr().out
    assert proof.low <= value < proof.high
    assert proof.seal in told
    assert f"at least {proof.low * (1 << find_unit_exponent(rules))} and" in told
    assert proof.high - proof.low == Fraction(
        rules.throws * len(rules.categories), 1 << find_unit_exponent(rules)
    )


def test_any_changed_byte_is_refused(verify: Verify) -> None:
    content = make_certificate(TWO_DICE).content
    for at in range(0, len(content), 7):
        changed = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
        with pytest.raises(SystemExit, match="the seal is broken"):
            verify(changed)


@pytest.mark.parametrize("change", [1, -1])
def test_an_entry_that_is_a_unit_off_is_refused_whatever_the_seal(
    verify: Verify, change: int
) -> None:
    content = make_certificate(FOUR_DICE_JOKER).content
    for at in range(content.index(b"\n") + 1, len(content) - 32, 8):
        with pytest.raises(SystemExit, match="is not worth its turn"):
            verify(resealed(content, at, change))


def with_rules(content: bytes, change: Callable[[Any], object]) -> bytes:
    head, _, rest = content[:-32].partition(b"\n")
    change(facts := json.loads(head))
    changed = json.dumps(facts).encode() + b"\n" + rest
    return changed + hashlib.sha256(changed).digest()


@pytest.mark.parametrize(
    "change",
    [
        lambda facts: facts["rules"].update(throws=0),
        lambda facts: facts["rules"].update(stock=9),  # a rule that this program does not know
        lambda facts: facts["rules"]["categories"][0].update(id="sixes"),  # which counts twos
        lambda facts: facts["rules"]["joker"].update(policy="never"),
        lambda facts: facts["rules"]["categories"][1].update(counts_every_die=0),
    ],
)
def test_rules_that_are_not_what_they_say_are_not_proved(
    verify: Verify, change: Callable[[Any], object]
) -> None:
    with pytest.raises(SystemExit, match="NOT PROVED"):
        verify(with_rules(make_certificate(FOUR_DICE_JOKER).content, change))


def places(facts: Any) -> Iterator[tuple[Any, Any]]:
    for key, value in facts.items() if isinstance(facts, dict) else enumerate(facts):
        yield facts, key
        if isinstance(value, dict | list):
            yield from places(value)


@given(data=st.data())
@settings(max_examples=examples(30))
def test_a_spoilt_first_line_ends_in_a_sentence(verify: Verify, data: st.DataObject) -> None:
    def spoil(facts: Any) -> None:
        holder, key = data.draw(st.sampled_from(list(places(facts))))
        junk = [None, True, -1, 0, 7, 2**70, 0.5, "", "sixes", [], [1], {}, {"id": 1}]
        holder[key] = data.draw(st.sampled_from(junk))

    with suppress(SystemExit):
        verify(with_rules(make_certificate(FOUR_DICE_JOKER).content, spoil))


def test_entries_that_are_missing_or_too_large_are_refused(verify: Verify) -> None:
    content = make_certificate(TWO_DICE).content[:-32]
    last = len(content) - 1
    with pytest.raises(SystemExit, match="not as many entries"):
        verify(content[:-8] + hashlib.sha256(content[:-8]).digest())
    with pytest.raises(SystemExit, match="more points than any game"):
        verify(resealed(content + bytes(32), last, 0xF0))


CARD = ["--filled", ",".join(YATZY.ids(YATZY.full ^ YATZY.make_mask(["yatzy"]))), "--upper", "63"]


def test_the_command_tells_the_fraction_of_any_position(run: Run) -> None:
    """The bonus is won, and five alike come with so many chances in three throws."""
    status, out, _ = run("exact", "yatzy", *CARD, "--json")
    facts = json.loads(out)
    assert status == 0
    value = Fraction(facts["numerator"], 2 ** facts["power_of_two"] * 3 ** facts["power_of_three"])
    assert value == 50 + 50 * Fraction(347897, 7558272)
    whole, digits = facts["decimal"].split(".")
    assert (int(whole), len(digits)) == (floor(value), 40)
    assert int(digits) == floor((value - floor(value)) * 10**40)
    assert facts["seconds"] > 0
    assert facts["cpu_seconds"] > 0
    assert facts["bytes"] > 0
    status, out, _ = run("exact", "yatzy", *CARD)
    assert status == 0
    assert str(facts["numerator"]) in "".join(out.split())


def test_the_command_knows_whether_chips_are_won(run: Run) -> None:
    rules = RULESETS["yahtzee"]
    card = (
        "--filled",
        ",".join(rules.ids(rules.full ^ rules.make_mask(["chance"]))),
        "--upper",
        "63",
    )
    won, not_won = (
        Fraction(json.loads(run("exact", "yahtzee", *card, *more, "--json")[1])["decimal"])
        for more in (["--chips-won"], [])
    )
    assert won > not_won


def test_the_command_writes_the_certificate_and_says_what_it_proves(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RULESETS, TWO_DICE.id, TWO_DICE)
    path, proof = tmp_path / "folder" / "file", make_certificate(TWO_DICE)
    status, out, _ = run("certificate", TWO_DICE.id, "--out", str(path), "--json")
    facts = json.loads(out)
    assert status == 0
    assert path.read_bytes() == proof.content
    assert (facts["sha256"], facts["entries"]) == (proof.seal, proof.entries)
    assert facts["bytes"] == len(proof.content)
    assert Fraction(facts["low"]) <= solve_exactly(TWO_DICE).value < Fraction(facts["high"])
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    status, out, _ = run("certificate", TWO_DICE.id)
    assert (status, proof.seal in "".join(out.split())) == (0, True)
    assert (tmp_path / "two-dice.certificate").read_bytes() == proof.content


@pytest.mark.parametrize(("place", "reason"), [(".", "is a folder"), ("file/below", "be written")])
def test_a_certificate_that_cannot_be_written_is_a_sentence(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, reason: str
) -> None:
    monkeypatch.setitem(RULESETS, TWO_DICE.id, TWO_DICE)
    (tmp_path / "file").touch()
    status, _, err = run("certificate", TWO_DICE.id, "--out", str(tmp_path / place))
    assert status == 2
    assert reason in err


def stated(rules: Ruleset) -> tuple[str, str]:
    lines = (DOCS / "proof.md").read_text().splitlines()
    digits = next(
        line.split("|")[2].strip() for line in lines if line.startswith(f"| `{rules.id}`")
    )
    sealed = (DOCS / "certificates.sha256").read_text()
    seals = dict(line.split()[::-1] for line in sealed.splitlines())
    return digits, seals[f"{rules.id}.certificate"]


@EVERY_RULESET
def test_what_the_documents_state_is_the_published_value(rules: Ruleset) -> None:
    golden, tolerance = GOLDEN[rules.id]
    assert float(stated(rules)[0]) == pytest.approx(golden, abs=tolerance)


@pytest.mark.nightly
@EVERY_RULESET
def test_every_digit_of_the_documents_is_found_again(rules: Ruleset, run: Run) -> None:
    facts = json.loads(run("exact", rules.id, "--json")[1])
    assert facts["decimal"] == stated(rules)[0]
    if rules is YATZY:
        assert facts["decimal"].startswith("248.4399893778553085325817671253732723")
        assert (facts["power_of_two"], facts["power_of_three"]) == (209, 221)
        assert facts["numerator"].bit_length() == 568


@pytest.mark.nightly
@EVERY_RULESET
def test_the_sealed_certificate_is_made_again_and_is_right(rules: Ruleset, verify: Verify) -> None:
    proof = make_certificate(rules)
    digits, seal = stated(rules)
    assert proof.seal == seal
    assert proof.low <= Fraction(digits) < proof.high
    verify(proof.content)


FACES = 6


def squares(counts: Iterable[int]) -> int:
    return sum(count * count for count in counts)


def thrown(dice: int) -> Counter[int]:
    return Counter(squares(Counter(faces).values()) for faces in product(range(FACES), repeat=dice))


def counted(dice: int) -> Counter[int]:
    sums: Counter[int] = Counter()
    for first in product(range(dice + 1), repeat=FACES - 1):
        if sum(first) <= dice:
            counts = (*first, dice - sum(first))
            sums[squares(counts)] += factorial(dice) // prod(map(factorial, counts))
    return sums


@pytest.mark.parametrize(("dice", "ways"), [(n, thrown) for n in range(1, 7)] + [(11, counted)])
def test_few_dice_agree_with_counting_every_throw(
    dice: int, ways: Callable[[int], Counter[int]]
) -> None:
    sums = ways(dice)
    examples = {squares(c): c for c in product(range(dice + 1), repeat=FACES) if sum(c) == dice}
    for seen, counts in examples.items():
        more = sum(number for total, number in sums.items() if total >= seen)
        p, exact = calculate_uniform_p(counts)
        assert exact
        assert p == pytest.approx(more / FACES**dice, rel=1e-12)


def test_the_order_of_the_faces_does_not_matter() -> None:
    counts = [3, 9, 12, 7, 4, 10]
    assert calculate_uniform_p(counts) == calculate_uniform_p(sorted(counts))


def test_no_dice_say_nothing_and_even_ones_are_never_too_uneven() -> None:
    assert calculate_uniform_p([0] * FACES) == (1.0, True)
    p, exact = calculate_uniform_p([20] * FACES)
    assert p == pytest.approx(1.0)
    assert exact is True


def test_many_dice_take_the_tail_of_chi_squared_which_is_then_close() -> None:
    counts = [MOST_EXACT // FACES + extra for extra in (9, -9, 6, -6, 0, 0)]
    due = [sum(counts) / FACES] * FACES
    exactly, exact = calculate_uniform_p(counts)
    assert exact
    assert exactly == pytest.approx(chi_squared(counts, due).p, rel=0.01)
    more = [*counts[:5], counts[5] + 5]
    assert calculate_uniform_p(more) == (chi_squared(more, [sum(more) / FACES] * FACES).p, False)


def test_a_chance_that_is_next_to_nothing_is_not_rounded_away() -> None:
    assert calculate_uniform_p([300, 0, 0, 0, 0, 0])[0] == pytest.approx(6.0**-299, rel=1e-9)
