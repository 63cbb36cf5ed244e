"""The coach: values from the solver's tables, put into words that a person can read.

Pure but for reading those tables. What may be said to whom is decided in ``game.core.access``.
"""
