"""A SQLite backend whose file only its owner can read."""
