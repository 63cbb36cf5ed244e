"""Games that an earlier release imported; the present one imports no games by text.

They are not counted, because nobody saw their dice; their decisions are the player's own and can be
learned from.
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
