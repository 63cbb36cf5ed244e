"""The view model of a game and of the panels around it."""
