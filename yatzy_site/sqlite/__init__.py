"""A SQLite backend. Only the owner can read the database file."""
