"""The kind of games that a device played offline and sent later. Such a game counts only for its
player, because no one can verify the dice."""

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
