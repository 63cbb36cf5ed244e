"""Exact results of a way of playing, without a game: every final score, or only its moments."""
