#!/usr/bin/env python3
"""Recompute every die of a game from its key, with nothing but Python's standard library.

    python3 verify_dice.py KEY [SEAL]

KEY is the seed shown after the game, SEAL the SHA-256 shown before it (both in hexadecimal).
The program shares no code with the game. It exits with 1 if the key does not fit the seal.

    die(turn, throw, place) = first byte below 252 of HMAC-SHA256(key, "turn:throw:place"),
                              its remainder after division by 6, plus 1

Turns, throws and places are counted from 0 there, and from 1 in what is printed here. A game of
Yatzy has the 15 turns that are printed; one of Yahtzee has 13, and uses the first 13 of them.
"""

# ruff: noqa: T201

import hashlib
import hmac
import sys


def die(key: bytes, turn: int, throw: int, place: int) -> int:
    message = f"{turn}:{throw}:{place}".encode("ascii")
    for byte in hmac.new(key, message, hashlib.sha256).digest():
        if byte < 252:
            return byte % 6 + 1
    raise ValueError("all 32 bytes were refused, which happens once in 10**58 dice")


def table(key: bytes) -> str:
    lines = ["turn   1st throw   2nd throw   3rd throw"]
    for turn in range(15):
        throws = [[str(die(key, turn, throw, place)) for place in range(5)] for throw in range(3)]
        lines.append(f"{turn + 1:>4}   " + "   ".join(" ".join(faces) for faces in throws))
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    if len(arguments) not in (1, 2):
        print(__doc__)
        return 2
    try:
        key = bytes.fromhex(arguments[0])
    except ValueError:
        print("The key must be written in hexadecimal.")
        return 2
    seal = hashlib.sha256(key).hexdigest()
    print(f"SHA-256 of the key: {seal}\n\n{table(key)}")
    if len(arguments) == 2:
        fits = hmac.compare_digest(seal, arguments[1].strip().lower())
        print("\nThe key fits the seal." if fits else "\nThe key does NOT fit the seal.")
        return 0 if fits else 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
