"""The coach: values from the solver's tables, in words.

The package reads tables but not the database. ``game.core.access`` decides who may see what.
"""
