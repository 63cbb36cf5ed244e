"""Everything that is worked out once for a ruleset: what there is, and how it is made."""

from solver.making.maker import Busy, Failed, Status, prepare, status, under_way
from solver.making.parts import PARTS, Piece, parts_of, pieces, there
from solver.tables import EXPLAIN, OUTLOOK, VALUES

__all__ = [
    "EXPLAIN",
    "OUTLOOK",
    "PARTS",
    "VALUES",
    "Busy",
    "Failed",
    "Piece",
    "Status",
    "parts_of",
    "pieces",
    "prepare",
    "status",
    "there",
    "under_way",
]
