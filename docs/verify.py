#!/usr/bin/env python3
"""Check a certificate of what perfect play is worth, with nothing but Python and numpy.

    python3 verify.py FILE

Of every card that play can reach the file has a whole number u of units (2^-42 points with five
dice). This program, which shares no code with the solver, works out one turn of each card from the
entries that may follow, rounds every throw down to a whole unit, and asks for exactly u. If all are
right it ends with 0: perfect play is worth at least u units, less than u + 1 for each throw left.

The file: a line of JSON with the rules, the entries as 64-bit integers (little-endian), the SHA-256
of all before it. The entries go by the number of the card (bit n says that box n is filled, the bit
above them that bonus chips are won), then by the upper total: one for all totals that have lost the
bonus, one for all that secure it.
"""

import hashlib
import json
import sys
from itertools import combinations_with_replacement

import numpy as np


def demand(holds, else_):
    if not holds:
        sys.exit(f"NOT PROVED: {else_}")


RULES = ["id", "title", "dice", "throws", "bonus_threshold", "bonus_points", "joker", "categories"]
BOX = ["id", "pattern", "size", "points", "counts_every_die", "joker_points"]
FACES = ("ones", "twos", "threes", "fours", "fives", "sixes")
NAMED = {name: ("faces", face) for face, name in enumerate(FACES, start=1)}
NAMED |= {f"{n}_of_a_kind": ("of_a_kind", k) for k, n in ((3, "three"), (4, "four"), (5, "five"))}
NAMED |= {name: (name, 0) for name in ("two_pairs", "full_house")}
NAMED |= {"pair": ("of_a_kind", 2), "chance": ("any", 0)}
SIZES = {"faces": 6, "of_a_kind": 6, "straight_from": 2, "run_of": 6}  # of the others it is 0


def whole(least, most, *values):
    return all(type(value) is int and least <= value <= most for value in values)


def known(facts):
    """Demand rules of which this program reads every word, each in the sense that it has."""
    demand([*facts] == ["units", "rules"] and whole(0, 52, facts["units"]), "unknown units")
    rules, boxes, joker = facts["rules"], facts["rules"]["categories"], facts["rules"]["joker"]
    amounts = whole(0, 999, rules["bonus_threshold"], rules["bonus_points"])
    sizes = whole(1, 9, rules["dice"], rules["throws"])
    demand([*rules] == RULES and amounts and sizes, "unknown rules")
    for box in boxes:
        kind, size, worths = box["pattern"], box["size"], (box["points"], box["joker_points"])
        most, worths = SIZES.get(kind, 0), [worth for worth in worths if worth is not None]
        right = whole(min(most, 1), most, size) and whole(0, 999, *worths) and [*box] == BOX
        right = right and type(box["counts_every_die"]) is bool
        right = right and NAMED.get(box["id"], (kind, size)) == (kind, size)
        demand(right, f"box {box['id']} is not what it says")
    demand(joker is None or joker["policy"] in {"free", "forced"}, "unknown policy of jokers")
    demand(joker is None or [*joker] == ["box", "policy", "chip"], "unknown jokers")
    demand(joker is None or whole(0, 999, joker["chip"]), "unknown chips")
    return Game(rules, 2 ** facts["units"])


def points(box, roll):
    """Return what a roll is worth in a box, jokers apart."""
    size, faces = box["size"], range(1, 7)
    many = {n: [face for face in faces if roll.count(face) >= n] for n in (2, 3, size)}
    houses = [[a] * 3 + [b] * 2 for a in many[3] for b in many[2] if a != b]
    runs = [range(low, low + size) for low in range(7 - size, 0, -1)]
    found = {
        "faces": [size] * roll.count(size),
        "of_a_kind": many[size][-1:] * size,
        "two_pairs": many[2][-2:] * 2 if len(many[2]) > 1 else [],
        "full_house": max(houses, key=sum, default=[]),
        "straight_from": range(size, size + 5) if {*range(size, size + 5)} <= {*roll} else [],
        "run_of": next((run for run in runs if {*run} <= {*roll}), []),
        "any": roll,
    }[box["pattern"]]
    counted = roll if box["counts_every_die"] else found
    return (sum(counted) if box["points"] is None else box["points"]) if found else 0


