"""The pages of the game: their views, and the data that their templates show."""
