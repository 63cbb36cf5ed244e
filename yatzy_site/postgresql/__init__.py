"""A PostgreSQL backend whose waits always end."""
