"""The pages of the lab: players and their distributions, the same dice, the study, dice tests."""
