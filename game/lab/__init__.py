"""The lab: bots and their scores, games on the same dice, the study, tests of dice."""
