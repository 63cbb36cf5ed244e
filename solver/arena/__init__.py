"""Matches and tournaments of players, also on the same dice, and the grading of their decisions."""
