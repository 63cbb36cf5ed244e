"""The one view model of a game, and what stands beside it on a page."""
