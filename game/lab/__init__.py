"""The lab: players and their distributions, the same dice, the study, dice tests.

Nothing outside but the wiring and trials imports it.
"""
