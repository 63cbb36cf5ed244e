#!/usr/bin/env python3
"""Recompute every die of a game from its key, with nothing but Python's standard library.

    python3 verify_dice.py [SIZES] KEY [SEAL [ADDED]]
    python3 verify_dice.py [SIZES] --day LINK RULES EARLIER

KEY is what is shown after the game, SEAL the SHA-256 shown before it (both in hexadecimal), ADDED
what the players added to it: '' where they added nothing, and left out where the page says nothing
of it. LINK is that of a day, RULES a ruleset such as yatzy, and EARLIER the link of an earlier day,
or the anchor. The program shares no code with the game. It exits with 1 if something does not fit.

    die(turn, throw, place) = first byte below 252 of HMAC-SHA256(key, "turn:throw:place"),
                              its remainder after division by 6, plus 1
    with ADDED that key is    HMAC-SHA256(KEY, ADDED)
    that of a day is          HMAC-SHA256(LINK, RULES); SHA-256(LINK) is the link of the day before

Turns, throws and places are counted from 0 there, and from 1 in what is printed here. A game of
Yatzy has the 15 turns that are printed; one of Yahtzee has 13, and uses the first 13 of them.
One of Maxi Yatzy has 20 turns and 6 dice, and where throws are saved a turn may have more than 3:
SIZES are --turns 15 --throws 3 --dice 5 unless told.
"""

# ruff: noqa: T201

import hashlib
import hmac
import sys

DAYS = 36525  # of the chain
SIZES = {"--turns": 15, "--throws": 3, "--dice": 5}


def die(key: bytes, turn: int, throw: int, place: int) -> int:
    message = f"{turn}:{throw}:{place}".encode("ascii")
    for byte in hmac.new(key, message, hashlib.sha256).digest():
        if byte < 252:
            return byte % 6 + 1
    raise ValueError("all 32 bytes were refused, which happens once in 10**58 dice")


def mixed(key: bytes, added: str) -> bytes:
    return hmac.new(key, added.encode(), hashlib.sha256).digest()


def table(key: bytes, turns: int, throws: int, dice: int) -> str:
    wide = 2 * dice - 1
    lines = ["turn   " + "   ".join(f"roll {n + 1}".ljust(wide) for n in range(throws)).rstrip()]
    for turn in range(turns):
        rows = [
            [str(die(key, turn, throw, place)) for place in range(dice)] for throw in range(throws)
        ]
        lines.append(f"{turn + 1:>4}   " + "   ".join(" ".join(faces) for faces in rows))
    return "\n".join(lines)


def days_between(link: bytes, earlier: bytes) -> int:
    """Return the days from the earlier link to this link; 0 if they are not of one chain."""
    for days in range(1, DAYS + 1):
        link = hashlib.sha256(link).digest()
        if link == earlier:
            return days
    return 0


def of_day(sizes: list[int], link: bytes, rules: str, earlier: bytes) -> int:
    key = mixed(link, rules)
    print(f"Key of the day: {key.hex()}")
    print(f"SHA-256 of the key: {hashlib.sha256(key).hexdigest()}\n\n{table(key, *sizes)}")
    days = days_between(link, earlier)
    print(
        f"\nThe link leads back to the other, {days} days before."
        if days
        else "\nThe link does NOT lead back."
    )
    return 0 if days else 1


def of_game(sizes: list[int], key: bytes, *told: str) -> int:
    seal = hashlib.sha256(key).hexdigest()
    dice = mixed(key, told[1]) if told[1:] else key
    print(f"SHA-256 of the key: {seal}\n\n{table(dice, *sizes)}")
    if told:
        fits = hmac.compare_digest(seal, told[0].strip().lower())
        print(
            "\nThe key fits the seal. Compare the table with your game."
            if fits
            else "\nThe key does NOT fit the seal."
        )
        return 0 if fits else 1
    return 0


def sizes_of(arguments: list[str]) -> tuple[list[int], list[str]]:
    """Return turns, rolls and dice, which stand before the rest; that may begin with anything."""
    sizes = dict(SIZES)
    while len(arguments) > 1 and arguments[0] in SIZES:
        sizes[arguments[0]] = int(arguments[1])
        arguments = arguments[2:]
    return list(sizes.values()), arguments


def main(arguments: list[str]) -> int:
    try:
        sizes, told = sizes_of(arguments)
        if told[:1] == ["--day"] and len(told) == 4:
            return of_day(sizes, bytes.fromhex(told[1]), told[2], bytes.fromhex(told[3]))
        if len(told) in (1, 2, 3) and told[0] != "--day":
            return of_game(sizes, bytes.fromhex(told[0]), *told[1:])
    except ValueError:
        print("Sizes must be whole numbers, keys and links hexadecimal.")
        return 2
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
