"""Exact play of solitaire Yatzy: rules, tables of values, advice. Knows nothing of the web."""