class Game:
    def __init__(self, rules, unit):
        self.rules, self.boxes, self.joker = rules, rules["categories"], rules["joker"]
        self.dice, self.most, self.unit = rules["dice"], rules["bonus_threshold"], unit
        faces, sizes = range(1, 7), range(self.dice + 1)
        holds = [h for size in sizes for h in combinations_with_replacement(faces, size)]
        at = {hold: place for place, hold in enumerate(holds)}
        self.sizes = [slice(at[(1,) * size], at[(6,) * size] + 1) for size in sizes]
        more = [[at.get(tuple(sorted((*h, face))), 0) for face in faces] for h in holds]
        less = [[at[h[:n] + h[n + 1 :]] for n in (*range(len(h)), *sizes[len(h) :])] for h in holds]
        self.more, self.less, self.rolls = np.array(more), np.array(less), holds[self.sizes[-1]]
        self.alike = [n for n, roll in enumerate(self.rolls) if len(set(roll)) == 1]
        self.upper = [box["size"] if box["pattern"] == "faces" else 0 for box in self.boxes]
        self.points = np.array([[points(box, roll) for roll in self.rolls] for box in self.boxes])
        names = [box["id"] for box in self.boxes]
        self.joker_box = names.index(self.joker["box"]) if self.joker else -1

    def totals(self, card):
        """Return the upper totals of a card that differ, each with all those it stands for."""
        sums, still = {0}, 0
        for box, face in enumerate(self.upper):
            if card >> box & 1:
                sums = {total + face * n for total in sums for n in range(self.dice + 1)}
            else:
                still += face * self.dice
        sums = {min(total, self.most) for total in sums}
        lost = {total for total in sums if total + still < self.most}
        return [sorted(lost)] * bool(lost) + [[total] for total in sorted(sums - lost)]

    def after(self, values, card, chips, columns):
        """[roll, column]: what the dice are worth in the best box, no throw being left."""

        def into(box, gain, own):
            won = chips | ((box == self.joker_box) & (own > 0))
            row = (card | 1 << box) + (won << len(self.boxes))
            column = np.minimum(columns + (own[:, None] if self.upper[box] else 0), self.most)
            return values[row[:, None], column] + (gain * self.unit).astype(np.uint64)[:, None]

        free = [box for box in range(len(self.boxes)) if not card >> box & 1]
        best = np.max([into(box, self.points[box], self.points[box]) for box in free], axis=0)
        for roll in self.alike if self.joker and card >> self.joker_box & 1 else []:
            own, allowed = [box for box in free if self.upper[box] == self.rolls[roll][0]], free
            if self.joker["policy"] == "forced":
                allowed = own or [box for box in free if not self.upper[box]] or free
            best[roll] = 0
            for box in allowed:
                plain, special = self.points[box, [roll]], self.boxes[box]["joker_points"]
                worth = plain if own or special is None else np.array([special])
                reached = into(box, worth + self.joker["chip"] * chips, worth)
                best[roll] = np.maximum(best[roll], reached[0])
        return best

    def turn(self, best):
        """Calculate a turn from its last roll backwards; every roll is rounded down."""
        room = np.zeros((len(self.more), best.shape[1]), np.uint64)
        for _ in range(self.rules["throws"]):
            demand(int(best.max()) * 6**self.dice < 2**64, "more points than any game has")
            room[self.sizes[-1]] = best
            for size in self.sizes[-2::-1]:  # the sum over all orders in which the others fall
                room[size] = room[self.more[size]].sum(axis=1)
            for thrown, size in enumerate(self.sizes[::-1]):
                room[size] //= np.uint64(6**thrown)
            start = room[0].copy()
            for size in self.sizes[1:]:  # the best within: all of it, or of one die less
                room[size] = room[self.less[size]].max(axis=1)
            best = room[self.sizes[-1]]
        return start


def main(path):
    content = np.fromfile(path, np.uint8).tobytes()
    demand(hashlib.sha256(content[:-32]).digest() == content[-32:], "the seal is broken")
    head, _, payload = content[:-32].partition(b"\n")
    try:
        game = known(json.loads(head))
    except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
        demand(False, f"the rules cannot be read ({error!r})")
    demand(len(payload) % 8 == 0, "the entries are cut short")
    entries = np.frombuffer(payload, "<u8")
    full, rows = 2 ** len(game.boxes) - 1, range(2 ** (len(game.boxes) + bool(game.joker)))
    rows = [row for row in rows if row <= full or row >> game.joker_box & 1]
    totals = [game.totals(row & full) for row in rows]
    demand(sum(map(len, totals)) == len(entries), "there are not as many entries as cards")
    values, given = np.zeros((rows[-1] + 1, game.most + 1), np.uint64), iter(entries)
    for row, groups in zip(rows, totals, strict=True):
        for group in groups:
            values[row, group] = next(given)
    for row, groups in zip(rows, totals, strict=True):
        columns = np.array([group[0] for group in groups])
        if row & full == full:
            right = (columns == game.most) * np.uint64(game.rules["bonus_points"] * game.unit)
        else:
            right = game.turn(game.after(values, row & full, int(row > full), columns))
        demand(np.array_equal(values[row, columns], right), f"card {row} is not worth its turn")
    least, throws = int(values[0, 0]), game.rules["throws"] * len(game.boxes)
    print(  # noqa: T201
        f"SHA-256 {hashlib.sha256(content).hexdigest()}\nrules {json.dumps(game.rules)}\n"
        f"PROVED, every one of {len(entries):,} entries being right: perfect play is worth\n"
        f"at least {least} and less than {least + throws} units of 1/{game.unit},\n"
        f"which is {least / game.unit:.13f} to {(least + throws) / game.unit:.13f} points."
    )


if __name__ == "__main__":
    main(*(sys.argv[1:2] or sys.exit(__doc__)))
