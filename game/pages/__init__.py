"""The game's own pages: views, and the data that their templates show."""
