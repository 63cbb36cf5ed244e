"""Matches and tournaments between players, also on the same dice, and grades of decisions."""
