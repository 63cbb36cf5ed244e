"""The cards of one of two who take turns, as the kernel of ``dp.alternating`` is told of them.

Here, and not where they are made: kept machine code names this type, and is found by these sources.
"""

from typing import NamedTuple

from solver.dp.arrays import Ints


class SideCards(NamedTuple):
    """They are equally full.

    ``row[card]`` says which of the sets of boxes: ``of[row, box, roll]`` are its ends, the last of
    all where the roll must not be scored, ``ends[row]`` how many. ``child[card, end]`` is the card
    that follows, and ``gain`` what the end brings. ``others`` are the cards of the other player.
    """

    row: Ints
    of: Ints
    ends: Ints
    child: Ints
    gain: Ints
    others: int
