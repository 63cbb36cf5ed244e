"""The kinds of games that are begun on pages of the game itself, a file each."""
