"""The kind of games that a device played offline and sent later.

That device rolled the dice, and no one can verify them: such a game counts only for its player.
"""

from game.core.kind import Kind
from game.models import Game
from game.pages.presentation import Presentation


class OfflineKind(Kind):
    mode = Game.Mode.OFFLINE
    watched = False
    thrown = False


KIND = OfflineKind
PAGES = Presentation(
    again="offline/_again.html", about="offline/_about.html", proof="offline/_verify.html"
)
