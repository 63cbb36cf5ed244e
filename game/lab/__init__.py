"""The lab: players and their distributions, the same dice, the study, dice tests.

Only the URLs, the list of kinds, and management commands import it.
"""
