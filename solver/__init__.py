"""Exact play of solitaire Yatzy: rules, tables of values, advice. Knows nothing of the web."""


class Refusal(Exception):
    """Input that cannot be used; a command prints the message and ends with 2."""
