"""Games that an earlier release imported from text; this release imports none.

They are not counted, because the server did not roll their dice. The player can review them.
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
