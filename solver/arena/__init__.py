"""Matches and tournaments between players, tests on the same dice, and grades of players."""
