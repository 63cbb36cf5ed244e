"""Games that an earlier release imported from text. This release cannot import games.

The games do not count, because the server did not roll their dice. The player can review them.
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
