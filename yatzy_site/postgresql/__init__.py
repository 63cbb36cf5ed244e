"""A PostgreSQL backend whose waits all have a time limit."""
