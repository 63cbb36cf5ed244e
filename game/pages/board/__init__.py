"""The view model of a game's board, and of the panels next to it."""
