"""The kind of games that a device played offline and sent later. They count only in the player's
own statistics, because nobody can verify their dice."""

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
