"""A game that a device played by itself, without a network, and handed in afterwards.

Its dice were thrown by that device and nobody can prove them: it counts for its player alone.
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
