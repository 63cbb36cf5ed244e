"""Games with others: duels, opponents, shared-device games, reminders."""
