"""The lab: players and their distributions, the same dice, the study, dice tests.

Only the wiring and trials import it.
"""
