"""Dice and their proof. Imports nothing else from the game."""
