"""The daily game: dice, rankings, streaks and pages."""
