"""The lab: the bots and their distributions of scores, the same dice, the study, tests of dice.

Only the URLs, the list of kinds, and management commands import it.
"""
