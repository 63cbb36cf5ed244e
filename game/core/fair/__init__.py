"""Dice and the proof that they are fair; this package imports no other part of the game."""
