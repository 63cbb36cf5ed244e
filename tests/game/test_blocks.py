"""Dice follow from the seed alone, and another program finds the same ones."""

import hashlib
import hmac
import time
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.core.fair import blocks, tickets
from solver.rules import YATZY

SEED = bytes(range(32))
seeds = st.binary(min_size=32, max_size=32)


def test_a_block_has_the_dice_of_fifteen_turns_of_three_throws() -> None:
    block = blocks.block(SEED.hex(), YATZY)
    assert len(block) == len(YATZY.categories)
    assert {len(turn) for turn in block} == {YATZY.throws}
    assert {len(throw) for turn in block for throw in turn} == {5}
    assert {face for turn in block for throw in turn for face in throw} == {1, 2, 3, 4, 5, 6}


def test_these_dice_never_change_between_versions() -> None:
    """Computed with openssl dgst -sha256 -mac HMAC as well."""
    assert blocks.block(SEED.hex(), YATZY)[0] == ((5, 3, 6, 3, 6), (6, 2, 2, 6, 1), (5, 1, 4, 3, 4))


@given(seeds)
def test_another_program_finds_the_same_dice(outsider: ModuleType, seed: bytes) -> None:
    block = blocks.block(seed.hex(), YATZY)
    for turn, roll, slot in ((0, 0, 0), (14, 2, 4), (7, 1, 3)):
        assert block[turn][roll][slot] == outsider.die(seed, turn, roll, slot)


@given(seeds, st.integers(0, 14), st.integers(0, 2), st.integers(0, 4))
def test_a_die_is_the_first_byte_below_252(seed: bytes, turn: int, roll: int, slot: int) -> None:
    digest = hmac.new(seed, f"{turn}:{roll}:{slot}".encode(), hashlib.sha256).digest()
    byte = next(byte for byte in digest if byte < 252)
    assert blocks.roll_die(seed, turn, roll, slot) == byte % 6 + 1


def test_bytes_from_252_on_are_passed_over() -> None:
    skipped = 0
    for number in range(2000):
        digest = hmac.digest(number.to_bytes(32), b"0:0:0", "sha256")
        if digest[0] >= 252:
            skipped += 1
            assert blocks.roll_die(number.to_bytes(32), 0, 0, 0) == digest[1] % 6 + 1
    assert skipped


def test_the_outsider_prints_every_die_and_checks_the_seal(
    outsider: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    seal = blocks.hash_seed(SEED.hex())
    assert outsider.main([SEED.hex(), seal]) == 0
    assert "1   5 3 6 3 6   6 2 2 6 1   5 1 4 3 4" in capsys.readouterr().out
    assert outsider.main([SEED.hex(), "00" * 32]) == 1
    assert outsider.main(["not hexadecimal"]) == 2
    assert outsider.main([]) == 2


def test_a_ticket_is_believed_only_with_its_signature() -> None:
    ticket = tickets.issue()
    assert tickets.redeem(ticket.signed) == ticket
    assert tickets.redeem(ticket.signed).commitment == ticket.commitment
    with pytest.raises(tickets.BadTicket):
        tickets.redeem(ticket.signed[:-1] + "?")
    with pytest.raises(tickets.BadTicket):
        tickets.redeem("")


def test_a_ticket_is_good_for_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    signed, now = tickets.issue().signed, time.time()
    monkeypatch.setattr(time, "time", lambda: now + 86_000)
    assert tickets.redeem(signed).signed
    monkeypatch.setattr(time, "time", lambda: now + 86_401)
    with pytest.raises(tickets.BadTicket, match="age"):
        tickets.redeem(signed)
