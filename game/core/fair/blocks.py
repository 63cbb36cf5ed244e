"""The dice of a game, calculated only from its secret seed.

    die(turn, roll, slot) = b % 6 + 1, where b is the first byte below 252 of
    HMAC-SHA256(key=seed, message="turn:roll:slot")

Bytes from 252 on are skipped, because 252 is the largest multiple of six that a byte can hold. No
die depends on the player's decisions. The seed of a player's own game has two parts:

    seed = HMAC-SHA256(key, the text that the player added)

The page shows SHA-256(key) before the first roll, so the server cannot change the key after seeing
the player's text. Games without a player's text (trials, daily games, old games) use the key as the
seed.
"""

import hashlib
import hmac
from datetime import date
from functools import cache, lru_cache

from django.conf import settings

from solver.rules import Block, Ruleset
from solver.rules.dice import FACES

UNBIASED = 256 - 256 % FACES


def roll_die(seed: bytes, turn: int, roll: int, slot: int) -> int:
    return _read_face(hmac.digest(seed, _encode_message(turn, roll, slot), "sha256"))


@lru_cache(maxsize=512)
def block(seed_hex: str, rules: Ruleset) -> Block:
    """Return all dice as block[turn][roll][slot]. The rules only determine how many there are."""
    keyed = hmac.new(bytes.fromhex(seed_hex), digestmod="sha256")
    return tuple(
        tuple(tuple(_roll_die(keyed, message) for message in throw) for throw in turn)
        for turn in _encode_all_messages(rules)
    )


def _roll_die(keyed: hmac.HMAC, message: bytes) -> int:
    """Return the same face as ``roll_die``, but use the game's prepared HMAC."""
    mac = keyed.copy()
    mac.update(message)
    return _read_face(mac.digest())


def _encode_message(turn: int, roll: int, slot: int) -> bytes:
    return b"%d:%d:%d" % (turn, roll, slot)


def _read_face(digest: bytes) -> int:
    # All 32 bytes are skipped with probability (4/256)**32, so practically never.
    return next(byte for byte in digest if byte < UNBIASED) % FACES + 1


@cache
def _encode_all_messages(rules: Ruleset) -> tuple[tuple[tuple[bytes, ...], ...], ...]:
    return tuple(
        tuple(
            tuple(_encode_message(turn, roll, slot) for slot in range(rules.dice))
            for roll in range(rules.find_most_rolls(turn))
        )
        for turn in range(len(rules.categories))
    )


def hash_seed(seed_hex: str) -> str:
    return hashlib.sha256(bytes.fromhex(seed_hex)).hexdigest()


def derive_key(nonce: str) -> str:
    """Return the server's secret key for the game whose page has this nonce (a random text)."""
    return _derive_secret(f"game:{nonce}")


def derive_seed(key: str, added: str) -> str:
    return hmac.new(bytes.fromhex(key), added.encode(), "sha256").hexdigest()


def derive_early_day_seed(day: date, ruleset: str) -> str:
    return _derive_secret(f"daily:{ruleset}:{day.isoformat()}")


def derive_five_seed(ruleset: str, level: int, lap: int) -> str:
    """Return the seed that shuffles a level's positions in Five a Day, the same for everyone."""
    return _derive_secret(f"five:{ruleset}:{level}:{lap}")


def derive_trial_seed(secret: str, participant_code: str, number: int, ruleset: str) -> str:
    """Return the seed of a trial's game. Without a code, it is the same for all participants."""
    return _derive_secret(f"trial:{ruleset}:{secret}:{participant_code}:{number}")


def _derive_secret(message: str) -> str:
    key = hashlib.sha256(b"yatzy dice:" + settings.SECRET_KEY.encode()).digest()
    return hmac.new(key, message.encode(), "sha256").hexdigest()
