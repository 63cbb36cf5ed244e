"""The game's own pages: their views, and the data that their templates show."""
