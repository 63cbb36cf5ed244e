"""Positions to answer, and reports on the player's games: drill, lessons, leaks, profile."""
