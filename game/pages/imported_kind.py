"""A game that was played elsewhere and imported by an earlier release; nothing imports one now.

It counts nowhere, for nobody saw its dice; its decisions are its player's own, and are taught from.
"""

from game.core.kind import Kind
from game.models import Game
from game.pages.presentation import Presentation


class ImportedKind(Kind):
    mode = Game.Mode.IMPORT
    counted = False
    watched = False
    thrown = False


KIND = ImportedKind
PAGES = Presentation(
    again="offline/_again.html",
    about="pages/_imported_about.html",
    proof="pages/_imported_verify.html",
)
