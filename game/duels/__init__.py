"""Games with others: duels, opponents, one phone for several, reminders."""
