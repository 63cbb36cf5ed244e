"""SQLite, its file readable by its owner alone."""
