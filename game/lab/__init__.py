"""The lab: the bots and their distributions of scores, the same dice, the study, tests of dice."""
