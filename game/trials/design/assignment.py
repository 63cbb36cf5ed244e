"""Who gets which condition: permuted blocks out of a seed, one list for every stratum.

    factor(block)    = 1 + (first byte of H(seed, stratum, block)) mod 2
    places(block)    = every condition, factor times: 0, 1, .. c-1, 0, 1, .. c-1
    order(block)     = the places, sorted by H(seed, stratum, block, place)
    H(a, b, ..)      = SHA-256 of the JSON list [a,b,..] in UTF-8, without blanks

Blocks, places and conditions are counted from 0.

The list of a stratum is its blocks one after the other; whoever comes as number n (from 1) gets its
nth entry. It is fixed before anybody comes, by the seed alone: ``seal`` binds the server to it, and
is shown at once, the seed when the trial is closed. Blocks of two lengths keep the last place of a
block from being guessed.

    seal             = H(seed, 2, "between" or "within", arm, arm, ..)
    arm              = its settings as pairs [name, value], sorted by their names
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, islice

FACTORS = 2
SEAL = 2  # the version of those that are made


def condition(seed: str, stratum: str, number: int, conditions: int) -> int:
    """Of the one who comes as ``number`` in this stratum, from 1."""
    return next(islice(entries(seed, stratum, conditions), number - 1, None))


def entries(seed: str, stratum: str, conditions: int) -> Iterator[int]:
    """The whole list, which has no end."""
    for block in count():
        yield from permuted(seed, stratum, block, conditions)


def permuted(seed: str, stratum: str, block: int, conditions: int) -> list[int]:
    factor = 1 + _hash(seed, stratum, block)[0] % FACTORS
    places = range(conditions * factor)
    ordered = sorted(places, key=lambda place: _hash(seed, stratum, block, place))
    return [place % conditions for place in ordered]


def seal(
    seed: str, arms: Sequence[Mapping[str, object]], *, within: bool, version: int = SEAL
) -> str:
    """A hash of all that the list follows from; nobody can make another list that has it.

    It binds every setting of every arm. Those of the first version, which trials keep that had one,
    bound the names alone.
    """
    kind = "within" if within else "between"
    if version == 1:
        return _hash(seed, kind, *(arm["name"] for arm in arms)).hex()
    return _hash(seed, version, kind, *(sorted(arm.items()) for arm in arms)).hex()


def seed_of(secret: str) -> str:
    """The assignment's own seed: telling it tells nothing of the trial's dice."""
    return _hash("yatzy assignment", secret).hex()


def _hash(*parts: object) -> bytes:
    told = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(told.encode()).digest()
