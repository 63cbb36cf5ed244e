"""The dice, and the proof that they are fair. This package imports no other part of the game."""
